"""Epsilons in few digits that still say what holds: an upper bound is rounded up, a lower bound down. No
torch."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def upper(value: float, digits: int = 4) -> str:
    """An upper bound, such as a sound epsilon, rounded up: it never says less than what holds.

    >>> upper(1.00001), upper(0.5), upper(float("inf")), upper(0.0)
    ('1.001', '0.5', '∞', '0')
    """
    return _towards(ROUND_CEILING, value, digits)


def lower(value: float, digits: int = 4) -> str:
    """A lower bound, such as an audited epsilon, rounded down: it never says more than was shown.

    >>> lower(0.98769)
    '0.9876'
    """
    return _towards(ROUND_FLOOR, value, digits)


def _towards(direction: str, value: float, digits: int) -> str:
    if value == math.inf:
        return "∞"
    if not value > 0:
        return f"{value:.{digits}g}"
    # The shortest digits that are read back as this float: exact from here on, and a number of few digits
    # stays as it is.
    exact = Decimal(repr(float(value)))
    rounded = exact.quantize(Decimal((0, (1,), exact.adjusted() - digits + 1)), rounding=direction)
    return f"{float(rounded):.{digits}g}"
