"""Runs of one's own that have all seeds of the gallery, some, or none: others cannot tell which, by no figure
that names no runs, and by no label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.facts import placing
from privgraph_workbench.figures.runs import compare, expected, standing
from privgraph_workbench.reporting import Asked, of_gallery
from privgraph_workbench.reporting.ready import ready
from privgraph_workbench.words.naming import statements_of

CAME, OWN, OTHER = (0.50, 0.52, 0.54), (0.61, 0.64, 0.67), (0.58, 0.59, 0.60)
ALL, SOME, NONE = (0, 1, 2), (2, 6, 7), (5, 6, 7)


@pytest.fixture
def gallery(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The ids of runs that came with the program, which has every setting."""
    came: set[str] = set()

    def marked(one: RunRecord) -> RunRecord:
        return replace(one, gallery=one.id in came)

    find, get = RunStore.find, RunStore.get
    monkeypatch.setattr(RunStore, "find", lambda *args: [marked(one) for one in find(*args)])
    monkeypatch.setattr(RunStore, "get", lambda *args: marked(get(*args)))
    monkeypatch.setattr(of_gallery, "has", lambda record: True)
    return came


def _runs(store: RunStore, method: str, seeds: Sequence[int], reached: Sequence[float]) -> list[RunRecord]:
    unit = "none" if method == "mlp" else "edge"
    said = made_runs.statement(() if unit == "none" else made_runs.edge_entries(9), unit=unit)
    return [
        made_runs.finish(store, made_runs.spec(method, unit=unit, seed=seed), value, said)
        for seed, value in zip(seeds, reached, strict=True)
    ]


def _world(home: Path, gallery: set[str], method: str, seeds: Sequence[int], kind: str) -> list[Any]:
    home.mkdir()
    store = RunStore.open(f"sqlite:///{home / 'runs.sqlite'}", home / "runs")
    left = {seed: value for seed, value in enumerate(CAME) if seed not in seeds}
    gallery.update(came := [one.id for one in _runs(store, method, tuple(left), tuple(left.values()))])
    own, other = _runs(store, method, seeds, OWN), _runs(store, "gap", (14, 15, 16), OTHER)
    gallery.difference_update({one.id for one in (*own, *other)})
    known, same = placing.outlook(store, own[0])
    assert {one.id for one in same} >= set(came)
    every = [*(store.get(one) for one in came), *own, *other]
    rows, runs = {
        "standing": lambda: (standing.data(own[0], same, known), same),
        "expected": lambda: (expected.data(known), same),
        "compare": lambda: ([{**row, "seconds": None} for row in compare.data(every)], every),
    }[kind]()
    figure = reporting.drawn(store, kind, rows, statements_of(runs), [one.id for one in runs])
    told = [reporting.told_of(store, one) for one in (own[0], other[0])]
    asked, _ = ready(Asked(title="Ours", runs=told, figures=[figure], share=True, notebook=False))
    store.close()
    gallery.clear()
    return [(one.title, one.rows, list(one.statements), one.left_out) for one in asked.figures]


@pytest.mark.parametrize("kind", ["standing", "expected", "compare"])
@pytest.mark.parametrize("method", ["mlp", "progap"])
def test_others_cannot_tell_how_many_of_the_gallerys_seeds_are_ones_own(
    tmp_path: Path, gallery: set[str], method: str, kind: str
) -> None:
    told = [
        _world(tmp_path / str(place), gallery, method, seeds, kind) for place, seeds in enumerate((ALL, SOME, NONE))
    ]
    assert told[0] == told[1] == told[2]
    if kind == "expected":
        assert not told[0]
        return
    ((_, rows, _, _),) = told[0]
    mean = (
        next(row["value"] for row in rows if row["kind"] == "own") if kind == "standing" else rows[0]["test_accuracy"]
    )
    assert mean == pytest.approx(sum(OWN) / len(OWN))
