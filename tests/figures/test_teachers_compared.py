"""Settings with teachers compared: rows, and what is drawn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import teachers_compared


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RunRecord]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_HOME", str(tmp_path_factory.mktemp("taught")))
        store = RunStore.open()
        yield made_runs.teachers(store)
        store.close()


@pytest.fixture
def rows(taught: list[RunRecord]) -> list[Row]:
    return teachers_compared.data(taught, taught[-1].id)


def test_a_setting_is_a_row_of_its_seeds_the_most_accurate_first(rows: list[Row]) -> None:
    assert [row["mean"] for row in rows] == sorted((row["mean"] for row in rows), reverse=True)
    assert {row["seeds"] for row in rows} == {3}
    assert [row["open"] for row in rows].count(True) == 1
    told = {
        row["method"] + row["release"]: tuple(row[column] for column in ("weights", "queries", "teachers"))
        for row in rows
    }
    assert told["dp-gplnoisy counts"] == ("unequal", "10", "8")
    assert told["patelabel"] == ("equal", "10", "20")
    assert told["privgnnvotes"] == ("—", "10", "—")
    assert told["privgnntable"][2] == "—"


def test_every_mark_line_and_interval_stands_at_its_own_epsilon(rows: list[Row]) -> None:
    """Settings of one epsilon too, however many: a mark beside it would be read as another epsilon."""
    named = {"open": False, "low": 0.4, "high": 0.9}
    held = [{**rows[0], **named, "epsilon": 2.0, "mean": mean, "runs": str(mean)} for mean in (0.7, 0.6, 0.5)]
    held += [{**held[0], "title": title, "runs": title} for title in "ABCDEF"]
    held.append({**held[0], "epsilon": 8.0, "mean": 0.8, "runs": "far"})
    series = teachers_compared.chart(held).series
    assert {x for one in series for x in one.x if x is not None} == {2.0, 8.0}
    marks = [one for one in series if one.kind == "points" and one.x != (None,)]
    assert sum(len(one.x) for one in marks) == len(held)
    own = [one for one in series if one.group.startswith(rows[0]["title"])]
    assert [one.y for one in own if one.kind == "points" and not one.faint] == [(0.7, 0.8)]
    (line,) = (one for one in own if one.kind == "line")
    assert (line.x, line.y) == ((2.0, 8.0), (0.7, 0.8))
    (bars,) = (one for one in own if one.kind == "links")
    assert bars.x == (2.0, 2.0, 8.0, 8.0), "intervals of the best alone"


def test_an_epsilon_that_is_met_is_no_smaller_than_another(rows: list[Row]) -> None:
    """Of two that were asked for 0.25, one of 0.24994 does not lead: a line would run back to it."""
    asked = {**rows[0], "asked": 0.25, "open": False}
    held = [
        {**asked, "epsilon": 0.24994, "mean": 0.3, "release": "votes", "runs": "a"},
        {**asked, "epsilon": 0.24995, "mean": 0.7, "release": "table", "runs": "b"},
        {**asked, "asked": 0.5, "epsilon": 0.49985, "mean": 0.8, "release": "table", "runs": "c"},
    ]
    assert [row["runs"] for row in teachers_compared.ahead(held)] == ["b", "c"]
    (line,) = (one for one in teachers_compared.chart(held).series if one.kind == "line")
    assert list(line.x) == sorted(line.x)
