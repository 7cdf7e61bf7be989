"""Which method for a graph: what fits, how long it takes, and what the paragraph says."""

from __future__ import annotations

import pytest
from tests.figures import made_runs

from privgraph.data.catalogue import dataset
from privgraph.options import OptionError
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advising, comparing


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


def filled(store: RunStore, accuracies: dict[str, list[float]], reference: dict[str, float]) -> list[RunRecord]:
    """Finished runs of methods, with an accuracy for each seed, at epsilon 1 and, a tenth higher, at 4."""
    for name, told in accuracies.items():
        for epsilon, more in ((1.0, 0.0), (4.0, 0.1)):
            said = made_runs.statement(made_runs.edge_entries(9 if epsilon == 1 else 3))
            for seed, accuracy in enumerate(told):
                spec = made_runs.spec(name, epsilon=epsilon, seed=seed, unit="edge")
                made_runs.finish(store, spec, accuracy + more, said)
    for name, accuracy in reference.items():
        for seed in range(3):
            made_runs.finish(
                store, made_runs.spec(name, seed=seed, unit="none"), accuracy, made_runs.statement((), unit="none")
            )
    return list(store.find())


def test_the_best_on_average_is_taken_and_the_lead_is_told_in_full(store: RunStore) -> None:
    records = filled(
        store,
        {"gap": [0.50, 0.51, 0.52], "progap": [0.70, 0.71, 0.72]},
        {"mlp": 0.4, "gnn": 0.9},
    )
    said = advising.verdict(records, "edge")
    assert (said.method, said.runner_up) == ("progap", "gap")
    assert "20.0 points behind on average over ε from 1 to 4, and clearly so at ε 1, 4" in said.text
    assert "edges are worth their price here" in said.text
    assert "Privacy at ε 4 costs 9.0 points of accuracy" in said.text
    assert "no ε here pays for it" in said.text


def test_what_cannot_be_told_apart_is_said_so(store: RunStore) -> None:
    records = filled(store, {"gap": [0.60, 0.62, 0.64], "progap": [0.61, 0.63, 0.65]}, {"mlp": 0.66})
    said = advising.verdict(records, "edge")
    assert "the two cannot be told apart" in said.text
    assert not said.beats
    assert said.text.startswith("Take ProGAP."), "at ε 4 it is worth it"
    assert "ProGAP does not clearly beat a model that reads no edge, 66.0% (95% over seeds: 66.0% to" in said.text
    assert ", at ε 1. That model needs no noise to hide edges" in said.text
    assert said.short.endswith("ProGAP does not clearly beat a model that reads no edge (66.0%) at ε 1.")


def test_a_model_that_ignores_edges_is_taken_where_intervals_meet_its_own(store: RunStore) -> None:
    """A higher mean alone is no reason to pay for noise."""
    records = filled(store, {"gap": [0.60, 0.62, 0.64], "progap": [0.64, 0.70, 0.76]}, {"mlp": 0.67})
    said = advising.verdict(records, "edge")
    assert (said.method, said.runner_up, said.beats) == ("mlp", "progap", False), "at ε 4 80.0%, 65.1% to 94.9%"
    assert said.short.startswith("To hide edges, take the model that ignores them: 67.0% (95% over seeds: 67.0% to")
    assert "ProGAP is the best that adds noise (70.0% at ε 1, 80.0% at ε 4), and does not clearly beat" in said.short
    assert "GAP does at ε 4. GAP is 8.0 points behind ProGAP on average" in said.short
    assert said.text.startswith("Take the model that ignores edges (67.0%)")


def test_where_too_little_has_run_nothing_is_advised(store: RunStore) -> None:
    records = filled(store, {"gap": [0.2, 0.5, 0.8]}, {"mlp": 0.3})
    said = advising.verdict(records, "edge", ["gap", "progap", "edge-rand"])
    assert said.short == (
        "Too little has run to say what hides edges best: ProGAP, EdgeRand have not run; over seeds, GAP, the best "
        "so far, has an interval of 0.0% to 100.0%. So far GAP reached 50.0% at ε 1, 60.0% at ε 4."
    )
    assert said.text.startswith("Too little has run to choose by:")
    assert not said.beats
    assert "take" not in said.text.lower().split("choose by")[1].split(" edges are")[0].split("take it there")[0]


def test_a_reference_that_ran_at_other_options_is_not_called_missing_without_a_word(store: RunStore) -> None:
    wanted = comparing.specs("karate", "edge")
    done = {one.id for one in wanted if one.method != "gnn"}
    assert "Graph network (not private) (3 runs)" in comparing.known_words(wanted, done, 9)
    told = comparing.known_words(wanted, done, 9, {"gnn"})
    assert "Graph network (not private) (3 runs; further ones here have other options)" in told


def test_another_method_that_beats_a_model_without_edges_somewhere_is_named(store: RunStore) -> None:
    rows = {"gap": {1.0: 0.1, 4.0: 0.7}, "progap": {1.0: 0.6, 4.0: 0.6}}
    asked = [(name, epsilon, seed) for name in rows for epsilon in rows[name] for seed in range(3)]
    for name, epsilon, seed in asked:
        said = made_runs.statement(made_runs.edge_entries(9 if epsilon == 1 else 3))
        spec = made_runs.spec(name, epsilon=epsilon, seed=seed, unit="edge")
        made_runs.finish(store, spec, rows[name][epsilon], said)
    bare = made_runs.statement((), unit="none")
    made_runs.finish(store, made_runs.spec("mlp", unit="none"), 0.65, bare)
    told = advising.verdict(list(store.find()), "edge")
    assert told.runner_up == "progap"
    assert "at any ε tried. GAP does at ε 4." in told.short


def test_before_anything_is_done_nothing_is_recommended(store: RunStore) -> None:
    assert advising.verdict([], "edge").method is None
    records = filled(store, {"gap": [0.5]}, {})
    one = advising.verdict(records, "edge")
    assert (one.method, one.runner_up) == ("gap", None)


def test_time_grows_with_nodes_and_falls_with_workers(store: RunStore) -> None:
    wanted = comparing.specs("social", "edge")
    facts = made_runs.FACTS if hasattr(made_runs, "FACTS") else None
    unknown = comparing.seconds(wanted, facts, [], 1)
    assert unknown > 0
    assert comparing.seconds(wanted, facts, [], 4) == pytest.approx(unknown / 4)
