"""Are heavy teachers better? Accuracy against weight and number of nodes. For an evaluator alone."""

import math

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Panel, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, marks, pairs, table
from privgraph_workbench.figures.teachers.ensembles import quantiles


def data(ensemble: Ensemble) -> list[Row]:
    """One row per teacher: teacher, weight, size (labelled nodes), centrality, accuracy (share of test nodes
    that are right; None where it was not measured), evaluator (True)."""
    right = [one if math.isfinite(one) else None for one in ensemble.accuracy.tolist()]
    told = {"teacher": np.arange(len(right)), "weight": ensemble.weights, "size": ensemble.sizes}
    return table({**told, "centrality": ensemble.centrality, "accuracy": right, "evaluator": True})


@figure("teacher_accuracy", "Accuracy of each teacher", data, needs="ensemble", always=[Flag.PRIVATE])
def chart(rows: Rows) -> Chart:
    """With averages of at most eight groups along each column."""
    held = [row for row in rows if row["accuracy"] is not None]
    if not held:
        return empty("no teacher's accuracy was measured")
    series, panels = [], []
    columns = {"weight": "weight of its vote", "size": "labelled nodes that it learnt from"}
    for panel, (column, title) in enumerate(columns.items()):
        y = Axis(title="right on test nodes (percent)" * (not panel), percent=True, low=-0.03, high=1.03)
        panels.append(Panel(x=Axis(title=title), y=y))
        look: Look = {"hollow": True, "size": 7, "panel": panel, "hover": "teacher accuracy weight size centrality"}
        series.append(marks(held, column, "accuracy", name="one teacher", **look))
        values, right = (np.array([row[name] for row in held], dtype=np.float64) for name in (column, "accuracy"))
        own = quantiles(values, 8)
        x, means = ([float(of[own == one].mean()) for one in np.unique(own)] for of in (values, right))
        series.append(marks((), x, means, name="average", kind="path", slot=1, panel=panel))
    return pairs(panels, series)
