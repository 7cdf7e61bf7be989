"""Who was stopped: teachers that took no part any more, from which query on, and what they had spent by
then."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Row, Series, empty, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.needs import ENSEMBLE
from privgraph_workbench.figures.teachers.ensembles import (
    groups,
    limit_measure,
    reached,
    spent,
    stopped_at,
    weights_are_public,
)

NO_LIMIT = "this run had no limit"
NOBODY = "nobody: no teacher reached its limit"


def data(ensemble: Ensemble) -> list[Row]:
    """One row per teacher: teacher, weight, group, place, stopped_after (queries that it took part in before
    it was stopped; None: it never was), reached (whether its own limit stopped it, and not another
    teacher's), spent (epsilon in all, by the measure that the limit was held against), limit (None: none),
    queries (in all), delta, measure, data_dependent, private (whether the weights were made of private
    nodes)."""
    names, own = groups(ensemble, "weight")
    measure = limit_measure(ensemble)
    epsilons, last, by_itself = spent(ensemble, measure)[:, -1], stopped_at(ensemble).tolist(), reached(ensemble)
    return [
        {
            "teacher": teacher,
            "weight": float(ensemble.weights[teacher]),
            "group": names[own[teacher]],
            "place": int(own[teacher]),
            "stopped_after": last[teacher] if last[teacher] >= 0 else None,
            "reached": bool(by_itself[teacher]),
            "spent": float(epsilons[teacher]),
            "limit": ensemble.limit if math.isfinite(ensemble.limit) else None,
            "queries": ensemble.voting.shape[1],
            "delta": ensemble.delta,
            "measure": measure,
            "data_dependent": measure != "sound",
            "private": not weights_are_public(ensemble),
        }
        for teacher in range(len(ensemble.weights))
    ]


@figure("stopped", "Who was stopped", data, needs=ENSEMBLE)
def chart(rows: Sequence[Row]) -> Chart:
    """The share of each group's teachers that still voted, along the queries."""
    gone = [row for row in rows if row["stopped_after"] is not None]
    if not gone:
        return empty(NOBODY if any(row["limit"] is not None for row in rows) else NO_LIMIT)
    last, series = rows[0]["queries"], []
    for place in sorted({row["place"] for row in rows}):
        own = [row for row in rows if row["place"] == place]
        ends = sorted(row["stopped_after"] for row in own if row["stopped_after"] is not None)
        left = [1 - count / len(own) for count in range(len(ends) + 1)]
        x = (0, *(end for end in ends for _ in range(2)), last)
        y = tuple(share for share in left for _ in range(2))
        series.append(Series(name=f"{own[0]['group']} ({len(own):,} teachers)", kind="line", x=x, y=y, slot=place))
    return single(
        Axis(title="queries asked", low=0, high=1.02 * last),
        Axis(title="teachers that still vote (percent)", percent=True, low=-0.03, high=1.05),
        series,
        flags=(Flag.PRIVATE,) * rows[0]["private"],
        height=320,
    )
