"""What several runs on the data of the same people have shown together. No Streamlit."""

import math
from collections.abc import Sequence
from dataclasses import replace

from privgraph.privacy.kinds import NEIGHBOURS, Neighbours
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.graph_id import GraphId, People
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import method_costs
from privgraph_workbench.words.naming import UPLOAD, titled
from privgraph_workbench.words.numbers import rounded_delta, stated

_WITH_RECORDS = (Neighbours.NODE, Neighbours.ASSIGNED_NODE, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES)
"""Relations in which a node, and with it its record, is there or not while the roster stays."""
_IMPLIED = (Neighbours.NODE_RECORD, Neighbours.FROZEN_ROSTER)
"""Relations whose promises hold under each of those: they freeze less, or read less."""
MOST = 40
"""How many different mechanisms are priced together, which takes seconds: of more the epsilons are added."""
ANY_GRAPH = "all graphs, if they hold the same people"
Held = tuple[RunRecord, PrivacyStatement]


def together(records: Sequence[RunRecord]) -> list[dict[str, str]]:
    """A row for each graph, unit and relation of neighbouring datasets with several private runs.

    One epsilon never speaks of two relations. An upload may hold the people of another graph: nobody here
    knows whom, and the same file in another order has another name. The price of that is a row of its own.
    """
    private = [(one, one.statement) for one in records if one.statement is not None and one.statement.unit != "none"]
    people: dict[People, list[Held]] = {}
    for one in private:
        people.setdefault(_people(one), []).append(one)
    found = [promise for held in people.values() for promise in _promises(held)]
    if any(name.startswith(UPLOAD) for name, _ in people):
        found += [promise for promise in _promises(private) if len(set(map(_people, promise))) > 1]
    return [_row(promise) for promise in found if len(promise) > 1]


def _people(one: Held) -> People:
    return GraphId.of(one[0].spec).people


def _row(held: Sequence[Held]) -> dict[str, str]:
    record, said = held[0]
    price, delta = _price([one for _, one in held])
    one_graph = titled(record.spec.dataset, replace(GraphId.of(record.spec), split="random").words())
    return {
        "graph": one_graph if len(set(map(_people, held))) == 1 else ANY_GRAPH,
        "unit": said.unit,
        "neighbouring datasets": NEIGHBOURS[said.neighbours],
        "private runs": str(len(held)),
        "sound ε of all": stated("sound", price if delta < 1 else math.inf),
        "δ": rounded_delta(delta),
    }


def _promises(held: Sequence[Held]) -> list[list[Held]]:
    """Runs by what they promise: unit, and relation of neighbouring datasets."""
    found = []
    for unit in dict.fromkeys(said.unit for _, said in held):
        own = [one for one in held if one[1].unit == unit]
        kinds = relations([said for _, said in own])
        found += [own] if len(kinds) < 2 else [[one for one in own if one[1].neighbours is kind] for kind in kinds]
    return found


def relations(statements: Sequence[PrivacyStatement]) -> list[Neighbours]:
    """The relations under which these statements promise, which compose under one alone.

    What hides a node that opts out of a roster hides it as well where a sample or degrees stay, too: the same
    record comes and goes.
    """
    kinds = list(dict.fromkeys(one.neighbours for one in statements))
    others: list[Neighbours] = [kind for kind in kinds if kind not in _IMPLIED]
    return others if len(others) == 1 and others[0] in _WITH_RECORDS else kinds


def _price(statements: Sequence[PrivacyStatement]) -> tuple[float, float]:
    """Epsilon and delta of all of them: ledgers compose, and what was chosen by a tuning is added. Of too
    many different mechanisms every run's are added, which is sound and looser (basic composition)."""
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
