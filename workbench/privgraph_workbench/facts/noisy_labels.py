"""What noise of any law makes of the votes for each class: one draw, and the chance of each class to be
largest. No Streamlit, no torch."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from privgraph.mechanisms.noisy_max import label_chances
from privgraph.runs.spec import RunSpec

Array = NDArray[np.float64]

# Quantile and distribution function of each law, at scale 1.
LAWS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "gaussian": (ndtri, ndtr),
    "laplace": (
        lambda p: np.where(p < 0.5, np.log(2 * np.minimum(p, 0.5)), -np.log(2 * (1 - np.maximum(p, 0.5)))),
        lambda x: np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2),
    ),
    "exponential": (lambda p: -np.log1p(-p), lambda x: -np.expm1(-np.maximum(x, 0))),
    "gumbel": (lambda p: -np.log(-np.log(p)), lambda x: np.exp(-np.exp(np.minimum(-x, 700)))),
}

SPREAD = {"gaussian": 1.0, "laplace": math.sqrt(2), "exponential": 1.0, "gumbel": math.pi / math.sqrt(6)}
"""The standard deviation of each law at scale 1."""
POINTS = 4000
COARSE = 400
"""Quantiles of an average over many answers: the chance of one is off by at most 1 / 800."""
_REACH, _STEP = 9.0, 1 / 16
"""Of the integral over Gaussian noise, in standard deviations: by the trapezoid rule, which converges
geometrically here."""


def law_of(spec: RunSpec, kind: str) -> str | None:
    """The law of the noise on an answer of that kind, where it can be drawn here by itself: of a table it
    cannot, whose noise is one for all answers, nor on logarithms."""
    named = {
        "votes": "gaussian",
        "posterior": "laplace",
        "counts": str(spec.options.get("noise") or spec.options.get("maximum") or "gaussian"),
    }
    return known if (known := named.get(kind)) in SPREAD else None


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


def right(law: str, std: float, counts: Array, truth: NDArray[np.int64]) -> Array:
    """For each query (Q,), the chance that its true class is the largest of its counts (Q, C) after noise of
    that law and standard deviation on each.

    Of every query, however many there are: queries whose true class leads the others alike are worked out
    once. A class that shares the lead with others has its share of the chance.

    >>> counts = np.array([[3.0, 1.0], [2.0, 2.0], [0.0, 5.0]])
    >>> right("laplace", 1e-9, counts, np.zeros(3, dtype=np.int64)).round(3).tolist()
    [1.0, 0.5, 0.0]
    """
    own = np.take_along_axis(counts, truth[:, None], axis=1)
    others = np.arange(counts.shape[1])[None, :] != truth[:, None]
    leads = np.sort((own - counts)[others].reshape(len(counts), -1), axis=1)
    alike, places = np.unique(leads, axis=0, return_inverse=True)
    _, distribution = LAWS[law]
    drawn_at, weights = _nodes(law)
    chance = np.zeros(len(alike))
    for at, weight in zip(drawn_at, weights, strict=True):
        chance += weight * distribution(at + alike * (SPREAD[law] / std)).prod(axis=1)
    return np.asarray(chance.clip(0.0, 1.0)[places.reshape(-1)])


def _nodes(law: str) -> tuple[Array, Array]:
    """Where noise of scale 1 is looked at, and how much each place counts."""
    if law != "gaussian":
        quantile, _ = LAWS[law]
        return quantile((np.arange(COARSE) + 0.5) / COARSE), np.full(COARSE, 1 / COARSE)
    places = np.arange(-_REACH, _REACH + _STEP, _STEP)
    return places, np.exp(-(places**2) / 2) * (_STEP / math.sqrt(2 * math.pi))
