"""The bound on epsilon from who trained: fair coins, coverage, and a twin that is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from privgraph.attacks.exchange import STEPS, differences, exchange_bound, group_delta
from privgraph.audits.one_run import one_run_epsilon
from privgraph.privacy.kinds import Neighbours

EPSILON = 1.0


def drawn(seed: int, pool: int = 400, members: int = 300) -> tuple[NDArray[np.bool_], np.random.Generator]:
    random = np.random.default_rng(seed)
    trained = np.zeros(pool, dtype=np.bool_)
    trained[random.permutation(pool)[:members]] = True
    return trained, random


def answers(trained: NDArray[np.bool_], epsilon: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Every node says whether it trained, by randomised response: a release whose loss for one node is
    exactly epsilon, and for two that exchange their places twice that."""
    honest = random.random(len(trained)) < math.exp(epsilon) / (1 + math.exp(epsilon))
    return np.where(honest, trained, ~trained).astype(float)


def test_which_of_a_pair_is_first_is_a_fair_coin_and_the_gap_is_theirs() -> None:
    trained, random = drawn(0)
    scores = random.normal(size=len(trained)) + 10 * trained
    gaps, first = differences(scores, trained, random)
    assert len(gaps) == 100
    assert ((gaps > 0) == first).all(), "a member's score is larger here"
    heads = [differences(scores, trained, np.random.default_rng(seed))[1].mean() for seed in range(40)]
    assert abs(np.mean(heads) - 0.5) < 4 * 0.5 / np.sqrt(4000)


def test_every_node_of_the_smaller_side_has_one_partner() -> None:
    trained, random = drawn(1)
    scores = np.where(trained, 0.0, 2.0 ** (np.cumsum(~trained) % 50))
    gaps, _ = differences(scores, trained, random)
    assert sorted(abs(gaps)) == sorted(scores[~trained])


@pytest.mark.parametrize("steps", [2, 4])
def test_the_bound_covers_and_a_twin_that_forgets_the_walk_does_not(steps: int) -> None:
    """The loss of an exchange is 2 EPSILON, which is that of `steps` steps of 2 EPSILON/steps each."""
    truth, over, naive = 2 * EPSILON / steps, 0, 0
    for seed in range(200):
        trained, random = drawn(seed, 1600, 1000)
        gaps, first = differences(answers(trained, EPSILON, random), trained, random)
        over += exchange_bound(gaps, first, steps=steps, delta=0.0, confidence=0.9) > truth
        naive += one_run_epsilon(gaps, first, 0.0, 0.9) > truth
    assert over <= 33
    assert naive > 100, "a bound on the exchange is none on a step"


def test_it_shows_something_where_there_is_something() -> None:
    shown = []
    for seed in range(20):
        trained, random = drawn(seed, 2000, 1000)
        gaps, first = differences(answers(trained, 2.0, random), trained, random)
        shown.append(exchange_bound(gaps, first, steps=2, delta=0.0, confidence=0.95))
    assert 1.0 < np.mean(shown) < 2.0


def test_delta_of_a_walk() -> None:
    assert group_delta(0.0, 1e-3, 4) == pytest.approx(4e-3)
    assert group_delta(1.5, 1e-3, 3) == pytest.approx(1e-3 * (math.exp(4.5) - 1) / (math.exp(1.5) - 1))
    assert group_delta(50.0, 1e-3, 4) == 1.0
    trained, random = drawn(0, 2000, 1000)
    gaps, first = differences(answers(trained, 2.0, random), trained, random)
    bounds = [exchange_bound(gaps, first, steps=2, delta=delta, confidence=0.95) for delta in (0.0, 1e-5, 1e-3, 0.1)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < bounds[0]


def test_relations_that_freeze_a_sample_have_no_walk() -> None:
    assert STEPS == {Neighbours.NODE_RECORD: 2, Neighbours.NODE: 4}


def test_too_few_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="two pairs or more"):
        exchange_bound(np.zeros(1), np.ones(1, dtype=bool), steps=2, delta=0.0, confidence=0.95)
