"""What noisy answers cost, and how many of them are right: along lambda, the inverse of the noise, or along
the noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from privgraph_workbench.figures.axes import COLUMNS, spans
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.words.numbers import number, percent, upper

TITLE = "What the answers cost"
KINDS: tuple[Epsilon, ...] = ("sound", "published")


AXES = {
    "lam": ("λ", "λ (logarithmic; noise has the scale 1/λ; left is noisier)"),
    "noise": ("noise ±", "noise (standard deviation, logarithmic; right is noisier)"),
}
"""What the horizontal axis may be: its symbol and its title."""


def data(
    points: Iterable[tuple[float, float, float | None]],
    chosen: float,
    right: Mapping[float, float | None] | None = None,
    by: str = "lam",
    whose: str = "",
    stacked: bool = False,
) -> list[Row]:
    """One row per lambda or size of the noise (`by`), ascending: lam (that number), by, epsilon (sound;
    infinite where nothing is guaranteed), epsilon_as_published (None: no formula), right (the share of labels
    that are right on average over the noise; None: not known), chosen (True for the one that is asked
    about), whose (the nodes that pay so, where others pay less), stacked (whether panels stand one below the
    other also along the noise)."""
    known = right or {}
    return [
        {
            "lam": lam,
            "by": by,
            "epsilon": sound,
            "epsilon_as_published": published,
            "right": known.get(lam),
            "chosen": lam == chosen,
            "whose": whose,
            "stacked": stacked,
        }
        for lam, sound, published in sorted(points)
    ]


@figure("price", "What the answers cost", data)
def chart(rows: Sequence[Row]) -> Chart:
    """Two curves on logarithmic axes; where it is known, how many labels are right: below them, and along the
    noise next to them. What is chosen has a large mark on each."""
    drawn = [row[COLUMNS[kind]] for row in rows for kind in KINDS if _finite(row[COLUMNS[kind]])]
    if not drawn:
        return empty("no lambda has a finite ε")
    low, high = spans(min(drawn), max(drawn))
    left, right = spans(rows[0]["lam"], rows[-1]["lam"])
    series: list[Series] = []
    for kind in KINDS:
        key, name = COLUMNS[kind], EPSILONS[kind].title
        held = [row for row in rows if _finite(row[key])]
        if not held:
            continue
        series.append(
            Series(
                name=name,
                kind="line",
                x=tuple(row["lam"] for row in held),
                y=tuple(row[key] for row in held),
                epsilon=kind,
                group=name,
                hover=tuple(_hover(row) for row in held),
            )
        )
        marked = [row for row in held if row["chosen"]]
        series.append(
            Series(
                name=name,
                kind="points",
                x=tuple(row["lam"] for row in marked),
                y=tuple(row[key] for row in marked),
                epsilon=kind,
                size=12,
                legend=False,
                group=name,
                hover=tuple(_hover(row) for row in marked),
            )
        )
    along = Axis(title=AXES[rows[0]["by"]][1], scale="log", low=left, high=right)
    whose = rows[0]["whose"]
    panels = [
        Panel(
            title=f"a node {whose}" if whose else "",
            x=along,
            y=Axis(title="ε (logarithmic)", scale="log", low=low, high=high),
        )
    ]
    told = [row for row in rows if row["right"] is not None]
    if told:
        panels.append(Panel(x=along, y=Axis(title="labels right, on average (percent)", percent=True, low=0, high=1)))
        marked = [row for row in told if row["chosen"]]
        series += [_right("line", told, 7), _right("points", marked, 12)]
    along_noise = rows[0]["by"] == "noise"
    wide = along_noise and not rows[0]["stacked"]
    return Chart(
        panels=tuple(panels),
        series=tuple(series),
        flags=(Flag.EVALUATOR,) * bool(told),
        columns=2 if wide else 1,
        height=330 if wide or not told else 520,
    )


plot = plotted(chart)


def _right(kind: Literal["line", "points"], held: Sequence[Row], size: float) -> Series:
    """Shares of right labels in the second panel."""
    return Series(
        name="labels right",
        kind=kind,
        x=tuple(row["lam"] for row in held),
        y=tuple(row["right"] for row in held),
        slot=2,
        panel=1,
        size=size,
        legend=False,
        hover=tuple(_hover(row) for row in held),
    )


def _finite(value: float | None) -> bool:
    return value is not None and 0 < value < math.inf


def _hover(row: Row) -> str:
    right = "" if row["right"] is None else f"\n{percent(row['right'])} of labels right, on average"
    return (
        f"{AXES[row['by']][0]} {number(row['lam'])}\nsound ε {upper(row['epsilon'])}\n"
        f"ε as published {number(row['epsilon_as_published'], 4)}{right}"
    )
