"""The axis of where a score stands: the whole of an accuracy's range, and up to the data of a score that is
low among many candidates."""

from __future__ import annotations

import pytest

from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import standing


def level(kind: str, value: float, high: float | None = None) -> Row:
    return {"kind": kind, "of": "", "seed": None, "value": value, "low": None, "high": high, "seeds": 1}


@pytest.mark.parametrize(
    ("kind", "best", "high", "end"),
    [
        ("guessing", 0.209, None, 0.25),
        ("guessing", 0.209, 0.26, 0.3),
        ("guessing", 0.97, None, 1.0),
        ("majority", 0.209, None, 1.0),
    ],
)
def test_where_the_axis_ends(kind: str, best: float, high: float | None, end: float) -> None:
    axis = standing.chart([level(kind, 0.004), level("own", best, high)]).panels[0].x
    assert (axis.low, axis.high) == (0, pytest.approx(end))
