"""What an attack came to: ROC curve, area, and true positive rates where false alarms are rare, each with its
confidence interval.

Members and non-members are those of one target model. On one graph they are not exchangeable (arXiv
2601.17130): who trains was not drawn by our own coin, so that none of these numbers is a bound on epsilon by
itself. NumPy and SciPy only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri
from scipy.stats import binom, hypergeom, t

from privgraph.attacks.signals import Array, Bools
from privgraph.audits.bounds import at_least, at_most
from privgraph.audits.roc import area

RATES = (0.001, 0.01, 0.05)
"""False positive rates at which true positives are counted."""


@dataclass(frozen=True, kw_only=True)
class Rate:
    """The true positive rate where the false positive rate is `false`: `true` as observed, at the lowest
    threshold that no larger share of the others exceeds, and an interval for that of the distributions.

    Equal scores are put in order by coins, so that a threshold may lie between them; and an attack whose
    scores are all equal finds what a guess finds.

    The interval allows for both sides: which threshold has that false positive rate, by the binomial law of
    how many others lie above it, and Clopper and Pearson's for the members above a threshold, each at half of
    what the confidence leaves. So it reaches down to 0 where there are too few others to see so rare an
    error.
    """

    false: float
    true: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The area under the ROC curve with its interval (DeLong, DeLong and Clarke-Pearson 1988, on the logit
    scale), the balanced accuracy of the best threshold, and the true positive rates at `RATES`."""

    members: int
    others: int
    area: float
    area_low: float
    area_high: float
    balanced_accuracy: float
    rates: tuple[Rate, ...]

    def measurable(self, rate: Rate) -> bool:
        """Whether at least one of the others may be named at that false positive rate: below, no share of
        them is so small."""
        return rate.false * self.others >= 1


@dataclass(frozen=True, kw_only=True)
class Ahead:
    """Of so many members, `found` stand before all but `but` of the others; `by_chance` as many would on
    average if all scores had one law, and so many or more with chance `p`."""

    members: int
    others: int
    but: int
    found: int

    @property
    def by_chance(self) -> float:
        """The others cut the members into `others` + 1 stretches, equally long on average."""
        return self.members * (self.but + 1) / (self.others + 1)

    @property
    def p(self) -> float:
        """At most `but` others are then among the first `found` + `but` of all.

        >>> round(Ahead(members=2031, others=406, but=0, found=12).p, 3)
        0.112
        """
        every = self.members + self.others
        return float(hypergeom.cdf(self.but, every, self.others, min(every, self.found + self.but)))

    @property
    def beyond_chance(self) -> bool:
        """Whether more stand there than chance explains."""
        return self.p <= RISK


RISK = 0.05
"""Chance at most that members are called exposed of whom nothing was given away."""


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """The mean of attacked models' areas and its interval by Student's t, within [0, 1]: what hangs on the
    draw of who trains, of first weights and of noise. With two models it is wide, and with one there is none:
    `ValueError`."""
    if len(values) < 2:
        raise ValueError(f"an interval over models needs two of them (got {len(values)})")
    found = np.asarray(values, dtype=np.float64)
    mean = float(found.mean())
    reach = float(t.isf((1 - confidence) / 2, len(found) - 1) * found.std(ddof=1) / np.sqrt(len(found)))
    return mean, max(0.0, mean - reach), min(1.0, mean + reach)


def difference(one: tuple[float, float, float], other: tuple[float, float, float]) -> tuple[float, float, float]:
    """By how much `one` exceeds `other`, each with the ends of its interval, and the interval of that (from
    the variances that both intervals imply: Zou and Donner 2008). It is for independent estimates; where
    both judge the same pairs it is rather too wide."""
    (first, low, high), (second, least, most) = one, other
    value = first - second
    return (
        value,
        value - float(np.hypot(first - low, most - second)),
        value + float(np.hypot(high - first, second - least)),
    )


