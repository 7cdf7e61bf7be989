"""What a setting costs: both epsilons against its noise, or against an option while the noise stays as it
is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from privgraph_workbench.figures.axes import COLUMNS, spans
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.theme import EPSILONS, Epsilon

KINDS: tuple[Epsilon, ...] = ("sound", "published")
LARGEST = 1e5
"""An epsilon beyond it is drawn out of sight: it is as good as none, and would flatten all others."""


def data(points: Iterable[tuple[float, float, float | None]], chosen: float, axis: str, *, of: str = "") -> list[Row]:
    """One row per place, ascending: x, epsilon (sound; infinite where nothing is proved),
    epsilon_as_published (None: no formula), chosen (the setting's own place), axis (what x is), of
    (what is priced)."""
    return [
        {
            "x": x,
            "epsilon": sound,
            "epsilon_as_published": published,
            "chosen": x == chosen,
            "axis": axis,
            "of": of,
        }
        for x, sound, published in sorted(points, key=lambda point: point[0])
    ]


@figure("cost", "ε of a setting", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """Two curves over logarithmic epsilon; the setting's own place has a large mark on each. What is compared
    stands in one panel where the axis means the same, and else side by side over the same range of
    epsilon."""
    drawn = [row[COLUMNS[kind]] for row in rows for kind in KINDS if _finite(row[COLUMNS[kind]])]
    if not drawn:
        free = any(row[COLUMNS[kind]] == 0 for row in rows for kind in KINDS)
        return empty("it costs nothing: ε = 0" if free else "no finite ε: none proved or published")
    bounds = spans(min(drawn), max(min(max(drawn), LARGEST), min(drawn)))
    groups = {of: [row for row in rows if row["of"] == of] for of in dict.fromkeys(row["of"] for row in rows)}
    unproved = any(not any(_finite(row["epsilon"]) for row in held) for held in groups.values())
    title = f"ε against {str(rows[0]['axis']).partition(' (')[0]}"
    if len(groups) > 1 and not unproved and len({row["axis"] for row in rows}) == 1:
        places = {row["x"]: row for row in sorted(rows, key=lambda row: (row["chosen"], row["x"]))}
        panel = _panel(sorted(places.values(), key=lambda row: float(row["x"])), "", bounds)
        series = []
        for slot, (of, held) in enumerate(groups.items()):
            look: Look = {"slot": slot, "hollow": slot > 0, "group": of}
            series += _curve(held, "epsilon", f"{of}: sound ε", **look)
        return Chart(title=f"Sound {title}", panels=(panel,), series=tuple(series), height=340)
    alone = len(groups) == 1
    return Chart(
        title=": ".join(filter(None, (*groups, title))) if alone else "Side by side",
        panels=tuple(_panel(held, of * (not alone), bounds) for of, held in groups.items()),
        series=tuple(
            one
            for panel, held in enumerate(groups.values())
            for kind in KINDS
            for one in _curve(held, COLUMNS[kind], EPSILONS[kind].title, epsilon=kind, panel=panel)
        ),
        flags=(Flag.UNPROVED,) * unproved,
        height=340,
    )


def _panel(rows: Sequence[Row], title: str, bounds: tuple[float, float]) -> Panel:
    factors = rows[0]["x"] > 0 and rows[-1]["x"] > 12 * rows[0]["x"]
    left, right = spans(rows[0]["x"], rows[-1]["x"])
    name = rows[0]["axis"]
    own = dict.fromkeys(row["x"] for row in rows if row["chosen"])
    rules = tuple(Rule(x=at, label="this setting") for at in own)
    x = Axis(title=f"{name}, logarithmic", scale="log", low=left, high=right) if factors else Axis(title=name)
    return Panel(
        title=title, x=x, y=Axis(title="ε (logarithmic)", scale="log", low=bounds[0], high=bounds[1]), rules=rules
    )


def _curve(rows: Sequence[Row], column: str, name: str, **look: Any) -> list[Series]:
    """The curve of an epsilon, and the large mark of the setting's own place on it."""
    held = [row for row in rows if _finite(row[column])]
    if not held:
        return []
    own = [row for row in held if row["chosen"]]
    look = {"name": name, "group": name, **look}
    path = marks(held, "x", column, kind="path", size=5, **look)
    return [path, marks(own, "x", column, size=13, legend=False, **look)]


def _finite(value: float | None) -> bool:
    return value is not None and 0 < value < math.inf
