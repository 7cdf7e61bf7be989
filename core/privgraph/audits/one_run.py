"""Auditing with one run and many canaries (Steinke, Nasr and Jagielski, NeurIPS 2023). NumPy and SciPy only.

Each of m canaries is in the run or out of it by a fair coin of its own, and the auditor guesses some of the
coins from what was released. Guessing well shows epsilon, with one training instead of thousands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import binom

SHARES = (0.05, 0.2, 1.0)
"""Shares of the canaries that are guessed, the most telling scores first; each has its part of what may go
wrong."""

LARGEST = 60.0
"""No bound above this is looked for."""


def p_value(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The chance, at most, that `right` or more of `guesses` are right where the run is (epsilon,
    delta)-private.

    Steinke et al., Theorem 5.2. For delta = 0 the number of right guesses is stochastically below W ~
    Binomial(r, p) with p = e^epsilon/(1 + e^epsilon): whatever was released, each coin has odds of at most
    e^epsilon given the others. Delta adds at most 2 m delta max over i of Pr[v - i <= W < v]/i: with chance
    at most 2 m delta in all, guesses get help, and help that must turn i wrong guesses into right ones is i
    times as rare.
    """
    if not 0 <= right <= guesses <= canaries:
        raise ValueError(f"p_value: {right} right of {guesses} guesses on {canaries} canaries cannot be")
    chance = float(expit(epsilon))
    tail = float(binom.sf(right - 1, guesses, chance))
    if delta == 0 or right == 0:
        return min(1.0, tail)
    below = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, chance))
    help_ = float((below / np.arange(1, right + 1)).max())
    return min(1.0, tail + 2 * canaries * delta * help_)


def epsilon_of(canaries: int, guesses: int, right: int, delta: float, level: float) -> float:
    """The largest epsilon that so many right guesses refute at `level`: bisection, since the p-value grows
    with epsilon."""
    low, high = 0.0, LARGEST
    if p_value(canaries, guesses, right, 0.0, delta) > level:
        return 0.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if p_value(canaries, guesses, right, middle, delta) <= level else (low, middle)
    return low


def one_run_epsilon(scores: NDArray[np.float64], included: NDArray[np.bool_], delta: float, confidence: float) -> float:
    """A lower bound on epsilon, right with chance `confidence`, from one run.

    scores (m,): functions of what was released, large where a canary seems to be in. included (m,): fair,
    independent coins, which the scores know only through the release. Of r guesses, the r/2 highest scores
    are said to be in and the r/2 lowest out; the others are passed over. Every r of `SHARES` is tried, at an
    equal part of what the confidence leaves.
    """
    scores, included = np.asarray(scores, dtype=np.float64), np.asarray(included, dtype=np.bool_)
    if scores.shape != included.shape or scores.ndim != 1 or len(scores) < 2:
        raise ValueError(f"one_run_epsilon needs a score and a coin each of two canaries or more (got {scores.shape})")
    if np.isnan(scores).any():
        raise ValueError("a score is not a number")
    order = np.argsort(scores, kind="stable")
    best = 0.0
    for share in SHARES:
        half = max(1, int(share * len(scores)) // 2)
        right = int(included[order[-half:]].sum() + (~included[order[:half]]).sum())
        best = max(best, epsilon_of(len(scores), 2 * half, right, delta, (1 - confidence) / len(SHARES)))
    return best
