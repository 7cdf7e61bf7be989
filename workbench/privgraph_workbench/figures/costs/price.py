"""What noisy answers cost: both epsilons against lambda, the inverse of the noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from privgraph_workbench.figures.axes import COLUMNS, spans
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.words.numbers import number, upper

TITLE = "What the answers cost"
KINDS: tuple[Epsilon, ...] = ("sound", "published")


def data(points: Iterable[tuple[float, float, float | None]], chosen: float) -> list[Row]:
    """One row per lambda, ascending: lam, epsilon (sound; infinite where nothing is guaranteed),
    epsilon_as_published (None: no formula), chosen (True for the lambda that is asked about)."""
    return [
        {"lam": lam, "epsilon": sound, "epsilon_as_published": published, "chosen": lam == chosen}
        for lam, sound, published in sorted(points)
    ]


def chart(rows: Sequence[Row]) -> Chart:
    """Two curves on logarithmic axes; the chosen lambda has a large mark on each."""
    drawn = [row[COLUMNS[kind]] for row in rows for kind in KINDS if _finite(row[COLUMNS[kind]])]
    if not drawn:
        return empty(TITLE, "no lambda has a finite ε")
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
    said = "; ".join(_hover(row).replace("\n", ", ") for row in rows if row["chosen"])
    return Chart(
        title=TITLE,
        panels=(
            Panel(
                x=Axis(
                    title="λ (logarithmic; noise has the scale 1/λ; left is noisier)", scale="log", low=left, high=right
                ),
                y=Axis(title="ε (logarithmic)", scale="log", low=low, high=high),
            ),
        ),
        series=tuple(series),
        summary=f"Both epsilons grow with lambda, which is the inverse of the noise. {said}.",
        height=330,
    )


plot = plotted(chart)


def _finite(value: float | None) -> bool:
    return value is not None and 0 < value < math.inf


def _hover(row: Row) -> str:
    return (
        f"λ {number(row['lam'])}\nsound ε {upper(row['epsilon'])}\n"
        f"ε as published {number(row['epsilon_as_published'], 4)}"
    )
