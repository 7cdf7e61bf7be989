"""Are heavy teachers better? Accuracy of each teacher against its weight and its number of nodes. For an
evaluator alone."""

from __future__ import annotations

import math

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Panel, Row, Rows, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, marks
from privgraph_workbench.figures.teachers.ensembles import by_teacher, quantiles

PANELS = {"weight": "weight of its vote", "size": "labelled nodes that it learnt from"}
HOVER = ("teacher", "accuracy", "weight", "size", "centrality")


def data(ensemble: Ensemble) -> list[Row]:
    """One row per teacher: teacher, weight, size (labelled nodes), centrality, accuracy (share of test nodes
    that are right; None where it was not measured), evaluator (True)."""
    columns = [ensemble.weights, ensemble.sizes, ensemble.centrality, ensemble.accuracy]
    return [
        {"teacher": teacher, "weight": weight, "size": size, "centrality": centrality}
        | {"accuracy": right if math.isfinite(right) else None, "evaluator": True}
        for teacher, (weight, size, centrality, right) in enumerate(by_teacher(*columns))
    ]


@figure("teacher_accuracy", "Accuracy of each teacher", data, needs="ensemble", always=[Flag.PRIVATE])
def chart(rows: Rows) -> Chart:
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


def _means(rows: Rows, column: str) -> list[tuple[float, float]]:
    """Averages of at most eight groups along the column, equal values together."""
    values, accuracy = (np.array([row[name] for row in rows], dtype=np.float64) for name in (column, "accuracy"))
    own = quantiles(values, 8)
    return [(float(values[own == one].mean()), float(accuracy[own == one].mean())) for one in np.unique(own)]
