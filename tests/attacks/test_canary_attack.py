"""The membership attack with gradient canaries: by hand, without noise, in noise, and against its formula."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import binomtest, norm

from privgraph.attacks.canary import attack_observations, canary_attack
from privgraph.audits.canaries import Shifts
from privgraph.audits.white_box import Blocks, Canaries


def played(noise: float, steps: int, *, count: int = 1500, rate: float = 1.0, seed: int = 0) -> Canaries:
    """Canaries among sums with noise of `noise` clips; the clip is 2, and others add sums of their own."""
    canaries = Canaries(Shifts(rate=rate), count, seed, Blocks(shift=1.0, steps=1))
    drawn = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        total = torch.randn(8 * count, generator=drawn, dtype=torch.float64)
        canaries.join(total, 2.0)
        total += 2.0 * noise * torch.randn(total.shape, generator=drawn, dtype=torch.float64)
        canaries.see(total)
    return canaries


def test_numbers_by_hand() -> None:
    """Right: 2 and 1 of three in, a 0 by a coin; -1 and -2 of three out."""
    found = attack_observations(np.array([2.0, 1.0, 0.0]), np.array([-1.0, -2.0, 3.0]))
    assert found.accuracy == pytest.approx((2.5 / 3 + 2 / 3) / 2)
    assert found.outcome.area == pytest.approx(6 / 9)
    assert found.outcome.balanced_accuracy == pytest.approx(5 / 6), "at 0 or above: all in, and one out"
    assert (found.roc_false, found.roc_true) == (
        pytest.approx((0, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 2 / 3, 1)),
        pytest.approx((0, 0, 1 / 3, 2 / 3, 1, 1, 1)),
    )
    one, other = (binomtest(2, 3).proportion_ci(0.95, method="exact").low for _ in range(2))
    below = [binomtest(2, 3).proportion_ci(0.975, method="exact") for _ in range(2)]
    assert found.accuracy_low == pytest.approx(sum(side.low for side in below) / 2)
    assert found.accuracy_low < (one + other) / 2, "two sides share what the confidence leaves"
    assert found.accuracy_high == pytest.approx((1 + below[0].high) / 2), "half a guess more or less on one side"


def test_without_noise_all_canaries_are_told() -> None:
    found = canary_attack(played(0.0, 1))
    assert (found.outcome.area, found.accuracy) == (1.0, 1.0)
    assert found.accuracy_low > 0.99
    assert found.roc_true[1] > 0
    assert found.roc_false[found.roc_true.index(1.0)] == 0


def test_in_huge_noise_the_interval_holds_a_coin() -> None:
    """Of 40 trainings, as many areas and accuracies are told apart from a coin's as an interval may miss."""
    found = [canary_attack(played(1e4, 2, count=100, seed=seed)) for seed in range(40)]
    assert sum(one.outcome.area_low <= 0.5 <= one.outcome.area_high for one in found) >= 34
    assert sum(one.accuracy_low <= 0.5 <= one.accuracy_high for one in found) >= 34
    assert np.mean([one.outcome.area for one in found]) == pytest.approx(0.5, abs=5 * 0.058 / math.sqrt(40))
    assert np.mean([one.outcome.balanced_accuracy for one in found]) > 0.53, "a threshold chosen afterwards flatters"


@pytest.mark.parametrize(("noise", "steps"), [(2.0, 1), (1.0, 1), (2.0, 4), (6.0, 9)])
def test_in_between_area_and_accuracy_are_those_of_two_gaussians(noise: float, steps: int) -> None:
    """mu = sqrt(steps)/noise: area Phi(mu/sqrt 2), right guesses Phi(mu/2)."""
    mu = math.sqrt(steps) / noise
    canaries = played(noise, steps, count=4000, seed=5)
    found = canary_attack(canaries)
    assert found.outcome.area == pytest.approx(norm.cdf(mu / math.sqrt(2)), abs=4.5 * 0.5 / math.sqrt(4000))
    assert found.accuracy == pytest.approx(norm.cdf(mu / 2), abs=4.5 * 0.5 / math.sqrt(4000))
    assert found.accuracy_low < norm.cdf(mu / 2) < found.accuracy_high
    assert found.outcome.balanced_accuracy == pytest.approx(norm.cdf(mu / 2), abs=0.03)
    # another rate of growth, sqrt(steps) or none, is out of reach of these intervals
    if steps > 1:
        assert not found.accuracy_low < norm.cdf(1 / noise / 2) < found.accuracy_high
        assert not found.accuracy_low < norm.cdf(steps / noise / 2) < found.accuracy_high
