"""What somebody who knows both neighbouring worlds learns of which is the true one, over many releases."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.words.numbers import number, percent

TITLE = "What is published, with and without"
BINS = 15
SEEN = 20
"""Draws that a bar must hold in both worlds before the ratio of its heights means anything."""


def data(
    with_: NDArray[np.float64],
    without: NDArray[np.float64],
    epsilon: float,
    names: Sequence[str] = ("with", "without"),
) -> list[Row]:
    """One row per bin: low, high (of the evidence, a logarithm), with, without (draws in it), share_with,
    share_without, ratio (of the two heights, as a logarithm; None where either is below `SEEN` draws),
    names_with, names_without, epsilon (that was promised).

    `with_` and `without` are evidence for the first world (`facts.world.evidence`), (draws,) each, where it
    is the true one and where the other is.
    """
    reach = max(1e-9, float(np.abs(np.concatenate([with_, without])).max()) * 1.000001)
    edges = np.linspace(-reach, reach, BINS + 1)
    counts = [np.histogram(one, edges)[0] for one in (with_, without)]
    return [
        {
            "low": float(low),
            "high": float(high),
            "with": int(here),
            "without": int(there),
            "share_with": float(here / len(with_)),
            "share_without": float(there / len(without)),
            "ratio": math.log(here / len(with_) / (there / len(without))) if min(here, there) >= SEEN else None,
            "names_with": names[0],
            "names_without": names[1],
            "epsilon": epsilon,
        }
        for low, high, here, there in zip(edges[:-1], edges[1:], *counts, strict=True)
    ]


def largest(rows: Sequence[Row]) -> float:
    """The largest ratio of two heights, as a logarithm: the epsilon that these histograms show."""
    return max((abs(row["ratio"]) for row in rows if row["ratio"] is not None), default=0.0)


def chart(rows: Sequence[Row]) -> Chart:
    """Two histograms over one axis, between the walls that epsilon builds."""
    if not rows:
        return empty(TITLE, "nobody was taken out")
    epsilon = rows[0]["epsilon"]
    series: list[Series] = []
    names = {side: str(rows[0][f"names_{side}"]) for side in ("with", "without")}
    for slot, (side, name) in enumerate(names.items()):
        x = tuple(end for row in rows for end in (row["low"], row["high"]))
        y = tuple(row[f"share_{side}"] for row in rows for _ in range(2))
        hover = tuple(
            f"{name}\nevidence {number(row['low'])} to {number(row['high'])}\n{percent(row[f'share_{side}'])} of draws"
            for row in rows
            for _ in range(2)
        )
        series += [
            Series(name=name, kind="band", x=x, y=y, low=(0.0,) * len(y), slot=slot, group=name, legend=False),
            Series(name=name, kind="line", x=x, y=y, slot=slot, group=name, hover=hover),
        ]
    reach = max(rows[-1]["high"], 1.15 * epsilon)
    walls = (Rule(x=-epsilon, label="−ε", side="left"), Rule(x=epsilon, label="ε"))
    return Chart(
        title=TITLE,
        panels=(
            Panel(
                x=Axis(
                    title=f"evidence {names['with']} (logarithm of the likelihood ratio)",
                    low=-reach,
                    high=reach,
                ),
                y=Axis(title="percent of draws", percent=True, low=0),
                rules=walls,
            ),
        ),
        series=tuple(series),
        summary=(
            f"Two histograms of {sum(row['with'] for row in rows):,} draws each, {names['with']} and "
            f"{names['without']}. The largest ratio of their heights is e to the {number(largest(rows))}; the promise "
            f"allows e to the {number(epsilon)}."
        ),
        height=340,
        legend=True,
    )


plot = plotted(chart)
