"""The point of weighted teachers: how epsilon is distributed over them. Sound, or data-dependent as the paper
reports it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Rule, Series, empty, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import ENSEMBLE
from privgraph_workbench.figures.teachers.answers import round_step
from privgraph_workbench.figures.teachers.ensembles import GROUPINGS, MEASURES, groups, weights_are_public
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import number, rounded_delta, upper

TITLE = "Epsilon of each teacher"
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
    for word, known in ((measure, MEASURES), (by, GROUPINGS), (view, VIEWS)):
        if word not in known:
            raise ValueError(f"teachers' epsilons can be {', '.join(known)} (got {word})")
    names, own = groups(ensemble, by)
    values = ensemble.sound if measure == "sound" else ensemble.dependent
    nodes = view == "strip" or by == "centrality"
    return [
        {
            "teacher": teacher,
            "weight": float(ensemble.weights[teacher]),
            "size": int(ensemble.sizes[teacher]) if nodes else None,
            "centrality": float(ensemble.centrality[teacher]) if nodes else None,
            "group": names[own[teacher]],
            "place": int(own[teacher]),
            "epsilon": float(values[teacher]),
            "delta": ensemble.delta,
            "limit": ensemble.limit if math.isfinite(ensemble.limit) else None,
            "measure": measure,
            "by": by,
            "view": view,
            "data_dependent": measure != "sound",
            "private": nodes or not weights_are_public(ensemble),
        }
        for teacher in range(len(ensemble.weights))
    ]


@figure("teacher_epsilons", "Epsilon of each teacher", data, needs=ENSEMBLE)
def chart(rows: Sequence[Row]) -> Chart:
    """The view that the rows ask for, a colour a group of teachers."""
    if not rows:
        return empty("there are no teachers")
    first, limit = rows[0], rows[0]["limit"]
    held = [row for row in rows if math.isfinite(row["epsilon"])]
    if not held:
        return empty("nothing is guaranteed" if first["measure"] == "sound" else "it was not computed in this run")
    step, start, count = _bins([row["epsilon"] for row in held], limit)
    make = {"histogram": _histogram, "strip": _strip, "cumulative": _cumulative}[first["view"]]
    y, series, ticks = make(held, step, start, count)
    end, form = start + count * step, "sound" if first["measure"] == "sound" else ""
    title = f"{MEASURES[first['measure']]} at δ = {rounded_delta(first['delta'])}"
    shown = limit is not None and limit <= end
    return single(
        Axis(title=title, low=start, high=end, ticks=ticks, form=form),
        y,
        series,
        rules=[Rule(x=limit, label=f"limit {number(limit)}")] * shown,
        of="" if shown or limit is None else f"limit ε {number(limit)}",
        title=f"{TITLE}, {MEASURES[first['measure']]}",
        flags=(Flag.PRIVATE,) * first["private"],
        height=340,
    )


Drawn = tuple[Axis, list[Series], tuple[float, ...]]
"""The axis of the view, its series, and ticks of the axis of epsilon (none: its own)."""


def _bins(values: Sequence[float], limit: float | None) -> tuple[float, float, int]:
    """Width, start and number of bins that hold all values, a limit that is not far above them, and room at
    the end. An end of a bin is in it, and its start is not: who is at the limit is not beyond it."""
    low, high = min(values), max(values)
    if limit is not None and limit <= 1.5 * high:
        high = max(high, limit)
    step = round_step(high - low if high - low > 0.02 * high else high / 2)
    start = max(0.0, step * (math.floor(low / step) - 1))
    return step, start, math.ceil((high - start) / step - 1e-9) + 1


def _members(rows: Sequence[Row]) -> list[tuple[str, int, list[Row]]]:
    """Name, place and rows of each group, by ascending weight or centrality."""
    places = sorted({row["place"] for row in rows})
    members = [[row for row in rows if row["place"] == place] for place in places]
    return [(own[0]["group"], place, own) for place, own in zip(places, members, strict=True)]


def _histogram(rows: Sequence[Row], step: float, start: float, count: int) -> Drawn:
    """Bars that stand on one another: at the values themselves where these lie a bin apart, else a bar a
    bin."""
    values = np.array(list({number(row["epsilon"], 4): row["epsilon"] for row in sorted(rows, key=_epsilon)}.values()))
    exact = len(values) == 1 or bool(np.diff(values).min() >= step)
    ends = start + step * np.arange(count + 1)
    middle = values if exact else (ends[:-1] + ends[1:]) / 2
    below, drawn = np.zeros(len(middle), dtype=np.int64), list[Series]()
    for name, place, own in _members(rows):
        held = np.array([row["epsilon"] for row in own])
        beside = np.abs(held[:, None] - values).argmin(axis=1)
        inside = beside if exact else np.maximum(np.ceil((held - start) / step - 1e-9).astype(int) - 1, 0)
        heights = np.bincount(inside, minlength=len(middle))
        bars: list[Row] = [
            {"group": name, "at": float(middle[at]), "count": int(heights[at]), "top": int(below[at] + heights[at])}
            for at in np.flatnonzero(heights).tolist()
        ]
        low = tuple(row["top"] - row["count"] for row in bars)
        look: Look = {"low": low, "width": step / 2 if exact else 0.9 * step, "slot": place}
        drawn.append(marks(bars, "at", "top", name=name, kind="bars", hover=("group", "at", "count"), **look))
        below = below + heights
    ticks = tuple(float(upper(value, 3)) for value in values.tolist()) if exact else ()
    return Axis(title="teachers (count)", low=0), drawn, ticks


def _epsilon(row: Row) -> float:
    return float(row["epsilon"])


def _strip(rows: Sequence[Row], step: float, start: float, count: int) -> Drawn:
    hover = ("teacher", "epsilon", "weight", "size", "centrality")
    drawn = [
        marks(own, "epsilon", "centrality", name=name, slot=place, size=8, hover=hover)
        for name, place, own in _members(rows)
    ]
    return Axis(title=GROUPINGS["centrality"]), drawn, ()


def _cumulative(rows: Sequence[Row], step: float, start: float, count: int) -> Drawn:
    """Stairs: of all teachers, and of each group where there are several."""
    members, drawn = _members(rows), []
    for name, place, own in [*(members if len(members) > 1 else ()), ("all teachers", NEUTRAL, list(rows))]:
        values = np.sort([row["epsilon"] for row in own])
        x = (start, *np.repeat(values, 2).tolist(), start + count * step)
        y = tuple(np.repeat(np.arange(len(values) + 1) / len(values), 2).tolist())
        drawn.append(Series(name=name, kind="line", x=x, y=y, slot=place))
    return Axis(title="teachers with at most this ε (percent)", percent=True, low=-0.02, high=1.02), drawn, ()
