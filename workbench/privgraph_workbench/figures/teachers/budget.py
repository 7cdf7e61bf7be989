"""Budget used against queries answered: the epsilon that each weight has spent, query by query, and the
limit."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Series, empty, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import ENSEMBLE
from privgraph_workbench.figures.teachers.ensembles import MEASURES, groups, limit_measure, spent, weights_are_public
from privgraph_workbench.theme import EPSILONS, NEUTRAL
from privgraph_workbench.words.numbers import rounded_delta

LIMIT = "limit"
MOST_POINTS = 200


def data(ensemble: Ensemble, measure: str = "sound") -> list[Row]:
    """Rows for each group of weights and number of queries (0 to Q, at most 200 of them): group, place,
    weight (the group's largest), teachers, queries, answered (so far), epsilon (by that `measure`, of the
    group's teacher that spent most), guaranteed (sound epsilon of the group; None for the data-dependent
    measure, which guarantees nothing), limit (None: none, or rows against the other measure), delta, measure,
    data_dependent, private (whether the weights were made of private nodes).

    Raises `ValueError` for an unknown measure.
    """
    if measure not in MEASURES:
        raise ValueError(f"budget: measure must be one of {', '.join(MEASURES)} (got {measure})")
    names, own = groups(ensemble, "weight")
    epsilons = spent(ensemble, measure)
    asked = epsilons.shape[1] - 1
    answered = np.concatenate([[0], (ensemble.released >= 0).cumsum()])
    points = np.unique(np.linspace(0, asked, min(asked, MOST_POINTS) + 1).round().astype(int)).tolist()
    limited = math.isfinite(ensemble.limit) and limit_measure(ensemble) == measure
    return [
        {
            "group": name,
            "place": place,
            "weight": float(ensemble.weights[own == place].max()),
            "teachers": int((own == place).sum()),
            "queries": point,
            "answered": int(answered[point]),
            "epsilon": float(epsilons[own == place, point].max()),
            "guaranteed": float(ensemble.sound[own == place].max()) if measure == "sound" else None,
            "limit": ensemble.limit if limited else None,
            "delta": ensemble.delta,
            "measure": measure,
            "data_dependent": measure != "sound",
            "private": not weights_are_public(ensemble),
        }
        for place, name in enumerate(names)
        for point in points
    ]


def alike(points: Sequence[tuple[int, float]], delta: float) -> list[Row]:
    """The same rows where all private nodes pay the same: sound epsilon after so many answered queries, the
    last of which is guaranteed; `teachers` is None."""
    return [
        {
            "group": "every private node",
            "place": 0,
            "weight": None,
            "teachers": None,
            "queries": count,
            "answered": count,
            "epsilon": epsilon,
            "guaranteed": points[-1][1],
            "limit": None,
            "delta": delta,
            "measure": "sound",
            "data_dependent": False,
            "private": False,
        }
        for count, epsilon in [(0, 0.0), *points]
    ]


@figure("budget", "Budget used, query by query", data, needs=ENSEMBLE)
def chart(rows: Sequence[Row]) -> Chart:
    """A line a weight, its guarantee as a mark at the end, and the limit across."""
    last = max((row["queries"] for row in rows), default=0)
    if not last:
        return empty("no query was asked")
    if any(math.isinf(row["epsilon"]) for row in rows):
        return empty("nothing is guaranteed: there was no noise")
    first, limit, series = rows[0], rows[0]["limit"], list[Series]()
    for place in sorted({row["place"] for row in rows}):
        own = [row for row in rows if row["place"] == place]
        name = own[0]["group"]
        series.append(marks(own, "queries", "epsilon", name=name, kind="line", slot=place, group=name))
        if own[0]["guaranteed"] is not None and math.isfinite(own[0]["guaranteed"]):
            look: Look = {"epsilon": "sound", "size": 11, "legend": False, "group": name}
            series.append(marks(own[-1:], (last,), "guaranteed", name=f"{name}: {EPSILONS['sound'].title}", **look))
    if limit is not None:
        series.append(Series(name=LIMIT, kind="level", x=(0, last), y=(limit,), slot=NEUTRAL, shape=1))
    return single(
        Axis(title="queries asked", low=0, high=1.04 * last),
        Axis(title=f"{MEASURES[first['measure']]} spent, at δ = {rounded_delta(first['delta'])}", low=0),
        series,
        flags=(Flag.PRIVATE,) * first["private"] + (Flag.UNGUARANTEED,) * (first["guaranteed"] == math.inf),
        height=340,
    )
