"""Files of a figure of a graph say of which graph they are, and how large its largest degree is."""

from __future__ import annotations

import json

import numpy as np
import pytest

from privgraph.data.facts import Arrays, neighbourhood
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.graphs import classes, degrees, origin
from privgraph_workbench.figures.graphs import neighbourhood as drawn

SAID = "The graph karate has 34 nodes. Source: Zachary 1977."
MADE = {
    "degrees": degrees.data([1, 2, 11]),
    "classes": classes.data({"a": 3, "b": 2}),
    "neighbourhood": drawn.data([(0, 1)], [0, 1], centre=0),
}


@pytest.mark.parametrize(("figure", "rows"), MADE.items())
def test_text_and_json_name_the_graph_and_a_table_does_not(figure: str, rows: list[Row]) -> None:
    told = origin.with_origin(rows, origin.words("karate", nodes=34, source="Zachary 1977"))
    assert SAID in export(figure, told, {}, "txt", "light").decode()
    assert SAID in json.loads(export(figure, told, {}, "json", "light"))["notes"]
    assert b"Zachary" not in export(figure, told, {}, "csv", "light")
    assert SAID.encode() in export(figure, told, {}, "svg", "light")


def test_the_last_bin_of_degrees_ends_at_the_largest_one() -> None:
    rows = degrees.data([1, 2, 11])
    assert (rows[-1]["low"], rows[-1]["high"]) == (8, 11)
    assert "the largest degree is 11." in degrees.chart(rows).summary


def test_all_nodes_within_two_steps_are_counted() -> None:
    ends = np.array([[0, at] for at in range(1, 30)] + [[29, 30], [30, 31]]).T
    both = np.concatenate([ends, ends[::-1]], axis=1)
    arrays = Arrays(
        features=1, y=np.zeros(32, dtype=np.int64), edges=both, class_names=("a",), undirected=True, masks={}
    )
    found = neighbourhood(arrays, 0, largest=10)
    assert (len(found["nodes"]), found["within"], found["complete"]) == (10, 31, False)
    assert neighbourhood(arrays, 31)["within"] == 3
