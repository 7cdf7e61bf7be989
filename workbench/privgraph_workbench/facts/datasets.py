"""Data sets as pages see them: the catalogue and uploads, what can be loaded now, sizes, and what is known of
a graph. No Streamlit.

What needs the graph itself is counted by `privgraph.data.describe` in a process of its own, once, and kept: a
page asks again.
"""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

from privgraph.data import facts as engine
from privgraph.data.catalogue import DATASETS, dataset
from privgraph.data.errors import DataError
from privgraph.data.files import available, missing
from privgraph.data.sizes import known_facts
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.data.uploads import uploads
from privgraph.options import Scalar, UnknownName
from privgraph_workbench.words import markup

KINDS = {"embedded": "Comes with the program", "real": "Real, from outside", "upload": "Yours"}
FORGET_AFTER = 10.0
"""Seconds after which a failure is forgotten, and asking tries again."""

_askers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="describe")
_asked: dict[str, Future[dict[str, Any]]] = {}
_failed: dict[str, float] = {}
_lock = Lock()


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
    described = describe(spec.name, options, split)
    return None if described is None else described.facts


@dataclass(frozen=True, kw_only=True)
class Description:
    """What is known of a graph, and a node with those around it."""

    facts: PublicFacts
    degrees: Sequence[Mapping[str, float]]
    """Rows of low, high, nodes and share."""
    classes: Mapping[str, int]
    largest_class: float
    homophily: float | None
    """None without edges, and so is `vote`."""
    homophily_by_chance: float
    vote: float | None
    """How often the commonest class among a node's neighbours is its own."""
    unlabelled: int
    domains: Sequence[Mapping[str, Any]]
    """Of texts (`privgraph.data.facts.domain_facts`)."""
    centre: int
    edges: Sequence[Sequence[int]]
    """Of nodes around the centre."""
    labels: Mapping[int, int]
    """The class of each of these nodes."""
    within: int
    """Nodes within two steps, drawn or not, itself among them."""


def describe(
    name: str, options: Mapping[str, Scalar], split: str = "random", node: int | None = None
) -> Description | None:
    """The description, or None while another process makes it.

    Raises `DataError`, `OptionError` or `UnknownName` where it cannot be made.
    """
    query = engine.Query(name=name, node=node, split=split, options=options)
    kept = query.kept()
    if kept is None:
        kept = _ask(query)
    return None if kept is None else _parse(kept)


def _ask(query: engine.Query) -> dict[str, Any] | None:
    key = str(query.file)
    with _lock:
        if key in _failed and time.monotonic() - _failed[key] > FORGET_AFTER:
            del _failed[key], _asked[key]
        if key not in _asked:
            _asked[key] = _askers.submit(engine.describe, query)
        asked = _asked[key]
        if not asked.done():
            return None
        if asked.exception() is not None:
            _failed.setdefault(key, time.monotonic())
        else:
            del _asked[key]
    return asked.result()


def _parse(told: Mapping[str, Any]) -> Description:
    piece, total, most = told["neighbourhood"], told["nodes"], told["degree"]["max"]
    names: dict[str, int] = {}
    for row in told["class_counts"]:
        names[row["name"] if row["name"] not in names else f"{row['name']} ({row['class']})"] = row["count"]
    labelled = total - told["unlabelled"]
    return Description(
        facts=engine.sizes(told),
        degrees=[
            {"low": one["low"], "high": min(one["high"], most), "nodes": one["count"], "share": one["count"] / total}
            for one in told["degree"]["histogram"]
        ],
        classes=names,
        largest_class=told["largest_class_share"],
        homophily=told["homophily"],
        homophily_by_chance=sum((count / labelled) ** 2 for count in names.values()),
        vote=told["neighbours_vote"]["right"],
        unlabelled=told["unlabelled"],
        domains=told["domains"],
        centre=piece["node"],
        edges=piece["edges"],
        labels={row["id"]: row["class"] for row in piece["nodes"]},
        within=piece["within"],
    )
