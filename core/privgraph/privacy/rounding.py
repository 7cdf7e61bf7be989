"""Epsilons in few digits that still say what holds: an upper bound is rounded up, a lower bound down. No torch."""

from __future__ import annotations

import math
from collections.abc import Callable


def upper(value: float, digits: int = 4) -> str:
    """An upper bound, such as a sound epsilon, rounded up: it never says less than what holds.

    >>> upper(1.00001), upper(0.5), upper(float("inf")), upper(0.0)
    ('1.001', '0.5', '∞', '0')
    """
    return _towards(math.ceil, value, digits)


def lower(value: float, digits: int = 4) -> str:
    """A lower bound, such as an audited epsilon, rounded down: it never says more than was shown.

    >>> lower(0.98769)
    '0.9876'
    """
    return _towards(math.floor, value, digits)


def _towards(direction: Callable[[float], int], value: float, digits: int) -> str:
    if value == math.inf:
        return "∞"
    if not value > 0:
        return f"{value:.{digits}g}"
    step = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    slack = 1e-9 if direction is math.floor else -1e-9  # a number of few digits stays as it is
    return f"{direction(value / step + slack) * step:.{digits}g}"
