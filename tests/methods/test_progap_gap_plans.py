"""Plans of ProGAP and GAP: sensitivity, golden numbers, and entries of the ledger."""

import math
from typing import Any

import pytest

from privgraph.data.spec import PublicFacts
from privgraph.options import build
from privgraph.privacy.events import Gaussian, PoissonSampled
from privgraph.registry import method

METHODS = ("progap", "gap")
FACTS = PublicFacts(nodes=4425, edges=162_995, entries=325_990, features=253, classes=6, train_nodes=3319)


def _plan(name: str, facts: PublicFacts = FACTS, **options: Any) -> Any:
    return build(method(name).load_config(), options).plan(facts)


@pytest.mark.parametrize("name", METHODS)
def test_an_undirected_edge_needs_root_two_more_noise(name: str) -> None:
    directed = PublicFacts(**(vars(FACTS) | {"undirected": False, "edges": FACTS.entries}))
    both, one = _plan(name, epsilon=1.0), _plan(name, directed, epsilon=1.0)
    assert both.noise["aggregation_std"] == pytest.approx(math.sqrt(2) * one.noise["aggregation_std"], rel=3e-3)


def test_the_noise_of_the_papers_tables() -> None:
    """Golden `progap-published-10/16` and `progap-tight-06`: the code's noise scale on the paper's Facebook
    graph."""
    facebook = PublicFacts(
        nodes=26_406, edges=1_058_962, entries=2_117_924, features=501, classes=6, train_nodes=19_804
    )
    config = build(
        method("progap").load_config(),
        {"unit": "node", "epsilon": 8, "depth": 2, "batch_size": 256, "epochs": 10, "accounting": "published"},
    )
    sampling = config.sampling(facebook)
    assert (sampling.steps, sampling.rate) == (773, 0.012926681478489193)
    plan = config.plan(facebook)
    assert plan.statement.delta == 1e-5
    assert plan.noise["gradient_multiplier"] == pytest.approx(1.0434, rel=1e-3)
    assert plan.noise["aggregation_std"] == pytest.approx(10 * plan.noise["gradient_multiplier"])
    edge = build(method("progap").load_config(), {"depth": 5, "epsilon": 1.4477, "delta": 1e-7}).plan(facebook)
    assert edge.noise["aggregation_std"] == pytest.approx(10.4618, rel=2e-3)


def test_progap_trains_one_stage_more_than_it_aggregates_and_gap_trains_twice() -> None:
    for name, trained in (("progap", 4), ("gap", 2)):
        entries = build(method(name).load_config(), {"unit": "node", "depth": 3}).entries(FACTS, 1.0)
        steps = [entry.count for entry in entries if isinstance(entry.event, PoissonSampled)]
        noisy_sums = [entry for entry in entries if isinstance(entry.event, Gaussian)]
        assert steps == [129] * trained  # floor(10 * 3319 / 256)
        assert [entry.count for entry in noisy_sums] == [1, 1, 1]
        assert all(entry.sensitivity == 10.0 for entry in noisy_sums)
