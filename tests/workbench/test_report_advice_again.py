"""Two worlds that differ in one run of one's own: what a kept figure says to take, in its words, in the lines
of its files and in their column, is by what the report shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.figures import made_runs
from tests.workbench.test_report_two_worlds import _others, _runs, _store

from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.records import RunRecord
from privgraph_workbench import reporting
from privgraph_workbench.facts import advice_lines, advised
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked, Drawn, noises, of_gallery
from privgraph_workbench.words.naming import statements_of


def _kept(runs: Sequence[RunRecord]) -> Drawn:
    """A trade-off as the page Trade-offs keeps it, with what it says to take."""
    said = [one for held in advised.by_graph(runs).values() for one in held]
    rows = tradeoff.data(runs)
    told = {row["runs"]: advice_lines.of_row(row, said) for row in rows}
    rows = tradeoff.shown(rows, published=False, front=False, advice=told, advised=advice_lines.plain(said))
    advice = advised.of_runs(runs)
    return Drawn(figure="tradeoff", rows=rows, statements=statements_of(runs), runs=runs, advice=advice)


def _telling(one: Drawn) -> list[object]:
    """All that the figure says, but for its runs."""
    return [one.advice, *({key: value for key, value in row.items() if key != "runs"} for row in one.rows)]


def test_a_mean_over_own_runs_and_the_gallery_s_is_in_no_line_of_its_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The own run takes the place of one seed of the gallery: the mean over both tells of which."""
    monkeypatch.setattr(of_gallery, "has", lambda _: True)
    told = []
    for place, seed in enumerate((0, 1)):
        store = _store(tmp_path / str(place))
        shipped = [replace(one, gallery=True) for one in _runs(store, "progap", (0, 1, 2), (0.70, 0.75, 0.83))]
        shipped = [replace(one, statement_json=made_public(one)) for one in shipped if one.spec.seed != seed]
        (own,) = _runs(store, "gap", (9,), (0.6,))
        asked = made_runs.spec("progap", unit="edge", seed=seed)
        mine = replace(own, id=asked.id, stored_spec=asked)
        blind = [replace(one, gallery=True) for one in _runs(store, "mlp", (0, 1, 2), (0.5, 0.51, 0.52))]
        figure = _kept([*shipped, mine, *blind])
        assert "ProGAP" in figure.rows[0]["advised"]
        told.append(_telling(_others([figure]).figures[0]))
    assert told[0] == told[1]


def made_public(one: RunRecord) -> object:
    from privgraph.privacy.serialisation import statement_to_json

    assert one.statement is not None
    return statement_to_json(with_public_noise(one.statement))


def test_where_a_kept_figure_lacks_a_run_without_noise_nothing_is_advised_by_the_others(tmp_path: Path) -> None:
    """A mean over three beside that over four would tell the fourth."""
    told = []
    for place, outside in enumerate((3, 2)):
        store = _store(tmp_path / str(place))
        blind = _runs(store, "mlp", (1, 2, 3, 4), (0.60, 0.64, 0.68, 0.70))
        private = [run for name in ("progap", "gap") for run in _runs(store, name, (1, 2, 3), (0.80, 0.82, 0.81))]
        figure = _kept([*private, *(one for at, one in enumerate(blind) if at != outside)])
        figure = replace(figure, beside=[reporting.told_of(store, blind[0])])
        assert "MLP" in figure.advice
        told.append(_telling(_others([figure], [reporting.told_of(store, blind[0])]).figures[0]))
    assert told[0] == told[1]


def test_for_oneself_files_say_what_the_report_says(tmp_path: Path) -> None:
    store = _store(tmp_path / "s")
    runs = [run for name in ("progap", "gap") for run in _runs(store, name, (1, 2, 3), (0.8, 0.81, 0.82))]
    runs += _runs(store, "mlp", (1, 2, 3))
    figure = _kept(runs)
    stale = replace(figure, rows=[{**row, "advised": "ProGAP 99.9%", "advice": "take: stale"} for row in figure.rows])
    (again,) = noises.apart(Asked(title="T", runs=(), figures=[stale], notebook=False)).figures
    assert _telling(again) == _telling(figure)
