"""What each mechanism of a ledger costs: by itself, and what would be left to pay without it."""

import math
from collections.abc import Iterable

from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import distinct, marks, named, pairs
from privgraph_workbench.words.numbers import stated


def data(costs: Iterable[tuple[str, float, float]], whole: float) -> list[Row]:
    """One row per mechanism: name, alone (its own epsilon), without (that of all others), whole (that of all
    together)."""
    return [{"name": name, "alone": alone, "without": without, "whole": whole} for name, alone, without in costs]


@figure("entry_costs", "What each mechanism costs", data, settings=True)
def chart(rows: Rows) -> Chart:
    sides = {"alone": "ε of this mechanism alone", "without": "ε of all others, without it"}
    finite = [row[key] for row in rows for key in (*sides, "whole") if math.isfinite(row[key])]
    highest = 1.25 * max(finite, default=0.0) or 1.0
    whole, names = rows[0]["whole"], distinct(row["name"] for row in rows)
    rules = (Rule(x=whole, label="all together", side="left"),) * math.isfinite(whole)
    panels, series = [], []
    for place, (key, title) in enumerate(sides.items()):
        panels.append(Panel(x=Axis(title=title, low=0, high=highest), y=named(names, labels=not place), rules=rules))
        look: Look = {"epsilon": "sound", "panel": place, "legend": False, "hover": f"name {key}"}
        look["text"] = tuple(stated("sound", row[key]) for row in rows)
        lengths = [min(row[key], highest) for row in rows]
        series.append(marks(rows, lengths, names, name=title, kind="bars", **look))
    return pairs(panels, series)
