"""What noise of any law makes of the votes for each class: one draw, and the chance of each class to be
largest. No Streamlit, no torch."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privgraph.mechanisms.noisy_max import label_chances
from privgraph_workbench.facts.answer_costs import LAWS

Array = NDArray[np.float64]

SPREAD = {"gaussian": 1.0, "laplace": math.sqrt(2), "exponential": 1.0, "gumbel": math.pi / math.sqrt(6)}
"""The standard deviation of each law at scale 1."""
POINTS = 4000


def drawn(law: str, std: float, classes: int, source: np.random.Generator) -> Array:
    """One draw of the noise on each class, of that standard deviation."""
    scale = std / SPREAD[law]
    if law == "exponential":
        return source.exponential(scale, classes)
    if law == "gumbel":
        return source.gumbel(0, scale, classes)
    return source.normal(0, scale, classes) if law == "gaussian" else source.laplace(0, scale, classes)


def chances(law: str, std: float, counts: Array, points: int = POINTS) -> Array:
    """The chance (C,) of each class to be largest after noise of that law and standard deviation on each of
    the counts (C,).

    E[prod over others of F(own lead + X)] over the midpoints of as many quantiles; in closed form by
    integration where the noise is Gaussian.

    >>> chances("laplace", 1.0, np.array([2.0, 2.0])).round(3).tolist()
    [0.5, 0.5]
    """
    if law == "gaussian":
        return label_chances(counts, std)
    quantile, distribution = LAWS[law]
    own = quantile((np.arange(points) + 0.5) / points)
    leads = (counts[:, None] - counts[None, :]) * (SPREAD[law] / std)
    below = distribution(own[:, None, None] + leads[None])  # (points, class, other)
    below[:, np.arange(len(counts)), np.arange(len(counts))] = 1.0
    found = below.prod(axis=2).mean(axis=0)
    return np.asarray(found / found.sum())
