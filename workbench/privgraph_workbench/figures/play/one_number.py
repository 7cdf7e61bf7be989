"""One published count with Laplace noise, with a person and without: two densities and their ratio."""

import numpy as np

from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import outlines, single, table

COUNT = 12


def data(epsilon: float = 1.0) -> list[Row]:
    """One row per place: x (the published number), with (the density where the true count is `COUNT`),
    without (where it is one less), ratio (of the two, at least 1), epsilon. Laplace noise of scale 1/epsilon.
    Raises `ValueError` for an epsilon that is not positive."""
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive (got {epsilon})")
    reach = 3 / epsilon + 2
    x = np.linspace(COUNT - 0.5 - reach, COUNT - 0.5 + reach, 241)
    here, there = np.abs(x - COUNT), np.abs(x - COUNT + 1)
    density = {name: epsilon / 2 * np.exp(-epsilon * one) for name, one in (("with", here), ("without", there))}
    return table({"x": x, **density, "ratio": np.exp(epsilon * np.abs(there - here)), "epsilon": epsilon})


@figure("one_number", "One count, with her and without her", data, settings=True)
def chart(rows: Rows) -> Chart:
    names = {"with": f"with her (the count is {COUNT})", "without": f"without her ({COUNT - 1})"}
    x, y = Axis(title="published number (the count and noise)"), Axis(title="density", low=0)
    return single(x, y, outlines(rows, names, ("x",)))
