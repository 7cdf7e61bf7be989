"""Noise on votes, counts and posteriors: its scale, its law, what it costs, and what one node moves in a
gate."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.secrets_made_here import secret

from privgraph import lattice
from privgraph.mechanisms.noisy_max import NoisyGate, NoisyMax, NoisyPosterior, NoisyVotes
from privgraph.papers.privgnn import argmax_atoms
from privgraph.papers.privgnn_releases import MAXIMA
from privgraph.privacy.events import Gaussian, Laplace, PureDP

LEVEL = 1e-5
"""Chance of a false alarm of each check."""
DRAWS = 4000
SCALE = 2.5

LAWS: dict[str, Callable[[float], stats.rv_continuous]] = {
    "gaussian": lambda scale: stats.norm(scale=scale),
    "laplace": lambda scale: stats.laplace(scale=scale),
    "exponential": lambda scale: stats.expon(scale=scale),
    "gumbel": lambda scale: stats.gumbel_r(scale=scale),
}


def noise_of(name: str, scale: float) -> NDArray[np.float64]:
    """What a mechanism of `scale` adds to zeros."""
    zeros, noise = np.zeros((DRAWS // 4, 4)), secret(7)
    if name == "votes":
        return NoisyVotes(std=scale).noisy(zeros, noise)
    if name == "posterior":
        return NoisyPosterior(lam=1 / scale, classes=4).noisy(zeros, noise)
    return NoisyMax(kind=name, scale=scale).noisy(zeros, noise)


@pytest.mark.parametrize("name", ["votes", "posterior", *MAXIMA])
def test_noise_has_its_law_and_its_scale_and_no_other(name: str) -> None:
    law = LAWS[{"votes": "gaussian", "posterior": "laplace"}.get(name, name)]

    def fits(noise: NDArray[np.float64], scale: float) -> bool:
        return bool(stats.kstest(noise.ravel(), law(scale).cdf).pvalue > LEVEL)

    noise = noise_of(name, SCALE)
    assert fits(noise, SCALE)
    assert fits(noise[:, :1], SCALE)
    for wrong in (2 / 3, 3 / 2):
        assert not fits(noise, SCALE * wrong)
        assert not fits(noise_of(name, SCALE * wrong), SCALE)
    others = [other for other in LAWS if LAWS[other] is not law]
    assert all(stats.kstest(noise.ravel(), LAWS[other](SCALE).cdf).pvalue < LEVEL for other in others)
    assert abs(float(np.corrcoef(noise[:, 0], noise[:, 1]).ravel()[1])) < 5 / math.sqrt(len(noise))


@pytest.mark.parametrize("kind", MAXIMA)
def test_the_standard_deviation_that_is_told_is_the_one_that_is_added(kind: str) -> None:
    assert NoisyMax(kind=kind, scale=SCALE).std == pytest.approx(LAWS[kind](SCALE).std())
    assert NoisyPosterior(lam=0.4, classes=3).std == pytest.approx(stats.laplace(scale=2.5).std())


def test_values_are_kept_and_every_call_draws_anew() -> None:
    counts = np.arange(12.0).reshape(3, 4)
    noise = secret()
    mechanism = NoisyVotes(std=1e-5)  # counts beyond 2^21 of it are cut off
    assert np.allclose(mechanism.noisy(counts, noise), counts, atol=1e-4)
    wide = NoisyVotes(std=1.0)
    assert not np.array_equal(wide.noisy(counts, noise), wide.noisy(counts, noise))
    assert np.array_equal(counts, np.arange(12.0).reshape(3, 4)), "the counts themselves must not be touched"


@pytest.mark.parametrize("kind", ["laplace", "exponential", "gumbel"])
def test_moving_one_vote_changes_no_label_by_more_than_its_pure_epsilon(kind: str) -> None:
    """Chances of every label before and after one vote moves, appears or goes, by quadrature, for all small
    counts."""
    scale = 1.7
    law = LAWS[kind](scale)
    grid = np.linspace(0 if kind == "exponential" else -14 * scale, 22 * scale, 6001)
    density, below = ([function(grid - count) for count in range(5)] for function in (law.pdf, law.cdf))

    def chances(counts: tuple[int, ...]) -> NDArray[np.float64]:
        probabilities = []
        for label, own in enumerate(counts):
            others = [below[count] for place, count in enumerate(counts) if place != label]
            probabilities.append(float(np.trapezoid(density[own] * np.prod(others, axis=0), grid)))
        return np.array(probabilities)

    known = {counts: chances(counts) for counts in itertools.product(range(5), repeat=3)}
    assert all(probabilities.sum() == pytest.approx(1, abs=2e-3) for probabilities in known.values())
    worst = max(
        float(np.abs(np.log(known[moved] / probabilities)).max())
        for counts, probabilities in known.items()
        if max(counts) < 4
        for moved in _neighbours(counts)
    )
    assert 0.5 * 2 / scale < worst <= 2 / scale + 5e-3


def _neighbours(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One vote moved from one class to another, one more, one less."""
    neighbours = []
    for source, target in itertools.product([None, 0, 1, 2], repeat=2):
        other = list(counts)
        if source is not None:
            other[source] -= 1
        if target is not None:
            other[target] += 1
        if min(other) >= 0 and tuple(other) != counts:
            neighbours.append(tuple(other))
    return neighbours


