"""The `signal` of a made-up social network at which a model without edges reaches an accuracy. No torch."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import ndtr

from privgraph.data.sizes import known_facts
from privgraph.data.spec import DatasetSpec
from privgraph.options import Scalar

HIGHEST = 10.0
"""The largest `signal` that there is."""
_POINTS = 80
"""Of the quadrature: more change nothing in the sixth digit."""


def expected_accuracy(signal: float, *, classes: int, features: int, train_nodes: int) -> float:
    """About what a model on features alone reaches on nodes that it has not seen.

    Of C classes of equal size, normal with unit variance around centres any two of which lie d = `signal`
    apart, the best rule takes the nearest centre, and is right with chance E[Phi(Z + d / sqrt 2)^(C - 1)], Z
    standard normal. A rule whose centres are means over n training nodes a class sees them less far apart, by
    the noise of F such means: about d^2 / sqrt(d^2 + 2 F / n). Where F < C the centres have random
    directions, and this is rougher.

    The product's `mlp`, trained, stays up to 4 points below (means of three seeds, in percent, F = 32):

        nodes  C   signal 1         signal 2         signal 3.5
        600    3   48.9 (of 51.1)   69.6 (of 72.8)   89.6 (of 92.4)
        5,000  3   52.2 (of 54.1)   71.8 (of 74.3)   92.1 (of 92.8)
        2,000  2   68.8 (of 68.4)   83.5 (of 83.9)   95.2 (of 95.9)
        2,000  7   29.3 (of 29.5)   51.8 (of 53.6)   80.0 (of 83.9)

    >>> round(expected_accuracy(2.0, classes=3, features=32, train_nodes=450), 3)
    0.728
    >>> expected_accuracy(0.0, classes=4, features=32, train_nodes=450)
    0.25
    """
    if signal <= 0 or train_nodes < 1:
        return 1 / classes
    seen = signal**2 / math.sqrt(signal**2 + 2 * features * classes / train_nodes)
    points, weights = np.polynomial.hermite_e.hermegauss(_POINTS)
    return float((weights * ndtr(points + seen / math.sqrt(2)) ** (classes - 1)).sum() / weights.sum())


def signal_for(accuracy: float, *, classes: int, features: int, train_nodes: int) -> float:
    """The signal, to two digits, at which `expected_accuracy` is that; where none reaches it the
    nearest there is: 0 of one that is no better than a guess, `HIGHEST` of one that is too high.

    >>> sizes = {"classes": 3, "features": 32, "train_nodes": 450}
    >>> found = signal_for(0.85, **sizes)
    >>> found, round(expected_accuracy(found, **sizes), 3)
    (2.77, 0.85)
    """
    low, high = 0.0, HIGHEST
    while high - low > 1e-4:
        middle = (low + high) / 2
        reached = expected_accuracy(middle, classes=classes, features=features, train_nodes=train_nodes)
        low, high = (middle, high) if reached < accuracy else (low, middle)
    return round(high, 2) if high > 1e-3 else 0.0


def sizes_of(spec: DatasetSpec, options: Mapping[str, Scalar]) -> dict[str, Any]:
    """What both functions have to know of a made-up network with these options. Raises `OptionError`, and
    `ValueError` of a set whose sizes its options don't tell."""
    facts = known_facts(spec, options)
    if facts is None:
        raise ValueError(f"{spec.title} has no sizes before it is loaded")
    return {"classes": facts.classes, "features": facts.features, "train_nodes": facts.train_nodes}
