"""How the guarantees of several settings differ beside epsilon: in delta, and in what neighbouring datasets
are. No Streamlit, no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph.options import listed as both
from privgraph.privacy.kinds import NEIGHBOURS, Neighbours
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.words.numbers import rounded_delta

_NODE = "add or remove one node with all its edges"
RELATIONS: Mapping[Neighbours, str] = {
    **NEIGHBOURS,
    Neighbours.NODE: _NODE,
    Neighbours.ASSIGNED_NODE: f"{_NODE}, while all others keep their teachers",
}
"""What two neighbouring datasets are, where teachers learn from them."""


def relation(row: Row) -> str:
    """The neighbouring datasets of a setting that has some."""
    return RELATIONS[Neighbours(row["neighbours"])]


def differ(rows: Sequence[Row]) -> str:
    """That epsilons on one axis are not the same promise, and in what they differ, for each graph; "" where
    they are."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    told = {graph: _differ([row for row in rows if row["graph"] == graph]) for graph in graphs}
    said = [f"{f'on {graph}, ' * (len(graphs) > 1)}{one}" for graph, one in told.items() if one]
    return f"Guarantees differ: {'. '.join(said)}." if said else ""


def _differ(rows: Sequence[Row]) -> str:
    deltas = dict.fromkeys(rounded_delta(one) for one in sorted({row["delta"] for row in rows} - {None}))
    kinds: dict[str, list[str]] = {}
    for row in rows:
        if row["neighbours"] is not None:
            kinds.setdefault(relation(row), []).append(str(row["title"]))
    said = []
    if len(deltas) > 1:
        said.append(f"δ is {' or '.join(deltas)} (an ε at a larger δ promises less)")
    if len(kinds) > 1:
        each = ", or ".join(f"{kind} ({both(sorted(set(titles)))})" for kind, titles in sorted(kinds.items()))
        said.append(f"neighbouring datasets are not the same: {each}")
    return ", and ".join(said)
