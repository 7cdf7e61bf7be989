"""The point of weighted teachers: how epsilon is distributed over them. Sound, or data-dependent as the paper
reports it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Row, Rule, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, grouped, marks, single
from privgraph_workbench.figures.teachers.answers import round_step
from privgraph_workbench.figures.teachers.ensembles import GROUPINGS, MEASURES, groups, known, shared
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import number, rounded_delta

VIEWS = {
    "histogram": "how many teachers have which epsilon",
    "strip": "a point a teacher, by centrality",
    "cumulative": "share of teachers with at most that epsilon",
}


def data(ensemble: Ensemble, measure: str = "sound", by: str = "weight", view: str = "histogram") -> list[Row]:
    """One row per teacher: teacher (its number), weight, size (labelled nodes), centrality (both None where
    they are not drawn: they are private), group, place (of the group), epsilon (of that `measure`: sound or
    data-dependent), delta, limit (None: none), measure, by, view, data_dependent, private (whether something
    that was read from private nodes is drawn).

    Raises `ValueError` for an unknown measure, grouping or view.
    """
    for word, words in ((measure, MEASURES), (by, GROUPINGS), (view, VIEWS)):
        known(word, words)
    (names, own), nodes = groups(ensemble, by), view == "strip" or by == "centrality"
    told: Row = {"delta": ensemble.delta, "limit": ensemble.limit if math.isfinite(ensemble.limit) else None}
    told |= {"measure": measure, "by": by, "view": view, **shared(ensemble, measure)}
    told |= {"private": nodes or told["private"]}
    epsilons = ensemble.sound if measure == "sound" else ensemble.dependent
    columns = (ensemble.weights, ensemble.sizes, ensemble.centrality, own, epsilons)
    return [
        {"teacher": teacher, "weight": weight, "size": size if nodes else None}
        | {"centrality": centrality if nodes else None, "group": names[place], "place": place, "epsilon": epsilon}
        | told
        for teacher, (weight, size, centrality, place, epsilon) in enumerate(
            zip(*(one.tolist() for one in columns), strict=True)
        )
    ]


@figure("teacher_epsilons", "Epsilon of each teacher", data, needs="ensemble")
def chart(rows: Sequence[Row]) -> Chart:
    """The view that the rows ask for, a colour a group of teachers."""
    first, limit = rows[0], rows[0]["limit"]
    held = sorted((row for row in rows if math.isfinite(row["epsilon"])), key=lambda row: int(row["place"]))
    if not held:
        return empty("no ε of teachers is finite")
    values = [row["epsilon"] for row in held]
    step, start, count = _bins(values, limit)
    end = start + count * step
    make = {"histogram": _histogram, "strip": _strip, "cumulative": _cumulative}[first["view"]]
    y, series = make(held, start + step * np.arange(count + 1))
    title, shown = f"{MEASURES[first['measure']]} at δ = {rounded_delta(first['delta'])}", limit and limit <= end
    return single(
        Axis(title=title, low=start, high=end),
        y,
        series,
        rules=[Rule(x=limit, label=f"limit {number(limit)}")] if shown else (),
        of="" if shown or limit is None else f"limit ε {number(limit)}",
        flags=(Flag.PRIVATE,) * first["private"],
        height=340,
    )


Drawn = tuple[Axis, list[Series]]
"""The axis of the view, and its series."""
Ends = NDArray[np.floating[Any]]
"""Of the bins."""


def _bins(values: Sequence[float], limit: float | None) -> tuple[float, float, int]:
    """Width, start and number of bins that hold all values, a limit that is not far above them, and room at
    the end. An end of a bin is in it, and its start is not: who is at the limit is not beyond it."""
    low, high = min(values), max(values)
    if limit is not None and limit <= 1.5 * high:
        high = max(high, limit)
    step = round_step(high - low if high - low > 0.02 * high else high / 2)
    start = max(0.0, step * (math.floor(low / step) - 1))
    return step, start, math.ceil((high - start) / step - 1e-9) + 1


def _histogram(rows: Sequence[Row], ends: Ends) -> Drawn:
    """Bars that stand on one another."""
    step, below, drawn = float(ends[1] - ends[0]), np.zeros(len(ends) - 1, dtype=np.int64), list[Series]()
    for (place, name), own in grouped(rows, "place", "group").items():
        inside = np.ceil(np.array([row["epsilon"] - ends[0] for row in own]) / step - 1e-9).astype(int) - 1
        heights = np.bincount(np.maximum(inside, 0), minlength=len(below))
        bars: list[Row] = [
            {"group": name, "at": float(ends[at] + step / 2), "count": int(heights[at]), "low": int(below[at])}
            for at in np.flatnonzero(heights).tolist()
        ]
        look: Look = {"low": tuple(row["low"] for row in bars), "width": 0.9 * step, "slot": place}
        tops = [row["low"] + row["count"] for row in bars]
        drawn.append(marks(bars, "at", tops, name=name, kind="bars", hover=("group", "at", "count"), **look))
        below += heights
    return Axis(title="teachers (count)", low=0), drawn


def _strip(rows: Sequence[Row], ends: Ends) -> Drawn:
    """A point a teacher."""
    look: Look = {"size": 8, "hover": ("teacher", "epsilon", "weight", "size", "centrality")}
    groups = grouped(rows, "place", "group").items()
    drawn = [marks(own, "epsilon", "centrality", name=name, slot=place, **look) for (place, name), own in groups]
    return Axis(title=GROUPINGS["centrality"]), drawn


def _cumulative(rows: Sequence[Row], ends: Ends) -> Drawn:
    """Stairs: of all teachers, and of each group where there are several."""
    groups, drawn = grouped(rows, "place", "group"), []
    for (place, name), own in {**(groups if len(groups) > 1 else {}), (NEUTRAL, "all teachers"): rows}.items():
        values = np.sort([row["epsilon"] for row in own])
        x = (float(ends[0]), *np.repeat(values, 2).tolist(), float(ends[-1]))
        y = tuple(np.repeat(np.arange(len(values) + 1) / len(values), 2).tolist())
        drawn.append(Series(name=name, kind="line", x=x, y=y, slot=place))
    return Axis(title="teachers with at most this ε (percent)", percent=True, low=-0.02, high=1.02), drawn