def outcome(scores: Array, members: Bools, *, confidence: float = 0.95) -> Outcome:
    """Of the scores (T,) of targets, of which `members` (T,) were trained on.

    Raises `ValueError` where there are fewer than two members or two others, or a score is not a number.
    """
    scores, members = np.asarray(scores, dtype=np.float64), np.asarray(members, dtype=np.bool_)
    if scores.shape != members.shape or scores.ndim != 1:
        raise ValueError(f"scores and members must be of one shape (T,) (got {scores.shape}, {members.shape})")
    if np.isnan(scores).any():
        raise ValueError("a score is not a number")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1 (got {confidence})")
    present, absent = scores[members], scores[~members]
    if min(len(present), len(absent)) < 2:
        raise ValueError(
            f"an attack is judged on at least two members and two others (got {len(present)}, {len(absent)})"
        )
    low, high = _area_interval(present, absent, confidence)
    ordered = untied(scores)
    rates = tuple(_rate(ordered[members], ordered[~members], false, confidence) for false in RATES)
    return Outcome(
        members=len(present),
        others=len(absent),
        area=area(present, absent),
        area_low=low,
        area_high=high,
        balanced_accuracy=_balanced_accuracy(present, absent),
        rates=rates,
    )


def untied(scores: Array) -> Array:
    """(T,) ranks of the scores, equal ones in an order that fixed coins choose: what an attacker does with
    them who must name so many and no more."""
    ranks = np.empty(len(scores))
    ranks[np.lexsort((np.random.default_rng(len(scores)).random(len(scores)), scores))] = np.arange(len(scores))
    return ranks


def _rate(present: Array, absent: Array, false: float, confidence: float) -> Rate:
    """At the lowest threshold that at most the share `false` of the others exceeds."""
    allowed = int(np.floor(false * len(absent) + 1e-9))
    cut = np.sort(absent)[len(absent) - 1 - allowed]
    level = (1 - confidence) / 4
    # so many others are above the threshold that has this rate, fewest and most
    fewest, most = int(binom.ppf(level, len(absent), false)), int(binom.isf(level, len(absent), false))
    ordered = np.sort(absent)[::-1]
    surely = int((present >= ordered[fewest - 1]).sum()) if fewest else 0
    perhaps = int((present > ordered[most]).sum()) if most < len(absent) else len(present)
    return Rate(
        false=false,
        true=int((present > cut).sum()) / len(present),
        low=float(at_least(surely, len(present), level)),
        high=float(at_most(perhaps, len(present), level)),
    )


def _balanced_accuracy(present: Array, absent: Array) -> float:
    cuts = np.unique(np.concatenate([present, absent]))
    true = 1 - np.searchsorted(np.sort(present), cuts, side="left") / len(present)
    false = 1 - np.searchsorted(np.sort(absent), cuts, side="left") / len(absent)
    return float(max(0.5, ((true + 1 - false) / 2).max()))


def _area_interval(present: Array, absent: Array, confidence: float) -> tuple[float, float]:
    """From the variances of the shares of the other side that the scores exceed. Where the area is 0 or 1
    there are none: the interval is then that of Clopper and Pearson for the smaller side."""
    above, below = _placements(present, absent), 1 - _placements(absent, present)
    value = float(above.mean())
    smaller, level = min(len(present), len(absent)), (1 - confidence) / 2
    if value in (0.0, 1.0):
        hits = round(value * smaller)
        return float(at_least(hits, smaller, level)), float(at_most(hits, smaller, level))
    spread = np.sqrt(above.var(ddof=1) / len(above) + below.var(ddof=1) / len(below))
    reach = float(ndtri(1 - level) * spread / (value * (1 - value)))
    return float(expit(logit(value) - reach)), float(expit(logit(value) + reach))


def _placements(one: Array, other: Array) -> Array:
    """For each score of `one`, the share of `other` below it, ties counted half."""
    ordered = np.sort(other)
    counts = np.searchsorted(ordered, one, side="left") + np.searchsorted(ordered, one, side="right")
    return counts / (2.0 * len(other))
