"""Figures of teachers' answers: what is counted, what is drawn, and which warnings they carry."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.figures.made_answers import answers as made

from privgraph_workbench.figures.chart import Chart, Series
from privgraph_workbench.figures.teachers import answers, chosen, one_answer

NAMES = ("north", "east", "south", "west")


def _only(chart: Chart, name: str) -> Series:
    (found,) = [series for series in chart.series if series.name == name]
    return found


class TestAllAnswers:
    def test_rows_say_what_the_record_holds(self) -> None:
        record = made(refuse=3)
        rows = answers.data(record, NAMES)
        assert [row["query"] for row in rows] == record.queries.tolist()
        assert [row["before"] for row in rows] == [NAMES[label] for label in record.before.argmax(axis=1)]
        assert [row["truth"] for row in rows] == [NAMES[label] for label in record.truth]
        assert [row["released"] for row in rows[-3:]] == [None] * 3
        assert [row["flipped"] for row in rows[-3:]] == [None] * 3
        changed = record.before.argmax(axis=1) != record.after.argmax(axis=1)
        assert answers.share(rows, "flipped") == pytest.approx(changed[:-3].mean())
        assert 0 < changed[:-3].mean() < 1
        ordered = np.sort(record.before, axis=1)
        assert [row["margin_before"] for row in rows] == pytest.approx((ordered[:, -1] - ordered[:, -2]).tolist())

    def test_every_answered_query_is_in_one_bar(self) -> None:
        rows = answers.data(made(refuse=3))
        chart = answers.chart(rows)
        asked, flipped = _only(chart, "answered queries"), _only(chart, "noise changed the label")
        assert sum(asked.y) == 17  # type: ignore[arg-type]
        assert sum(flipped.y) == sum(row["flipped"] is True for row in rows)  # type: ignore[arg-type]
        assert all(part <= whole for part, whole in zip(flipped.y, asked.y, strict=True))  # type: ignore[operator]
        assert len(asked.x) <= answers.MOST_BINS

    def test_a_tie_is_neither_changed_nor_unchanged(self) -> None:
        """The first of equal classes had no lead: a label that is another one was not changed by noise."""
        record = made("counts")
        level = record.before.copy()
        level[0], level[1] = [9, 9, 2, 0], [0, 9, 2, 9]
        released = record.released.copy()
        released[:2] = [1, 2]
        after = record.after.copy()
        after[:2] = [[0, 5, 1, 1], [0, 1, 5, 1]]
        ties = replace(record, before=level, after=after, released=released, truth=np.array([0, 0, *record.truth[2:]]))
        rows = answers.data(ties, NAMES)
        assert [row["before"] for row in rows[:2]] == ["north = east", "east = west"]
        assert [row["flipped"] for row in rows[:2]] == [None, None]
        assert [row["right_before"] for row in rows[:2]] == [0.5, 0.0]
        others = [row for row in rows if not row["level"]]
        assert answers.share(rows, "flipped") == answers.share(others, "flipped")
        chart = answers.chart(rows)
        assert sum(_only(chart, "answered queries").y) == len(rows)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["posterior", "log-posterior", "table", "votes", "counts"])
def test_one_answer_by_class(kind: str) -> None:
    record = made(kind, refuse=1)
    rows = one_answer.data(record, 4, NAMES)
    assert [row["before"] for row in rows] == pytest.approx(record.before[4].tolist())
    assert [row["after"] for row in rows] == pytest.approx(record.after[4].tolist())
    assert [row["name"] for row in rows if row["largest_after"]] == [NAMES[record.released[4]]]
    assert [row["name"] for row in rows if row["truth"]] == [NAMES[record.truth[4]]]
    chart = one_answer.chart(rows)
    for panel, column in enumerate(("before", "after")):
        (winner,) = [one for one in chart.series if one.panel == panel and one.name == "largest"]
        assert winner.x == (max(row[column] for row in rows),)
    assert any("released" in name for name in chart.panels[0].y.categories)


class TestChosen:
    def test_those_that_answered_with_their_edges(self) -> None:
        record = made("votes")
        rows = chosen.data(record, 2, NAMES)
        part = slice(record.pointers[2], record.pointers[3])
        around = {row["node"]: row for row in rows if row["kind"] == "node" and not row["centre"]}
        assert sorted(around) == sorted(record.neighbours[part].tolist())
        for node, weight, label in zip(
            record.neighbours[part], record.weights[part], record.classes[part], strict=True
        ):
            assert around[node]["weight"] == pytest.approx(weight)
            assert around[node]["name"] == NAMES[label]
        edges = {(row["source"], row["target"]) for row in rows if row["kind"] == "edge"}
        held = record.edges[:, record.edge_pointers[2] : record.edge_pointers[3]].T.tolist()
        assert edges == {(min(pair), max(pair)) for pair in held}

    def test_the_heavier_is_nearer_and_larger(self) -> None:
        rows = chosen.data(made(), 2)
        around = [row for row in rows if row["kind"] == "node" and not row["centre"]]
        heavy, light = max(around, key=lambda row: row["weight"]), min(around, key=lambda row: row["weight"])
        assert math.hypot(heavy["x"], heavy["y"]) < math.hypot(light["x"], light["y"])
        sizes = {
            place: series.size
            for series in chosen.chart(rows).series
            if series.kind == "points"
            for place in zip(series.x, series.y, strict=True)
        }
        assert sizes[heavy["x"], heavy["y"]] > sizes[light["x"], light["y"]]
        assert sizes[0.0, 0.0] > sizes[heavy["x"], heavy["y"]]


def test_what_was_drawn_on_the_page_is_no_release() -> None:
    """Of the run one label was released; of other noise one would be, and the figure says that it is not the
    run."""
    record = made()
    own, other = (one_answer.chart(one_answer.data(record, 3, own=mine)) for mine in (True, False))
    names = ["\n".join(chart.panels[0].y.categories) for chart in (own, other)]
    assert ["(would be released" in one for one in names] == [False, True]
    assert ["(released" in one for one in names] == [True, False]
