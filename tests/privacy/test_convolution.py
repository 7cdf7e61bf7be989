"""Compositions keep their digits: against events without a transform, closed forms and exact convolutions."""

import itertools
import math
from functools import reduce

import mpmath
import numpy as np
import pytest
from tests.privacy import routes

from privgraph.privacy import convolution, pld
from privgraph.privacy.accountants import PLDAccountant, tight
from privgraph.privacy.convolution import Composition, Losses
from privgraph.privacy.events import Gaussian, PoissonSampled, PureDP, Repeated

RARE = [
    (1e-10, 0.25, 10**6, (1e-8, 3e-11)),
    (1e-10, 0.3, 10**8, (1e-8, 1e-9, 1e-10)),
    (1e-9, 0.25, 10**5, (3e-11, 1e-10)),
    (1e-9, 0.3, 10**6, (1e-9, 3e-11, 1e-10)),
    (1e-9, 0.3, 10**8, (1e-8, 1e-9)),
    (1e-9, 0.3, 10**8, (1e-10,)),
    (1e-9, 5.0, 10**8, (1e-9, 1e-15)),
    (1e-7, 0.35, 10**5, (1e-8, 1e-12)),
    (1e-6, 0.4, 10**5, (3e-11, 1e-15)),
    (1e-6, 0.5, 10**8, (1e-6,)),
    (1e-5, 1.0, 10**6, (1e-7, 1e-14)),
    (1e-4, 0.5, 10**3, (1e-6, 1e-12)),
    (1e-4, 5.0, 10**4, (1e-8, 1e-16)),
]


