"""A run for oneself says which runs of its setting stand apart from it: they have noise of another key."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.reporting import own_setting


def _run(seed: int, score: float, *, public: bool) -> RunRecord:
    said = made_runs.statement(made_runs.edge_entries(9))
    said = with_public_noise(said) if public else said
    return made_runs.finish(RunStore.open(), made_runs.spec(seed=seed), score, said)


def test_runs_with_noise_of_another_key_are_counted_beside_those_that_are_told() -> None:
    own = _run(7, 0.9, public=False)
    came = [_run(seed, score, public=True) for seed, score in ((0, 0.6), (1, 0.7))]
    said = reporting.told_of(RunStore.open(), own)
    assert said.same == [own]
    words = " 2 runs of this setting with public noise stand apart: test accuracy 65.0%."
    assert said.said.endswith(f"{words} The page Trade-offs has one mean of both kinds, 73.3% over 3 seeds.")
    assert "apart" not in said.shared, "for others"
    other = reporting.told_of(RunStore.open(), came[0])
    assert " 1 run of this setting with secret noise stands apart: test accuracy 90.0%." in other.said


def test_the_run_in_whose_place_ones_own_stands_counts_among_them_and_its_seed_once() -> None:
    own, came, back = (_run(seed, 0.5 + seed / 10, public=seed != 1) for seed in (1, 2, 3))
    displaced = made_runs.spec(seed=1)
    assert own.spec.seed == displaced.seed
    said = own_setting.aside([own, came, back], [own])
    assert "mean of both kinds, 70.0% over 3 seeds" in said
    again = own_setting.aside([own, came, replace(back, stored_spec=displaced)], [own])
    assert " 2 runs of this setting with public noise" in again
    assert "over 2 seeds" in again


@pytest.mark.parametrize("public", [True, False])
def test_runs_of_one_kind_say_nothing(public: bool) -> None:
    runs = [_run(seed, 0.6, public=public) for seed in (0, 1)]
    assert own_setting.aside(runs, runs) == ""
