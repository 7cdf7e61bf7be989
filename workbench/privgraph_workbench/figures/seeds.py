"""Confidence over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import numpy as np
from scipy.special import stdtrit

FEWEST = 3
"""Of two values a 95% interval is a dozen standard deviations wide, and says nothing."""


def confidence(
    values: Sequence[float], level: float = 0.95, *, most: float = math.inf
) -> tuple[float, float | None, float | None]:
    """Mean, and Student's interval for it over seeds (Student 1908): with three seeds 4.3 standard errors to
    either side. None for fewer than `FEWEST` values.

    Right for values that are normal over seeds. The percentile bootstrap is not used: of three values it is
    their range, and holds the mean in about three of four cases. Values lie in [0, `most`], and so does the
    interval.

    >>> [round(float(number), 3) for number in confidence([0.5, 0.6, 0.7])]
    [0.6, 0.352, 0.848]
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size == 0:
        raise ValueError("confidence needs at least one value")
    mean = float(sample.mean())
    if sample.size < FEWEST:
        return mean, None, None
    half = reach(sample.size, level) * float(sample.std(ddof=1))
    return mean, max(0.0, mean - half), min(most, mean + half)


def reach(seeds: int, level: float = 0.95) -> float:
    """Half the width of Student's interval of a mean over so many seeds, in standard deviations.

    >>> round(reach(3), 2), round(reach(10), 2)
    (2.48, 0.72)
    """
    return float(stdtrit(seeds - 1, (1 + level) / 2)) / math.sqrt(seeds)


def standard_error(values: Sequence[float]) -> float | None:
    """Of the mean over seeds; None for fewer than `FEWEST` values."""
    sample = np.asarray(values, dtype=np.float64)
    return None if sample.size < FEWEST else float(sample.std(ddof=1)) / math.sqrt(sample.size)


def difference(
    one: tuple[float, float, int], other: tuple[float, float, int], level: float = 0.95
) -> tuple[float, float, float]:
    """The difference of two means over seeds, and its interval (Welch 1947): right where both are normal,
    whatever their spreads. That two intervals overlap does not say that the means do not differ.

    Each is given as mean, standard error and number of seeds.

    >>> [round(number, 3) for number in difference((0.6, 0.05, 3), (0.3, 0.02, 4))]
    [0.3, 0.115, 0.485]
    """
    (mean, error, seeds), (other_mean, other_error, other_seeds) = one, other
    squares = error**2, other_error**2
    apart, both = mean - other_mean, sum(squares)
    if both == 0:
        return apart, apart, apart
    freedom = both**2 / (squares[0] ** 2 / (seeds - 1) + squares[1] ** 2 / (other_seeds - 1))
    reach = float(stdtrit(freedom, (1 + level) / 2)) * math.sqrt(both)
    return apart, apart - reach, apart + reach


def paired(pairs: Sequence[tuple[float, float]], level: float = 0.95) -> tuple[float, float, float] | None:
    """By how much the first of each pair is larger on average, and Student's interval for that: of two
    settings with the same seeds, which share what is split and drawn by them. None for fewer than `FEWEST`.

    >>> [round(number, 3) for number in paired([(0.6, 0.5), (0.7, 0.59), (0.8, 0.68)])]
    [0.11, 0.085, 0.135]
    """
    apart = [one - other for one, other in pairs]
    error = standard_error(apart)
    if error is None:
        return None
    return difference((fmean(apart), error, len(apart)), (0.0, 0.0, len(apart)), level)


def ratio(
    one: tuple[float, float, int], other: tuple[float, float, int], level: float = 0.95
) -> tuple[float, float | None, float | None]:
    """The first mean over seeds as a share of the other, and its interval (Fieller 1954), as if the two were
    independent: with as many degrees of freedom as the one of fewer seeds has, so rather too wide. None where
    the other mean cannot be told from 0, for then nothing bounds the share.

    Each is given as mean, standard error and number of seeds.

    >>> [round(float(number), 3) for number in ratio((0.12, 0.005, 3), (0.2, 0.01, 3))]
    [0.6, 0.455, 0.804]
    """
    (mean, error, seeds), (whole, other_error, other_seeds) = one, other
    reach = float(stdtrit(min(seeds, other_seeds) - 1, (1 + level) / 2))
    square = whole**2 - (reach * other_error) ** 2
    if square <= 0:
        return mean / whole if whole else math.nan, None, None
    product = mean * whole
    width = math.sqrt(max(0.0, product**2 - square * (mean**2 - (reach * error) ** 2)))
    return mean / whole, (product - width) / square, (product + width) / square
