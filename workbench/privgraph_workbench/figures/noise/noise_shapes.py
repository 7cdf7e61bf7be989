"""Three kinds of noise of one standard deviation, in one and in two dimensions (Figure 4 of HeterPoisson). An
illustration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, empty
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks

KINDS = ("spherical Laplace", "Gaussian", "independent Laplace")
SAMPLES, POINTS, BINS, REACH = 200_000, 500, 48, 4.0
_MIDDLES = {"spherical Laplace": (0.0, 0.0), "Gaussian": (-8.0, 0.0), "independent Laplace": (8.0, 0.0)}


def draws(kind: str, count: int, dimensions: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """(count, dimensions) samples of mean 0 and variance 1 a coordinate. Raises `ValueError` for an unknown
    kind.

    Spherical Laplace is Algorithm 4 of the paper: one exponential W for all coordinates, times a Gaussian.
    """
    if kind == "independent Laplace":
        return generator.laplace(scale=2**-0.5, size=(count, dimensions))
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)} (got {kind})")
    found = generator.standard_normal((count, dimensions))
    return found * np.sqrt(generator.exponential(size=(count, 1))) if kind == "spherical Laplace" else found


def data(seed: int = 0) -> list[Row]:
    """Rows kind, dimensions, x, y: for one dimension the middle of a bin and its density, for two a sample
    moved aside."""
    generator, rows = np.random.default_rng(seed), []
    edges = np.linspace(-REACH, REACH, BINS + 1)
    for kind in KINDS:
        found = draws(kind, SAMPLES, 1, generator)[:, 0]
        counts = np.histogram(found, edges)[0] / (SAMPLES * (edges[1] - edges[0]))
        middles = (edges[1:] + edges[:-1]) / 2
        rows += [
            {"kind": kind, "dimensions": 1, "x": float(x), "y": float(y)} for x, y in zip(middles, counts, strict=True)
        ]
    for kind in KINDS:
        points = draws(kind, POINTS, 2, generator) + _MIDDLES[kind]
        rows += [{"kind": kind, "dimensions": 2, "x": float(x), "y": float(y)} for x, y in points]
    return rows


@figure("noise_shapes", "Three kinds of noise of standard deviation 1", data, settings=True, flags=(Flag.ILLUSTRATION,))
def chart(rows: Sequence[Row]) -> Chart:
    """Densities in one panel, three clouds side by side in the other."""
    if not rows:
        return empty("nothing was drawn")
    series = []
    for dimensions in (1, 2):
        for slot, kind in enumerate(KINDS):
            own = [row for row in rows if row["kind"] == kind and row["dimensions"] == dimensions]
            look: Look = {"kind": "line" if dimensions == 1 else "points", "slot": slot, "panel": dimensions - 1}
            series.append(marks(own, "x", "y", name=kind, group=kind, size=4, **look))
    across = Axis(title="first coordinate (standard deviations, moved aside)", low=-13, high=13)
    along = Axis(title="second coordinate (standard deviations)", low=-6.5, high=6.5)
    noise, density = Axis(title="noise (standard deviations)", low=-REACH, high=REACH), Axis(title="density", low=0)
    panels = (Panel(title="one coordinate", x=noise, y=density), Panel(title="two coordinates", x=across, y=along))
    return Chart(panels=panels, series=tuple(series), columns=2, height=380)
