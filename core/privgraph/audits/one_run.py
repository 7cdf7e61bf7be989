"""Auditing with one run and many canaries. NumPy and SciPy only.

Each of m canaries is in the run or out of it by a fair coin of its own, and the auditor guesses some of the
coins from what was released. Guessing well shows epsilon, with one training instead of thousands.

How many guesses are right is bounded in two ways, each of which holds by itself: that of Steinke, Nasr and
Jagielski (NeurIPS 2023), which is exact where delta is 0, and that of Mahloujifar, Melis and Chaudhuri (arXiv
2410.22235), which pays less for delta. Both bound the chance of the same event, so that the smaller bound
holds, and nothing is paid for trying both.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri
from scipy.stats import binom

SHARES = (0.05, 0.2, 1.0)
"""Shares of the canaries that are guessed, the most telling scores first; each has its part of what may go
wrong."""

LARGEST = 60.0
LARGEST_SHIFT = 20.0
"""No bound on epsilon, and none on a Gaussian's shift, above these is looked for."""


def p_value(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The chance, at most, that `right` or more of `guesses` are right where the run is (epsilon,
    delta)-private.

    Steinke et al., Theorem 5.2. For delta = 0 the number of right guesses is stochastically below W ~
    Binomial(r, p) with p = e^epsilon/(1 + e^epsilon): whatever was released, each coin has odds of at most
    e^epsilon given the others. Delta adds at most 2 m delta max over i of Pr[v - i <= W < v]/i: with chance
    at most 2 m delta in all, guesses get help, and help that must turn i wrong guesses into right ones is i
    times as rare. Help may also hang together with which guesses are wrong: where right guesses are no rare
    event, the sum can then be a little too small (by up to 2% of itself, found by linear programming at
    chances above a third, and never below). There it is called 1: nobody judges at such a level.
    """
    if not 0 <= right <= guesses <= canaries:
        raise ValueError(f"p_value: {right} right of {guesses} guesses on {canaries} canaries cannot be")
    chance = float(expit(epsilon))
    tail = float(binom.sf(right - 1, guesses, chance))
    if delta == 0 or right == 0:
        return min(1.0, tail)
    if tail > 1 / 3:
        return 1.0
    below = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, chance))
    help_ = float((below / np.arange(1, right + 1)).max())
    return min(1.0, tail + 2 * canaries * delta * help_)


def excluded(canaries: int, guesses: int, right: int, epsilon: float, delta: float, level: float) -> bool:
    """Whether `right` or more of `guesses` being right has a chance below `level` where the run is (epsilon,
    delta)-private: `too_rare` for F(x) = min(1, delta + e^epsilon x, 1 - e^-epsilon (1 - delta - x))."""
    grow, shrink = math.exp(epsilon), math.exp(-epsilon)

    def least(hits: float) -> float:
        return max(0.0, shrink * (hits - delta), 1 - delta - grow * (1 - hits))

    return too_rare(canaries, guesses, right, least, level)


def too_rare(canaries: int, guesses: int, right: int, least: Callable[[float], float], level: float) -> bool:
    """Whether `right` or more of `guesses` being right has a chance below `level` where the trade-off of the
    run is at least f. With F = 1 - f, `least(y)` is the smallest x in [0, 1] with F(x) >= y.

    Mahloujifar, Melis and Chaudhuri (2024), for any f: given all other coins, and with either side of one
    coin as Q and the other as P, P(E) <= F(Q(E)) for every event E. Let K be the number of right guesses
    among r, and p_k = P[K = k]. Fix all coins but the i-th, and let A be the event that guess i names one
    side and at least k - 1 others are right. Its chance under that side of coin i is at most F of that under
    the other.
    F is concave, so that this survives averaging over sides, coins and i (Jensen): with R_k = sum over j >= k
    of j p_j / m and H_k = sum over j >= k of (r - j) p_j / m,

        R_k <= F(H_(k-1)), for every k.

    What total mass do these allow beside a tail P[K >= v] = `level`? The least is had with all of the tail at
    v, and then from k = v - 1 downwards with the least p_k for which H_k reaches the smallest x with F(x) =
    R_(k+1): mass at k that no constraint needs may be moved to k - 1, which keeps the total, lowers each R,
    and lowers no H that a constraint reads. Where even the least exceeds 1, the tail is rarer than `level`.
    """
    if not 0 <= right <= guesses <= canaries:
        raise ValueError(f"too_rare: {right} right of {guesses} guesses on {canaries} canaries cannot be")
    most = guesses / canaries * (1 + 1e-9)  # the sum of all R and H, and what rounding may add
    hits, misses = level * right / canaries, level * (guesses - right) / canaries
    for count in range(right - 1, -1, -1):
        needed = least(min(hits, 1.0))
        if needed <= misses:
            return False  # nothing more is needed, here or further down
        hits += count / (guesses - count) * (needed - misses)
        misses = needed
        if hits + misses > most:
            return True
    return False


def refuted(canaries: int, guesses: int, right: int, epsilon: float, delta: float, level: float) -> bool:
    """Whether so many right guesses refute (epsilon, delta) at `level`, by either bound."""
    if p_value(canaries, guesses, right, epsilon, delta) <= level:
        return True
    return delta > 0 and excluded(canaries, guesses, right, epsilon, delta, level)


def epsilon_of(canaries: int, guesses: int, right: int, delta: float, level: float) -> float:
    """The largest epsilon that so many right guesses refute at `level`: bisection, since both bounds grow
    with epsilon."""
    low, high = 0.0, LARGEST
    if not refuted(canaries, guesses, right, 0.0, delta, level):
        return 0.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(canaries, guesses, right, middle, delta, level) else (low, middle)
    return low


def one_run_epsilon(scores: NDArray[np.float64], included: NDArray[np.bool_], delta: float, confidence: float) -> float:
    """A lower bound on epsilon, right with chance `confidence`, from one run.

    scores (m,): functions of what was released, large where a canary seems to be in. included (m,): fair,
    independent coins, which the scores know only through the release. Of r guesses, the r/2 highest scores
    are said to be in and the r/2 lowest out; the others are passed over. Every r of `SHARES` is tried, at an
    equal part of what the confidence leaves.
    """
    best = 0.0
    for guesses, right in _guessed(scores, included):
        best = max(best, epsilon_of(len(scores), guesses, right, delta, (1 - confidence) / len(SHARES)))
    return best


def most_in_one_run(canaries: int, delta: float, confidence: float) -> float:
    """The largest bound that `one_run_epsilon` can give with so many canaries: all guessed, and rightly."""
    return epsilon_of(canaries, canaries, canaries, delta, (1 - confidence) / len(SHARES))


def one_run_shift(scores: NDArray[np.float64], included: NDArray[np.bool_], confidence: float) -> float:
    """A lower bound on mu, right with chance `confidence`, from one run of a mechanism that is mu-Gaussian
    private.

    That is: given all other coins, telling the two sides of one coin apart is no easier than telling N(0, 1)
    from N(mu, 1) (Dong, Roth and Su 2022), so that F(x) = Phi(Phi^-1(x) + mu) in `too_rare`. Nothing else is
    assumed: not what canaries have in common, nor that a score is Gaussian, nor at what scale. What it says
    of epsilon (`composition.gaussian_epsilon`) holds for mechanisms whose trade-off is a Gaussian's, and for
    no others. Guesses and arguments as for `one_run_epsilon`.
    """
    best = 0.0
    for guesses, right in _guessed(scores, included):
        best = max(best, _shift_of(len(scores), guesses, right, (1 - confidence) / len(SHARES)))
    return best


def _shift_of(canaries: int, guesses: int, right: int, level: float) -> float:
    """The largest mu that so many right guesses refute at `level`: bisection, since F grows with mu."""

    def refutes(mu: float) -> bool:
        return too_rare(canaries, guesses, right, lambda hits: float(ndtr(ndtri(hits) - mu)), level)

    if not refutes(0.0):
        return 0.0
    low, high = 0.0, LARGEST_SHIFT
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if refutes(middle) else (low, middle)
    return low


def _guessed(scores: NDArray[np.float64], included: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """For every share of `SHARES`: how many canaries are guessed, and how many of these guesses are right."""
    scores, included = np.asarray(scores, dtype=np.float64), np.asarray(included, dtype=np.bool_)
    if scores.shape != included.shape or scores.ndim != 1 or len(scores) < 2:
        raise ValueError(f"a bound needs a score and a coin each of two canaries or more (got {scores.shape})")
    if np.isnan(scores).any():
        raise ValueError("a score is not a number")
    order = np.argsort(scores, kind="stable")
    halves = [max(1, int(share * len(scores)) // 2) for share in SHARES]
    return [(2 * half, int(included[order[-half:]].sum() + (~included[order[:half]]).sum())) for half in halves]
