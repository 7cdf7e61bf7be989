"""What attacks found where false alarms are rare, in words: the same on pages, in reports and on the command
line."""

from __future__ import annotations

from privgraph.attacks.outcome import Outcome, Rate
from privgraph.attacks.record import AttackRecord
from privgraph_workbench.words.numbers import exact_percent, percent

NONE = "–"
"""Stands where there are too few others to show so rare a false alarm."""


def found(outcome: Outcome, rate: Rate) -> str:
    """The true positive rate, or a dash."""
    return percent(rate.true) if outcome.measurable(rate) else NONE


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


def interval(outcome: Outcome, rate: Rate) -> str:
    """The interval of a rate, or why there is none worth reading."""
    if not outcome.measurable(rate):
        return f"not measurable: {exact_percent(rate.false)} of {outcome.others:,} is less than one"
    low, high = percent(rate.low), percent(rate.high)
    if rate.low == 0 < rate.true:
        return f"{low} to {high}; from 0, for {outcome.others:,} others are too few to place this threshold"
    return f"{low} to {high}"


def over_models(attack: AttackRecord, place: int) -> str:
    """The rate at that place of all attacked models, lowest to highest; nothing of a single one."""
    if len(attack.true_rates) < 2:
        return ""
    seen = [rates[place] for rates in attack.true_rates]
    return f"all {len(seen)} attacked models: {percent(min(seen))} to {percent(max(seen))}"
