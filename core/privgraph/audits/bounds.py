"""Lower bounds on epsilon from scores on two neighbouring datasets: one with the protected unit, one without
it. NumPy and SciPy only.

Unit and relation are those of the guarantee that is audited; a trial is one play of everything that is
released, and trials are independent. Scores are any functions of what was released. If it is (epsilon,
delta)-private, then for every event E, P(E) <= e^epsilon Q(E) + delta, where P and Q are the datasets in
either order: so a P(E) that is large and a Q(E) that is small show epsilon >= log((P(E) - delta)/Q(E))
(Jagielski, Ullman and Oprea 2020).

E is chosen on the first half of the trials: which score, above or below which threshold, in which order of
the datasets. On the second half, which that choice never saw, exactly one pair of chances is bounded: P(E)
from below and Q(E) from above, by Clopper and Pearson, each failing with half of what the confidence leaves.
That holds whatever the mechanism is.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv, ndtr, ndtri, rel_entr

from privgraph.privacy.composition import gaussian_epsilon

Array = NDArray[np.float64]
_Measure = Callable[[Array, Array], Array]


MOST_TURNS = 1_000_000
"""More audits of one run would leave each so little that floats cannot say it."""


def shared_confidence(confidence: float, turn: int) -> float:
    """How sure the audit that is the `turn`-th of its run must be, so that all of them together are right as
    often as `confidence`.

    Turns count from 1, and are given before an audit has seen anything; turn 0 is an audit that stands alone.
    With a = 1 - confidence, the k-th may be wrong with chance a/(k (k + 1)): these sum to a over all k, so
    the chance that any audit of the run is ever wrong is at most a (union bound), whenever somebody stops
    auditing. That takes each to be wrong with its chance whatever the earlier ones have told: audits draw
    all that they judge by anew, by a secret key and the turn. Attacks on one run share its training nodes and
    answers, so theirs must not be chosen by what an earlier one told, which the note of each says. So the
    largest of all bounds holds at `confidence`. (An equal part for each of the audits made so far would not
    do: whoever goes on until a bound pleases would have a (1 + 1/2 + 1/3 + ...).) Where audits of a run ask
    for different confidences, a_k/(k (k + 1)) sum to at most the largest a_k, and the smallest confidence
    holds.

    >>> [round(shared_confidence(0.95, turn), 4) for turn in (0, 1, 2, 20)]
    [0.95, 0.975, 0.9917, 0.9999]
    """
    if not 0 <= turn <= MOST_TURNS:
        raise ValueError(f"turn must lie between 0 and {MOST_TURNS:,} (got {turn})")
    return 1 - (1 - confidence) / (turn * (turn + 1)) if turn else confidence


def shared_notes(confidence: float, turn: int) -> tuple[str, ...]:
    """What that is, for people; nothing for an audit that stands alone."""
    if not turn:
        return ()
    return (
        f"it took turn {turn} among the audits and attacks of this run: each of its bounds is evaluated at "
        f"{100 * shared_confidence(confidence, turn):.6g}%, so that all audits of the run together are right "
        f"at {100 * confidence:g}%, however many follow, as long as none asks for less, and nobody tries them out "
        "elsewhere first, chooses an attack by what an earlier one told, or deletes the run and begins anew",
    )


CANDIDATES = 400
"""Thresholds tried for each score, spread over the pooled scores of the first half, dense in both tails."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """A score above (or below) a threshold; `with_unit` tells in which dataset it ought to be likely."""

    column: int
    threshold: float
    above: bool
    with_unit: bool

    def share(self, scores: Array) -> tuple[int, int]:
        """How many of the trials (n, S) are in the event, and of how many."""
        inside = scores[:, self.column] > self.threshold
        return int((inside if self.above else ~inside).sum()), len(inside)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A lower bound `epsilon`, the event that shows it, and the chances behind it: P(E) is at least `likely`,
    Q(E) at most `unlikely`, together at the stated confidence. `mu`: for the Gaussian route, the shift that
    was shown."""

    epsilon: float
    event: Event
    likely: float
    unlikely: float
    mu: float | None = None


def at_least(hits: Array | int, trials: int, level: float) -> Array:
    """A lower limit on a chance that fails with chance `level` at most (Clopper and Pearson 1934)."""
    hits = np.asarray(hits, dtype=np.float64)
    return np.where(hits > 0, betaincinv(np.maximum(hits, 1), trials - np.maximum(hits, 1) + 1, level), 0.0)


