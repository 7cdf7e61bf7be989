"""Plans and statements of ProGAP and GAP: calibration, golden numbers, words."""

from __future__ import annotations

import math
from typing import Any

import pytest

from privgraph.data.spec import PublicFacts
from privgraph.options import OptionError, build
from privgraph.privacy.events import Gaussian, PoissonSampled
from privgraph.privacy.statements import GAP_DEGREE_BOUND, GAP_EPOCH_SELECTION
from privgraph.registry import method

METHODS = ("progap", "gap")
FACTS = PublicFacts(nodes=4425, edges=162_995, entries=325_990, features=253, classes=6, train_nodes=3319)


def _plan(name: str, facts: PublicFacts = FACTS, **options: Any) -> Any:
    return build(method(name).load_config(), options).plan(facts)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("unit", ["edge", "node"])
@pytest.mark.parametrize("epsilon", [0.5, 1, 8])
def test_calibration_never_exceeds_epsilon_and_comes_close(name: str, unit: str, epsilon: float) -> None:
    sound = _plan(name, unit=unit, epsilon=epsilon).statement
    assert 0.98 * epsilon < sound.epsilon <= epsilon
    published = _plan(name, unit=unit, epsilon=epsilon, accounting="published").statement
    assert 0.98 * epsilon < published.epsilon_as_published <= epsilon


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_noise_falls_with_epsilon_and_rises_with_depth(name: str) -> None:
    for unit in ("edge", "node"):
        noise = [_plan(name, unit=unit, epsilon=e).noise["aggregation_std"] for e in (0.5, 1, 4)]
        assert noise[0] > noise[1] > noise[2] > 0
        deeper = [_plan(name, unit=unit, depth=depth).noise["aggregation_std"] for depth in (1, 3, 5)]
        assert deeper[0] < deeper[1] < deeper[2]


@pytest.mark.parametrize("name", METHODS)
def test_an_undirected_edge_needs_root_two_more_noise(name: str) -> None:
    directed = PublicFacts(**(vars(FACTS) | {"undirected": False, "edges": FACTS.entries}))
    both, one = _plan(name, epsilon=1.0), _plan(name, directed, epsilon=1.0)
    assert both.noise["aggregation_std"] == pytest.approx(math.sqrt(2) * one.noise["aggregation_std"], rel=3e-3)
    assert "two entries" in both.statement.relation
    assert "directed edge" in one.statement.relation
    assert any(gap.title == "An undirected edge is two entries" for gap in both.statement.gaps)
    assert not any(gap.title == "An undirected edge is two entries" for gap in one.statement.gaps)


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
        statement = _plan(name, unit="node", depth=3, epsilon=8).statement
        steps = [entry.count for entry in statement.ledger if isinstance(entry.event, PoissonSampled)]
        noisy_sums = [entry for entry in statement.ledger if isinstance(entry.event, Gaussian)]
        assert steps == [129] * trained  # floor(10 * 3319 / 256)
        assert [entry.count for entry in noisy_sums] == [1, 1, 1]
        assert all(entry.sensitivity == 10.0 for entry in noisy_sums)


@pytest.mark.parametrize("name", METHODS)
def test_statements_say_what_they_must(name: str) -> None:
    edge = _plan(name, unit="edge").statement
    assert edge.delta == 1e-6
    assert edge.epsilon_as_published is not None
    assert any("secret" in assumption for assumption in edge.assumptions)
    node = _plan(name, unit="node", epsilon=8).statement
    assert node.delta == 1e-4
    assert "opts out" in node.relation
    assert GAP_DEGREE_BOUND in node.gaps
    assert GAP_EPOCH_SELECTION not in node.gaps
    assert any("last epoch" in assumption for assumption in node.assumptions)
    chosen = _plan(name, unit="node", epsilon=8, selection="validation").statement
    assert GAP_EPOCH_SELECTION in chosen.gaps
    assert not any("last epoch" in assumption for assumption in chosen.assumptions)
    nothing = _plan(name, unit="none").statement
    assert math.isinf(nothing.epsilon)
    assert nothing.epsilon_as_published is None


def test_what_may_be_stacked() -> None:
    def key(name: str, **options: Any) -> tuple[object, ...]:
        return build(method(name).load_config(), options).stack_key()

    same = {
        key("progap", epsilon=e, learning_rate=r, delta=d, accounting=a)
        for e, r, d, a in ((1, 0.01, 0, "sound"), (4, 0.05, 1e-6, "published"))
    }
    assert len(same) == 1
    assert key("progap", unit="none") == key("progap", unit="edge"), "no noise is a noise like another"
    for other in (
        {"unit": "node"},
        {"depth": 3},
        {"hidden": 8},
        {"epochs": 7},
        {"layers": 2},
        {"selection": "last"},
        {"dropout": 0.5},
    ):
        assert key("progap", **other) != key("progap")
    assert key("gap") != key("progap")


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "depth must be at least 1"),
        ({"learning_rate": 0}, "learning_rate must be greater than 0"),
        ({"clip": 0}, "clip must be at least 1e-06"),
        ({"max_degree": 0}, "max_degree must be at least 1"),
        ({"unit": "graph"}, "unit must be one of none, edge, node"),
        ({"selection": "best"}, "selection must be one of"),
        ({"epsilon": "nan"}, "epsilon must be a number"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        build(method(name).load_config(), options)


def test_a_graph_without_training_nodes_is_refused() -> None:
    nobody = PublicFacts(**(vars(FACTS) | {"train_nodes": 0}))
    with pytest.raises(OptionError, match="at least one labelled training node"):
        _plan("progap", nobody, unit="node", epsilon=8)
