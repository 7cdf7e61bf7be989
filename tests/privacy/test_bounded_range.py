"""Bounded range: what dominates the exponential mechanism, sampled and composed, against integration and
listing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.privacy import routes

from privgraph.privacy import pld
from privgraph.privacy.accountants import PLDAccountant, RenyiAccountant, tight
from privgraph.privacy.events import BoundedRange, PoissonSampled


def curve(epsilon: float, length: float) -> float:
    return float(pld.range_curve(np.array([epsilon]), length)[0])


def densities(length: float) -> tuple[routes.Density, routes.Density, list[float]]:
    """The dominating pair as densities of the privacy loss, with the unit and without."""
    scale = math.exp(length / 2) / (2 * math.expm1(length))
    knots = list(np.linspace(-length, length, 9))
    return (lambda y: scale * math.exp(y / 2)), (lambda y: scale * math.exp(-y / 2)), knots


@pytest.mark.parametrize("length", [0.1, 1.0, 4.0])
def test_the_curve_is_that_of_two_laws(length: float) -> None:
    p, q, knots = densities(length)
    assert routes.integral(p, knots) == pytest.approx(1.0)
    assert routes.integral(q, knots) == pytest.approx(1.0)
    for epsilon in np.linspace(-1.2, 1.2, 7) * length:
        for above, below in ((p, q), (q, p)):
            wanted = routes.hockey_stick(
                above, below, epsilon, [*knots, *np.clip([epsilon, -epsilon], -length, length)]
            )
            assert curve(epsilon, length) == pytest.approx(wanted, abs=1e-9)


@given(
    scores=st.lists(st.tuples(st.floats(-8, 8), st.floats(-1, 1)), min_size=2, max_size=6),
    scale=st.floats(0.4, 10),
    epsilon=st.floats(-3, 3),
)
def test_no_exponential_mechanism_exceeds_it(scores: list[tuple[float, float]], scale: float, epsilon: float) -> None:
    """Any scores, each moved by at most 1: the laws are softmaxes, all outcomes are listed."""
    here, move = np.array(scores).T
    p, q = (np.exp(one / scale - np.logaddexp.reduce(one / scale)) for one in (here + move, here))
    assert np.maximum(p - math.exp(epsilon) * q, 0).sum() <= curve(epsilon, 2 / scale) + 1e-12


@pytest.mark.parametrize("epsilon", [-0.5, 0.0, 0.7])
def test_some_exponential_mechanism_reaches_it(epsilon: float) -> None:
    """Two labels, one vote moved: for every epsilon some counts attain the curve, and noise 3/2 as large does
    not."""
    scale = 1.0
    gaps = np.linspace(-12, 12, 4001)
    here = 1 / (1 + np.exp(-(gaps + 2) / scale))
    there = 1 / (1 + np.exp(-gaps / scale))
    growth = math.exp(epsilon)
    found = np.maximum(here - growth * there, 0) + np.maximum(1 - here - growth * (1 - there), 0)
    assert found.max() == pytest.approx(curve(epsilon, 2 / scale), abs=1e-6)
    assert found.max() > curve(epsilon, 2 / (1.5 * scale)) + 0.01


@pytest.mark.parametrize("rate", [0.1, 0.6])
@pytest.mark.parametrize("length", [0.3, 2.0])
def test_a_sampled_range_is_the_integral(length: float, rate: float) -> None:
    p, q, knots = densities(length)

    def mixed(y: float) -> float:
        return (1 - rate) * q(y) + rate * p(y)

    def exact(epsilon: float) -> float:
        fine = [*knots, *np.linspace(-length, length, 200)]
        return max(routes.hockey_stick(mixed, q, epsilon, fine), routes.hockey_stick(q, mixed, epsilon, fine))

    event = PoissonSampled(rate=rate, event=BoundedRange(epsilon=length))
    found = PLDAccountant().epsilon(event, 1e-3)
    assert exact(found) <= 1e-3 * (1 + 1e-4)
    assert exact(found * 0.998) > 1e-3
    for order in (1.5, 2.0, 9.0):
        moment = max(routes.renyi_moment(a, b, order, knots) for a, b in ((mixed, q), (q, mixed)))
        assert RenyiAccountant([order]).rdp(event)[0] == pytest.approx(math.log(moment) / (order - 1), rel=1e-7)


@pytest.mark.parametrize("factor", [2 / 3, 1.0, 3 / 2])
def test_sampled_ranges_agree_with_simulation(factor: float) -> None:
    """The accountant's delta lies in the simulation's band for its own range, and in no other's."""
    rate, length, count, draws, epsilon = 0.3, 0.4, 40, 100_000, 1.0
    grid = pld.distribution(PoissonSampled(rate=rate, event=BoundedRange(epsilon=length)), 1e-3).self_compose(count)
    generator = np.random.default_rng(4)
    losses = np.zeros(draws)
    wide = length * factor
    for _ in range(count):
        # The loss without the unit has density e^(-y/2) on [-wide, wide]: by its inverse; with it, its mirror
        # image.
        y = -2 * np.log(math.exp(wide / 2) - generator.random(draws) * 2 * math.sinh(wide / 2))
        y = np.where(generator.random(draws) < rate, -y, y)
        losses += np.log1p(rate * np.expm1(y))
    delta, error = routes.simulated_delta(losses, epsilon)
    assert (abs(grid._pmf_remove.get_delta_for_epsilon(epsilon) - delta) < 5 * error) == (factor == 1.0)


@pytest.mark.parametrize("delta", [0.0, 1e-50, 2.0**-61])
def test_gumbel_noise_that_ends_keeps_no_epsilon_without_a_share_of_delta(delta: float) -> None:
    assert tight().epsilon(BoundedRange(epsilon=2.0), delta) == math.inf
    assert tight().epsilon(BoundedRange(epsilon=2.0), 2.0**-59) < 2.01
