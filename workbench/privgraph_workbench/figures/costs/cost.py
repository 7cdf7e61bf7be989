"""What a setting costs: both epsilons against its noise, or against an option while the noise stays as it
is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from privgraph_workbench.figures.chart import COLUMNS, Axis, Chart, Flag, Panel, Row, Rows, Rule, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, grouped, logarithmic, marks, placed
from privgraph_workbench.theme import EPSILONS, Epsilon

KINDS: tuple[Epsilon, ...] = ("sound", "published")
LARGEST = 1e5
"""An epsilon beyond it is drawn out of sight: it is as good as none, and would flatten all others."""


def data(points: Iterable[tuple[float, float, float | None]], chosen: float, axis: str, *, of: str = "") -> list[Row]:
    """One row per place, ascending: x, epsilon (sound; infinite where nothing is proved),
    epsilon_as_published (None: no formula), chosen (the setting's own place), axis (what x is), of
    (what is priced)."""
    return [
        {"x": x, "epsilon": sound, "epsilon_as_published": published, "chosen": x == chosen, "axis": axis, "of": of}
        for x, sound, published in sorted(points, key=lambda point: point[0])
    ]


@figure("cost", "ε of a setting", data, settings=True)
def chart(rows: Rows) -> Chart:
    """Two curves over logarithmic epsilon; the setting's own place has a large mark on each. What is compared
    stands side by side over the same range of epsilon."""
    drawn = [row[COLUMNS[kind]] for row in rows for kind in KINDS if placed(row[COLUMNS[kind]])]
    if not drawn:
        return empty("no ε between 0 and infinity")
    y = logarithmic("ε (logarithmic)", (min(max(one, min(drawn)), max(LARGEST, min(drawn))) for one in drawn))
    groups = grouped(rows, "of")
    unproved = any(not any(placed(row["epsilon"]) for row in held) for held in groups.values())
    alone, title = len(groups) == 1, f"ε against {str(rows[0]['axis']).partition(' (')[0]}"
    return Chart(
        title=": ".join(filter(None, (*groups, title))) if alone else "Side by side",
        panels=tuple(_panel(held, of * (not alone), y) for of, held in groups.items()),
        series=tuple(
            one
            for panel, held in enumerate(groups.values())
            for kind in KINDS
            for one in curve(held, "x", COLUMNS[kind], EPSILONS[kind].title, epsilon=kind, panel=panel)
        ),
        flags=(Flag.UNPROVED,) * unproved,
        height=340,
    )


def _panel(rows: Rows, title: str, y: Axis) -> Panel:
    places, name = sorted({row["x"] for row in rows}), rows[0]["axis"]
    factors = places[0] > 0 and places[-1] > 12 * places[0]
    x = logarithmic(f"{name}, logarithmic", places) if factors else Axis(title=name)
    own = dict.fromkeys(row["x"] for row in rows if row["chosen"])
    return Panel(title=title, x=x, y=y, rules=tuple(Rule(x=at, label="this setting") for at in own))


def curve(rows: Rows, x: str, column: str, name: str, **look: Any) -> list[Series]:
    """The curve of what is neither 0 nor infinite, and the large mark of what is chosen on it."""
    held, look = [row for row in rows if placed(row[column])], {"name": name, "group": name, **look}
    if not held:
        return []
    own = [row for row in held if row["chosen"]]
    return [marks(held, x, column, kind="path", size=5, **look), marks(own, x, column, size=13, **look, legend=False)]
