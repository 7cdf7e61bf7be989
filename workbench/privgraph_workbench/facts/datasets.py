"""Data sets as pages see them: the catalogue and uploads, what can be loaded now, and their sizes. No
Streamlit.

What needs the graph itself is made by `privgraph.data.describe` in a process of its own, once, and kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privgraph.data.catalogue import DATASETS, dataset
from privgraph.data.errors import DataError
from privgraph.data.files import available, missing
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.data.uploads import uploads
from privgraph.options import Scalar, UnknownName, build
from privgraph_workbench.facts import describing
from privgraph_workbench.words import markup

KINDS = {
    "embedded": "Comes with the program",
    "real": "Real, from outside",
    "upload": "Yours",
}
VALIDATION, TEST = 0.10, 0.15
"""Shares of a random split."""


def choices() -> list[DatasetSpec]:
    """The catalogue and the uploads, in order."""
    return [*DATASETS.values(), *uploads()]


def unavailable(spec: DatasetSpec) -> str | None:
    """Why the set cannot be loaded without a network, in one sentence, or None."""
    return None if available(spec) else missing(spec)


def complaint(name: str) -> str:
    """Why a data set of that name cannot be chosen, as Markdown."""
    try:
        return markup.literal(unavailable(dataset(name[:100])) or f"{name} cannot be chosen here")
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


def known_facts(spec: DatasetSpec, options: Mapping[str, Scalar]) -> PublicFacts | None:
    """The sizes of a random split, or None where only the graph itself tells. Raises `OptionError`."""
    return _from_options(spec, options) or _from_catalogue(spec)


def _from_catalogue(spec: DatasetSpec) -> PublicFacts | None:
    if spec.domains or spec.nodes is None or spec.edges is None or spec.features is None or spec.classes is None:
        return None
    return _facts(spec.nodes, spec.edges, spec.features, spec.classes, spec.undirected)


def _from_options(spec: DatasetSpec, options: Mapping[str, Scalar]) -> PublicFacts | None:
    found = spec.load_options()
    if found is None or spec.domains:  # of texts, the graph itself has to be counted
        return None
    config: Any = build(found, options)
    return _facts(config.nodes, round(config.nodes * config.degree / 2), config.features, config.classes, True)


def _facts(nodes: int, edges: int, features: int, classes: int, undirected: bool) -> PublicFacts:
    held_out = round(nodes * VALIDATION) + round(nodes * TEST)
    return PublicFacts(
        nodes=nodes,
        edges=edges,
        entries=2 * edges if undirected else edges,
        features=features,
        classes=classes,
        train_nodes=nodes - held_out,
        undirected=undirected,
    )
