"""Confidence over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence

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
