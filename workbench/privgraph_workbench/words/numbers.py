"""Numbers for people: how many digits, which way they are rounded, and what stands where there is none."""

from __future__ import annotations

import math
from decimal import Decimal

from privgraph.options import Scalar
from privgraph.privacy import rounding
from privgraph_workbench.theme import Epsilon


def chance(value: float) -> str:
    """A chance in [0, 1] in percent, never rounded up to a certainty.

    >>> chance(0.731), chance(0.99966), chance(1.0), chance(0.9999999)
    ('73.1%', '99.97%', '100%', 'over 99.99%')
    """
    if value >= 1:
        return "100%"
    if value > 0.9999:
        return "over 99.99%"
    return f"{100 * value:.1f}%" if value < 0.99 else f"{100 * value:.2f}%"


def at_most(value: float) -> str:
    """A bound on a chance in words: in percent, rounded up, so that it still is one.

    >>> at_most(0.5), at_most(0.7311), at_most(0.99961), at_most(0.99999), at_most(1.0)
    ('at most 50.0%', 'at most 73.2%', 'at most 99.97%', 'at most 100%', 'at most 100%')
    """
    digits = 1 if value <= 0.99 else 2
    steps = math.ceil(round(100 * value * 10**digits, 9))
    return "at most 100%" if steps >= 100 * 10**digits else f"at most {steps / 10**digits:.{digits}f}%"


def bound(value: float) -> str:
    """The same as a sign and a number that is no vacuous 100%: what is so near to it is told to a further
    decimal, and beyond that by how much an attacker may have.

    >>> bound(0.7311), bound(0.99961), bound(0.9999546), bound(0.9999999), bound(1.0)
    ('≤ 73.2%', '≤ 99.97%', '≤ 99.996%', 'may be > 99.99%', '≤ 100%')
    """
    if not 0.9999 < value < 1:
        return f"≤ {at_most(value).removeprefix('at most ')}"
    steps = math.ceil(round(1e5 * value, 9))
    return "may be > 99.99%" if steps >= 10**5 else f"≤ {steps / 1e3:.3f}%"


LONGEST = 1e10
"""Seconds: three centuries. Whoever has stored more has not measured it."""


