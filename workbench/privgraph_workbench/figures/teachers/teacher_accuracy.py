"""Are heavy teachers better? Accuracy of each teacher against its weight and its number of nodes. For an
evaluator alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.needs import ENSEMBLE
from privgraph_workbench.words.numbers import number, percent

TITLE = "Accuracy of each teacher"
PANELS = (("weight", "weight of its vote"), ("size", "labelled nodes that it learnt from"))
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
    shown = PANELS[1:] if equal else PANELS
    series: list[Series] = []
    for panel, (column, _) in enumerate(shown):
        series.append(
            Series(
                name="one teacher",
                kind="points",
                x=tuple(row[column] for row in held),
                y=tuple(row["accuracy"] for row in held),
                slot=0,
                hollow=True,
                size=7,
                panel=panel,
                hover=tuple(_hover(row) for row in held),
            )
        )
        means = _means(held, column)
        series.append(
            Series(
                name="average",
                kind="path",
                x=tuple(at for at, _ in means),
                y=tuple(mean for _, mean in means),
                slot=1,
                panel=panel,
                hover=tuple(f"{column} {number(at)}\naverage {percent(mean)}" for at, mean in means),
            )
        )
    return Chart(
        panels=tuple(
            Panel(
                x=Axis(title=title),
                y=Axis(title="right on test nodes (percent)" if place == 0 else "", percent=True, low=-0.03, high=1.03),
            )
            for place, (_, title) in enumerate(shown)
        ),
        series=tuple(series),
        columns=2,
        height=320,
    )


plot = plotted(chart)


def _means(rows: Sequence[Row], column: str) -> list[tuple[float, float]]:
    """Averages of at most eight groups along the column, equal values together."""
    values = np.array([row[column] for row in rows], dtype=np.float64).round(9)
    ends = np.unique(values)
    if len(ends) > MOST_MEANS:
        ends = np.unique(np.quantile(values, np.arange(1, MOST_MEANS + 1) / MOST_MEANS, method="inverted_cdf"))
    own = np.searchsorted(ends, values)
    accuracy = np.array([row["accuracy"] for row in rows])
    return [(float(values[own == k].mean()), float(accuracy[own == k].mean())) for k in range(len(ends))]


def _hover(row: Row) -> str:
    return (
        f"teacher {row['teacher']}: {percent(row['accuracy'])} right\n"
        f"weight {number(row['weight'])}, {row['size']:,} labelled nodes, centrality "
        f"{number(row['centrality'])}"
    )
