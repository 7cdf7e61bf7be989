"""A report for others is the same, whatever seeds gave its results: names and orders tell none."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.figures import made_runs
from tests.workbench.sketches import sketched

from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.reporting import Asked, archive
from privgraph_workbench.words.naming import setting

REACHED = {"progap": (0.7, 0.7, 0.8), "gap": (0.6, 0.5, 0.5), "mlp": (0.55, 0.51, 0.53)}
"""What the runs of each method reach; of two methods some reach the same."""


FIRST = {0: 0, 1: 1, 2: 2}
OTHERS = [(2, 1, 0), (1, 2, 0), (5, 3, 9)]


def _report(home: Path, seeds: Mapping[int, int], *, picked: int, most: int | None = None) -> dict[str, bytes]:
    """The files of a report of these runs, whose places have these seeds; with so many figures, all of them
    and those of the appendix where no number is given."""
    home.mkdir()
    store = RunStore.open(f"sqlite:///{home / 'runs.sqlite'}", home / "runs")
    said = made_runs.statement(made_runs.edge_entries(9))
    records = {}
    for method, reached in REACHED.items():
        for place, accuracy in enumerate(reached):
            unit = "none" if method == "mlp" else "edge"
            asked = made_runs.spec(method, unit=unit, seed=seeds[place])
            own = made_runs.statement((), unit="none") if unit == "none" else said
            records[method, place] = made_runs.finish(store, asked, accuracy, own, (), {"test_nodes": 406.0})
    told = [reporting.told_of(store, records["gap", place]) for place in sorted((0, picked), key=seeds.__getitem__)]
    others = [reporting.told_of(store, records[method, picked]) for method in ("progap", "mlp")]
    figures = [
        reporting.drawn(store, one.figure, one.rows, one.statements, [run.id for run in one.runs], one.title)
        for one in reporting.usual([*told, *others])
    ]
    assert len({setting(one) for figure in figures for one in figure.runs}) == 3
    whole = most is None
    built = reporting.build(
        Asked(title="Ours", runs=told, figures=figures[:most], share=True, notebook=False, appendix=whole)
    )
    store.close()
    with zipfile.ZipFile(io.BytesIO(built)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _differ(first: Mapping[str, bytes], other: Mapping[str, bytes]) -> set[str]:
    assert first.keys() == other.keys()
    return {name for name in first if first[name] != other[name]}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a report, with sketches for pictures."""
    with sketched():
        return _report(tmp_path_factory.mktemp("first") / "a", FIRST, picked=2)


@pytest.mark.usefixtures("undrawn")
def test_other_seeds_of_the_same_results_change_no_byte(tmp_path: Path, first: dict[str, bytes]) -> None:
    assert _differ(first, _report(tmp_path / "b", dict(enumerate(OTHERS[0])), picked=2)) == set()


@pytest.mark.parametrize("most", [1, pytest.param(None, marks=pytest.mark.long)])
@pytest.mark.parametrize("seeds", [OTHERS[0], *(pytest.param(one, marks=pytest.mark.long) for one in OTHERS[1:])])
def test_nor_one_of_a_picture_or_of_the_print(
    tmp_path: Path, seeds: tuple[int, ...], most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _report(tmp_path / "a", FIRST, picked=2, most=most)
    monkeypatch.setattr(archive, "_LATELY", {})  # each draws its own
    assert _differ(first, _report(tmp_path / "b", dict(enumerate(seeds)), picked=2, most=most)) == set()


@pytest.mark.usefixtures("undrawn")
def test_other_results_do_change_it(tmp_path: Path, first: dict[str, bytes]) -> None:
    found = _differ(first, _report(tmp_path / "b", FIRST, picked=0))
    assert {one.rpartition(".")[2] for one in found} >= {"html", "pdf"}, "or the tests above could not fail"
