"""What a report for others leaves out is decided in one place: its list, its counts and its archive agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.workbench.test_report_of_gallery import _runs
from tests.workbench.test_report_two_worlds import _figure

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.facts import placing
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import expected, standing, tradeoff
from privgraph_workbench.reporting import Asked, Drawn, withholding
from privgraph_workbench.reporting.ready import ready


def _drawn(store: RunStore, rows: Sequence[Row], runs: Sequence[RunRecord], kind: str = "tradeoff") -> Drawn:
    """A figure of these runs; the store knows of none of them that it came with the program."""
    one = _figure(store, kind, rows, runs)
    return replace(one, runs=runs, beside=[replace(one.beside[0], record=runs[0], same=runs)])


def _standing(store: RunStore, runs: Sequence[RunRecord]) -> Drawn:
    """Where the accuracy of the first of these runs stands, as its page gives it."""
    known, same = placing.outlook(store, runs[0])
    assert len(same) == len(runs)
    return _drawn(store, standing.data(runs[0], same, known), runs, "standing")


@pytest.fixture
def mixed() -> dict[str, Drawn]:
    """Of each reason one figure, and two that others are given."""
    store = RunStore.open()
    own = _runs(store, "progap", (4, 5), (0.5, 0.52), gallery=(False, False))
    both = _runs(store, "mlp", (0, 1, 2, 3), (0.6, 0.62, 0.61, 0.64), gallery=(False, False, True, True))
    single = _runs(store, "gnn", (1,), (0.8,), gallery=(False,))
    return {
        "kept": _drawn(store, tradeoff.data(own), own),
        "together": _drawn(store, expected.data(placing.outlook(store, both[0])[0]), both, "expected"),
        "came": _drawn(store, tradeoff.data(both[2:]), both[2:]),
        "bare": _drawn(store, tradeoff.data(single), single),
        "kind": Drawn(figure="curves", rows=[{"step": 1}]),
        "also kept": _drawn(store, tradeoff.data(own), own),
    }


def test_every_figure_that_is_left_out_has_its_own_reason(mixed: dict[str, Drawn]) -> None:
    asked = Asked(title="Ours", runs=[], figures=list(mixed.values()), share=True)
    decided = reporting.decided(asked, mixed)
    assert {mark: one.why for mark, one in decided.items()} == {
        "kept": "",
        "together": withholding.TOGETHER,
        "came": withholding.CAME,
        "bare": withholding.BARE,
        "kind": for_others.why_not("curves"),
        "also kept": "",
    }
    assert all((one.given is None) is bool(one.why) for one in decided.values())
    kept = [one.given.rows for one in decided.values() if one.given is not None]
    assert len(ready(asked)[0].figures) == len(kept) == 2, "the archive has as many"


def test_one_for_oneself_leaves_nothing_out(mixed: dict[str, Drawn]) -> None:
    asked = Asked(title="Ours", runs=[], figures=list(mixed.values()))
    decided = reporting.decided(asked, mixed)
    assert not any(one.why for one in decided.values())
    assert len(ready(asked)[0].figures) == len([one for one in decided.values() if one.given]) == len(mixed)


def test_where_accuracy_stands_is_told_by_ones_own_runs() -> None:
    store = RunStore.open()
    held = _runs(store, "mlp", (0, 1, 2, 3), (0.6, 0.62, 0.61, 0.64), gallery=(False,) * 4)
    own = _runs(store, "progap", (4, 5), (0.5, 0.52), gallery=(False, False))
    private = [reporting.told_of(store, run) for run in own]
    for came, seeds in ((False, 4), (True, 2)):
        stands = _standing(store, [*held[:2], *(replace(run, gallery=came) for run in held[2:])])
        asked = Asked(title="Ours", runs=private, figures=[stands], share=True)
        told = reporting.decided(asked, {"a": stands})["a"]
        assert not told.why
        assert told.given is not None
        assert [row["seeds"] for row in told.given.rows if row["kind"] == "own"] == [seeds]
