"""Two worlds that differ in seeds alone: what others are told of them is the same, and of a run without noise
no single result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.options import OptionError
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.facts import placing
from privgraph_workbench.figures.attacks import attack_areas, attack_roc
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import compare, expected, standing, tradeoff
from privgraph_workbench.reporting import Asked, Drawn, noises, of_gallery
from privgraph_workbench.reporting.withholding import decided, without_seeds
from privgraph_workbench.words.naming import run_labels, statements_of

REACHED = (0.61, 0.64, 0.67)


def _said(method: str, position: int = 9) -> PrivacyStatement:
    bare = method == "mlp"
    return made_runs.statement(() if bare else made_runs.edge_entries(position), unit="none" if bare else "edge")


def _runs(store: RunStore, method: str, seeds: Sequence[int], reached: Sequence[float] = REACHED) -> list[RunRecord]:
    unit = "none" if method == "mlp" else "edge"
    return [
        made_runs.finish(store, made_runs.spec(method, unit=unit, seed=seed), value, _said(method))
        for seed, value in zip(seeds, reached, strict=False)
    ]


def _others(figures: Sequence[Drawn], runs: Sequence[reporting.Told] = ()) -> Asked:
    return without_seeds(noises.apart(Asked(title="Ours", runs=runs, figures=figures, share=True, notebook=False)))


def _figure(store: RunStore, kind: str, rows: Sequence[Row], runs: Sequence[RunRecord]) -> Drawn:
    return reporting.drawn(store, kind, rows, statements_of(runs), [one.id for one in runs])


def _told(one: Asked) -> list[Any]:
    """All that figures tell, but for runs' own times."""
    return [(each.title, each.rows, list(each.statements), each.left_out, each.caption) for each in one.figures]


@pytest.mark.parametrize("kind", ["standing", "expected"])
@pytest.mark.parametrize("count", [1, 3])
def test_of_a_setting_without_noise_a_figure_tells_means_alone(kind: str, count: int) -> None:
    store = RunStore.open()
    runs = _runs(store, "mlp", (5, 7, 9)[:count])
    known, same = placing.outlook(store, runs[0])
    rows = standing.data(runs[0], same, known) if kind == "standing" else expected.data(known)
    assert any(row.get("value", row.get("mean")) in REACHED for row in rows) or count == 3
    private = reporting.told_of(store, _runs(store, "progap", (4,))[0])
    figures = _others([_figure(store, kind, rows, same)], [private]).figures
    if count == 1:
        assert not figures
        with pytest.raises(OptionError, match="means over several runs"):
            _others([_figure(store, kind, rows, same)])
    else:
        (figure,) = figures
        assert {row["seeds"] for row in figure.rows} == {3}
        assert {row["kind"] for row in figure.rows} == {"own" if kind == "standing" else "reached"}


def test_beside_an_attack_stands_no_area_of_one_run_without_noise() -> None:
    store = RunStore.open()
    (run,) = _runs(store, "progap", (4,))
    row = {"run": run.id, "method": "ProGAP", "area": 0.6, "area_not_private": 0.8537, "not_private_run": "mlp-1"}
    (figure,) = _others([_figure(store, "attack_kept", [row], [run])]).figures
    assert figure.rows[0]["area"] == 0.6
    assert not {"area_not_private", "not_private_run"} & figure.rows[0].keys()


def test_labels_tell_seeds_only_within_a_setting() -> None:
    store = RunStore.open()
    (first,), (alike, other) = _runs(store, "progap", (5,)), _runs(store, "gap", (5, 6))
    assert run_labels([first, alike]) == run_labels([first, other])
    assert run_labels([alike, other, first])[:2] == [f"{run_labels([alike])[0]}, seed {seed}" for seed in (5, 6)]
    deeper = replace(other, stored_spec=replace(other.spec, options={**other.spec.options, "hops": 7}))
    names = run_labels([alike, deeper])
    assert len(set(names)) == 2
    assert not any("seed" in name for name in names), "options tell them apart, whether or not seeds do"


def _store(home: Path) -> RunStore:
    home.mkdir()
    return RunStore.open(f"sqlite:///{home / 'runs.sqlite'}", home / "runs")


def _world(home: Path, seeds: Sequence[int], kind: str) -> Asked:
    store = _store(home)
    runs = _runs(store, "progap", seeds)
    by_seed = sorted(runs, key=lambda one: one.spec.seed)
    found = [replace(made_attack(one.id), said=one.metrics["test_accuracy"]) for one in by_seed]
    names = [f"{name}: BaVarIA" for name in run_labels(by_seed)]
    rows: Mapping[str, Sequence[Row]] = {
        "compare": [{**row, "seconds": None} for row in compare.data(by_seed)],
        "attack_areas": attack_areas.data(found, names, range(3)),
        "attack_roc": attack_roc.data(found, "log", names, ["edge"] * 3),
    }
    return _others([_figure(store, kind, rows[kind], by_seed)])


@pytest.mark.parametrize("kind", ["compare", "attack_areas", "attack_roc"])
def test_rows_stand_in_an_order_that_no_seed_decides(tmp_path: Path, kind: str) -> None:
    first = _world(tmp_path / "a", (5, 7, 9), kind)
    assert _told(first) == _told(_world(tmp_path / "b", (9, 5, 7), kind))
    assert len({row.get("label") or row["attack"] for row in first.figures[0].rows}) == 3


