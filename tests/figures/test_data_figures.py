"""Figures of a data set: degrees, classes, a drawn neighbourhood."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.graphs import classes, degrees, neighbourhood, predicted

EDGES = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=200))
def test_every_node_is_in_one_bin(found: list[int]) -> None:
    rows = degrees.data(found)
    assert sum(row["nodes"] for row in rows) == len(found)
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert rows[-1]["high"] >= max(found)
    for before, after in itertools.pairwise(rows):
        assert after["low"] == before["high"] + 1


def test_counts_by_degree_are_the_same_as_degrees() -> None:
    assert degrees.data({"1": 2, "5": 1}) == degrees.data([1, 5, 1])


def test_a_negative_degree_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        degrees.data([-1])


def test_class_sizes() -> None:
    rows = classes.data([3, 1], ["left", "right"])
    assert [(row["name"], row["nodes"], row["share"]) for row in rows] == [("left", 3, 0.75), ("right", 1, 0.25)]
    assert classes.data({"left": 3, "right": 1}) == rows
    assert classes.chart(rows).panels[0].y.categories == ("left", "right")


class TestNeighbourhood:
    def test_it_is_the_same_each_time_whatever_the_order(self) -> None:
        one = neighbourhood.data(EDGES, [0, 0, 1, 1, 1], centre=2)
        other = neighbourhood.data([(b, a) for a, b in reversed(EDGES)], {4: 1, 3: 1, 2: 1, 1: 0, 0: 0}, centre=2)
        assert one == other

    def test_nodes_do_not_fall_together(self) -> None:
        nodes = [row for row in neighbourhood.data(EDGES, [0] * 5) if row["kind"] == "node"]
        places = {(row["x"], row["y"]) for row in nodes}
        assert len(places) == 5

    def test_classes_differ_in_shape_and_the_centre_in_size(self) -> None:
        chart = neighbourhood.chart(neighbourhood.data(EDGES, [0, 0, 1, 1, 1], centre=0, class_names=["a", "b"]))
        points = {series.name: series for series in chart.series if series.kind == "points"}
        assert set(points) == {"a", "a (the chosen node)", "b"}
        assert points["a"].slot != points["b"].slot
        assert points["a (the chosen node)"].size > points["a"].size
        figure = figure_of("neighbourhood").plot(neighbourhood.data(EDGES, [0, 0, 1, 1, 1]))
        assert figure.data[1].marker.symbol != figure.data[2].marker.symbol

    def test_too_many_nodes_and_loose_edges_are_refused(self) -> None:
        with pytest.raises(ValueError, match="at most 200"):
            neighbourhood.data([], [0] * 201)
        with pytest.raises(ValueError, match="leads out"):
            neighbourhood.data([(0, 7)], [0])

    def test_nothing_to_draw(self) -> None:
        none: list[Row] = neighbourhood.data([], [])
        assert none == []
        assert neighbourhood.chart(none).series == ()


class TestPredicted:
    ROWS = predicted.data(EDGES, dict(enumerate([0, 0, 1, 1, 1])), {0: 0, 1: 1, 2: 1, 3: 1}, centre=2, class_names="ab")

    def test_rows_tell_the_predicted_class_and_the_true_one(self) -> None:
        nodes = {row["node"]: row for row in self.ROWS if row["kind"] == "node"}
        assert [(nodes[at]["true_name"], nodes[at]["predicted"], nodes[at]["name"]) for at in (0, 1, 4)] == [
            ("a", 0, "a"),
            ("a", 1, "b"),
            ("b", None, None),
        ]

    def test_wrong_ones_are_hollow_and_nodes_without_a_prediction_small(self) -> None:
        chart = predicted.chart(self.ROWS)
        points = {series.name: series for series in chart.series if series.kind == "points"}
        assert set(points) == {"a", "b", "b, wrongly", "b (the chosen node)", "no prediction"}
        assert [points[name].hollow for name in ("a", "b", "b, wrongly", "b (the chosen node)")] == [
            False,
            False,
            True,
            False,
        ]
        assert points["b"].slot == points["b, wrongly"].slot != points["a"].slot
        assert points["no prediction"].size < points["b"].size

    def test_the_summary_counts_what_is_right(self) -> None:
        assert predicted.chart([]).series == ()