def at_most(hits: Array | int, trials: int, level: float) -> Array:
    """An upper limit on a chance that fails with chance `level` at most."""
    return np.asarray(1 - at_least(trials - np.asarray(hits, dtype=np.float64), trials, level))


def mean_of_shares(mean: float, count: int, level: float) -> tuple[float, float]:
    """An interval for the expected mean of `count` independent numbers in [0, 1] whose mean was `mean`: each
    end fails with chance `level` at most.

    Whatever their laws, such a mean lies at x or further from its expectation p, on that side, with chance
    exp(-count KL(x, p)) at most, KL that of two coins (Hoeffding 1963, Theorem 1): an end is where that is
    `level`.
    """
    room = -math.log(level) / count

    def beyond(p: float) -> float:
        return float(rel_entr(mean, p) + rel_entr(1 - mean, 1 - p)) - room

    first, last = 1e-300, 1 - 1e-16
    low = brentq(beyond, first, mean) if mean > first and beyond(first) > 0 else 0.0
    high = brentq(beyond, mean, last) if mean < last and beyond(last) > 0 else 1.0
    return float(low), float(high)


def most_by_threshold(trials: int, *, delta: float, confidence: float) -> float:
    """The largest bound that `threshold_bound` can give at `delta` with so many trials on a dataset: that of
    an attack which is never wrong on the half that judges."""
    half, level = trials // 2, (1 - confidence) / 2
    likely, unlikely = float(at_least(half, half, level)), float(at_most(0, half, level))
    return max(0.0, math.log(max(likely - delta, 1e-300) / unlikely))


def threshold_bound(present: Array, absent: Array, *, delta: float, confidence: float) -> Shown:
    """A lower bound on epsilon at `delta`, right with chance `confidence` whatever the mechanism is.

    present, absent: scores (n,) or (n, S) of independent trials with and without the unit, in the order in
    which they were played. Raises `ValueError` for fewer than four trials on a dataset, and for scores that
    are not numbers.
    """

    def epsilons(likely: Array, unlikely: Array) -> Array:
        return np.log(np.maximum(likely - delta, 1e-300) / np.maximum(unlikely, 1e-300))

    event, likely, unlikely = _bounded(present, absent, confidence, epsilons)
    return Shown(
        epsilon=max(0.0, float(epsilons(likely, unlikely))), event=event, likely=float(likely), unlikely=float(unlikely)
    )


def gaussian_bound(present: Array, absent: Array, *, delta: float, confidence: float) -> Shown:
    """The same where all that is released is Gaussian noise on something of a fixed shift (Nasr et al. 2023,
    section 4).

    The datasets are then N(0, 1) against N(mu, 1), for whose events P(E) <= Phi(Phi^-1(Q(E)) + mu): so mu is
    at least Phi^-1(P(E)) - Phi^-1(Q(E)), and epsilon is the exact one of that Gaussian. It shows much more
    with few trials than a threshold does, since no chance below 1/n has to be seen; it is right for
    mechanisms whose trade-off is that of a Gaussian, and for no others. Arguments as for `threshold_bound`.
    """

    def shifts(likely: Array, unlikely: Array) -> Array:
        return np.asarray(ndtri(np.clip(likely, 1e-300, 1)) - ndtri(np.clip(unlikely, 1e-300, 1)))

    event, likely, unlikely = _bounded(present, absent, confidence, shifts)
    mu = max(0.0, float(shifts(likely, unlikely)))
    return Shown(
        epsilon=gaussian_epsilon(mu, delta) if delta else 0.0,
        event=event,
        likely=float(likely),
        unlikely=float(unlikely),
        mu=mu,
    )


