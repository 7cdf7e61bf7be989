"""What somebody who knows both neighbouring worlds learns of which is the true one, over many releases."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import outlines, single, table

BINS = 15
SEEN = 20
"""Draws that a bar must hold before its height means anything."""


def data(
    with_: NDArray[np.float64], without: NDArray[np.float64], epsilon: float, names: Sequence[str] = ("with", "without")
) -> list[Row]:
    """One row per bin: low, high (of the evidence, a logarithm), draws (that fell into it, from either
    world), share_with, share_without (how likely a release of each world falls into it), ratio (of the two
    heights, as a logarithm; None below `SEEN` draws), names_with, names_without, epsilon (that was promised).

    `with_` and `without` are evidence for the first world (`play.world.evidence`), as many of each, where
    it is the true one and where the other is. A draw with evidence L comes from the first world with
    probability e^L / (1 + e^L), exactly, and counts so for both: unlike counts of draws, the ratio of two
    heights then lies between e^low and e^high, and never exceeds by chance what the noise allows.
    """
    every = np.concatenate([with_, without])
    reach = max(1e-9, float(np.abs(every).max()) * 1.000001)
    edges = _edges(every, reach)
    draws = np.histogram(every, edges)[0]
    here, there = (np.histogram(every, edges, weights=expit(sign * every))[0] / len(with_) for sign in (1, -1))
    bins = zip(draws.tolist(), here.tolist(), there.tolist(), strict=True)
    columns = {"low": edges[:-1], "high": edges[1:], "draws": draws, "share_with": here, "share_without": there}
    ratio = [math.log(one / other) if count >= SEEN else None for count, one, other in bins]
    return table({**columns, "ratio": ratio, "names_with": names[0], "names_without": names[1], "epsilon": epsilon})


def _edges(every: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """The ends of the bins. The evidence of Laplace noise often has one of a few values, evenly apart: then
    each has a bin of its own, for bins that miss some of them and halve others would make a comb."""
    even = np.linspace(-reach, reach, BINS + 1)
    values, counts = np.unique(np.round(every / reach, 5), return_counts=True)
    often = counts >= 0.01 * len(every)
    if often.sum() < 3 or counts[often].sum() < 0.25 * len(every):
        return even
    steps = round(2 / float(np.diff(values[often]).min()))
    at = (values[often] + 1) * steps / 2
    if not 2 <= steps <= 2 * BINS or np.abs(at - np.round(at)).max() > 0.1:
        return even
    middles = (np.arange(steps) + 0.5) * 2 / steps - 1
    return np.array([-reach, *(reach * middles), reach])


def largest(rows: Rows) -> float:
    """The largest ratio of two heights, as a logarithm: the epsilon that these histograms show."""
    return max((abs(row["ratio"]) for row in rows if row["ratio"] is not None), default=0.0)


@figure("evidence", "What is published, with and without", data, settings=True)
def chart(rows: Rows) -> Chart:
    first, epsilon = rows[0], rows[0]["epsilon"]
    reach = max(rows[-1]["high"], 1.15 * epsilon)
    x = Axis(title=f"evidence {first['names_with']} (logarithm of the likelihood ratio)", low=-reach, high=reach)
    rules = (Rule(x=-epsilon, label="−ε", side="left"), Rule(x=epsilon, label="ε"))
    series = outlines(rows, {f"share_{side}": first[f"names_{side}"] for side in ("with", "without")})
    return single(x, Axis(title="percent of draws", percent=True, low=0), series, rules=rules)
