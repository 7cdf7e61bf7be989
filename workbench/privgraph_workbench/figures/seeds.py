"""Confidence over seeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 2000


def confidence(values: Sequence[float], level: float = 0.95) -> tuple[float, float | None, float | None]:
    """Mean, and the percentile bootstrap's interval for it over seeds (Efron 1979); none for fewer than three
    values, of which it would be the range.

    The resampling has a fixed seed: equal values give equal intervals.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size == 0:
        raise ValueError("confidence needs at least one value")
    mean = float(sample.mean())
    if sample.size < 3:
        return mean, None, None
    generator = np.random.default_rng(0)
    means = generator.choice(sample, size=(RESAMPLES, sample.size)).mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return mean, float(low), float(high)
