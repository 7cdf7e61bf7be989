"""What a setting costs: both epsilons against its noise, or against an option while the noise stays as it
is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from privgraph_workbench.figures.axes import COLUMNS, spans
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.words.numbers import number, proved_epsilon

TITLE = "Both epsilons"
KINDS: tuple[Epsilon, ...] = ("sound", "published")
HANDLE = "noise"
LARGEST = 1e6
"""An epsilon beyond it is drawn out of sight: it is as good as none, and would flatten all others."""


def data(
    points: Iterable[tuple[float, float, float | None]], chosen: float, axis: str, *, handle: bool = False
) -> list[Row]:
    """One row per place, ascending: x, epsilon (sound; infinite where nothing is proved),
    epsilon_as_published (None: no formula), chosen (the setting's own place), axis (what x is), handle
    (whether the place can be dragged on a page)."""
    return [
        {
            "x": x,
            "epsilon": sound,
            "epsilon_as_published": published,
            "chosen": x == chosen,
            "axis": axis,
            "handle": handle,
        }
        for x, sound, published in sorted(points, key=lambda point: point[0])
    ]


def chart(rows: Sequence[Row]) -> Chart:
    """Two curves over logarithmic epsilon; the setting's own place has a large mark on each, and a line where
    it can move."""
    drawn = [row[COLUMNS[kind]] for row in rows for kind in KINDS if _finite(row[COLUMNS[kind]])]
    if not drawn:
        free = any(row[COLUMNS[kind]] == 0 for row in rows for kind in KINDS)
        return empty(TITLE, "it costs nothing: ε = 0" if free else "no finite ε: none proved, and no formula published")
    low, high = spans(min(drawn), max(min(max(drawn), LARGEST), min(drawn)))
    factors = rows[0]["x"] > 0 and rows[-1]["x"] > 12 * rows[0]["x"]
    series: list[Series] = []
    for kind in KINDS:
        key, name = COLUMNS[kind], EPSILONS[kind].title
        held = [row for row in rows if _finite(row[key])]
        if not held:
            continue
        for whole, shown in ((True, held), (False, [row for row in held if row["chosen"]])):
            series.append(
                Series(
                    name=name,
                    kind="path" if whole else "points",
                    x=tuple(row["x"] for row in shown),
                    y=tuple(row[key] for row in shown),
                    epsilon=kind,
                    size=5 if whole else 13,
                    legend=whole,
                    group=name,
                    hover=tuple(_hover(row) for row in shown),
                )
            )
    own = [row for row in rows if row["chosen"]]
    said = "; ".join(_hover(row).replace("\n", ", ") for row in own)
    handles = tuple(
        Rule(
            x=row["x"],
            label="this setting: drag me" if row["handle"] else "this setting",
            handle=HANDLE * row["handle"],
        )
        for row in own
    )
    proved = any(_finite(row["epsilon"]) for row in rows)
    left, right = spans(rows[0]["x"], rows[-1]["x"])
    axis = rows[0]["axis"]
    return Chart(
        title=TITLE,
        panels=(
            Panel(
                x=Axis(title=f"{axis}, logarithmic", scale="log", low=left, high=right)
                if factors
                else Axis(title=axis),
                y=Axis(title="ε (logarithmic)", scale="log", low=low, high=high),
                rules=handles,
            ),
        ),
        series=tuple(series),
        summary=f"Epsilon against {axis}. {said}.",
        badges=() if proved else ("the published line only: no sound ε has been proved for this noise",),
        height=340,
    )


plot = plotted(chart)


def _finite(value: float | None) -> bool:
    return value is not None and 0 < value < math.inf


def _hover(row: Row) -> str:
    sound = proved_epsilon(row["epsilon"])
    return (
        f"{row['axis']}: {number(row['x'], 4)}\n"
        f"sound ε {sound}\n"
        f"ε as published {number(row['epsilon_as_published'], 4)}"
    )
