"""Files of a figure of a graph say of which graph they are, and how large its largest degree is."""

from __future__ import annotations

import numpy as np

from privgraph.data.facts import Arrays, neighbourhood
from privgraph_workbench.figures.graphs import classes, degrees
from privgraph_workbench.figures.graphs import neighbourhood as drawn

SAID = "The graph karate has 34 nodes. Source: Zachary 1977."
MADE = {
    "degrees": degrees.data([1, 2, 11]),
    "classes": classes.data({"a": 3, "b": 2}),
    "neighbourhood": drawn.data([(0, 1)], [0, 1], centre=0),
}


def test_all_nodes_within_two_steps_are_counted() -> None:
    ends = np.array([[0, at] for at in range(1, 30)] + [[29, 30], [30, 31]]).T
    both = np.concatenate([ends, ends[::-1]], axis=1)
    arrays = Arrays(
        features=1, y=np.zeros(32, dtype=np.int64), edges=both, class_names=("a",), undirected=True, masks={}
    )
    found = neighbourhood(arrays, 0, largest=10)
    assert (len(found["nodes"]), found["within"], found["complete"]) == (10, 31, False)
    assert neighbourhood(arrays, 31)["within"] == 3
