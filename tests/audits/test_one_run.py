"""One run, many canaries: coverage of its bounds, by simulation of mechanisms whose privacy is known, and
twins that are wrong."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import linprog
from scipy.special import ndtr, ndtri

from privgraph.audits import one_run
from privgraph.audits.one_run import (
    LARGEST_SHIFT,
    epsilon_of,
    excluded,
    most_in_one_run,
    one_run_epsilon,
    one_run_shift,
    p_value,
    too_rare,
)

Array = NDArray[np.float64]
REPETITIONS = 400
SELDOM = int(stats.binom.isf(1e-3, REPETITIONS, 0.1))
"""A bound at 90% exceeds the truth more often than that with chance 1/1,000."""


def responses(epsilon: float, canaries: int, confidence: float) -> Array:
    """Bounds from canaries that answer by randomised response of this epsilon; ties fall at random."""
    generator = np.random.default_rng(1)
    honest = math.exp(epsilon) / (1 + math.exp(epsilon))
    found = []
    for _ in range(REPETITIONS):
        included = generator.random(canaries) < 0.5
        answers = included == (generator.random(canaries) < honest)
        found.append(one_run_epsilon(answers + generator.random(canaries) / 10, included, 0.0, confidence))
    return np.array(found)


@pytest.mark.parametrize(("epsilon", "canaries"), [(0.25, 200), (0.5, 400)])
@pytest.mark.long
def test_the_shares_of_guesses_err_together_as_seldom_as_they_say(epsilon: float, canaries: int) -> None:
    assert (responses(epsilon, canaries, 0.9) > epsilon).sum() <= SELDOM
    undivided = 1 - len(one_run.SHARES) * 0.1
    assert (responses(epsilon, canaries, undivided) > epsilon).sum() > SELDOM, "each share at the whole level is seen"


def test_the_highest_and_the_lowest_scores_are_guessed_and_counted() -> None:
    scores = np.array([5.0, 1.0, 4.0, 2.0, 3.0, 0.0, 9.0, 8.0, 7.0, 6.0])
    included = np.array([1, 0, 0, 1, 1, 0, 1, 1, 0, 1], dtype=bool)
    assert one_run._guessed(scores, included) == [(2, 2), (2, 2), (10, 7)]


def test_one_guess_too_many_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    guessed = one_run._guessed

    def generous(scores: Array, included: NDArray[np.bool_]) -> list[tuple[int, int]]:
        return [(guesses, min(guesses, right + 1)) for guesses, right in guessed(scores, included)]

    monkeypatch.setattr(one_run, "_guessed", generous)
    assert (responses(0.25, 200, 0.9) > 0.25).sum() > SELDOM


def least_under(mu: float) -> Callable[[float], float]:
    return lambda hits: float(ndtr(ndtri(hits) - mu))


def largest(canaries: int, guesses: int, right: int, lines: Sequence[tuple[float, float]]) -> float:
    """The largest chance of `right` or more that R_k <= F(H_(k-1)) leave, by linear programming: F is the
    least of lines, each a slope and a height."""
    counts, slopes, heights = np.arange(guesses + 1), *np.transpose(lines)
    rows = []
    for k in range(1, guesses + 1):
        hits, misses = (counts >= k) * counts / canaries, (counts >= k - 1) * (guesses - counts) / canaries
        rows += list(hits[None, :] - slopes[:, None] * misses[None, :])
    found = linprog(
        -(counts >= right).astype(float),
        A_ub=np.array(rows),
        b_ub=np.tile(heights, guesses),
        A_eq=np.ones((1, guesses + 1)),
        b_eq=[1.0],
        bounds=(0, 1),
    )
    assert found.status == 0
    return float(-found.fun)


def tangents(mu: float) -> list[tuple[float, float]]:
    """Of the trade-off of a Gaussian shift."""
    touched = ndtr(np.linspace(-7, 4, 500))
    slopes = np.exp(-mu * ndtri(touched) - mu**2 / 2)
    return list(zip(slopes, ndtr(ndtri(touched) + mu) - slopes * touched, strict=True))


def most(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The largest chance by the three lines of (epsilon, delta)."""
    shrink = math.exp(-epsilon)
    lines = [(math.exp(epsilon), delta), (shrink, 1 - shrink * (1 - delta)), (0.0, 1.0)]
    return largest(canaries, guesses, right, lines)


@pytest.mark.parametrize(("m", "r", "v", "mu"), [(10, 10, 9, 0.5), (20, 10, 9, 1.0), (12, 6, 5, 0.0)])
def test_what_is_too_rare_for_a_gaussian_is_what_no_law_allows(m: int, r: int, v: int, mu: float) -> None:
    """The recursion finds the optimum that the theorem's constraints leave, from both sides."""
    at = largest(m, r, v, tangents(mu))
    assert 0 < at < 1
    assert not too_rare(m, r, v, least_under(mu), at * 0.995)
    assert too_rare(m, r, v, least_under(mu), min(1.0, at * 1.005))
    assert not too_rare(m, r, v, least_under(mu + 0.05), at), "a larger shift allows more"


