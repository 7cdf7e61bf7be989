"""What attacks find, side by side: each area with its interval, in order of the runs' sound epsilon."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, distinct, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.words.numbers import number, stated

TITLE = "Area under the curve, by the run's ε"


def data(records: Sequence[AttackRecord], names: Sequence[str] = ()) -> list[Row]:
    """One row per attack, the smallest sound epsilon first and runs without privacy last.

    attack (its name: of `names`, else its title), run, epsilon (sound; infinite without privacy), area,
    area_low, area_high (DeLong's 95% interval, over who was judged), others (areas of further attacked
    models), asks (its question in words).
    """
    rows = [
        {
            "attack": name,
            "run": record.run,
            "epsilon": record.sound,
            "area": record.outcome.area,
            "area_low": record.outcome.area_low,
            "area_high": record.outcome.area_high,
            "others": list(record.areas[1:]),
            "asks": sides(record.attack).asks,
        }
        for name, record in zip(distinct(names or [one.title for one in records]), records, strict=True)
    ]
    return sorted(rows, key=lambda row: (row["epsilon"], row["attack"]))


def chart(rows: Sequence[Row]) -> Chart:
    """A mark for each area on the line of its interval, hollow ones for further models, and chance."""
    if not rows:
        return empty(TITLE, "no attack is chosen")
    names = tuple(row["attack"] for row in rows)
    further = [(area, row["attack"]) for row in rows for area in row["others"]]
    series = [
        Series(
            name="95% confidence",
            kind="links",
            x=tuple(end for row in rows for end in (row["area_low"], row["area_high"])),
            y=tuple(row["attack"] for row in rows for _ in range(2)),
            slot=0,
            legend=False,
        ),
        Series(
            name="the run's own training nodes" if rows[0]["asks"] == "who trained" else "the run",
            kind="points",
            x=tuple(row["area"] for row in rows),
            y=names,
            slot=0,
            hover=tuple(_hover(row) for row in rows),
        ),
    ]
    if further:
        series.append(
            Series(
                name="further attacked models",
                kind="points",
                x=tuple(area for area, _ in further),
                y=tuple(name for _, name in further),
                slot=0,
                hollow=True,
                size=6,
                hover=tuple(f"{name}\na further attacked model: {number(area)}" for area, name in further),
            )
        )
    least = min(0.45, *(row["area_low"] for row in rows), *(area for area, _ in further))
    told = "; ".join(f"{row['attack']}: {_value(row)}" for row in rows)
    return Chart(
        title=TITLE,
        panels=(
            Panel(
                x=Axis(title="area under the curve (0.5: a guess by chance)", low=max(0.0, least - 0.02), high=1.0),
                y=Axis(title="", scale="category", categories=names),
                rules=(Rule(x=0.5, label="chance"),),
            ),
        ),
        series=tuple(series),
        summary=f"{told}. Intervals are at 95% confidence, and say nothing of other models.",
        columns=1,
        height=170 + 26 * len(rows),
        legend=True,
    )


plot = plotted(chart)


def _value(row: Row) -> str:
    return f"{number(row['area'])} ({number(row['area_low'])} to {number(row['area_high'])})"


def _hover(row: Row) -> str:
    epsilon = "no privacy" if math.isinf(row["epsilon"]) else f"sound ε {stated('sound', row['epsilon'])}"
    return f"{row['attack']}\narea {_value(row)}\n{epsilon}"
