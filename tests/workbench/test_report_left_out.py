"""What others are not told of runs without noise: nothing of it leaves, and nothing said of it is false."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.workbench.test_report_glance import points
from tests.workbench.test_report_of_gallery import _asked, _attacked, _of_own, _runs

from privgraph.runs.store import RunStore
from privgraph_workbench import report, reporting, tables
from privgraph_workbench.attack_means import AttackMean
from privgraph_workbench.facts import ranking, unpaired
from privgraph_workbench.reporting import Asked, Told, first_page, fixed, glance_attacks
from privgraph_workbench.reporting.ready import ready
from privgraph_workbench.words.statements import LEFT_OUT

MEAN = AttackMean(attack="bavaria", asks="who was trained on", mean=0.612, low=None, high=None, runs=2)


def _told(*epsilons: float) -> list[Told]:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    runs = [made_runs.finish(store, made_runs.spec("gap", epsilon=epsilon), 0.7, said) for epsilon in epsilons]
    return [reporting.told_of(store, one) for one in runs]


def _showed(*runs: Told) -> str:
    return points(Asked(title="T", runs=runs))["What attacks showed"]


def test_a_setting_whose_attacks_are_left_out_is_not_called_unattacked() -> None:
    hidden, other = _told(1.0, 2.0)
    hidden = replace(hidden, untold=True)
    said = _showed(hidden, other)
    assert said.startswith(f"1 of these 2 settings was attacked, and what was found is {LEFT_OUT}")
    assert glance_attacks.UNATTACKED not in said


def test_settings_whose_attacks_are_left_out_are_counted_beside_those_that_are_told_and_once() -> None:
    hidden, mean, third = _told(1.0, 2.0, 3.0)
    hidden, mean = replace(hidden, untold=True), replace(mean, untold=True, averaged=[MEAN])
    left_out = f"1 of these 2 settings was attacked, and what was found is {LEFT_OUT}"
    said = _showed(hidden, mean)
    assert "mean AUC 0.612" in said
    assert left_out in said
    assert said.count("of these 2 settings") == 1, "all were attacked: of no others is that to be said"
    assert LEFT_OUT not in _showed(mean, third), "its mean is told"
    assert "1 of these 2 settings was attacked" in _showed(mean, third)


def test_attacks_on_other_runs_of_a_setting_leave_no_more_than_those_on_its_own() -> None:
    runs = _runs(RunStore.open(), "mlp", (1, 2, 3), (0.6, 0.61, 0.62), gallery=(False,) * 3)
    _, told = _attacked(runs, (1, 2))
    (given,) = fixed.averaged(_asked([replace(told, attacks=[], elsewhere=told.attacks)])).runs
    assert not given.elsewhere
    assert given.untold
    assert [one.runs for one in given.averaged] == [2]


def test_what_was_not_measured_is_not_called_left_out() -> None:
    (run,) = _runs(RunStore.open(), "mlp", (1,), (0.6,), gallery=(False,))
    for record, single in ((run, True), (replace(run, metrics={}), False)):
        told = replace(reporting.told_of(RunStore.open(), run), record=record, same=[record], mixed=False)
        (given,) = fixed.averaged(_asked([told])).runs
        assert given.single is single


def test_means_are_promised_of_some_where_a_setting_has_none() -> None:
    store = RunStore.open()
    bare = _runs(store, "mlp", (1, 2, 3), (0.6, 0.61, 0.62), gallery=(False,) * 3)
    other = _runs(store, "gnn", (1, 2), (0.8, 0.81), gallery=(False,) * 2)
    private = _runs(store, "progap", (4,), (0.5,), gallery=(False,))
    (first, told), (second, alone), (third, _) = _attacked(bare, (0, 1)), _attacked(other), _attacked(private)
    figures = (first, second, third)
    figure = replace(
        first,
        rows=[row for one in figures for row in one.rows],
        runs=[run for one in figures for run in one.runs],
        beside=[told, alone, reporting.told_of(store, private[0])],
    )
    (drawn,) = fixed.averaged(_asked([], [figure])).figures
    assert drawn.left_out == f"{fixed.LEFT_OUT} {fixed.SOME_MEANS}"
    assert [one.record.spec.method for one in drawn.beside] == ["mlp", "progap"], "of the other nothing is told"


def test_a_single_run_of_the_gallery_stays_beside_runs_of_ones_own() -> None:
    store = RunStore.open()
    own = _runs(store, "progap", (1, 2), (0.5, 0.52), gallery=(False, False))
    (run,) = _runs(store, "mlp", (3,), (0.6,), gallery=(True,))
    for came, kept in ((True, {"mlp", "progap"}), (False, {"progap"})):
        bare = [replace(run, gallery=came)]
        assert {one.spec.method for one in unpaired.apart([*bare, *own])} == kept


def test_a_result_of_ones_own_without_noise_is_not_told_where_no_mean_is() -> None:
    (run,) = _runs(RunStore.open(), "mlp", (1,), (0.6137,), gallery=(False,))
    assert not first_page._untold(run, {}).metrics
    assert first_page._untold(replace(run, gallery=True), {}).metrics


def test_between_what_single_results_without_noise_lie_is_told_of_the_gallery_alone() -> None:
    runs = _runs(RunStore.open(), "mlp", (1, 2, 3), (0.6, 0.61, 0.62), gallery=(False,) * 3)
    for came in (True, False):
        held = [replace(one, gallery=came) for one in runs]
        assert ("single seeds reached" in ranking.ranked([held], 1, guess=False, paired=came)) is came


@pytest.mark.parametrize("came", [True, False])
def test_seeds_of_the_level_without_edges_are_paired_only_where_it_came_with_the_program(came: bool) -> None:
    store = RunStore.open()
    bare = _runs(store, "mlp", (1, 2, 3), (0.4, 0.42, 0.44), gallery=(came,) * 3)
    told = []
    for method, reached in (("progap", (0.6, 0.61, 0.62)), ("gnn", (0.8, 0.82, 0.81))):
        runs = _runs(store, method, (1, 2, 3), reached, gallery=(True,) * 3)
        known = reporting.told_of(store, runs[0])
        told.append(replace(known, record=runs[0], same=runs, mixed=False, references={"blind": bare}))
    said = first_page.ahead(_asked(told))
    assert ("for others seeds are not paired" in said) is not came


def test_a_statement_whose_bound_is_left_out_does_not_say_that_there_was_no_attack() -> None:
    said = made_runs.statement((), unit="none")
    assert report._attacked(replace(said, audit_withheld=True), "") == LEFT_OUT
    assert report._attacked(said, "") == "no attack"


def test_each_run_says_which_of_its_numbers_are_withheld() -> None:
    asked, _ = ready(_of_own((0,)))
    rows = list(csv.DictReader(io.StringIO(tables.as_csv(first_page.lines_of(asked)).decode())))
    assert {row["method"]: row["withheld"] for row in rows} == {
        "mlp": "score epsilon_audited attacks",
        "progap": "",
    }
