"""What several runs on the data of the same people have shown together. No Streamlit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from privgraph.privacy.kinds import NEIGHBOURS, Neighbours
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.graph_id import GraphId, People
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import method_costs
from privgraph_workbench.words.naming import UPLOAD, titled, unit_of
from privgraph_workbench.words.numbers import rounded_delta, stated

_WITH_RECORDS = (Neighbours.NODE, Neighbours.ASSIGNED_NODE, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES)
"""Relations in which a node, and with it its record, is there or not while the roster stays."""
_IMPLIED = (Neighbours.NODE_RECORD, Neighbours.FROZEN_ROSTER)
"""Relations whose promises hold under each of those: they freeze less, or read less."""
MOST = 40
"""How many different mechanisms are priced together, which takes seconds: of more the epsilons are added."""
ANY_GRAPH = "all graphs, if they hold the same people"


def together(records: Sequence[RunRecord]) -> list[dict[str, str]]:
    """A row for each graph, unit and relation of neighbouring datasets with several private runs.

    One epsilon never speaks of two relations. An upload may hold the people of another graph: the price of
    that is a row of its own.
    """
    people: dict[People, list[RunRecord]] = {}
    for one in records:
        if one.statement is not None and one.statement.unit != "none":
            people.setdefault(GraphId.of(one.spec).people, []).append(one)
    found = [(_graph(runs[0]), runs) for held in people.values() for runs in promises(held)]
    found += [(ANY_GRAPH, runs) for runs in _over_graphs(people)]
    return [_row(graph, runs) for graph, runs in found if len(runs) > 1]


def _row(graph: str, runs: Sequence[RunRecord]) -> dict[str, str]:
    price, delta = _price(runs)
    return {
        "graph": graph,
        "unit": unit_of(runs[0]),
        "neighbouring datasets": NEIGHBOURS[_neighbours(runs[0])],
        "private runs": str(len(runs)),
        "sound ε of all": stated("sound", price if delta < 1 else math.inf),
        "δ": rounded_delta(delta),
    }


def _graph(record: RunRecord) -> str:
    """The graph of a run, however that was split: its people are the same."""
    return titled(record.spec.dataset, replace(GraphId.of(record.spec), split="random").words())


def _over_graphs(people: Mapping[People, Sequence[RunRecord]]) -> list[list[RunRecord]]:
    """Where an upload is among these graphs, the runs of each promise that stand on several of them: nobody
    here knows whom an upload holds, and the same file in another order has another name."""
    if not any(name.startswith(UPLOAD) for name, _ in people):
        return []
    found = promises([one for held in people.values() for one in held])
    return [runs for runs in found if len({GraphId.of(one.spec).people for one in runs}) > 1]


def promises(records: Sequence[RunRecord]) -> list[list[RunRecord]]:
    """Runs on the same people by what they promise: unit, and relation of neighbouring datasets."""
    units: dict[str, list[RunRecord]] = {}
    for one in records:
        units.setdefault(unit_of(one), []).append(one)
    found = []
    for held in units.values():
        kinds = relations([one.statement for one in held if one.statement is not None])
        found += [held] if len(kinds) < 2 else [[one for one in held if _neighbours(one) is kind] for kind in kinds]
    return found


def _neighbours(record: RunRecord) -> Neighbours:
    return record.statement.neighbours if record.statement else Neighbours.UNKNOWN


def relations(statements: Sequence[PrivacyStatement]) -> list[Neighbours]:
    """The relations under which these statements promise, which compose under one alone.

    What hides a node that opts out of a roster hides it as well where a sample or degrees stay, too: the same
    record comes and goes.
    """
    kinds = list(dict.fromkeys(one.neighbours for one in statements))
    others: list[Neighbours] = [kind for kind in kinds if kind not in _IMPLIED]
    return others if len(others) == 1 and others[0] in _WITH_RECORDS else kinds


def _price(records: Sequence[RunRecord]) -> tuple[float, float]:
    """Epsilon and delta of all of them: ledgers compose, and what was chosen by a tuning is added. Of too
    many different mechanisms every run's are added, which is sound and looser (basic composition)."""
    statements = [one.statement for one in records if one.statement is not None]
    plain = [one for one in statements if not one.tuned]
    if len({entry.event for one in plain for entry in one.ledger}) > MOST:
        plain = []
    added = [one for one in statements if not plain or one.tuned]
    price, delta = (math.fsum(getattr(one, name) for one in added) for name in ("epsilon", "delta"))
    if plain:
        own = max(one.delta for one in plain)
        price += method_costs.cost(tuple(entry for one in plain for entry in one.ledger), own)
        delta += own
    return price, delta
