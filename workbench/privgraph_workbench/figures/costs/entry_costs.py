"""What each mechanism of a ledger costs: by itself, and what would be left to pay without it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, distinct, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.words.numbers import proved_epsilon

TITLE = "What each mechanism costs"
SIDES = (("alone", "ε of this mechanism alone"), ("without", "ε of all others, without it"))


def data(costs: Iterable[tuple[str, float, float]], whole: float) -> list[Row]:
    """One row per mechanism: name, alone (its own epsilon), without (that of all others), whole (that of all
    together)."""
    return [{"name": name, "alone": alone, "without": without, "whole": whole} for name, alone, without in costs]


@figure("entry_costs", "What each mechanism costs", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """Two columns of bars with a line at the epsilon of all together; epsilons of parts do not add up to
    it."""
    if not rows:
        return empty("nothing that is protected is read")
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
            text=tuple(proved_epsilon(row[key]) for row in rows),
            hover=tuple(f"{row['name']}\n{title}: {proved_epsilon(row[key])}" for row in rows),
        )
        for place, (key, title) in enumerate(SIDES)
    ]
    return Chart(
        panels=tuple(
            Panel(
                x=Axis(title=title, low=0, high=highest),
                y=Axis(title="", scale="category", categories=names, labels=place == 0),
                rules=rules,
            )
            for place, (_, title) in enumerate(SIDES)
        ),
        series=tuple(series),
        columns=2,
        height=190 + 40 * len(rows),
    )


plot = plotted(chart)
