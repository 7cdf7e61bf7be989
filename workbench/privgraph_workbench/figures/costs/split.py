"""The budget as one bar: the share of each mechanism, with a border that can be dragged where the method lets
it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, distinct, empty
from privgraph_workbench.figures.costs.ledger import SHARE
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.words.numbers import percent

TITLE = "How the budget is split"
HANDLE = "border"


def data(shares: Sequence[Row], *, movable: bool) -> list[Row]:
    """Rows for each mechanism of `figures.ledger.data`: name, share, low and high (its place on the bar, in
    [0, 1]), handle (whether its right border can be dragged)."""
    rows: list[Row] = []
    low = 0.0
    names = distinct(f"{row['mechanism']}, {row['stage']}" if row["stage"] else row["mechanism"] for row in shares)
    for place, (name, row) in enumerate(zip(names, shares, strict=True)):
        high = low + row["share"]
        rows.append(
            {
                "name": name,
                "share": row["share"],
                "low": low,
                "high": high,
                "handle": movable and place == 0 and len(shares) > 1,
            }
        )
        low = high
    return rows


@figure("split", "How the budget is split", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """One bar. The pieces lie over one another, from the last to the first, so that each shows its own
    stretch."""
    if not any(row["share"] for row in rows):
        return empty("nothing that is protected is read")
    series = [
        Series(
            name=f"{row['name']}: {percent(row['share'])}",
            kind="bars",
            x=(row["high"],),
            y=("budget",),
            slot=place,
            hover=(f"{row['name']}\n{percent(row['share'])} of the budget",),
            legend=False,
        )
        for place, row in enumerate(rows)
    ]
    legend = [replace(one, x=(0.0,), legend=True) for one in series]  # in order, though the last is drawn first
    return Chart(
        panels=(
            Panel(
                x=Axis(title=SHARE, percent=True, low=0, high=1),
                y=Axis(title="", scale="category", categories=("budget",), labels=False),
                rules=tuple(Rule(x=row["high"], label="", handle=HANDLE) for row in rows if row["handle"]),
            ),
        ),
        series=(*legend, *reversed(series)),
        height=200,
    )


plot = plotted(chart)
