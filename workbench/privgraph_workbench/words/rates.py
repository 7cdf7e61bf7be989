"""What attacks found where false alarms are rare, in words: the same on pages, in reports and on the command
line."""

from __future__ import annotations

from privgraph.attacks.record import FEW, RARE, AttackRecord
from privgraph.registry import sides
from privgraph_workbench.words.numbers import exact_percent, percent

NONE = "–"
"""Stands where there are too few others to show so rare a false alarm."""


def found(attack: AttackRecord, place: int) -> str:
    """The true positive rate that conclusions are drawn from, at that place of `RATES`, or a dash."""
    rate = attack.rates_found[place]
    return percent(rate.true) if attack.outcome.measurable(rate) else NONE


def at_rare(attack: AttackRecord) -> str:
    """The true positive rate at `RARE` false positives, or a dash where the others are too few."""
    return found(attack, next(place for place, rate in enumerate(attack.outcome.rates) if rate.false == RARE))


def rare(attack: AttackRecord) -> str:
    """The rarest that is told in a sentence, with its interval: `12.0% at 1% false positives (3.0% to
    20.1%)`, or that there is none. A mean over attacked models, where they are enough for one."""
    rate = attack.rare_found
    if rate is None:
        return "too few others to tell of rare false positives"
    return (
        f"{percent(rate.true)} at {exact_percent(rate.false)} false positives ({percent(rate.low)} to "
        f"{percent(rate.high)})"
    )


def interval(attack: AttackRecord, place: int) -> str:
    """The interval of that rate, or why there is none worth reading."""
    found, told = attack.outcome, attack.rates_found[place]
    if not found.measurable(told):
        return f"not measurable: {exact_percent(told.false)} of {found.others:,} is less than one"
    return f"{percent(told.low)} to {percent(told.high)}"


def alone(attack: AttackRecord, place: int) -> str:
    """What the rate is of: a mean over models, and what was found of the run's own; why an interval begins
    at 0."""
    found, own = attack.outcome, attack.outcome.rates[place]
    if not found.measurable(own):
        return ""
    few = ""
    if own.low == 0 < own.true:
        few = f"; from 0, for {found.others:,} others are too few to place this threshold"
    if len(attack.true_rates) < FEW:
        return f"Of one model{few}."
    return (
        f"The mean of {len(attack.true_rates)} models; on {sides(attack.attack).again} {percent(own.true)} "
        f"({percent(own.low)} to {percent(own.high)}{few})."
    )
