"""What a setting costs: both epsilons against its noise, or against an option while the noise stays as it
is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from privgraph_workbench.figures.chart import COLUMNS, Axis, Chart, Flag, Panel, Row, Rule, Series
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
def chart(rows: Sequence[Row]) -> Chart:
    """Two curves over logarithmic epsilon; the setting's own place has a large mark on each. What is compared
    stands in one panel where the axis means the same, and else side by side over the same range of
    epsilon."""
    drawn = [row[COLUMNS[kind]] for row in rows for kind in KINDS if placed(row[COLUMNS[kind]])]
    if not drawn:
        return empty("no ε between 0 and infinity")
    y = logarithmic("ε (logarithmic)", (min(max(one, min(drawn)), max(LARGEST, min(drawn))) for one in drawn))
    groups = grouped(rows, "of")
    unproved = any(not any(placed(row["epsilon"]) for row in held) for held in groups.values())
    title = f"ε against {str(rows[0]['axis']).partition(' (')[0]}"
    if len(groups) > 1 and not unproved and len({row["axis"] for row in rows}) == 1:
        series = []
        for slot, (of, held) in enumerate(groups.items()):
            series += _curve(held, "epsilon", f"{of}: sound ε", slot=slot, hollow=slot > 0)
        return Chart(title=f"Sound {title}", panels=(_panel(rows, "", y),), series=tuple(series), height=340)
    alone = len(groups) == 1
    return Chart(
        title=": ".join(filter(None, (*groups, title))) if alone else "Side by side",
        panels=tuple(_panel(held, of * (not alone), y) for of, held in groups.items()),
        series=tuple(
            one
            for panel, held in enumerate(groups.values())
            for kind in KINDS
            for one in _curve(held, COLUMNS[kind], EPSILONS[kind].title, epsilon=kind, panel=panel)
        ),
        flags=(Flag.UNPROVED,) * unproved,
        height=340,
    )


def _panel(rows: Sequence[Row], title: str, y: Axis) -> Panel:
    places, name = sorted({row["x"] for row in rows}), rows[0]["axis"]
    factors = places[0] > 0 and places[-1] > 12 * places[0]
    x = logarithmic(f"{name}, logarithmic", places) if factors else Axis(title=name)
    own = dict.fromkeys(row["x"] for row in rows if row["chosen"])
    return Panel(title=title, x=x, y=y, rules=tuple(Rule(x=at, label="this setting") for at in own))


def _curve(rows: Sequence[Row], column: str, name: str, **look: Any) -> list[Series]:
    """The curve of an epsilon, and the large mark of the setting's own place on it."""
    held = [row for row in rows if placed(row[column])]
    own, look = [row for row in held if row["chosen"]], {"name": name, "group": name, **look}
    curve = [marks(held, "x", column, kind="path", size=5, **look)] if held else []
    return [*curve, *([marks(own, "x", column, size=13, legend=False, **look)] if own else [])]
