"""The budget as one bar: the share of each mechanism, with a border that can be dragged where the method lets
it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Rule, distinct, empty, named, single
from privgraph_workbench.figures.costs.ledger import SHARE
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.words.numbers import percent

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
    series = []
    for place, row in enumerate(rows):
        look: Look = {"slot": place, "legend": False, "hover": ("name", "share")}
        name = f"{row['name']}: {percent(row['share'])}"
        series.append(marks([row], "high", ("budget",), name=name, kind="bars", **look))
    legend = [replace(one, x=(0.0,), legend=True) for one in series]  # in order, though the last is drawn first
    return single(
        Axis(title=SHARE, percent=True, low=0, high=1),
        named(("budget",), labels=False),
        (*legend, *reversed(series)),
        rules=(Rule(x=row["high"], label="", handle=HANDLE) for row in rows if row["handle"]),
        height=200,
    )
