"""Figures of teachers' answers: what is counted, what is drawn, and which warnings they carry."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.figures.made_answers import answers as made

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Chart, Series
from privgraph_workbench.figures.costs import price
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

    def test_bars_of_one_place_lie_over_one_another(self) -> None:
        figure = figure_of("answers").plot(answers.data(made()))
        assert figure.layout.barmode == "overlay"
        assert figure.data[1].marker.pattern.fillmode == "overlay"

    def test_the_noise_between_two_classes_is_said(self) -> None:
        record = made(noise=0.4)
        assert record.noise_std == pytest.approx(0.4 * math.sqrt(2))
        (panel,) = answers.chart(answers.data(record)).panels
        (rule,) = panel.rules
        assert rule.label == "one standard deviation: 0.8"
        names = panel.x.categories
        width = float(names[0].split("–")[1])
        assert [name.split("–") for name in names[:2]] == [["0", f"{width:g}"], [f"{width:g}", f"{2 * width:g}"]]
        assert rule.x == pytest.approx(0.8 / width - 0.5, rel=1e-3), "the middle of the first bin is at 0"

    def test_equal_answers_have_no_margin(self) -> None:
        record = made()
        flat = replace(record, before=np.zeros_like(record.before))
        chart = answers.chart(answers.data(flat))
        assert _only(chart, "answered queries").y == (20,)

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

    def test_nothing_answered(self) -> None:
        assert answers.chart(answers.data(made(refuse=20))).panels[0].title == "no query was answered"
        assert answers.share([], "flipped") is None


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


def test_chances_of_labels_are_a_panel_of_their_own() -> None:
    rows = one_answer.data(made("counts"), 4, NAMES, [0.1, 0.2, 0.3, 0.4])
    chart = one_answer.chart(rows)
    assert len(chart.panels) == chart.columns == 3
    told = [x for one in chart.series if one.panel == 2 for x in one.x]
    assert sorted(told) == [0.1, 0.2, 0.3, 0.4]
    assert len(one_answer.chart(one_answer.data(made("table"), 4, NAMES)).panels) == 2


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

    def test_the_legend_has_each_class_by_a_mark_of_one_size_and_says_what_is_hollow(self) -> None:
        rows = [dict(row) for row in chosen.data(made("votes"), 2, NAMES)]
        around = [row for row in rows if row["kind"] == "node" and not row["centre"]]
        for row in around:
            row["weight"] = abs(row["weight"])

        def entries() -> list[Series]:
            return [
                one for one in chosen.chart(rows).series if one.kind == "points" and one.legend and one.x == (None,)
            ]

        assert sorted(one.name for one in entries()) == sorted({row["name"] for row in around})
        assert {(one.size, one.hollow) for one in entries()} == {(9, False)}
        around[0]["weight"] = -around[0]["weight"]
        assert [one.name for one in entries() if one.hollow] == [chosen.AGAINST]

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

    def test_a_class_has_one_colour_and_one_entry_and_votes_against_are_hollow(self) -> None:
        record = made("votes")
        place = next(
            place
            for place in range(20)
            if (record.weights[record.pointers[place] : record.pointers[place + 1]] < 0).any()
        )
        series = [one for one in chosen.chart(chosen.data(record, place, NAMES)).series if one.group]
        assert {one.group: one.slot for one in series} == {one.group: NAMES.index(one.group) for one in series}
        assert any(one.hollow for one in series)

    def test_a_query_that_was_refused(self) -> None:
        chart = chosen.chart(chosen.data(made(refuse=1), 19, NAMES))
        assert "the query, refused by the gate" in {series.name for series in chart.series}

    def test_classes_that_are_not_told(self) -> None:
        record = replace(made(), classes=np.zeros(0, dtype=np.int64))
        assert chosen.UNKNOWN in {series.name for series in chosen.chart(chosen.data(record, 0)).series}

    def test_votes_of_teachers_tell_nobody(self) -> None:
        assert chosen.data(made("counts"), 0) == []
        assert chosen.chart([]).series == ()


def _repeated(record: Answers, times: int) -> dict[str, np.ndarray]:
    rows = ("queries", "before", "after", "released", "truth", "seconds")
    nobody = {
        "pointers": np.zeros(20 * times + 1, dtype=np.int64),
        "neighbours": np.zeros(0, dtype=np.int64),
        "weights": np.zeros(0, dtype=np.float32),
        "classes": np.zeros(0, dtype=np.int64),
        "edges": np.zeros((2, 0), dtype=np.int64),
        "edge_pointers": np.zeros(20 * times + 1, dtype=np.int64),
    }
    return {name: np.concatenate([getattr(record, name)] * times) for name in rows} | nobody


class TestPrice:
    def test_both_curves_and_the_chosen_point(self) -> None:
        rows = price.data([(1.0, 9.0, 20.0), (0.1, 0.5, 1.2), (0.4, 2.5, 5.0)], 0.4)
        assert [row["lam"] for row in rows] == [0.1, 0.4, 1.0]
        chart = price.chart(rows)
        lines = {one.name: one for one in chart.series if one.kind == "line"}
        assert lines["sound ε"].y == (0.5, 2.5, 9.0)
        assert lines["ε as published"].y == (1.2, 5.0, 20.0)
        assert [(one.x, one.y) for one in chart.series if one.kind == "points"] == [((0.4,), (2.5,)), ((0.4,), (5.0,))]

    def test_what_guarantees_nothing_has_no_sound_curve(self) -> None:
        chart = price.chart(price.data([(0.1, math.inf, 1.2), (0.4, math.inf, 5.0)], 0.4))
        assert {one.name for one in chart.series} == {"ε as published"}
        nothing = price.data([(0.1, math.inf, None)], 0.1)
        assert price.chart(nothing).panels[0].title == "no lambda has a finite ε"

    def test_labels_that_are_right_stand_beside_the_price_along_the_noise(self) -> None:
        points = [(1.0, 9.0, 20.0), (4.0, 0.5, 1.2)]
        chart = price.chart(price.data(points, 4.0, {1.0: 0.9, 4.0: 0.4}, by="noise"))
        assert (len(chart.panels), chart.columns) == (2, 2)
        (line,) = [one for one in chart.series if one.panel == 1 and one.kind == "line"]
        assert (line.x, line.y) == ((1.0, 4.0), (0.9, 0.4))
        assert len(price.chart(price.data(points, 4.0)).panels) == 1


def test_axes_of_one_answer_hold_its_bars_with_room_for_numbers() -> None:
    rows = one_answer.data(made(), 4)
    for panel, column in zip(one_answer.chart(rows).panels, ("before", "after"), strict=True):
        values = [row[column] for row in rows]
        assert panel.x.low is not None
        assert panel.x.high is not None
        assert panel.x.low <= min(0.0, *values)
        assert panel.x.high > max(values)
        assert (panel.x.low == 0) == (min(values) >= 0)


def test_what_was_drawn_on_the_page_is_no_release() -> None:
    """Of the run one label was released; of other noise one would be, and the figure says that it is not the
    run."""
    record = made()
    own, other = (one_answer.chart(one_answer.data(record, 3, own=mine)) for mine in (True, False))
    names = ["\n".join(chart.panels[0].y.categories) for chart in (own, other)]
    assert ["(would be released" in one for one in names] == [False, True]
    assert ["(released" in one for one in names] == [True, False]
