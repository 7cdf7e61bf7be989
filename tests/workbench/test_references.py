"""What an accuracy is read beside: chance, its interval, and the run without privacy."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from privgraph.options import values
from privgraph.registry import METHODS
from privgraph.runs.spec import make_spec
from privgraph_workbench.facts.references import chance, without_privacy


@pytest.mark.parametrize(("right", "nodes"), [(0, 40), (40, 40), (551, 1350)])
def test_the_interval_is_that_of_clopper_and_pearson(right: int, nodes: int) -> None:
    told = chance({"test_accuracy": right / nodes, "test_nodes": float(nodes), "majority_class_accuracy": 0.3})
    assert told is not None
    exact = binomtest(right, nodes).proportion_ci(0.95, method="exact")
    assert (told.low, told.high) == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert told.nodes == nodes


def test_chance_is_what_the_interval_reaches() -> None:
    def no_better(accuracy: float, nodes: float) -> bool:
        told = chance({"test_accuracy": accuracy, "test_nodes": nodes, "majority_class_accuracy": 0.4})
        assert told is not None
        return told.no_better

    assert no_better(0.45, 100)
    assert not no_better(0.45, 1000)
    assert no_better(0.2, 1000)


@pytest.mark.parametrize("name", METHODS)
def test_every_private_run_has_one_without_privacy(name: str) -> None:
    texts = "node classification" not in METHODS[name].tasks
    graph, small = ("products", {"products": 60}) if texts else ("social", {"nodes": 300})
    for unit in set(METHODS[name].units) - {"none"}:
        spec = make_spec(name, graph, {"unit": unit}, data_options=small, split="inductive", seed=7)
        bare = without_privacy(spec)
        assert bare is not None
        assert bare.unit == "none"
        assert (bare.data_options, bare.split, bare.seed) == (spec.data_options, "inductive", 7)
        assert bare.method == METHODS[name].without_privacy
    if "none" in METHODS[name].units:
        assert without_privacy(make_spec(name, graph, {"unit": "none"})) is None


def test_a_counterpart_has_its_own_defaults_but_the_same_network() -> None:
    found = without_privacy(make_spec("dp-gpl", "karate", {"backbone": "gat", "teachers": 7}))
    assert found == make_spec("prompt", "karate", {"backbone": "gat"})
    plain = without_privacy(make_spec("dp-mlp", "karate", {"hidden": 32}))
    assert plain is not None
    assert plain.options == values(METHODS["mlp"].load_config()(unit="none"))