@pytest.mark.parametrize(("rate", "sigma", "count", "deltas"), RARE)
def test_many_steps_of_a_tiny_rate_cost_at_least_what_one_of_them_shows(
    rate: float, sigma: float, count: int, deltas: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    if (sigma, deltas[-1]) != (
        0.3,
        1e-9,
    ):  # on the fine grid a constant allowance fails there; a coarse one is as sound
        monkeypatch.setattr(pld, "_LARGEST_GRID", 20_000)
    event = Repeated(event=PoissonSampled(rate=rate, event=Gaussian(noise_multiplier=sigma)), count=count)
    for delta in deltas:
        assert tight().epsilon(event, delta) >= routes.rare_steps_epsilon(rate, sigma, count, delta) * (1 - 1e-12)


@pytest.mark.parametrize("count", [30, 10_000, 1_000_000])
def test_pure_steps_are_their_closed_form_at_every_delta(count: int) -> None:
    """Kairouz, Oh and Viswanath 2015, Theorem 3.3, in 60 digits: from above, from below, and near."""
    loss = 1.0 / math.sqrt(count)
    with mpmath.workdps(60):
        high = 1 / (1 + mpmath.exp(-mpmath.mpf(loss)))
        for epsilon in (2.0, 9.0, 25.0) if count > 30 else (2.0, 4.0):
            first = math.floor((count + epsilon / loss) / 2) + 1
            chance = mpmath.binomial(count, first) * high**first * (1 - high) ** (count - first)
            delta = mpmath.mpf(0)
            for successes in range(first, count + 1):
                delta += chance * -mpmath.expm1(epsilon - loss * (2 * successes - count))
                chance *= mpmath.mpf(count - successes) / (successes + 1) * high / (1 - high)
                if chance < delta * mpmath.mpf("1e-25"):
                    break
            above = PLDAccountant().epsilon(Repeated(event=PureDP(epsilon=loss), count=count), float(delta))
            assert epsilon * (1 - 1e-13) <= above <= epsilon * (1 + 1e-3)
            below = convolution.bound_epsilon([(coin(loss), count)], loss, float(delta), -1)
            assert epsilon * (1 - 1e-5) <= below <= epsilon


def coin(loss: float) -> Losses:
    """Randomised response, whose losses lie on the grid of spacing `loss`."""
    return Losses(np.array([-1, 1]), np.array([1 / (1 + math.exp(loss)), 1 / (1 + math.exp(-loss))]), 0.0)


@pytest.mark.parametrize("tilt", [0.0, 0.5, 8.0])
def test_a_bound_from_either_side_holds_the_exact_convolution(tilt: float) -> None:
    """Sums of three laws by brute force in 80 digits; bounds are loose far from where their tilt is best."""
    generator = np.random.default_rng(0)
    interval = 0.05
    parts = []
    for size, count in ((20, 3), (7, 2), (12, 1)):
        chances = np.exp(generator.normal(size=size) * 8 - np.arange(size) ** 1.5)
        losses = Losses(np.arange(size) - size // 3, chances / chances.sum() * (1 - 1e-140), 0.0)
        parts.append((losses, count))
    with mpmath.workdps(80):
        law: dict[int, mpmath.mpf] = {0: mpmath.mpf(1)}
        for losses in itertools.chain.from_iterable([part] * count for part, count in parts):
            law = reduce(
                lambda total, item: total | {item[0]: total.get(item[0], mpmath.mpf(0)) + item[1]},
                (
                    (place + int(step), before * mpmath.mpf(float(chance)))
                    for place, before in law.items()
                    for step, chance in zip(losses.steps, losses.chances, strict=True)
                ),
                {},
            )
        for epsilon in np.linspace(0.01, max(law) * interval * 0.9, 12):
            delta = sum(
                chance * -mpmath.expm1(epsilon - place * interval)
                for place, chance in law.items()
                if place * interval > epsilon
            )
            assert delta > 0
            bounds = [Composition(parts, interval, tilt, sign).epsilon(float(delta)) for sign in (1, -1)]
            assert bounds[1] <= epsilon <= bounds[0]
            closest = [convolution.bound_epsilon(parts, interval, float(delta), sign) for sign in (1, -1)]
            assert closest[1] <= epsilon <= closest[0]
            assert closest[0] - closest[1] < 1e-6


def test_the_rounding_of_powers_is_what_the_bound_says_and_not_far_less() -> None:
    """A power of a transform of ones loses about its exponent times the rounding of one number."""
    generator = np.random.default_rng(1)
    angles, count = generator.uniform(-np.pi, np.pi, 200), 10**6 + 1
    values = np.exp(1j * angles)
    with mpmath.workdps(40):
        exact = [complex(mpmath.mpc(complex(one)) ** count) for one in values]
    error = np.abs(convolution._power(values, count) - exact).max()
    assert count * 2.0**-56 < error < math.expm1(count * 3 * 2.0**-53)


@pytest.mark.parametrize(("rate", "sigma"), [(1e-10, 0.3), (1e-10, 5.0), (1e-6, 1.0), (1e-2, 0.25), (0.3, 3.0)])
def test_one_step_is_right_to_the_share_that_is_set_aside(rate: float, sigma: float) -> None:
    """The curves of both directions against 50 digits: no lower than (1 - r) times that at epsilon + 2r."""
    step, zero = convolution._STEP, convolution._AT_ZERO
    interval = 1e-3 if sigma < 1 else 1e-5
    grid = pld.distribution(PoissonSampled(rate=rate, event=Gaussian(noise_multiplier=sigma)), interval)
    largest = min(20.0, (grid._pmf_remove.to_dense_pmf().size - 2) * interval)
    with mpmath.workdps(50):
        q, s = mpmath.mpf(rate), mpmath.mpf(sigma)

        def tail(z: mpmath.mpf) -> mpmath.mpf:
            return mpmath.erfc(z / s / mpmath.sqrt(2)) / 2

        for epsilon in (0.0, *(interval * round(largest / interval * part) for part in (0.01, 0.1, 0.3, 0.6))):
            further = epsilon + 2 * step
            x = s**2 * mpmath.log((mpmath.expm1(further) + q) / q) + mpmath.mpf(1) / 2
            removed = (1 - q) * tail(x) + q * tail(x - 1) - mpmath.exp(further) * tail(x)
            allowed = zero if epsilon == 0 else 1e-300
            assert grid._pmf_remove.get_delta_for_epsilon(epsilon) + allowed >= removed * (1 - step - 1e-9)
            share = mpmath.expm1(-further) + q
            if share > 0:
                x = s**2 * mpmath.log(share / q) + mpmath.mpf(1) / 2
                added = tail(-x) - mpmath.exp(further) * ((1 - q) * tail(-x) + q * tail(1 - x))
                assert grid._pmf_add.get_delta_for_epsilon(epsilon) + allowed >= added * (1 - step - 1e-9)


def test_a_curve_without_tilt_is_bounded_too() -> None:
    """As it stands inside one sample of a composition: a hundred million steps, and one that shows itself."""
    step = PoissonSampled(rate=1e-9, event=Gaussian(noise_multiplier=0.3))
    removed = Losses.from_pmf(pld.distribution(step, 2e-3)._pmf_remove)
    for count, delta in ((10**4, 1e-11), (10**6, 1e-9), (10**8, 1e-9)):
        least = routes.rare_steps_epsilon(1e-9, 0.3, count, delta)
        (found,) = Composition([(removed, count)], 2e-3, 0.0, 1).delta(np.array([least]))
        assert delta <= found < delta + count * 2e-12 + 1e-10


def test_what_does_not_fit_into_memory_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convolution, "_LARGEST_SIZE", 4)
    above, below = (Composition([(coin(0.1), 100)], 0.1, 1.0, sign).epsilon(1e-6) for sign in (1, -1))
    assert (above, below) == (math.inf, 0.0)
