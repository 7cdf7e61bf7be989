"""What noise of any law makes of the votes for each class: one draw, and the chance of each class to be
largest. No Streamlit, no torch."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from privgraph.runs.spec import RunSpec

Array = NDArray[np.float64]

LAWS: dict[str, Any] = {
    "gaussian": stats.norm,
    "laplace": stats.laplace,
    "exponential": stats.expon,
    "gumbel": stats.gumbel_r,
}
COARSE, POINTS = 400, 1000
"""Quantiles of an average over many answers, and over one: the chance is off by at most 1 / 800."""
_REACH, _STEP = 9.0, 1 / 16
"""Of the integral over Gaussian noise, in standard deviations: by the trapezoid rule, which converges
geometrically here."""


def law_of(spec: RunSpec, kind: str) -> str | None:
    """The law of the noise on an answer of that kind, where it can be drawn here by itself: of a table it
    cannot, whose noise is one for all answers, nor on logarithms."""
    counts = str(spec.options.get("noise") or spec.options.get("maximum") or "gaussian")
    known = {"votes": "gaussian", "posterior": "laplace", "counts": counts}.get(kind)
    return known if known in LAWS else None


def drawn(law: str, std: float, classes: int, source: np.random.Generator) -> Array:
    """One draw of the noise on each class, of that standard deviation."""
    return np.asarray(LAWS[law].rvs(scale=std / LAWS[law].std(), size=classes, random_state=source))


def chances(law: str, std: float, counts: Array) -> Array:
    """The chance (C,) of each class to be largest after noise of that law and standard deviation on each of
    the counts (C,).

    >>> chances("laplace", 1.0, np.array([2.0, 2.0])).round(3).tolist()
    [0.5, 0.5]
    """
    classes = len(counts)
    found = right(law, std, np.tile(counts, (classes, 1)), np.arange(classes), POINTS)
    return np.asarray(found / found.sum())


def right(law: str, std: float, counts: Array, truth: NDArray[np.int64], points: int = COARSE) -> Array:
    """For each query (Q,), the chance that its true class is the largest of its counts (Q, C) after noise of
    that law and standard deviation on each: E[prod over others of F(own lead + X)], over the midpoints of as
    many quantiles as `points`.

    Of every query, however many there are: queries whose true class leads the others alike are worked out
    once. A class that shares the lead with others has its share of the chance.

    >>> counts = np.array([[3.0, 1.0], [2.0, 2.0], [0.0, 5.0]])
    >>> right("laplace", 1e-9, counts, np.zeros(3, dtype=np.int64)).round(3).tolist()
    [1.0, 0.5, 0.0]
    """
    noise = LAWS[law]
    own = np.take_along_axis(counts, truth[:, None], axis=1)
    others = np.arange(counts.shape[1])[None, :] != truth[:, None]
    leads = np.sort((own - counts)[others].reshape(len(counts), -1), axis=1)
    alike, places = np.unique(leads, axis=0, return_inverse=True)
    if law == "gaussian":
        drawn_at = np.arange(-_REACH, _REACH + _STEP, _STEP)
        weights = np.exp(-(drawn_at**2) / 2) * (_STEP / math.sqrt(2 * math.pi))
    else:
        drawn_at, weights = noise.ppf((np.arange(points) + 0.5) / points), np.full(points, 1 / points)
    chance = np.zeros(len(alike))
    for at, weight in zip(drawn_at, weights, strict=True):
        chance += weight * noise.cdf(at + alike * (noise.std() / std)).prod(axis=1)
    return np.asarray(chance.clip(0.0, 1.0)[places.reshape(-1)])
