"""Figures of a data set: degrees, classes, a drawn neighbourhood."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

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

    def test_too_many_nodes_and_loose_edges_are_refused(self) -> None:
        with pytest.raises(ValueError, match="at most 200"):
            neighbourhood.data([], [0] * 201)
        with pytest.raises(ValueError, match="leads out"):
            neighbourhood.data([(0, 7)], [0])


class TestPredicted:
    ROWS = predicted.data(EDGES, dict(enumerate([0, 0, 1, 1, 1])), {0: 0, 1: 1, 2: 1, 3: 1}, centre=2, class_names="ab")

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
