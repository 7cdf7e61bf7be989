"""Which method for a graph: what fits, and how long it takes."""

from __future__ import annotations

import pytest
from tests.figures import made_runs

from privgraph.data.catalogue import dataset
from privgraph.options import OptionError
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import comparing


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def test_what_fits_protects_the_unit_of_the_graphs_own_nodes() -> None:
    social = dataset("social")
    assert comparing.fitting(social, "edge") == ["progap", "gap", "edge-rand"]
    assert comparing.fitting(social, "node") == ["progap", "gap", "dp-mlp", "dp-gnn", "heter-poisson"]
    assert set(comparing.apart(social, "node")) == {"privgnn", "pate", "prompt-dpsgd", "dp-gpl"}
    assert comparing.fitting(dataset("products"), "edge") == ["relational", "relation-rand"]
    assert comparing.fitting(dataset("products"), "node") == []


def test_runs_are_every_method_at_every_epsilon_and_seed_beside_two_without_privacy() -> None:
    found = comparing.specs("social", "edge", epsilons=(1.0, 2.0), seeds=3)
    assert len(found) == 3 * (3 * 2 + 2)
    assert {spec.seed for spec in found} == {0, 1, 2}
    assert {spec.method for spec in found if spec.unit == "none"} == {"mlp", "gnn"}
    assert {spec.asked_epsilon for spec in found if spec.unit == "edge"} == {1.0, 2.0}
    only = comparing.specs("social", "node", methods=["gap"], seeds=1)
    assert [spec.method for spec in only].count("gap") == len(comparing.EPSILONS["node"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"unit": "person"}, "unit must be one of edge, node"),
        ({"unit": "edge", "seeds": 0}, "seeds must be from 1 to 20"),
        ({"unit": "edge", "methods": ["privgnn"]}, "privgnn does not fit; methods that do are progap, gap, edge-rand"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(asked: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        comparing.specs("social", **asked)


def test_nothing_fits_people_in_relations() -> None:
    with pytest.raises(OptionError, match="no method protects one person"):
        comparing.specs("products", "node")


def test_where_nodes_are_public_a_larger_budget_has_what_a_smaller_one_reached(store: RunStore) -> None:
    """No less accurate method is named at a larger budget, and the setting is told."""
    for name, epsilon, accuracy in (("privgnn", 2.0, 0.76), ("privgnn", 4.0, 0.74), ("prompt-dpsgd", 8.0, 0.75)):
        for release in ("table", "votes") if name == "privgnn" else ("",):
            options = {"unit": "node", "epsilon": epsilon} | ({"release": release} if release else {})
            for seed in range(3):
                run = make_spec(name, "karate", options, seed=seed)
                said = made_runs.statement(made_runs.node_entries(2.0), unit="node")
                made_runs.finish(store, run, accuracy - 0.2 * (release == "votes"), said)
    found = comparing.with_public(comparing.specs("karate", "node"), store.find(), "node")
    (best,) = found.rows
    assert (best["method"], best["asked"], best["mean"]) == ("privgnn", 2.0, pytest.approx(0.76))
    assert "release table" in found.words[best["runs"]]
    assert found.tried == 5


def test_time_grows_with_nodes_and_falls_with_workers(store: RunStore) -> None:
    wanted = comparing.specs("social", "edge")
    facts = made_runs.FACTS if hasattr(made_runs, "FACTS") else None
    unknown = comparing.seconds(wanted, facts, [], 1)
    assert unknown > 0
    assert comparing.seconds(wanted, facts, [], 4) == pytest.approx(unknown / 4)
