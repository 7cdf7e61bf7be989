"""What is known of a setting with runs of one's own and of the gallery goes with one of one's own, whichever
seeds these have: others are not given the gallery's, and would see by what is missing which seed it was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.runs import compare
from privgraph_workbench.reporting import Drawn, noises
from privgraph_workbench.reporting import asked as asked_of
from privgraph_workbench.words import naming


def _run(seed: int, score: float, *, gallery: bool) -> RunRecord:
    said = made_runs.statement((), unit="none")
    made = made_runs.finish(RunStore.open(), made_runs.spec("mlp", unit="none", seed=seed), score, said)
    return replace(made, gallery=gallery)


@pytest.mark.parametrize("own", [0, 7])
def test_it_goes_with_ones_own_run_whatever_its_seed(own: int) -> None:
    runs = [_run(own, 0.7, gallery=False), *(_run(seed, 0.6, gallery=True) for seed in (1, 2))]
    (told,) = asked_of._beside(RunStore.open(), runs)
    assert told.record.id == runs[0].id
    figure = Drawn(figure="tradeoff", rows=[], runs=runs, beside=[told])
    kept = noises._without(figure, {naming.setting(runs[0])})
    assert [one.record.id for one in kept.beside] == [runs[0].id], "and is there where the gallery's are gone"


@pytest.mark.parametrize("shared", [True, False])
def test_a_row_that_is_parted_has_the_seed_of_its_own_runs(shared: bool) -> None:
    """Whether the page's row was over one's own run alone hangs on whether the gallery has its seed."""
    own = _run(5, 0.7, gallery=False)
    runs = [own] if shared else [own, _run(0, 0.6, gallery=True)]
    figure = Drawn(figure="compare", rows=compare.data(runs), runs=runs)
    rows = noises.split(figure, {naming.setting(own)}).rows
    (row,) = (one for one in rows if one["runs"].split() == [own.id])
    assert row["seed"] == 5
