"""Are heavy teachers better? Accuracy of each teacher against its weight and its number of nodes. For an
evaluator alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Series, empty
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import ENSEMBLE

PANELS = (("weight", "weight of its vote"), ("size", "labelled nodes that it learnt from"))
HOVER = ("teacher", "accuracy", "weight", "size", "centrality")
MOST_MEANS = 8


def data(ensemble: Ensemble) -> list[Row]:
    """One row per teacher: teacher, weight, size (labelled nodes), centrality, accuracy (share of test nodes
    that are right; None where it was not measured), evaluator (True)."""
    return [
        {
            "teacher": teacher,
            "weight": float(ensemble.weights[teacher]),
            "size": int(ensemble.sizes[teacher]),
            "centrality": float(ensemble.centrality[teacher]),
            "accuracy": float(accuracy) if math.isfinite(accuracy) else None,
            "evaluator": True,
        }
        for teacher, accuracy in enumerate(ensemble.accuracy.tolist())
    ]


@figure("teacher_accuracy", "Accuracy of each teacher", data, needs=ENSEMBLE, flags=(Flag.PRIVATE,))
def chart(rows: Sequence[Row]) -> Chart:
    """A panel by weight and one by size; a line joins the averages. One panel where all weights are equal."""
    held = [row for row in rows if row["accuracy"] is not None]
    if not held:
        return empty("no teacher's accuracy was measured")
    equal = len({round(row["weight"], 9) for row in held}) == 1
    series, panels = [], []
    for panel, (column, title) in enumerate(PANELS[1:] if equal else PANELS):
        y = Axis(title="right on test nodes (percent)" * (not panel), percent=True, low=-0.03, high=1.03)
        panels.append(Panel(x=Axis(title=title), y=y))
        look: Look = {"hollow": True, "size": 7, "panel": panel, "hover": HOVER}
        series.append(marks(held, column, "accuracy", name="one teacher", **look))
        x, y_ = zip(*_means(held, column), strict=True)
        series.append(Series(name="average", kind="path", x=x, y=y_, slot=1, panel=panel))
    return Chart(panels=tuple(panels), series=tuple(series), columns=2, height=320)


def _means(rows: Sequence[Row], column: str) -> list[tuple[float, float]]:
    """Averages of at most eight groups along the column, equal values together."""
    values = np.array([row[column] for row in rows], dtype=np.float64).round(9)
    ends = np.unique(values)
    if len(ends) > MOST_MEANS:
        ends = np.unique(np.quantile(values, np.arange(1, MOST_MEANS + 1) / MOST_MEANS, method="inverted_cdf"))
    own = np.searchsorted(ends, values)
    accuracy = np.array([row["accuracy"] for row in rows])
    return [(float(values[own == k].mean()), float(accuracy[own == k].mean())) for k in range(len(ends))]
