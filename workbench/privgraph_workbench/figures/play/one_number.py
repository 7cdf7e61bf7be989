"""One published count with Laplace noise, with a person and without: two densities and their ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privgraph_workbench.figures.chart import Axis, Chart, Row
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import outline, single

COUNT, POINTS = 12, 241


def data(epsilon: float = 1.0) -> list[Row]:
    """One row per place: x (the published number), with (the density where the true count is `COUNT`),
    without (where it is one less), ratio (of the two, at least 1), epsilon. Laplace noise of scale 1/epsilon.
    Raises `ValueError` for an epsilon that is not positive."""
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive (got {epsilon})")
    reach = 3 / epsilon + 2
    places = np.linspace(COUNT - 0.5 - reach, COUNT - 0.5 + reach, POINTS)
    return [
        {
            "x": float(x),
            "with": epsilon / 2 * math.exp(-epsilon * abs(x - COUNT)),
            "without": epsilon / 2 * math.exp(-epsilon * abs(x - COUNT + 1)),
            "ratio": math.exp(epsilon * abs(abs(x - COUNT + 1) - abs(x - COUNT))),
            "epsilon": epsilon,
        }
        for x in places
    ]


@figure("one_number", "One count, with her and without her", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """Two tents; beyond both tops one is e^epsilon times as high as the other, and nowhere more."""
    with_, without = f"with her (the count is {COUNT})", f"without her ({COUNT - 1})"
    series = [*outline(rows, "with", with_, 0, ends=("x",)), *outline(rows, "without", without, 1, ends=("x",))]
    x, y = Axis(title="published number (the count and noise)"), Axis(title="density", low=0)
    return single(x, y, series, height=340, legend=True)
