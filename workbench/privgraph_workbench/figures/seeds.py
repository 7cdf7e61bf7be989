"""Confidence over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

FEWEST = 3
"""Of two values a 95% interval is a dozen standard deviations wide, and says nothing."""


def confidence(values: Sequence[float], *, most: float = math.inf) -> tuple[float, float | None, float | None]:
    """Mean, and Student's 95% interval for it over seeds (Student 1908): with three seeds 4.3 standard errors
    to either side. None for fewer than `FEWEST` values.

    Right for values that are normal over seeds. The percentile bootstrap is not used: of three values it is
    their range, and holds the mean in about three of four cases. Values lie in [0, `most`], and so does the
    interval.

    >>> [round(float(number), 3) for number in confidence([0.5, 0.6, 0.7])]
    [0.6, 0.352, 0.848]
    """
    mean, seeds = float(np.mean(values)), len(values)
    if seeds < FEWEST:
        return mean, None, None
    half = float(stdtrit(seeds - 1, 0.975)) / math.sqrt(seeds) * float(np.std(values, ddof=1))
    return mean, max(0.0, mean - half), min(most, mean + half)
