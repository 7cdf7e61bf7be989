"""Advice speaks of the epsilon that noise does guarantee, and of nothing that promises less than asked."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.options import Scalar
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Mark, Trial
from privgraph_workbench.facts import advised, advising, comparing, judging, stretches
from privgraph_workbench.facts.seedwise import Seedwise
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.views.tradeoffs import advice


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def _with_epsilon(epsilon: float) -> PrivacyStatement:
    return replace(made_runs.statement(made_runs.node_entries(3.0), unit="node"), epsilon=epsilon)


def _runs(store: RunStore, method: str, options: dict[str, Scalar], epsilon: float, mean: float) -> list[RunRecord]:
    """Three seeds on one graph, whose statements have this sound epsilon."""
    found = []
    for seed, off in enumerate((-0.01, 0.0, 0.01)):
        run = make_spec(method, "karate", {"unit": "node", **options}, seed=seed)
        found.append(made_runs.finish(store, run, mean + off, _with_epsilon(epsilon)))
    return found


@pytest.mark.parametrize("sound", [633.7, 1.0001, math.inf])
def test_where_nodes_are_public_a_budget_that_is_not_kept_is_no_advice(store: RunStore, sound: float) -> None:
    """By published formulas asked 1 may be 633.7, or nothing at all."""
    _runs(store, "dp-gpl", {"epsilon": 1.0, "accounting": "published", "weighting": "centrality"}, sound, 0.9)
    _runs(store, "privgnn", {"epsilon": 8.0}, 7.9, 0.7)
    found = comparing.with_public(comparing.specs("karate", "node"), store.find(), "node")
    assert [row["method"] for row in found.rows] == ["privgnn"]
    assert (found.tried, found.left) == (1, 1)


def test_where_nodes_are_public_the_sound_epsilon_orders_and_is_told(store: RunStore) -> None:
    _runs(store, "privgnn", {"epsilon": 8.0, "release": "votes"}, 0.5, 0.8)
    _runs(store, "privgnn", {"epsilon": 1.0}, 0.9999, 0.7)
    found = comparing.with_public(comparing.specs("karate", "node"), store.find(), "node")
    (best,) = found.rows
    assert best["epsilon"] == 0.5, "asked for 8, and reached at less than 1"
    said = advice._highest([best], found)
    assert " at ε 0.5. Strong protection" in said
    _runs(store, "privgnn", {"epsilon": 4.0}, 3.9999, 0.9)
    last = comparing.with_public(comparing.specs("karate", "node"), store.find(), "node").rows[-1]
    assert " at ε 4. Weak protection" in advice._highest([last], replace(found, words={last["runs"]: ""}))


def test_a_method_that_does_not_keep_its_budget_is_left_out_and_named(store: RunStore) -> None:
    records = _runs(store, "gap", {"epsilon": 1.0}, 13.8, 0.9) + _runs(store, "dp-mlp", {"epsilon": 1.0}, 0.99, 0.6)
    records += _runs(store, "progap", {"epsilon": 1.0}, 1.0, 0.5)
    told = advising.verdict(records, "node")
    assert "gap" not in [name for one in told.stretches for name in one.takes]
    assert "Left out, for the sound ε is larger than the one asked for: GAP at ε 1 (13.8)." in told.text
    alone = advising.verdict(records[:3], "node")
    assert alone.heading == "No finished run keeps its ε."
    assert "GAP at ε 1 (13.8)" in alone.text


def test_no_budget_is_judged_by_what_does_not_keep_it(store: RunStore) -> None:
    (row,) = tradeoff.data(_runs(store, "gap", {"epsilon": 1.0}, 1.01, 0.9))
    seen = judging.Seen(seeds=Seedwise.of([]), unit="node", blind=None, bare=None, guess=None)
    with pytest.raises(ValueError, match=r"gap was asked for epsilon 1\.0 and has 1\.01"):
        judging.judged([row], seen)
    assert judging.judged([{**row, "epsilon": 1.0}], seen).best["method"] == "gap"


@pytest.mark.parametrize("chosen", [False, True])
def test_no_trial_of_a_tuning_is_advised(store: RunStore, chosen: bool) -> None:
    """One that was tried promises nothing; of the one that was chosen, its accuracy flatters it."""
    wanted = comparing.specs("karate", "node")
    plain = _runs(store, "dp-mlp", {"epsilon": 1.0}, 0.99, 0.6) + _runs(store, "gap", {"epsilon": 1.0}, 0.99, 0.5)
    mark = Mark(tuning="t", trial=Trial.RELEASED if chosen else Trial.TRIED, terms=None)
    trials = [replace(one, id=f"{one.id}-trial", tuning=mark) for one in plain]
    assert {one.id for one in comparing.alike(wanted, [*plain, *trials])} == {one.id for one in plain}
    assert advising.verdict(plain, "node").stretches
    told = advising.verdict(trials, "node")
    assert (told.methods, told.stretches) == (0, ())
    assert "Left out: 6 trials of a tuning, which no ε of one run covers." in told.text
    assert advised.of_runs(trials) == ""
    beside = advising.verdict([*plain, *trials[:1]], "node")
    assert "Left out: 1 trial of a tuning" in beside.text
    assert beside.stretches == advising.verdict(plain, "node").stretches, "nor do they move what stands alone"
    assert not advising.trials_out(plain)


def test_no_trial_of_a_tuning_is_advised_where_nodes_are_public(store: RunStore) -> None:
    runs = _runs(store, "privgnn", {"epsilon": 1.0}, 0.99, 0.7)
    trials = [replace(one, tuning=Mark(tuning="t", trial=Trial.TRIED, terms=None)) for one in runs]
    wanted = comparing.specs("karate", "node")
    assert comparing.with_public(wanted, runs, "node").rows
    assert not comparing.with_public(wanted, trials, "node").rows


def test_where_nodes_are_public_a_smaller_epsilon_of_a_larger_delta_promises_no_more(store: RunStore) -> None:
    for release, epsilon, delta, mean in (("votes", 1.0, 1e-2, 0.8), ("table", 4.0, 1e-5, 0.7)):
        for seed in range(3):
            run = make_spec("privgnn", "karate", {"unit": "node", "epsilon": epsilon, "release": release}, seed=seed)
            made_runs.finish(store, run, mean, replace(_with_epsilon(epsilon), delta=delta))
    found = comparing.with_public(comparing.specs("karate", "node"), store.find(), "node")
    assert [row["epsilon"] for row in found.rows] == [1.0, 4.0], "the second promises what the first does not"


def test_where_nodes_are_public_runs_on_other_graphs_say_nothing(store: RunStore) -> None:
    runs = _runs(store, "privgnn", {"epsilon": 1.0}, 0.99, 0.7)
    assert comparing.with_public(comparing.specs("karate", "node"), runs, "node").rows
    assert comparing.with_public(comparing.specs("social", "node"), runs, "node") == comparing.WithPublic()


def test_where_nodes_are_public_noise_is_said_to_be_public_of_what_is_named_alone(store: RunStore) -> None:
    for release, mean, public in (("votes", 0.8, False), ("table", 0.7, True)):
        for seed in range(3):
            run = make_spec("privgnn", "karate", {"unit": "node", "epsilon": 1.0, "release": release}, seed=seed)
            said = _with_epsilon(1.0)
            made_runs.finish(store, run, mean, with_public_noise(said) if public else said)
    wanted, runs = comparing.specs("karate", "node"), store.find()
    assert not comparing.with_public(wanted, runs, "node").public, "that of the others is none of the one named"
    worse = [one for one in runs if one.spec.options["release"] == "table"]
    assert "protect nobody" in comparing.with_public(wanted, worse, "node").public


def test_several_budgets_protect_as_much_as_the_largest_of_them() -> None:
    several = stretches.Stretch(epsilons=(0.5, 1.0, 2.0), kind="several", takes=(), told="", why="")
    assert several.protection.endswith(": ≤ 88.1%"), "and not 62.3%, which is that of 0.5"


def test_the_word_and_the_number_of_a_protection_are_of_the_same_delta() -> None:
    """Near 75% the word at delta 0 is another one."""
    one = stretches.Stretch(epsilons=(1.0985,), kind="one", takes=("gap",), told="", why="", delta=0.001)
    assert one.protection.startswith("moderate: ≤ 75.1%")
    assert one.worth == "moderate protection"
    assert replace(one, delta=0.0).protection == "strong: ≤ 75.0%"


def test_where_nodes_are_public_all_that_promise_too_little_are_counted_and_they_alone(store: RunStore) -> None:
    for release, sound, mean in (("votes", 0.99, 0.8), ("table", 0.98, 0.9)):
        _runs(store, "privgnn", {"epsilon": 1.0, "release": release}, sound, mean)
    _runs(store, "dp-gpl", {"epsilon": 1.0, "accounting": "published", "weighting": "centrality"}, 7.0, 0.9)
    found = comparing.with_public(comparing.specs("karate", "node"), store.find(), "node")
    assert (len(found.rows), found.tried, found.left) == (1, 2, 1)


def test_runs_on_another_split_are_none_of_a_comparison(store: RunStore) -> None:
    runs = _runs(store, "gap", {"epsilon": 1.0}, 0.99, 0.6)
    wanted = comparing.specs("karate", "node")
    assert comparing.alike(wanted, runs) == runs
    apart = [replace(one, stored_spec=replace(one.spec, split=f"not {one.spec.split}")) for one in runs]
    assert not comparing.alike(wanted, apart)


def test_without_the_level_of_a_model_that_reads_no_edge_a_report_advises_nothing(store: RunStore) -> None:
    runs = _runs(store, "gap", {"epsilon": 1.0}, 0.99, 0.9) + _runs(store, "dp-mlp", {"epsilon": 1.0}, 0.99, 0.6)
    assert advising.verdict(runs, "node").settled
    assert advised.of_runs(runs) == ""
    blind = [made_runs.finish(store, make_spec("mlp", "karate", {"unit": "none"}), 0.5, _with_epsilon(math.inf))]
    assert "GAP" in advised.of_runs([*runs, *blind])


def test_a_method_is_taken_at_the_options_that_were_compared_alone(store: RunStore) -> None:
    runs = _runs(store, "gap", {"epsilon": 1.0}, 0.99, 0.9) + _runs(store, "dp-mlp", {"epsilon": 1.0}, 0.99, 0.6)
    said = advising.verdict(runs, "node")
    (row,) = (one for one in tradeoff.data(runs) if one["method"] == "gap")
    assert advised.of_row(row, said) == "take"
    assert advised.of_row({**row, "variant": "3 hops"}, said) == ""


def test_no_cost_is_counted_from_what_is_private(store: RunStore) -> None:
    runs, wanted = _runs(store, "gap", {"epsilon": 1.0}, 0.99, 0.9), comparing.specs("karate", "node")
    assert comparing.networks(wanted, runs) == []
    bare = made_runs.finish(store, make_spec("gap", "karate", {"unit": "none"}), 0.9, _with_epsilon(math.inf))
    assert comparing.networks(wanted, [*runs, bare]) == [bare]