def test_entries_that_are_equal_with_their_noise_win_equally_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the order of classes would tell which of them noise has brought level."""
    monkeypatch.setattr(lattice, "draw", lambda kind, scale, stream, count: np.zeros(count, dtype=np.int64))
    for mechanism in (NoisyMax(kind="laplace", scale=1.0), NoisyPosterior(lam=1.0, classes=3)):
        found = mechanism.noisy(np.tile([0.2, 0.4, 0.4], (DRAWS, 1)), secret()).argmax(axis=1)
        assert not (found == 0).any()
        assert abs((found == 1).sum() - DRAWS / 2) < 5 * math.sqrt(DRAWS / 4)


def test_events_are_those_of_the_proved_sensitivities() -> None:
    assert NoisyVotes(std=3.0).event() == Gaussian(noise_multiplier=3.0)
    assert NoisyMax(kind="gaussian", scale=3.0).event() == Gaussian(noise_multiplier=3 / math.sqrt(2))
    assert NoisyMax(kind="laplace", scale=3.0).event() == Laplace(noise_multiplier=1.5)
    assert NoisyMax(kind="exponential", scale=3.0).event() == PureDP(epsilon=2 / 3)
    assert NoisyPosterior(lam=0.4, classes=5).event() == argmax_atoms(0.4, 5)
    assert NoisyGate(std=4.0, threshold=9.0).event() == Gaussian(noise_multiplier=4.0)


def test_the_label_of_a_posterior_has_the_chances_that_are_accounted() -> None:
    """The two unit vectors of the exact pair, sampled: 2/3 and 3/2 of the noise do not fit."""

    def wins(lam: float, winner: int) -> int:
        posteriors = np.zeros((20_000, 4))
        posteriors[:, winner] = 1
        noisy = NoisyPosterior(lam=lam, classes=4).noisy(posteriors, secret(3))
        return int((noisy.argmax(1) == 0).sum())

    def fits(count: int, chance: float) -> bool:
        return bool(stats.binomtest(count, 20_000, chance).pvalue > LEVEL)

    pair = argmax_atoms(2.0, 4)
    assert fits(wins(2.0, 0), pair.upper[0])
    assert fits(wins(2.0, 1), pair.lower[0])
    for wrong in (2 / 3, 3 / 2):
        assert not fits(wins(2.0 * wrong, 0), pair.upper[0])


def test_a_gate_compares_the_largest_noisy_count_with_its_threshold() -> None:
    gate = NoisyGate(std=2.0, threshold=5.0)
    counts = np.tile([1.0, 4.0, 0.0], (DRAWS, 1))
    passed = gate.passes(counts, secret())
    chance = stats.norm.sf((5 - 4) / 2)
    assert stats.binomtest(int(passed.sum()), DRAWS, chance).pvalue > LEVEL
    for wrong in (2 / 3, 3 / 2):
        other = NoisyGate(std=2.0 * wrong, threshold=5.0 * wrong).passes(counts, secret())
        assert stats.binomtest(int(other.sum()), DRAWS, chance).pvalue < LEVEL


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="std must be positive"):
        NoisyVotes(std=0.0)
    with pytest.raises(ValueError, match="scale must be positive"):
        NoisyMax(kind="gumbel", scale=math.inf)
    with pytest.raises(ValueError, match="kind must be one of"):
        NoisyMax(kind="cauchy", scale=1.0)
    with pytest.raises(ValueError, match="at least 2"):
        NoisyPosterior(lam=1.0, classes=1)
    with pytest.raises(ValueError, match="std must be positive"):
        NoisyGate(std=-1.0, threshold=0.0)
