"""Are heavy teachers better? Accuracy of each teacher against its weight and its number of nodes. For an
evaluator alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Panel, Row, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, marks

PANELS = {"weight": "weight of its vote", "size": "labelled nodes that it learnt from"}
HOVER = ("teacher", "accuracy", "weight", "size", "centrality")
MOST_MEANS = 8


def data(ensemble: Ensemble) -> list[Row]:
    """One row per teacher: teacher, weight, size (labelled nodes), centrality, accuracy (share of test nodes
    that are right; None where it was not measured), evaluator (True)."""
    columns = (ensemble.weights, ensemble.sizes, ensemble.centrality, ensemble.accuracy)
    return [
        {"teacher": teacher, "weight": weight, "size": size, "centrality": centrality}
        | {"accuracy": right if math.isfinite(right) else None, "evaluator": True}
        for teacher, (weight, size, centrality, right) in enumerate(
            zip(*(one.tolist() for one in columns), strict=True)
        )
    ]


@figure("teacher_accuracy", "Accuracy of each teacher", data, needs="ensemble", always=[Flag.PRIVATE])
def chart(rows: Sequence[Row]) -> Chart:
    """A panel by weight and one by size; a line joins the averages."""
    held = [row for row in rows if row["accuracy"] is not None]
    if not held:
        return empty("no teacher's accuracy was measured")
    series, panels = [], []
    for panel, (column, title) in enumerate(PANELS.items()):
        y = Axis(title="right on test nodes (percent)" * (not panel), percent=True, low=-0.03, high=1.03)
        panels.append(Panel(x=Axis(title=title), y=y))
        look: Look = {"hollow": True, "size": 7, "panel": panel, "hover": HOVER}
        series.append(marks(held, column, "accuracy", name="one teacher", **look))
        x, means = zip(*_means(held, column), strict=True)
        series.append(Series(name="average", kind="path", x=x, y=means, slot=1, panel=panel))
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
