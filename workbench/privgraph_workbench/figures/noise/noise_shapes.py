"""Three kinds of noise of one standard deviation (Figure 4 of HeterPoisson). An illustration."""

import numpy as np
from numpy.typing import NDArray

from privgraph_workbench.figures.chart import Axis, Chart, Flag, Panel, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import grouped, marks, one_of, pairs, table

KINDS = {"spherical Laplace": 0.0, "Gaussian": -8.0, "independent Laplace": 8.0}
"""How far the samples of each are moved aside."""
SAMPLES, POINTS, BINS, REACH = 200_000, 500, 48, 4.0


def draws(kind: str, count: int, dimensions: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """(count, dimensions) samples of mean 0 and variance 1 a coordinate. Spherical Laplace is Algorithm 4 of
    the paper: one exponential W for all coordinates, times a Gaussian. Raises `ValueError` for an unknown
    kind."""
    if kind == "independent Laplace":
        return generator.laplace(scale=2**-0.5, size=(count, dimensions))
    one_of("kind", kind, KINDS)
    found = generator.standard_normal((count, dimensions))
    return found * np.sqrt(generator.exponential(size=(count, 1))) if kind == "spherical Laplace" else found


def data(seed: int = 0) -> list[Row]:
    """Rows kind, dimensions, x, y: for one dimension the middle of a bin and its density, for two a sample
    moved aside."""
    generator, rows = np.random.default_rng(seed), list[Row]()
    edges = np.linspace(-REACH, REACH, BINS + 1)
    for kind in KINDS:
        counts = np.histogram(draws(kind, SAMPLES, 1, generator)[:, 0], edges)[0]
        density = counts / (SAMPLES * (edges[1] - edges[0]))
        rows += table({"kind": kind, "dimensions": 1, "x": (edges[1:] + edges[:-1]) / 2, "y": density})
    for kind, aside in KINDS.items():
        x, y = draws(kind, POINTS, 2, generator).T
        rows += table({"kind": kind, "dimensions": 2, "x": x + aside, "y": y})
    return rows


@figure("noise_shapes", "Three kinds of noise of standard deviation 1", data, settings=True, always=[Flag.ILLUSTRATION])
def chart(rows: Rows) -> Chart:
    series = []
    for (dimensions, kind), own in grouped(rows, "dimensions", "kind").items():
        drawn, slot = "line" if dimensions == 1 else "points", list(KINDS).index(kind)
        look = {"name": kind, "kind": drawn, "slot": slot, "panel": dimensions - 1, "size": 4, "group": kind}
        series.append(marks(own, "x", "y", **look))
    across = Axis(title="first coordinate (standard deviations, moved aside)", low=-13, high=13)
    along = Axis(title="second coordinate (standard deviations)", low=-6.5, high=6.5)
    noise, density = Axis(title="noise (standard deviations)", low=-REACH, high=REACH), Axis(title="density", low=0)
    panels = (Panel(title="one coordinate", x=noise, y=density), Panel(title="two coordinates", x=across, y=along))
    return pairs(panels, series)