def test_attacks_on_other_runs_stand_in_the_order_of_results(tmp_path: Path) -> None:
    def elsewhere(name: str, seeds: Sequence[int]) -> list[float]:
        store = _store(tmp_path / name)
        runs = _runs(store, "progap", seeds)
        areas = {one.id: area for one, area in zip(runs, (0.5, 0.6, 0.7), strict=True)}
        told = reporting.told_of(store, runs[0])
        others = [one for one in told.same if one.id != runs[0].id]
        attacks = [replace(made_attack(one.id), said=areas[one.id]) for one in others]
        return [float(one.said or 0.0) for one in _others([], [replace(told, elsewhere=attacks)]).runs[0].elsewhere]

    assert elsewhere("a", (1, 5, 7)) == elsewhere("b", (1, 7, 5)) == [0.6, 0.7]


def test_the_front_is_that_of_the_rows_that_stay() -> None:
    store = RunStore.open()
    runs = [*_runs(store, "progap", (4, 5)), *_runs(store, "mlp", (4,), (0.9,))]
    rows = tradeoff.data(runs)
    assert [row["front"] for row in rows if row["method"] == "progap"] == [False]
    (figure,) = _others([_figure(store, "tradeoff", rows, runs)]).figures
    assert [(row["method"], row["front"]) for row in figure.rows] == [("progap", True)]


def _mixed(own: int) -> tuple[RunStore, list[RunRecord]]:
    """Five runs without noise that came with the program, but that one of one's own has the seed of one of
    them, or another."""
    store = RunStore.open()
    reached = {seed: 0.6 + 0.01 * seed for seed in range(5) if seed != own}
    runs = _runs(store, "mlp", [*reached, own], [*reached.values(), 0.7])
    return store, [replace(one, gallery=one.spec.seed != own) for one in runs]


@pytest.mark.parametrize("own", [3, 77])
def test_own_runs_without_noise_share_no_mean_with_the_gallery(own: int) -> None:
    store, runs = _mixed(own)
    private = _runs(store, "progap", (4, 5))
    told = replace(reporting.told_of(store, runs[-1]), same=runs, record=runs[-1])
    beside = reporting.told_of(store, private[0])
    beside = replace(beside, references={"blind": runs})
    assert any(row["kind"] == "blind" for row in beside.stands)
    rows = tradeoff.data([*runs, *private])
    figure = replace(_figure(store, "tradeoff", rows, [*runs, *private]), runs=[*runs, *private])
    shared = _others([replace(figure, beside=[told, beside])], [told, beside])
    assert shared.runs[0].over is None
    assert not shared.runs[0].record.metrics
    assert not [row for row in shared.runs[1].stands if row["kind"] == "blind"]
    assert [row["method"] for row in shared.figures[0].rows] == ["progap"]


def test_the_gallery_alone_is_told_as_it_is_and_several_own_ones_by_their_means() -> None:
    store = RunStore.open()
    runs = _runs(store, "mlp", (1, 2, 3))
    for came in (True, False):
        made = [replace(one, gallery=came) for one in runs]
        told = replace(reporting.told_of(store, made[0]), same=made, record=made[0], mixed=False)
        (one,) = _others([], [told]).runs
        if came:
            assert one.over is None
            assert one.record.metrics["test_accuracy"] == REACHED[0]
            continue
        assert one.over is not None
        assert one.over.mean == pytest.approx(sum(REACHED) / 3)
    mixed = [replace(one, gallery=one is runs[0]) for one in runs]
    told = replace(reporting.told_of(store, mixed[1]), same=mixed, record=mixed[1])
    (one,) = _others([], [told]).runs
    assert one.over is not None
    assert one.over.mean == pytest.approx((REACHED[1] + REACHED[2]) / 2)


def test_a_mean_over_some_of_ones_own_runs_is_no_second_one() -> None:
    store = RunStore.open()
    runs, private = _runs(store, "mlp", (1, 2, 3)), _runs(store, "progap", (1, 2))
    figure = _figure(store, "tradeoff", tradeoff.data([*runs[:2], *private]), [*runs[:2], *private])
    (shared,) = _others([figure], [reporting.told_of(store, runs[0])]).figures
    assert [row["method"] for row in shared.rows] == ["progap"], "the difference is the third one's result"


def test_what_is_left_out_is_said_by_the_setting_and_not_by_the_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore.open()
    runs = _runs(store, "progap", (1, 2))
    figure = _figure(store, "tradeoff", tradeoff.data(runs), runs)
    asked = Asked(title="Ours", runs=[], figures=[figure], share=True)
    for has in (True, False):
        monkeypatch.setattr(of_gallery, "has", lambda record, has=has: has)
        assert (noises.LEFT_OUT in noises.apart(asked).figures[0].left_out) is has
        shown = decided(asked, {"a": figure})["a"].given
        assert shown is not None
        assert (noises.LEFT_OUT in shown.left_out) is has


@pytest.mark.parametrize("kind", ["standing", "expected"])
def test_a_kept_mean_over_a_run_that_is_gone_is_not_told(kind: str, tmp_path: Path) -> None:
    """Kept over seeds 1 to 3; now 1, 2 and 4 are there: both means would tell how far 3 and 4 are apart."""
    told = []
    for place, gone in enumerate((0.65, 0.69)):
        store = _store(tmp_path / f"{place}")
        runs = _runs(store, "mlp", (1, 2, 3), (0.61, 0.64, gone))
        known, same = placing.outlook(store, runs[0])
        rows = standing.data(runs[0], same, known) if kind == "standing" else expected.data(known)
        store.delete(runs[2].id)
        runs = [*runs[:2], *_runs(store, "mlp", (4,), (0.70,))]
        private = reporting.told_of(store, _runs(store, "progap", (4,))[0])
        figures = _others([_figure(store, kind, rows, runs)], [private]).figures
        told.append([one.rows for one in figures])
    assert told[0] == told[1]
