"""Nothing that is made before the first mechanism hangs on a private record.

For every method and unit, on a graph and its neighbours under the relation that the statement tells: the plan
with its noise, ledger, delta, guarantee and work; everybody else's role; whether it is refused; and, up to
the first noise that is drawn, the secret streams, the chances and numbers of their coins, the law and scale
of the noise, and the shape of what it is added to.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch
from tests.observer.cases import SEED, Case, cases, private_nodes
from tests.observer.trace import Release, Trace, observed
from tests.secrets_made_here import KEY

from privgraph.attacks.relations import without_relations
from privgraph.data.graph import Graph
from privgraph.data.neighbours import with_edge, with_node_nulled, without_edge
from privgraph.methods.training import Context, train_one
from privgraph.privacy.events import Nothing
from privgraph.privacy.kinds import MechanismKind, Neighbours
from privgraph.privacy.serialisation import statement_to_json
from privgraph.registry import METHODS

CASES = cases()
NOISY = [case for case in CASES if not all(isinstance(one.event, Nothing) for one in case.statement().ledger)]


def everybody(case: Case) -> Case:
    """The same, with samples that nobody is left out of."""
    return Case(case.method, case.unit, (("batch_size", 10**6),)) if hasattr(case.config(), "batch_size") else case


PROVED = [
    everybody(case)
    for case in NOISY
    if not (case.changed or case.graph.texts)
    and case.statement().neighbours not in (Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES)
]
"""Those in which all that is drawn stands still: no sample of edges is drawn anew, and no relation, which
has no place of its own, takes another's coin."""
EDGES = (Neighbours.UNDIRECTED_EDGE, Neighbours.DIRECTED_EDGE)


def neighbours(case: Case) -> Iterator[Graph]:
    """Of the case's graph: an edge or relation less, an edge more; or private nodes of each role that opt
    out, the hub among them."""
    graph = case.graph
    if case.statement().neighbours not in EDGES:
        private = private_nodes(graph, case.config()) & graph.present
        for mask in (graph.train_mask, graph.val_mask, graph.test_mask):
            yield from (with_node_nulled(graph, int(node)) for node in (private & mask).nonzero()[[0, -1]])
    elif graph.texts:
        related = graph.relations(0)
        yield from (without_relations(graph, related[:, place : place + 1]) for place in (0, -1 + related.shape[1]))
        yield without_relations(graph, related)
    else:
        yield without_edge(graph, *graph.edge_index[:, 0].tolist())
        yield without_edge(graph, *graph.edge_index[:, -1].tolist())
        absent = next(node for node in range(1, graph.num_nodes) if not bool(graph.adjacency()[1].to_dense()[node]))
        yield with_edge(graph, 1, absent if absent != 1 else 2)


def test_neighbours_are_neighbours() -> None:
    """Of each relation there are cases, and what is told apart is what the relation speaks of."""
    seen = {case.statement().neighbours for case in CASES}
    assert seen >= {Neighbours.UNDIRECTED_EDGE, Neighbours.FROZEN_ROSTER, Neighbours.FROZEN_SAMPLE}
    assert seen.isdisjoint({Neighbours.NODE, Neighbours.NODE_RECORD, Neighbours.ASSIGNED_NODE})
    for case in CASES:
        for other in neighbours(case):
            assert other.num_nodes == case.graph.num_nodes
            moved = len(other.absent) - len(case.graph.absent)
            assert moved == (case.statement().neighbours not in EDGES)


@pytest.mark.parametrize("case", [case for case in CASES if not case.changed], ids=str)
def test_plan_and_roles_are_those_of_every_neighbour(case: Case) -> None:
    graph = case.graph
    for other in neighbours(case):
        assert planned(case, other) == planned(case, graph)
        here = other.present
        for name in ("train_mask", "val_mask", "test_mask"):
            assert torch.equal(getattr(other, name)[here], getattr(graph, name)[here])
        assert torch.equal(other.training_roster, graph.training_roster)
        assert METHODS[case.method].refuses(case.task, other.undirected, case.unit) is None
        assert case.config().refuses(other.facts) == case.config().refuses(graph.facts)


def planned(case: Case, graph: Graph) -> tuple[Any, ...]:
    plan = case.config().plan(graph.facts)
    return plan.scale, plan.entries, statement_to_json(plan.statement), plan.work


class Enough(Exception):
    """The first noise has been drawn."""


class First(list[Release]):
    """Ends a run with its first release."""

    def append(self, release: Release) -> None:
        super().append(release)
        raise Enough


@pytest.mark.parametrize("case", NOISY, ids=str)
def test_up_to_the_first_noise_every_neighbour_is_treated_alike(case: Case) -> None:
    whole = begun(case, case.graph)
    assert whole["shape"] is not None, "something gets noise"
    for other in islice(neighbours(case), 1 if case.changed else 3):
        assert begun(case, other) == whole


@pytest.mark.parametrize("case", PROVED, ids=str)
def test_what_gets_the_first_noise_moves_by_its_sensitivity_at_most(case: Case) -> None:
    """Everybody else keeps place and coin, so that the proof can be looked at in the very run."""
    here = started(case, case.graph)[0]
    moves = [moved(case, here, other) for other in neighbours(case)]
    assert max(moves) <= 1 + 1e-6
    kinds = {entry.kind for entry in case.statement().ledger}
    assert max(moves) > 0 or MechanismKind.COUNTS in kinds, "somebody is missed, if not by the first query's teachers"


def moved(case: Case, here: Release, other: Graph) -> float:
    """By how much the first release `here` moves before its noise, as a share of its sensitivity; of answers
    to queries the one that moves most."""
    entry = next(entry for entry in case.config().plan(case.graph.facts).entries if entry.noise_std)
    before, after = here.before, started(case, other)[0].before
    move = np.abs(after.astype(np.float64) - before)
    if entry.kind is MechanismKind.PART_MAXIMUM:
        size = move.max()
    elif entry.kind is MechanismKind.COUNTS:
        size = np.linalg.norm(np.atleast_2d(move), axis=1).max()
    else:
        size = np.linalg.norm(move.ravel(), ord=1 if entry.norm == "L1" else 2)
    return float(size / (entry.sensitivity or 0))


def started(case: Case, graph: Graph) -> tuple[Release, Trace]:
    """The first noise of a run, and all that was drawn up to it."""
    with observed() as trace:
        trace.releases = First()
        with pytest.raises(Enough):
            for _ in train_one(trainer(case.method), case.config(), graph, Context(seed=SEED, noise_key=KEY)):
                pass
    return trace.releases[0], trace


def begun(case: Case, graph: Graph) -> dict[str, Any]:
    """What is made and drawn of a graph up to the first noise. Of protected relations, who are tossed for
    themselves, the number of coins is not compared."""
    release, trace = started(case, graph)
    tosses = [(one.name, dict(one.tosses) if not graph.texts else {*one.tosses}) for one in trace.streams]
    shape = None if release.before is None else release.before.shape
    if release.kind == "randomised edges":
        shape = (2,)  # what goes in is the graph itself: its columns are the edges
    return {"tosses": tosses, "kind": release.kind, "drawn": sorted(release.drawn), "shape": shape}


@cache
def trainer(name: str) -> Any:
    return METHODS[name].load_train()