@pytest.mark.parametrize("common", [0.0, 2.0])
def test_the_shift_of_a_gaussian_is_covered_at_any_scale_and_whatever_canaries_share(common: float) -> None:
    """It is loose: canaries with noise of their own are not the worst that the theorem must allow for."""
    generator, limits = np.random.default_rng(2), []
    for _ in range(REPETITIONS):
        included = generator.random(200) < 0.5
        scores = 2 * included + generator.normal(size=200) + common * generator.normal()
        limits.append(one_run_shift(7 * scores - 3, included, 0.9))
    found = np.array(limits)
    assert (found > 2.0).sum() <= SELDOM
    assert 0.8 < np.median(found) < 2.0
    assert (found > 0.75).sum() > SELDOM, "a guarantee of three eighths of the shift is refuted"


def test_coins_that_nobody_knows_show_no_shift_and_wrong_input_is_refused() -> None:
    generator = np.random.default_rng(3)
    included = generator.random(500) < 0.5
    assert one_run_shift(generator.normal(size=500), included, 0.95) < 0.3
    assert one_run_shift(-included.astype(float), included, 0.95) == 0, "members and others swapped"
    known = one_run_shift(included.astype(float), included, 0.95)
    assert 1.2 < known < one_run_shift(np.arange(500) / 1.0, np.arange(500) >= 250, 0.95) < LARGEST_SHIFT
    for wrong, message in ((np.zeros(3), "score and a coin"), (np.full(500, np.nan), "not a number")):
        with pytest.raises(ValueError, match=message):
            one_run_shift(wrong, included, 0.95)
    with pytest.raises(ValueError, match="cannot be"):
        too_rare(10, 4, 5, least_under(1.0), 0.1)


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_the_most_that_canaries_can_show_is_what_right_guesses_alone_show(delta: float) -> None:
    included = np.arange(100) < 50
    found = most_in_one_run(100, delta, 0.95)
    assert found == one_run_epsilon(included.astype(float), included, delta, 0.95)
    if not delta:  # all of 100 coins: (e^epsilon / (1 + e^epsilon))^100 is a third of 5%
        right = (0.05 / 3) ** (1 / 100)
        assert found == pytest.approx(np.log(right / (1 - right)), abs=1e-6)


CASES = [(400, 40, 36, 1.0, 1e-4), (100, 20, 20, 2.0, 1e-3), (1000, 50, 45, 1.5, 1e-5), (30, 10, 9, 0.5, 2e-3)]


def steinke(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """Theorem 5.2 of Steinke, Nasr and Jagielski (2023), term by term, in sums of exact binomials."""
    honest = math.exp(epsilon) / (1 + math.exp(epsilon))

    def law(count: int) -> float:
        return math.comb(guesses, count) * honest**count * (1 - honest) ** (guesses - count)

    tail = math.fsum(law(count) for count in range(right, guesses + 1))
    helped = max(math.fsum(law(count) for count in range(max(0, right - i), right)) / i for i in range(1, canaries + 1))
    return min(1.0, tail + 2 * canaries * delta * helped)


@pytest.mark.parametrize(("canaries", "guesses", "right", "epsilon", "delta"), CASES)
def test_the_chance_is_the_theorems(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> None:
    by_hand = steinke(canaries, guesses, right, epsilon, delta)
    assert p_value(canaries, guesses, right, epsilon, delta) == pytest.approx(by_hand, rel=1e-9)
    assert by_hand > 1.02 * steinke(guesses, guesses, right, epsilon, delta), "delta helps all canaries"
    assert by_hand > 1.02 * steinke(canaries, guesses, right, epsilon, 0.0)
    assert by_hand < 0.98 * steinke(2 * canaries, guesses, right, epsilon, delta)


@pytest.mark.parametrize(
    ("canaries", "guesses", "right", "epsilon", "delta"), [CASES[1], CASES[3], (60, 12, 11, 1.0, 1e-2)]
)
def test_what_is_excluded_is_what_no_law_allows(
    canaries: int, guesses: int, right: int, epsilon: float, delta: float
) -> None:
    at = most(canaries, guesses, right, epsilon, delta)
    assert 0 < at < 1
    assert not excluded(canaries, guesses, right, epsilon, delta, at * 0.995)
    assert excluded(canaries, guesses, right, epsilon, delta, min(1.0, at * 1.005))
    assert abs(math.log(at / most(guesses, guesses, right, epsilon, delta))) > 0.01, "the canaries are more"


@pytest.mark.parametrize(("canaries", "guesses", "right", "_", "delta"), CASES[:3])
def test_the_bound_is_where_one_of_the_two_is_at_its_level(
    canaries: int, guesses: int, right: int, _: float, delta: float
) -> None:
    level = 0.05 / 3
    bound = epsilon_of(canaries, guesses, right, delta, level)
    assert bound > 0

    def refuted(epsilon: float) -> bool:
        return (
            steinke(canaries, guesses, right, epsilon, delta) <= level
            or most(canaries, guesses, right, epsilon, delta) < level
        )

    assert refuted(bound - 1e-3)
    assert not refuted(bound + 1e-3)
