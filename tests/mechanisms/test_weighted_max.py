"""Weighted votes: what one teacher moves, by enumeration; the chances of labels and gates; events that
hold."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats
from tests.secrets_made_here import secret

from privgraph.mechanisms.noisy_max import NoisyGate, NoisyMax, gate_chance, label_chances
from privgraph.papers.dp_gpl_votes import gate_event, vote_event
from privgraph.privacy.composition import gaussian_delta
from privgraph.privacy.events import Gaussian, PureDP

Array = NDArray[np.float64]

LEVEL = 1e-5
"""Chance of a false alarm of each check."""
WEIGHTS = np.array([0.5, 1.0, 2.0, 0.5])
CLASSES = 3


def histogram(votes: tuple[int, ...]) -> Array:
    return np.bincount(votes, weights=WEIGHTS, minlength=CLASSES)


def tables() -> Iterator[tuple[int, ...]]:
    return itertools.product(range(CLASSES), repeat=len(WEIGHTS))


def moved() -> Iterator[tuple[int, Array, Array]]:
    """Every table of votes beside every one in which one teacher votes otherwise: teacher, and both
    histograms."""
    for votes in tables():
        for teacher, label in itertools.product(range(len(WEIGHTS)), range(CLASSES)):
            if label != votes[teacher]:
                yield teacher, histogram(votes), histogram((*votes[:teacher], label, *votes[teacher + 1 :]))


def test_a_moved_vote_moves_its_weight_and_no_more() -> None:
    squares, largest = np.zeros((2, len(WEIGHTS)))
    for teacher, before, after in moved():
        squares[teacher] = max(squares[teacher], float(np.square(before - after).sum()))
        largest[teacher] = max(largest[teacher], abs(before.max() - after.max()))
    assert squares == pytest.approx(2 * WEIGHTS**2)
    assert largest == pytest.approx(WEIGHTS)


def test_where_all_votes_may_move_the_bound_is_their_number() -> None:
    """Any two tables: root two times the sum of the weights, and it is reached."""
    total = float(WEIGHTS.sum())
    known = [histogram(votes) for votes in tables()]
    squares = [float(np.square(one - other).sum()) for one in known for other in known]
    assert max(squares) == pytest.approx(2 * total**2)
    assert max(one.max() - other.max() for one in known for other in known) < total


def excess(law: Array, other: Array, epsilon: float) -> float:
    return float(np.maximum(law - math.exp(epsilon) * other, 0).sum())


def test_labels_of_neighbours_stay_within_the_event_and_would_not_within_sensitivity_one() -> None:
    """The exact laws of the label before and after one vote moves: delta at epsilons up to 3."""
    sigma = 1.5
    chances: dict[tuple[float, ...], Array] = {}
    worst = {"sound": -1.0, "printed": -1.0}
    for teacher, before, after in moved():
        laws = [chances.setdefault(tuple(one), label_chances(one, sigma)) for one in (before, after)]
        mu = 1 / vote_event(sigma, float(WEIGHTS[teacher])).noise_multiplier
        for epsilon in (0.0, 0.5, 1.0, 3.0):
            found = excess(laws[0], laws[1], epsilon)
            worst["sound"] = max(worst["sound"], found - gaussian_delta(epsilon, mu))
            worst["printed"] = max(worst["printed"], found - gaussian_delta(epsilon, mu / math.sqrt(2)))
    assert worst["sound"] <= 1e-12
    assert worst["printed"] > 0.05


def test_events_are_scaled_by_the_weight() -> None:
    assert NoisyMax(kind="gaussian", scale=8.0, weight=2.0).event() == vote_event(8.0, 2.0)
    assert NoisyMax(kind="exponential", scale=8.0, weight=2.0).event() == PureDP(epsilon=0.5)
    assert (
        NoisyGate(std=8.0, threshold=1.0, weight=2.0).event() == Gaussian(noise_multiplier=4.0) == gate_event(8.0, 2.0)
    )
    for wrong in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="weight must be positive"):
            NoisyMax(kind="gaussian", scale=1.0, weight=wrong)
        with pytest.raises(ValueError, match="weight must be positive"):
            NoisyGate(std=1.0, threshold=0.0, weight=wrong)


def test_chances_of_labels_are_integrals_and_sum_to_one() -> None:
    """Against adaptive quadrature; 41 classes, equal counts, and chances too small to see included."""
    counts = np.array([12.0, 11.0, 5.0, 0.0])
    for sigma in (0.8, 3.0, 30.0):
        chances = label_chances(counts, sigma)
        for label, own in enumerate(counts):
            others = np.delete(counts, label)

            def density(x: float, own: float = own, others: Array = others, sigma: float = sigma) -> float:
                return float(stats.norm.pdf(x, own, sigma) * np.prod(stats.norm.cdf(x, others, sigma)))

            wanted = integrate.quad(density, own - 10 * sigma, 12 + 10 * sigma, limit=400, points=[own, 12.0])[0]
            assert chances[label] == pytest.approx(wanted, rel=1e-6, abs=1e-9)
        assert chances.sum() == pytest.approx(1, abs=1e-12)
    assert label_chances(np.full(41, 3.0), 2.0) == pytest.approx(np.full(41, 1 / 41), rel=1e-10)
    assert label_chances(np.array([1e6, 0.0]), 1.0) == pytest.approx([1, 0], abs=1e-12)


def test_labels_and_gates_are_drawn_with_their_chances_and_no_others() -> None:
    counts, sigma, draws = np.array([3.5, 2.0, 0.5]), 2.0, 40_000
    table = np.tile(counts, (draws, 1))

    def fits(labels: NDArray[np.int64]) -> bool:
        seen = np.bincount(labels, minlength=3)
        return bool(stats.chisquare(seen, draws * label_chances(counts, sigma)).pvalue > LEVEL)

    def gates(scale: float) -> bool:
        passed = NoisyGate(std=scale, threshold=5.0, weight=2.0).passes(table, secret(5))
        return bool(stats.binomtest(int(passed.sum()), draws, float(gate_chance(3.5, 5.0, sigma))).pvalue > LEVEL)

    def drawn(scale: float) -> NDArray[np.int64]:
        noisy = NoisyMax(kind="gaussian", scale=scale, weight=2.0).noisy(table, secret(3))
        return noisy.argmax(axis=1)

    assert fits(drawn(sigma))
    assert gates(sigma)
    for wrong in (2 / 3, 3 / 2):
        assert not fits(drawn(sigma * wrong))
        assert not gates(sigma * wrong)
