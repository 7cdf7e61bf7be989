"""Who was stopped: teachers that took no part any more, from which query on, and what they had spent."""

import math

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, grouped, marks, single, table
from privgraph_workbench.figures.teachers import ensembles


def data(ensemble: Ensemble) -> list[Row]:
    """One row per teacher: teacher, weight, group, place, stopped_after (queries that it took part in before
    it was stopped; None: it never was), reached (whether its own limit stopped it, and not another
    teacher's), spent (epsilon in all, by the measure that the limit was held against), limit (None: none),
    queries (in all), delta, measure, data_dependent, private (whether the weights were made of private
    nodes)."""
    (names, own), measure = ensembles.groups(ensemble), ensembles.limit_measure(ensemble)
    told: Row = {"teacher": np.arange(len(own)), "weight": ensemble.weights}
    told |= {"group": [names[place] for place in own], "place": own}
    told |= {"stopped_after": [last if last >= 0 else None for last in ensembles.stopped_at(ensemble).tolist()]}
    told |= {"reached": ensembles.reached(ensemble), "spent": ensembles.spent(ensemble, measure)[:, -1]}
    told |= {"limit": ensemble.limit if math.isfinite(ensemble.limit) else None, "queries": ensemble.voting.shape[1]}
    return table({**told, "delta": ensemble.delta, **ensembles.shared(ensemble, measure)})


@figure("stopped", "Who was stopped", data, needs="ensemble")
def chart(rows: Rows) -> Chart:
    if all(row["stopped_after"] is None for row in rows):
        return empty("no teacher reached a limit")
    last, series = rows[0]["queries"], []
    for (place, name), own in sorted(grouped(rows, "place", "group").items()):
        ends = sorted(row["stopped_after"] for row in own if row["stopped_after"] is not None)
        y = [1 - count / len(own) for count in range(len(ends) + 1)]
        name = f"{name} ({len(own):,} teachers)"
        series.append(marks((), (0, *ends, last), (*y, y[-1]), name=name, kind="steps", slot=place))
    x_axis = Axis(title="queries asked", low=0, high=1.02 * last)
    y_axis = Axis(title="teachers that still vote (percent)", percent=True, low=-0.03, high=1.05)
    return single(x_axis, y_axis, series, flags=(Flag.PRIVATE,) * rows[0]["private"])
