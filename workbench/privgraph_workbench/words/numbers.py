"""Numbers for people: how many digits, which way they are rounded, and what stands where there is none."""

import math
from decimal import Decimal

from privgraph.options import Scalar
from privgraph.privacy import rounding
from privgraph_workbench.theme import Epsilon


def percent(value: float | None) -> str:
    """A share of [0, 1] in percent with one decimal; a dash where there is none."""
    return "—" if value is None else f"{100 * value:.1f}%"


def exact_percent(value: float, digits: int = 6) -> str:
    """A share of [0, 1] in percent with the digits that it has, `digits` at most.

    >>> exact_percent(0.95), exact_percent(0.1 / 3, 3)
    ('95%', '3.33%')
    """
    return f"{Decimal(f'{100 * value:.{digits}g}'):f}%"


def chance(value: float) -> str:
    """A chance in [0, 1] in percent, never rounded up to a certainty.

    >>> chance(0.731), chance(0.99966), chance(1.0), chance(0.9999999)
    ('73.1%', '99.97%', '100%', 'over 99.99%')
    """
    if 0.9999 < value < 1:
        return "over 99.99%"
    return "100%" if value >= 1 else f"{100 * value:.{1 if value < 0.99 else 2}f}%"


def bound(value: float) -> str:
    """A bound on a chance in percent, rounded up, so that it still is one, and to no vacuous 100%.

    >>> bound(0.7311), bound(0.99961), bound(0.9999546), bound(0.9999999), bound(1.0)
    ('≤ 73.2%', '≤ 99.97%', '≤ 99.996%', 'may be > 99.99%', '≤ 100%')
    """
    digits = 1 if value <= 0.99 else 2 if value <= 0.9999 else 3
    steps = math.ceil(round(100 * value * 10**digits, 9))
    if steps < 100 * 10**digits:
        return f"≤ {steps / 10**digits:.{digits}f}%"
    return "≤ 100%" if value >= 1 else "may be > 99.99%"


def duration(seconds: float | None) -> str:
    """A length of time for people.

    >>> duration(0.4), duration(75), duration(7300), duration(None), duration(float("inf"))
    ('under 1 s', '1 min 15 s', '2 h 1 min', 'unknown', 'unknown')
    """
    if seconds is None or not seconds < 1e10:  # three centuries: whoever has stored more has not measured it
        return "unknown"
    if seconds < 60:
        return "under 1 s" if seconds < 1 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def stated(kind: Epsilon, value: float | None) -> str:
    """One of the three epsilons for people, in the same digits everywhere: a sound one rounded up, an audited
    one down, so that neither says more than holds.

    >>> stated("sound", 1.00001), stated("published", 0.98769), stated("audited", 0.98769)
    ('1.001', '0.9877', '0.987')
    """
    if value is not None and 100_000 < value < math.inf:  # it promises nothing, and its digits say nothing
        return ">100,000"
    if value is None or kind == "published":
        return number(value, 4)
    return rounding.upper(value) if kind == "sound" else rounding.lower(value, 3)


def kept_budget(asked: float | None, sound: float) -> float | None:
    """The budget that was asked for, where the noise, chosen by it, keeps it and spends most; else None.

    >>> kept_budget(1.0, 0.99969), kept_budget(1.0, 1.2), kept_budget(8.0, 3.0)
    (1.0, None, None)
    """
    return asked if asked is not None and 0.95 * asked <= sound <= asked else None


def rounded_delta(value: float) -> str:
    """A delta for people, rounded up: a guarantee at a smaller one would be a stronger guarantee."""
    return rounding.upper(value, 3)


def number(value: float | None, digits: int = 3) -> str:
    """A number for people: `none` where there is none, and written out below a million.

    >>> number(1.23456), number(None), number(float("inf")), number(92_130.4), number(3e8)
    ('1.23', 'none', '∞', '92,100', '3e+08')
    """
    if value is None or value == math.inf:
        return "none" if value is None else "∞"
    said = f"{value:.{digits}g}"
    return f"{float(said):,.0f}" if "e+0" in said and abs(value) < 1e6 else said


def option(value: Scalar) -> str:
    """An option's value as addresses and command lines write it, with every digit: another number is another
    run.

    >>> option(True), option(1.0), option(0.1 + 0.2), option("edge")
    ('true', '1', '0.30000000000000004', 'edge')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
