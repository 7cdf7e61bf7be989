"""The point of weighted teachers: how epsilon is distributed over them. Sound, or data-dependent as the paper
reports it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Row, Rows, Rule, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, grouped, marks, single
from privgraph_workbench.figures.teachers.answers import round_step
from privgraph_workbench.figures.teachers.ensembles import GROUPINGS, MEASURES, by_teacher, groups, known, shared
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
    columns = [ensemble.weights, ensemble.sizes, ensemble.centrality, own, epsilons]
    return [
        {"teacher": teacher, "weight": weight, "size": size if nodes else None}
        | {"centrality": centrality if nodes else None, "group": names[place], "place": place, "epsilon": epsilon}
        | told
        for teacher, (weight, size, centrality, place, epsilon) in enumerate(by_teacher(*columns))
    ]


@figure("teacher_epsilons", "Epsilon of each teacher", data, needs="ensemble")
def chart(rows: Rows) -> Chart:
    first, limit = rows[0], rows[0]["limit"]
    held = sorted((row for row in rows if math.isfinite(row["epsilon"])), key=lambda row: int(row["place"]))
    if not held:
        return empty("no ε of teachers is finite")
    step = round_step(max(row["epsilon"] for row in held))
    ends = step * np.arange(math.ceil(max(row["epsilon"] for row in held) / step - 1e-9) + 2)
    y, series = {"histogram": _histogram, "strip": _strip, "cumulative": _cumulative}[first["view"]](held, ends)
    shown = limit is not None and limit <= ends[-1]
    return single(
        Axis(title=f"{MEASURES[first['measure']]} at δ = {rounded_delta(first['delta'])}", low=0, high=float(ends[-1])),
        y,
        series,
        rules=[Rule(x=limit, label=f"limit {number(limit)}")] * shown,
        of="" if shown or limit is None else f"limit ε {number(limit)}",
        flags=(Flag.PRIVATE,) * first["private"],
        height=340,
    )


Drawn = tuple[Axis, list[Series]]
"""The axis of the view, and its series."""
Ends = NDArray[np.floating[Any]]
"""Of bins; an end is in its bin, and the start is not: who is at the limit is not beyond it."""


def _histogram(rows: Rows, ends: Ends) -> Drawn:
    """Bars that stand on one another."""
    step, below, drawn = float(ends[1]), np.zeros(len(ends) - 1, dtype=np.int64), list[Series]()
    for (place, name), own in grouped(rows, "place", "group").items():
        inside = np.ceil(np.array([row["epsilon"] for row in own]) / step - 1e-9).astype(int) - 1
        heights = np.bincount(np.maximum(inside, 0), minlength=len(below))
        bars = [{"group": name, "at": float(ends[at] + step / 2), "count": int(one)} for at, one in enumerate(heights)]
        look: Look = {"low": tuple(below.tolist()), "width": 0.9 * step, "slot": place}
        below = below + heights
        look |= {"hover": ("group", "at", "count")}
        drawn.append(marks(bars, "at", below.tolist(), name=name, kind="bars", **look))
    return Axis(title="teachers (count)", low=0), drawn


def _strip(rows: Rows, ends: Ends) -> Drawn:
    """A point a teacher."""
    look: Look = {"size": 8, "hover": ("teacher", "epsilon", "weight", "size", "centrality")}
    groups = grouped(rows, "place", "group").items()
    drawn = [marks(own, "epsilon", "centrality", name=name, slot=place, **look) for (place, name), own in groups]
    return Axis(title=GROUPINGS["centrality"]), drawn


def _cumulative(rows: Rows, ends: Ends) -> Drawn:
    """Stairs: of all teachers, and of each group where there are several."""
    groups, drawn = grouped(rows, "place", "group"), []
    for (place, name), own in {**(groups if len(groups) > 1 else {}), (NEUTRAL, "all teachers"): rows}.items():
        values = np.sort([row["epsilon"] for row in own])
        x = (0.0, *np.repeat(values, 2).tolist(), float(ends[-1]))
        y = tuple(np.repeat(np.arange(len(values) + 1) / len(values), 2).tolist())
        drawn.append(Series(name=name, kind="line", x=x, y=y, slot=place))
    return Axis(title="teachers with at most this ε (percent)", percent=True, low=-0.02, high=1.02), drawn
