"""The point of weighted teachers: how epsilon is distributed over them. Sound, or data-dependent as the paper
reports it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.needs import ENSEMBLE
from privgraph_workbench.figures.teachers.answers import round_step
from privgraph_workbench.figures.teachers.ensembles import (
    GROUPINGS,
    MEASURES,
    groups,
    weights_are_public,
)
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import number, rounded_delta, upper

TITLE = "Epsilon of each teacher"
VIEWS = {
    "histogram": "how many teachers have which epsilon",
    "strip": "a point a teacher, by how central its nodes are",
    "cumulative": "the share of teachers with at most that epsilon",
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
    first = rows[0]
    held = [row for row in rows if math.isfinite(row["epsilon"])]
    said = f"{TITLE}, {MEASURES[first['measure']]}"
    if not held:
        return empty("nothing is guaranteed" if first["measure"] == "sound" else "it was not computed in this run")
    step, start, count = _bins([row["epsilon"] for row in held], first["limit"])
    end = start + count * step
    make = {"histogram": _histogram, "strip": _strip, "cumulative": _cumulative}[first["view"]]
    limit = first["limit"]
    shown = limit is not None and limit <= end
    rules = (Rule(x=limit, label=f"limit {number(limit)}"),) if shown else ()
    x, y, series = make(held, step, start, count)
    return Chart(
        title=said,
        panels=(Panel(x=x, y=y, rules=rules, title="" if shown or limit is None else f"limit ε {number(limit)}"),),
        series=series,
        flags=(Flag.PRIVATE,) * first["private"],
        height=340,
    )


plot = plotted(chart)


def _bins(values: Sequence[float], limit: float | None) -> tuple[float, float, int]:
    """Width, start and number of bins that hold all values, a limit that is not far above them, and room at
    the end. An end of a bin is in it, and its start is not: who is at the limit is not beyond it."""
    low, high = min(values), max(values)
    if limit is not None and limit <= 1.5 * high:
        high = max(high, limit)
    step = round_step(high - low if high - low > 0.02 * high else high / 2)
    start = max(0.0, step * (math.floor(low / step) - 1))
    return step, start, math.ceil((high - start) / step - 1e-9) + 1


def _title(row: Row) -> str:
    return f"{MEASURES[row['measure']]} at δ = {rounded_delta(row['delta'])}"


def _members(rows: Sequence[Row]) -> list[tuple[str, int, list[Row]]]:
    """Name, place and rows of each group, by ascending weight or centrality."""
    places = sorted({row["place"] for row in rows})
    members = [[row for row in rows if row["place"] == place] for place in places]
    return [(own[0]["group"], place, own) for place, own in zip(places, members, strict=True)]


def _histogram(rows: Sequence[Row], step: float, start: float, count: int) -> tuple[Axis, Axis, tuple[Series, ...]]:
    """Bars that stand on one another: at the values themselves where these lie a bin apart, else a bar a
    bin."""
    apart = {number(row["epsilon"], 4): row["epsilon"] for row in sorted(rows, key=lambda row: float(row["epsilon"]))}
    values = np.array(list(apart.values()))
    exact = len(values) == 1 or bool(np.diff(values).min() >= step)
    ends = start + step * np.arange(count + 1)
    middle = values if exact else (ends[:-1] + ends[1:]) / 2
    names = [
        f"ε {upper(value)}" if exact else f"ε {number(value - step / 2, 4)}–{number(value + step / 2, 4)}"
        for value in middle.tolist()
    ]
    below = np.zeros(len(middle), dtype=np.int64)
    drawn: list[Series] = []
    for name, place, own in _members(rows):
        held = np.array([row["epsilon"] for row in own])
        inside = (
            np.abs(held[:, None] - values).argmin(axis=1)
            if exact
            else np.maximum(np.ceil((held - start) / step - 1e-9).astype(int) - 1, 0)
        )
        heights = np.bincount(inside, minlength=len(middle))
        there = np.flatnonzero(heights)
        drawn.append(
            Series(
                name=name,
                kind="bars",
                x=tuple(middle[there].tolist()),
                low=tuple(below[there].tolist()),
                y=tuple((below + heights)[there].tolist()),
                width=step / 2 if exact else 0.9 * step,
                slot=place,
                hover=tuple(f"{names[at]}\n{name}: {heights[at]:,} teachers" for at in there.tolist()),
            )
        )
        below = below + heights
    ticks = tuple(float(upper(value, 3)) for value in values.tolist()) if exact else ()
    x = Axis(title=_title(rows[0]), low=start, high=start + count * step, ticks=ticks)
    return x, Axis(title="teachers (count)", low=0), tuple(drawn)


def _strip(rows: Sequence[Row], step: float, start: float, count: int) -> tuple[Axis, Axis, tuple[Series, ...]]:
    series = tuple(
        Series(
            name=name,
            kind="points",
            x=tuple(row["epsilon"] for row in own),
            y=tuple(row["centrality"] for row in own),
            slot=place,
            size=8,
            hover=tuple(_hover(row) for row in own),
        )
        for name, place, own in _members(rows)
    )
    x = Axis(title=_title(rows[0]), low=start, high=start + count * step)
    return x, Axis(title=GROUPINGS["centrality"]), series


def _cumulative(rows: Sequence[Row], step: float, start: float, count: int) -> tuple[Axis, Axis, tuple[Series, ...]]:
    """Stairs: of all teachers, and of each group where there are several."""
    end = start + count * step
    members = _members(rows)
    drawn = [(name, place, own) for name, place, own in members if len(members) > 1]
    series = []
    for name, place, own in [*drawn, ("all teachers", NEUTRAL, list(rows))]:
        values = np.sort([row["epsilon"] for row in own])
        shares = np.arange(len(values) + 1) / len(values)
        series.append(
            Series(
                name=name,
                kind="line",
                x=(start, *np.repeat(values, 2).tolist(), end),
                y=tuple(np.repeat(shares, 2).tolist()),
                slot=place,
                hover=tuple(f"{name}\n{share:.0%} have at most this ε" for share in np.repeat(shares, 2)),
            )
        )
    x = Axis(title=_title(rows[0]), low=start, high=end)
    return x, Axis(title="teachers with at most this ε (percent)", percent=True, low=-0.02, high=1.02), tuple(series)


def _hover(row: Row) -> str:
    return (
        f"teacher {row['teacher']}\n"
        f"{MEASURES[row['measure']]} {upper(row['epsilon'])}\n"
        f"weight {number(row['weight'])}\n"
        f"{row['size']:,} labelled nodes, centrality {number(row['centrality'])}"
    )
