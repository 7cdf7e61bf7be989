"""Figures of a data set: degrees, classes, a drawn neighbourhood."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgraph_workbench.figures.graphs import degrees, neighbourhood

EDGES = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=200))
def test_every_node_is_in_one_bin(found: list[int]) -> None:
    rows = degrees.data(found)
    assert sum(row["nodes"] for row in rows) == len(found)
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert rows[-1]["high"] >= max(found)
    for before, after in itertools.pairwise(rows):
        assert after["low"] == before["high"] + 1


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
