"""What spherical Laplace noise fails to hide from somebody who reads all coordinates: delta against epsilon,
beside the claim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from privgraph.papers.heter_poisson_gaps import shown_delta
from privgraph.privacy.composition import gaussian_delta
from privgraph_workbench.figures.axes import spans
from privgraph_workbench.figures.chart import Axis, Chart, Row, empty, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import marks

SMALLEST = 1e-9
_PLACES = 61
LINES = (
    ("shown", "spherical Laplace, all coordinates (reached)"),
    ("claimed", "spherical Laplace, one coordinate (claimed)"),
    ("gaussian", "Gaussian of the same standard deviation"),
)


def one_release(shift: float, reach: float) -> list[tuple[float, float, float, float]]:
    """Epsilon from 0 to `reach`, and delta there three times: what is reached, what is claimed, and that of a
    Gaussian.

    `shift` is what one unit moves, over the standard deviation of a coordinate. Reached, by whoever reads W
    off many coordinates: the mean of a Gaussian's delta at shift/sqrt W, W exponential. Claimed: Lemma 1, by
    which the pair is that of one Laplace coordinate, private at epsilon = sqrt 2 times the shift without any
    delta.
    """
    pure = math.sqrt(2) * shift
    points = []
    for epsilon in np.linspace(0, reach, _PLACES):
        reached = shown_delta(float(epsilon), shift)
        claimed = -math.expm1((epsilon - pure) / 2) if epsilon < pure else 0.0
        points.append((float(epsilon), reached, claimed, gaussian_delta(float(epsilon), shift)))
    return points


def data(points: Iterable[tuple[float, float, float, float]]) -> list[Row]:
    """Rows epsilon, shown (the delta that a norm-revealing adversary reaches, in the limit of many
    coordinates), claimed (that of Lemma 1, one coordinate alone) and gaussian, by epsilon."""
    return [
        {"epsilon": epsilon, "shown": shown, "claimed": claimed, "gaussian": gaussian}
        for epsilon, shown, claimed, gaussian in sorted(points)
    ]


@figure("revealed_scale", "One release, read in all coordinates", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """Three lines over a logarithmic delta; one that falls to nothing ends there."""
    drawn = [row[key] for row in rows for key, _ in LINES if row[key] >= SMALLEST]
    if not drawn:
        return empty("nothing is revealed at these epsilons")
    low, high = spans(min(drawn), max(drawn))
    series = []
    for slot, (key, name) in enumerate(LINES):
        held = [row for row in rows if row[key] >= SMALLEST]
        if held:
            series.append(marks(held, "epsilon", key, name=name, kind="line", slot=slot))
    x = Axis(title="ε", low=0, high=rows[-1]["epsilon"])
    return single(x, Axis(title="δ (logarithmic)", scale="log", low=low, high=high), series, height=360)
