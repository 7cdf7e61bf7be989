"""Bounds from one run against formulas written down here, where canaries, guesses and right guesses are three
numbers."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from privgraph.audits.one_run import epsilon_of, excluded, p_value

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


def most(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The largest chance of `right` or more that R_k <= F(H_(k-1)) leave, by linear programming: F is the
    least of three lines."""
    counts, rows, limits = np.arange(guesses + 1), [], []
    grow, shrink = math.exp(epsilon), math.exp(-epsilon)
    for k in range(1, guesses + 1):
        hits = (counts >= k) * counts / canaries
        misses = (counts >= k - 1) * (guesses - counts) / canaries
        rows += [hits - grow * misses, hits - shrink * misses, hits]
        limits += [delta, 1 - shrink * (1 - delta), 1.0]
    found = linprog(
        -(counts >= right).astype(float),
        A_ub=np.array(rows),
        b_ub=limits,
        A_eq=np.ones((1, guesses + 1)),
        b_eq=[1.0],
        bounds=(0, 1),
    )
    assert found.status == 0
    return float(-found.fun)


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
