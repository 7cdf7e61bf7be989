"""Bugs of what is made before the first noise: rosters, coins, counts, and who has opted out."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

import torch
from tests.contracts.test_before_noise import begun, moved, neighbours, planned, started
from tests.observer.cases import Case
from tests.planted.observed import complained
from tests.planted.planting import Bug, Verdict, instead, swapped

from privgraph.data.graph import Graph
from privgraph.mechanisms.randomised_response import CountedResponse
from privgraph.methods import base
from privgraph.methods.aggregation.options import AggregationConfig
from privgraph.methods.relations.relational.config import Config as Relational
from privgraph.nn import training
from privgraph.privacy.delta import delta_rule

DP_MLP, DP_GNN, HETER = (Case(name, "node") for name in ("dp-mlp", "dp-gnn", "heter-poisson"))
TABLE, DPSGD = Case("privgnn", "node"), Case("prompt-dpsgd", "node", (("clip", 0.01),))
GAP, RELATIONS = Case("gap", "edge"), Case("relational", "edge")
COUNTED = Case("relation-rand", "edge", (("response", "asymmetric"),))


def of_those_who_stayed(name: str) -> AbstractContextManager[None]:
    """What counts or marks the roster counts or marks those who have a record."""
    here = {
        "facts": property(lambda graph: replace(FACTS(graph), train_nodes=int(graph.train_mask.sum()))),
        "training_roster": property(lambda graph: graph.train_mask),
        "present": property(lambda graph: torch.ones(graph.num_nodes, dtype=torch.bool)),
    }
    return instead(Graph, name, here[name])


FACTS: Callable[[Graph], Any] = Graph.facts.fget  # type: ignore[attr-defined]


@contextmanager
def planned_anew(owner: Any, name: str, slip: Callable[..., Any]) -> Iterator[None]:
    """As `instead`, and no plan of before or meanwhile is known."""
    with instead(owner, name, slip):
        base._plan.cache_clear()
        base._scale.cache_clear()
        yield
    base._plan.cache_clear()
    base._scale.cache_clear()


def delta_by_edges() -> AbstractContextManager[None]:
    def rule(self: AggregationConfig, facts: Any) -> tuple[float, str]:
        return delta_rule(max(1, facts.edges), self.delta, what="edges")

    return planned_anew(AggregationConfig, "delta_and_rule", rule)


def rate_by_relations() -> AbstractContextManager[None]:
    def rate(self: Relational, facts: Any) -> float:
        return min(1.0, self.batch_size / self.trained_relations(facts))

    return planned_anew(Relational, "rate", rate)


def coins_by_the_true_count() -> AbstractContextManager[None]:
    noisy = CountedResponse.noisy_count

    def true(self: CountedResponse, edges: int, counted: Any) -> float:
        noisy(self, edges, counted)
        return float(edges)

    return instead(CountedResponse, "noisy_count", true)


def nobody_keeps_a_coin() -> AbstractContextManager[None]:
    drawn = training._drawn

    def only_those_here(everybody: Any, here: Any, rate: float, secret: Any) -> Any:
        return drawn(everybody[here[everybody]], here, rate, secret)

    return swapped(drawn, only_those_here)


def unlike(case: Case) -> Callable[[], Verdict]:
    """Whether plan, or what is drawn up to the first noise, differs on neighbouring data."""

    def check() -> Verdict:
        graph = case.graph
        numbers = [replace(graph.facts, edges=edges, entries=2 * edges) for edges in (4_999, 5_000, 10_000)]
        plans = {repr(case.config().plan(facts).statement) for facts in numbers}
        other = next(neighbours(case))
        wrong = (
            len(plans) > 1 or planned(case, graph) != planned(case, other) or begun(case, graph) != begun(case, other)
        )
        return Verdict(wrong=wrong, seen=f"neighbours {'differ' if wrong else 'are alike'} before the first noise")

    return check


def sensitive(case: Case) -> Callable[[], Verdict]:
    """Whether a neighbour moves what gets the first noise by more than its sensitivity."""

    def check() -> Verdict:
        here = started(case, case.graph)[0]
        most = max(moved(case, here, other) for other in islice(neighbours(case), 6))
        return Verdict(wrong=most > 1 + 1e-6, seen=f"one neighbour moves it by {most:.3g} sensitivities")

    return check


CHECKS = {case: (unlike(case), sensitive(case)) for case in (DP_MLP, DP_GNN, HETER, TABLE, DPSGD, GAP, RELATIONS)}

BUGS = (
    *(
        Bug(f"{case.method}: {what}", "Graph", lambda name=name: of_those_who_stayed(name), CHECKS[case][0])
        for case in (DP_MLP, DP_GNN, HETER)
        for name, what in (
            ("facts", "rates and steps count those who have not opted out"),
            ("training_roster", "coins are tossed for those who have not opted out"),
        )
    ),
    Bug("gap: delta follows the number of edges", "AggregationConfig", delta_by_edges, CHECKS[GAP][0]),
    Bug("relational: the rate follows the number of relations", "rate", rate_by_relations, CHECKS[RELATIONS][0]),
    Bug("dp-mlp: who opted out has no coin", "fit_private", nobody_keeps_a_coin, CHECKS[DP_MLP][0]),
    *(
        Bug(
            f"{case}: who opted out is read as an empty record",
            "Graph.present",
            lambda: of_those_who_stayed("present"),
            CHECKS[case][1],
        )
        for case in (TABLE, DPSGD)
    ),
    Bug(
        "relation-rand: coins follow the true number of relations, and the noisy one is paid for",
        "CountedResponse",
        coins_by_the_true_count,
        complained(COUNTED, "unused", "turned"),
    ),
)
