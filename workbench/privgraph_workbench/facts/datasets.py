"""Data sets as pages see them: the catalogue and uploads, what can be loaded now, and their sizes. No
Streamlit.

What needs the graph itself is made by `privgraph.data.describe` in a process of its own, once, and kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from privgraph.data.catalogue import DATASETS, dataset
from privgraph.data.errors import DataError
from privgraph.data.files import available, missing
from privgraph.data.sizes import known_facts
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.data.uploads import uploads
from privgraph.options import Scalar, UnknownName
from privgraph_workbench.facts import describing
from privgraph_workbench.words import markup

KINDS = {
    "embedded": "Comes with the program",
    "real": "Real, from outside",
    "upload": "Yours",
}


def choices() -> list[DatasetSpec]:
    """The catalogue and the uploads, in order."""
    return [*DATASETS.values(), *uploads()]


def sized(spec: DatasetSpec) -> bool:
    """Whether a price of it can be told here: its sizes are known, or its files are here to be counted."""
    return known_facts(spec, {}) is not None or available(spec)


def complaint(name: str) -> str:
    """Why a data set of that name cannot be chosen, as Markdown."""
    try:
        return markup.literal(missing(dataset(name[:100])) or f"{name} cannot be chosen here")
    except (UnknownName, DataError) as error:
        return markup.literal(error)


def public_facts(spec: DatasetSpec, options: Mapping[str, Scalar], split: str) -> PublicFacts | None:
    """The sizes that a plan needs, or None while they are being counted. Raises `OptionError` or `DataError`.

    From the catalogue where it has them, and else from the graph. The catalogue's are those of the random
    split.
    """
    if split == "random":
        known = known_facts(spec, options)
        if known is not None:
            return known
    described = describing.describe(spec.name, options, split)
    return None if described is None else described.facts
