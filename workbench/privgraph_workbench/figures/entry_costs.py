"""What each mechanism of a ledger costs: by itself, and what would be left to pay without it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import plotly.graph_objects as go

from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, distinct, empty, upper
from privgraph_workbench.figures.draw_plotly import draw

TITLE = "What each mechanism costs"
SIDES = (("alone", "ε of this mechanism alone"), ("without", "ε of all others, without it"))


def data(costs: Iterable[tuple[str, float, float]], whole: float) -> list[Row]:
    """One row per mechanism: name, alone (its own epsilon), without (that of all others), whole (that of all together)."""
    return [{"name": name, "alone": alone, "without": without, "whole": whole} for name, alone, without in costs]


def chart(rows: Sequence[Row]) -> Chart:
    """Two columns of bars with a line at the epsilon of all together; epsilons of parts do not add up to it."""
    if not rows:
        return empty(TITLE, "nothing that is protected is read")
    finite = [row[key] for row in rows for key in ("alone", "without", "whole") if math.isfinite(row[key])]
    highest = 1.25 * max(finite, default=0.0) or 1.0
    whole, names = rows[0]["whole"], distinct(row["name"] for row in rows)
    rules = (Rule(x=whole, label="all together", side="left"),) if math.isfinite(whole) else ()
    series = [
        Series(
            name=title,
            kind="bars",
            x=tuple(row[key] if math.isfinite(row[key]) else highest for row in rows),
            y=names,
            epsilon="sound",
            panel=place,
            legend=False,
            text=tuple(_said(row[key]) for row in rows),
            hover=tuple(f"{row['name']}\n{title}: {_said(row[key])}" for row in rows),
        )
        for place, (key, title) in enumerate(SIDES)
    ]
    largest = max(rows, key=lambda row: float(row["alone"]))
    return Chart(
        title=TITLE,
        panels=tuple(
            Panel(
                x=Axis(title=title, low=0, high=highest),
                y=Axis(title="", scale="category", categories=names, labels=place == 0),
                rules=rules,
            )
            for place, (_, title) in enumerate(SIDES)
        ),
        series=tuple(series),
        summary=f"{len(rows)} mechanisms, {_said(whole)} together; the most by itself costs {largest['name']}: "
        f"{_said(largest['alone'])}; without it {_said(largest['without'])} would be left.",
        columns=2,
        height=190 + 40 * len(rows),
    )


def plot(rows: Sequence[Row], theme: str = "light") -> go.Figure:
    """The costs as a plotly figure."""
    return draw(chart(rows), theme)


def _said(value: float) -> str:
    return "none proved" if math.isinf(value) else upper(value)