def duration(seconds: float | None) -> str:
    """A length of time for people.

    >>> duration(0.4), duration(75), duration(7300), duration(None), duration(float("inf"))
    ('under 1 s', '1 min 15 s', '2 h 1 min', 'unknown', 'unknown')
    """
    if seconds is None or not seconds < LONGEST:
        return "unknown"
    if seconds < 1:
        return "under 1 s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def roughly(seconds: float) -> str:
    """A time that is guessed: in whole minutes from one on, and in steps of 5 minutes from an hour on.

    >>> roughly(42), roughly(100), roughly(1941), roughly(7440)
    ('42 s', '2 min', '32 min', '2 h 5 min')
    """
    if seconds < 60:
        return duration(seconds)
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(5 * round(minutes / 5), 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def percent(value: float | None) -> str:
    """A share of [0, 1] in percent with one decimal; a dash where there is none.

    >>> percent(0.8034), percent(None)
    ('80.3%', '—')
    """
    return "—" if value is None else f"{100 * value:.1f}%"


def between(low: float, high: float) -> str:
    """An interval of shares in percent, with more digits where both ends would read alike.

    >>> between(0.483, 0.51), between(0.50412, 0.50438), between(0.5, 0.5)
    ('48.3% to 51.0%', '50.41% to 50.44%', '50.0% to 50.0%')
    """
    digits = next((one for one in (1, 2, 3) if f"{100 * low:.{one}f}" != f"{100 * high:.{one}f}"), 1)
    return f"{100 * low:.{digits}f}% to {100 * high:.{digits}f}%"


def exact_percent(value: float, digits: int = 6) -> str:
    """A share of [0, 1] in percent with the digits that it has, `digits` at most, and never with an exponent.

    >>> exact_percent(0.95), exact_percent(0.1 / 3, 3), exact_percent(1.0, 2), exact_percent(1e-7)
    ('95%', '3.33%', '100%', '0.00001%')
    """
    return f"{Decimal(f'{100 * value:.{digits}g}'):f}%"


def proved_epsilon(epsilon: float) -> str:
    """A sound epsilon for people, rounded up; `none proved` where it is infinite.

    >>> proved_epsilon(1.00001), proved_epsilon(2e7), proved_epsilon(float("inf"))
    ('1.001', '>100,000', 'none proved')
    """
    return "none proved" if math.isinf(epsilon) else stated("sound", epsilon)


HIGHEST = 100_000.0
"""An epsilon beyond it promises nothing to anybody, and its digits say nothing."""


def metric(name: str, value: float) -> str:
    """A result of a run: what methods measure are shares of nodes, in percent wherever they stand, but for
    losses, epsilons and numbers of nodes or relations.

    >>> metric("labels_flipped_by_noise", 0.375), metric("val_loss", 0.65873)
    ('37.5%', '0.659')
    >>> metric("epsilon_sanitised", 2.00011)
    '2.001'
    >>> metric("test_nodes", 1350.0)
    '1,350'
    """
    if name.startswith("epsilon"):
        return upper(value)
    if name.endswith(("_nodes", "_relations")):
        return f"{value:,.0f}"
    return percent(value) if 0 <= value <= 1 and not name.endswith("loss") else number(value)


def option(value: Scalar) -> str:
    """An option's value as addresses and command lines write it, with every digit: another number is another
    run.

    >>> option(True), option(1.0), option(0.001), option(0.1 + 0.2), option("edge")
    ('true', '1', '0.001', '0.30000000000000004', 'edge')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def stated(kind: Epsilon, value: float | None) -> str:
    """One of the three epsilons for people, in the same digits everywhere: a sound one rounded up, an audited
    one down, so that neither says more than holds.

    >>> stated("sound", 1.00001), stated("published", 0.98769)
    ('1.001', '0.9877')
    >>> stated("audited", 0.98769), stated("audited", None), stated("published", 3e8)
    ('0.987', 'none', '>100,000')
    """
    if value is None:
        return "none"
    if HIGHEST < value < math.inf:
        return f">{HIGHEST:,.0f}"
    return upper(value) if kind == "sound" else lower(value) if kind == "audited" else number(value, 4)


CLOSE = 0.95
"""Of a budget, at least this share is spent where the noise was chosen by it: such a run is called by it."""


def kept_budget(asked: float | None, sound: float) -> float | None:
    """The budget that was asked for, where the noise was chosen by it and keeps it; else None.

    >>> kept_budget(1.0, 0.99969), kept_budget(1.0, 1.2), kept_budget(8.0, 3.0), kept_budget(None, 1.0)
    (1.0, None, None, None)
    """
    return asked if asked is not None and CLOSE * asked <= sound <= asked else None


def kept(asked: float | None, sound: float) -> str:
    """A sound epsilon where many stand side by side: the budget that was asked for, where the run keeps it,
    for that is a guarantee, too; else `stated`.

    >>> kept(1.0, 0.99969), kept(1.0, 1.20001), kept(None, 0.99969)
    ('1', '1.201', '0.9997')
    """
    budget = kept_budget(asked, sound)
    return stated("sound", sound) if budget is None else option(budget)


MANY = 1e6
"""Numbers below are written out; of larger ones nobody counts the zeros."""


def number(value: float | None, digits: int = 3) -> str:
    """A number for people: `none` where there is none, the sign of infinity where it is infinite.

    >>> number(1.23456), number(None), number(float("inf")), number(92_130.4), number(3e8)
    ('1.23', 'none', '∞', '92,100', '3e+08')
    """
    if value is None:
        return "none"
    if value == float("inf"):
        return "∞"
    said = f"{value:.{digits}g}"
    return f"{float(said):,.0f}" if "e+0" in said and abs(value) < MANY else said


def upper(value: float | None, digits: int = 4) -> str:
    """An upper bound for people, rounded up (`rounding.upper`); `none` where there is none."""
    return number(value) if value is None else rounding.upper(value, digits)


def rounded_delta(value: float) -> str:
    """A delta for people, rounded up: a guarantee at a smaller one would be a stronger guarantee.

    >>> rounded_delta(1e-05), rounded_delta(1.4411e-05), rounded_delta(0.0)
    ('1e-05', '1.45e-05', '0')
    """
    return rounding.upper(value, 3)


def lower(value: float, digits: int = 3) -> str:
    """A lower bound for people, rounded down (`rounding.lower`): no attack shows more digits."""
    return rounding.lower(value, digits)