def least_shift(present: Array, absent: Array, *, confidence: float) -> float:
    """A lower bound on the shift mu between two Gaussians of one unknown scale, in units of it, right with
    chance `confidence`, and exactly so.

    present (n,), absent (k,): independent draws of N(a + mu s, s^2) and N(a, s^2). The two-sample statistic
    t = (mean of present - mean of absent)/(S sqrt(1/n + 1/k)), S^2 the pooled variance, follows the
    non-central t distribution with n + k - 2 degrees of freedom and non-centrality mu/sqrt(1/n + 1/k), which
    grows with mu: the mu at which a t as large has chance 1 - `confidence` is the limit. All draws judge, and
    no event has to be chosen. Infinite where the samples differ, and neither has any spread. Raises
    `ValueError` as `threshold_bound` does.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1 (got {confidence})")
    one, other = (_columns(sample)[:, 0] for sample in (present, absent))
    largest = max(float(np.abs(one - one.mean()).max()), float(np.abs(other - other.mean()).max()))
    if 0 < largest < math.inf:  # squares of what is tiny would be nothing
        one, other = one / largest, other / largest
    freedom, unit = len(one) + len(other) - 2, math.sqrt(1 / len(one) + 1 / len(other))
    squares = float(np.square(one - one.mean()).sum() + np.square(other - other.mean()).sum())
    gap = float(one.mean() - other.mean())
    if gap <= 0:
        return 0.0
    if squares == 0:
        return math.inf  # any scale above zero would show some spread: the noise is not there at all
    seen = gap / (math.sqrt(squares / freedom) * unit)
    # given the pooled deviation s, in true ones, t is normal; (freedom s^2) is chi-square, and 14 standard
    # deviations of s are all there is of it in floats
    reach = 14 / math.sqrt(2 * freedom)
    spread = np.linspace(max(1e-9, 1 - reach), 1 + reach, 4001)
    density = (freedom - 1) * np.log(spread) - freedom * np.square(spread) / 2
    weight = np.exp(density - density.max())
    weight /= weight.sum()

    def as_large(centre: float) -> float:
        return float(weight @ ndtr(centre - seen * spread))

    low, high = 0.0, seen * (1 + reach) + 10
    if as_large(0.0) > 1 - confidence:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if as_large(middle) <= 1 - confidence else (low, middle)
    return low * unit


def _bounded(present: Array, absent: Array, confidence: float, measure: _Measure) -> tuple[Event, Array, Array]:
    """The event that the first half recommends, and its two limits on the second half."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1 (got {confidence})")
    datasets = [_columns(scores) for scores in (present, absent)]
    first, second = [[scores[half] for scores in datasets] for half in (slice(0, None, 2), slice(1, None, 2))]
    level = (1 - confidence) / 2
    # Stricter limits choose: an event of the far tail that looks best by luck would disappoint.
    event = _chosen(first[0], first[1], level**2, measure)
    if not event.with_unit:
        second.reverse()
    return event, at_least(*event.share(second[0]), level), at_most(*event.share(second[1]), level)


def _columns(scores: Array) -> Array:
    scores = np.asarray(scores, dtype=np.float64)
    scores = scores[:, None] if scores.ndim == 1 else scores
    if len(scores) < 4:
        raise ValueError(f"a bound needs at least four trials on each dataset (got {len(scores)})")
    if np.isnan(scores).any():
        raise ValueError("a score is not a number")
    return scores


def _chosen(present: Array, absent: Array, level: float, measure: _Measure) -> Event:
    """The event whose own limits on these trials show most; of equally good neighbours the middle one."""
    sizes = len(present), len(absent)
    best, event = -math.inf, Event(column=0, threshold=0.0, above=True, with_unit=True)
    for column in range(present.shape[1]):
        one, other = np.sort(present[:, column]), np.sort(absent[:, column])
        cuts = _cuts(np.concatenate([one, other]))
        up = [
            len(dataset) - np.searchsorted(dataset, cuts, side="right").astype(np.float64) for dataset in (one, other)
        ]
        for above in (True, False):
            hits = up if above else [size - count for size, count in zip(sizes, up, strict=True)]
            for with_unit in (True, False):
                likely, unlikely = (0, 1) if with_unit else (1, 0)
                shown = measure(
                    at_least(hits[likely], sizes[likely], level), at_most(hits[unlikely], sizes[unlikely], level)
                )
                top = float(shown.max())
                if top > best:
                    equal = np.flatnonzero(shown >= top)
                    best = top
                    event = Event(
                        column=column, threshold=float(cuts[equal[len(equal) // 2]]), above=above, with_unit=with_unit
                    )
    return event


def _cuts(pooled: Array) -> Array:
    """Midpoints between neighbouring values, at most `CANDIDATES`: all of them in the tails, few in the
    middle."""
    values = np.unique(pooled[np.isfinite(pooled)])
    if len(values) < 2:
        return values if len(values) else np.zeros(1)
    cuts = values[:-1] + np.diff(values) / 2
    if len(cuts) <= CANDIDATES:
        return cuts
    quarter = CANDIDATES // 4
    steps = np.unique(np.geomspace(1, len(cuts) / 2, quarter).astype(np.int64)) - 1
    middle = np.linspace(0, len(cuts) - 1, CANDIDATES - 2 * len(steps)).astype(np.int64)
    places: Array = cuts[np.unique(np.concatenate([steps, len(cuts) - 1 - steps, middle]))]
    return places
