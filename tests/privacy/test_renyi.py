"""Renyi curves and conversions, each by a second route, and never below the tight values."""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant as google_rdp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.privacy import routes

from privgraph.privacy import renyi
from privgraph.privacy.accountants import PLDAccountant, RenyiAccountant
from privgraph.privacy.composition import flatten, gaussian_epsilon
from privgraph.privacy.events import Atoms, Gaussian, Laplace, PoissonSampled, Repeated, Single

DELTA = 1e-5


def gauss(scale: float) -> Gaussian:
    return Gaussian(noise_multiplier=scale)


def lap(scale: float) -> Laplace:
    return Laplace(noise_multiplier=scale)


def sampled(rate: float, event: Gaussian | Laplace | Atoms) -> PoissonSampled:
    return PoissonSampled(rate=rate, event=event)


def times(event: Single, count: int) -> Repeated:
    return Repeated(event=event, count=count)


@pytest.mark.parametrize("base", [gauss(0.7), gauss(3.0), lap(0.3), lap(2.0)])
@pytest.mark.parametrize("rate", [1e-4, 0.1, 0.9])
def test_sampled_renyi_curves_two_ways_and_removal_is_the_larger(base: Gaussian | Laplace, rate: float) -> None:
    orders = np.array([2.0, 3.0, 7.0, 20.0])
    removal = renyi.quadrature_log_moment(base, rate, orders)
    addition = renyi.quadrature_log_moment(base, rate, 1 - orders)
    binomial = [renyi.binomial_log_moment(base, rate, int(order)) for order in orders]
    assert removal == pytest.approx(binomial, rel=1e-8, abs=1e-13)
    assert np.all(addition <= removal + 1e-13)


@pytest.mark.parametrize(("sigma", "rate"), [(0.8, 0.01), (2.0, 0.3), (0.5, 0.001)])
def test_sampled_gaussian_renyi_agrees_with_googles(sigma: float, rate: float) -> None:
    """Equal at whole orders; at fractional ones Google's series is a looser bound."""
    whole, fractional = [2.0, 4.0, 32.0], [2.5, 8.75]
    google = google_rdp.RdpAccountant(whole + fractional)
    google.compose(dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma)))
    ours = renyi.curve(sampled(rate, gauss(sigma)), np.array(whole + fractional))
    assert ours[:3] == pytest.approx(google._rdp[:3], rel=1e-9)
    assert np.all(ours[3:] <= google._rdp[3:] * (1 + 1e-9))


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
@pytest.mark.parametrize(("scale", "rate"), [(0.8, 0.2), (2.0, 0.5)])
def test_fractional_orders_are_the_integral_and_below_the_interpolation(kind: str, scale: float, rate: float) -> None:
    p, q, knots = routes.sampled_pair(kind, scale, rate)
    event = sampled(rate, gauss(scale) if kind == "gaussian" else lap(scale))
    for order in (1.3, 2.5, 5.75):
        moment = routes.renyi_moment(p, q, order, knots)
        found = renyi.curve(event, np.array([order]))[0]
        assert found == pytest.approx(math.log(moment) / (order - 1), rel=1e-5)
        assert found <= renyi.curve(event, np.array([order]), interpolate=True)[0]


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
def test_laplace_renyi_is_the_integral(scale: float) -> None:
    p, q, knots = routes.sampled_pair("laplace", scale, 1.0)
    for order in (1.5, 2.0, 5.0):
        moment = routes.renyi_moment(p, q, order, knots)
        assert renyi.curve(lap(scale), np.array([order]))[0] == pytest.approx(math.log(moment) / (order - 1), rel=1e-6)


@pytest.mark.parametrize("rate", [0.05, 1.0])
def test_discrete_renyi_is_the_larger_direction(rate: float) -> None:
    atoms = Atoms(upper=(0.6, 0.3, 0.1), lower=(0.1, 0.5, 0.4))
    upper, lower = np.array(atoms.upper), np.array(atoms.lower)
    mixed = (1 - rate) * lower + rate * upper
    for order in (1.5, 4.0):
        both = [
            math.log(float(np.sum(a**order * b ** (1 - order)))) / (order - 1)
            for a, b in ((mixed, lower), (lower, mixed))
        ]
        found = renyi.curve(flatten(sampled(rate, atoms))[0][0], np.array([order]))[0]  # type: ignore[arg-type]
        assert found == pytest.approx(max(both))


def test_conversions_are_the_published_ones() -> None:
    orders = np.array([2.0, 5.5, 30.0])
    rdp = orders * 0.05
    assert renyi.convert(rdp, orders, DELTA, "mironov") == pytest.approx(rdp + np.log(1e5) / (orders - 1))
    for order, value in zip(orders, renyi.convert(rdp, orders, DELTA, "balle"), strict=True):
        google, _ = google_rdp.compute_epsilon([order], [order * 0.05], DELTA)
        assert value == pytest.approx(google)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(["gaussian", "laplace"]),
    scale=st.floats(0.4, 20.0),
    rate=st.floats(1e-3, 1.0),
    count=st.integers(1, 300),
    log_delta=st.floats(-18, -3),
)
def test_renyi_is_never_below_the_privacy_loss_distribution(
    kind: str, scale: float, rate: float, count: int, log_delta: float
) -> None:
    """A bound cannot be below the tight value; both conversions, refined or interpolated or not."""
    base = gauss(scale) if kind == "gaussian" else lap(scale)
    event, delta = times(sampled(rate, base), count), math.exp(log_delta)
    truth = PLDAccountant().epsilon(event, delta)
    bounds = [
        RenyiAccountant(conversion="balle").epsilon(event, delta),
        RenyiAccountant(conversion="balle", continuous=True).epsilon(event, delta),
        RenyiAccountant(conversion="balle", interpolate=True).epsilon(event, delta),
        RenyiAccountant(conversion="mironov").epsilon(event, delta),
    ]
    if math.isfinite(truth):
        assert min(bounds) >= truth * (1 - 2e-3) - 1e-6
    assert bounds[1] <= bounds[0] <= bounds[3] + 1e-12


@pytest.mark.parametrize(("steps", "rate", "sigma"), [(10**15, 1e-6, 31.6), (10**12, 1e-4, 100.0)])
def test_very_many_steps_cost_no_less_than_their_gaussian_limit(steps: int, rate: float, sigma: float) -> None:
    """A step's log moment is less than its rounding: what is lost then is counted."""
    mu = rate * math.sqrt(steps * math.expm1(sigma**-2))
    sampled = PoissonSampled(rate=rate, event=Gaussian(noise_multiplier=sigma))
    assert RenyiAccountant().epsilon(Repeated(event=sampled, count=steps), 1e-5) >= gaussian_epsilon(mu, 1e-5)
