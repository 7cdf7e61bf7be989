"""Rows and settings in words: which epsilon a row keeps, what it protects, how far settings are apart."""

from __future__ import annotations

import math
from statistics import fmean

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import kept_epoch
from privgraph_workbench.facts.ahead import ahead
from privgraph_workbench.facts.row_words import at_sound, protects_of, sound_at
from privgraph_workbench.figures.seeds import difference, standard_error
from privgraph_workbench.words.numbers import kept, signed

FEW = "With fewer than three seeds of each"


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def runs(store: RunStore, method: str, reached: dict[int, float]) -> list[RunRecord]:
    said = made_runs.statement(made_runs.edge_entries(9))
    return [made_runs.finish(store, made_runs.spec(method, seed=seed), value, said) for seed, value in reached.items()]


def test_a_row_keeps_what_was_asked_for_only_where_the_sound_epsilon_is_no_larger() -> None:
    assert sound_at({"asked": 1.0, "epsilon": 0.9997}) == 1.0
    assert sound_at({"asked": 1.0, "epsilon": 633.7}) == 633.7
    assert sound_at({"asked": None, "epsilon": 0.5}) == 0.5
    assert kept(1.0, 0.9997) != kept(None, 0.9997)
    assert at_sound({"asked": 1.0, "epsilon": 0.9997}) == f" at ε {kept(1.0, 0.9997)}"


def test_what_reads_no_edge_hides_edges_and_nobody() -> None:
    blind = {"unit": "none", "method": "mlp", "asked": None, "epsilon": math.inf}
    assert protects_of(blind, "edge") == ("edge", "0, reads none")
    assert protects_of(blind, "node") == ("nothing", "none")
    private = {"unit": "edge", "method": "gap", "asked": 1.0, "epsilon": 0.9997}
    assert protects_of(private, "edge") == ("edge", kept(1.0, 0.9997))


def test_that_one_setting_has_few_seeds_is_said_of_both(store: RunStore) -> None:
    three, two = runs(store, "gap", {0: 0.7, 1: 0.71, 2: 0.73}), runs(store, "progap", {0: 0.6, 1: 0.61})
    assert FEW in ahead([three, two], ["A", "B"])
    more = runs(store, "progap", {2: 0.63})
    assert FEW not in ahead([three, [*two, *more]], ["A", "B"])


def test_settings_of_other_seeds_are_apart_by_the_interval_of_their_own_numbers(store: RunStore) -> None:
    mine, theirs = [0.70, 0.72, 0.73], [0.50, 0.60, 0.55, 0.65, 0.52]
    said = ahead(
        [runs(store, "gap", dict(enumerate(mine))), runs(store, "progap", dict(enumerate(theirs, start=10)))],
        ["A", "B"],
    )
    errors = standard_error(mine) or 0.0, standard_error(theirs) or 0.0
    by, low, high = difference((fmean(mine), errors[0], 3), (fmean(theirs), errors[1], 5))
    assert f"{100 * by:.1f} points below" in said
    assert f"95% interval {signed(100 * low)} to {signed(100 * high)}, different seeds" in said


def test_settings_that_keep_another_epoch_are_named_once_each() -> None:
    best, last = made_runs.spec(), made_runs.spec(unit="node")
    said = kept_epoch.note([("A", best), ("A", best), ("B", last)])
    assert said == (
        "An accuracy is that of the model that a run kept: the epoch of best validation accuracy, of each stage (A); "
        "the last epoch (B), while learning curves go on to the last."
    )
    assert "(A" not in kept_epoch.note([("A", best), ("C", best)]), "no names where they do not differ"
