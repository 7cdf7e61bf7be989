"""Accountants: edge cases, and two independent routes to every number, each able to fail."""

import math
from dataclasses import dataclass

import mpmath
import numpy as np
import pytest
from scipy import stats
from tests.privacy import routes

from privgraph.privacy import pld
from privgraph.privacy.accountants import (
    Accountant,
    PLDAccountant,
    PRVAccountant,
    RenyiAccountant,
    TightAccountant,
    UnsupportedEvent,
    tight,
)
from privgraph.privacy.calibration import calibrate
from privgraph.privacy.composition import flatten, gaussian_delta, gaussian_epsilon, pure_epsilon
from privgraph.privacy.events import (
    Atoms,
    BoundedRange,
    Composed,
    Gaussian,
    Laplace,
    NonPrivate,
    Nothing,
    PoissonSampled,
    PrivacyEvent,
    PureDP,
    RandomizedResponse,
    Repeated,
    RevealedMixture,
    SampledOnce,
    SampledTerms,
    Single,
)

DELTA = 1e-5


def gauss(scale: float) -> Gaussian:
    return Gaussian(noise_multiplier=scale)


def lap(scale: float) -> Laplace:
    return Laplace(noise_multiplier=scale)


def sampled(rate: float, event: Gaussian | Laplace | PureDP | BoundedRange | Atoms) -> PoissonSampled:
    return PoissonSampled(rate=rate, event=event)


def times(event: Single, count: int) -> Repeated:
    return Repeated(event=event, count=count)


THREE_ATOMS = Atoms(upper=(0.5, 0.2, 0.3), lower=(0.2, 0.5, 0.3))
MIXTURE = RevealedMixture(weights=(0.6, 0.3, 0.1), noise_multipliers=(math.inf, 3.0, 1.0))
EVERY_EVENT: tuple[PrivacyEvent, ...] = (
    gauss(2.0),
    lap(2.0),
    PureDP(epsilon=0.5),
    RandomizedResponse(one_to_one=0.8, zero_to_one=0.3),
    THREE_ATOMS,
    sampled(0.1, gauss(1.0)),
    sampled(0.1, lap(1.0)),
    sampled(0.1, THREE_ATOMS),
    MIXTURE,
    BoundedRange(epsilon=0.5),
    sampled(0.1, BoundedRange(epsilon=0.5)),
    sampled(0.1, PureDP(epsilon=0.5)),
    SampledOnce(rate=0.1, event=times(gauss(4.0), 3)),
)
ALL_ACCOUNTANTS: tuple[Accountant, ...] = (PLDAccountant(), RenyiAccountant(), tight())


# --- edge cases -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("accountant", ALL_ACCOUNTANTS, ids=lambda one: type(one).__name__)
def test_nothing_costs_nothing_and_no_protection_everything(accountant: Accountant) -> None:
    free = (Nothing(), Composed(()), Composed((Nothing(), times(gauss(1.0), 0))), times(NonPrivate(reason="x"), 0))
    for event in free:
        assert accountant.epsilon(event, DELTA) == 0
        assert accountant.epsilon(event, 0.0) == 0
    for event in (NonPrivate(reason="x"), Composed((gauss(5.0), NonPrivate(reason="x")))):
        assert accountant.epsilon(event, DELTA) == math.inf


@pytest.mark.parametrize("accountant", ALL_ACCOUNTANTS, ids=lambda one: type(one).__name__)
def test_unknown_events_are_refused(accountant: Accountant) -> None:
    @dataclass(frozen=True)
    class Magic:
        pass

    for event in (Magic(), Composed((Magic(),)), PoissonSampled(rate=0.5, event=Magic())):  # type: ignore[arg-type]
        with pytest.raises(UnsupportedEvent, match="no accountant knows"):
            accountant.epsilon(event, DELTA)  # type: ignore[arg-type]


@pytest.mark.parametrize("accountant", ALL_ACCOUNTANTS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("delta", [-0.1, 1.0, math.nan])
def test_a_delta_that_is_no_probability_is_refused(accountant: Accountant, delta: float) -> None:
    with pytest.raises(ValueError, match="delta must lie in"):
        accountant.epsilon(gauss(1.0), delta)


@pytest.mark.parametrize("event", EVERY_EVENT, ids=lambda event: type(event).__name__)
def test_all_events_are_supported_and_more_of_them_costs_more(event: Single) -> None:
    for accountant in ALL_ACCOUNTANTS:
        assert accountant.supports(event)
        one, two, three = (accountant.epsilon(times(event, count), DELTA) for count in (1, 2, 3))
        assert 0 < one < two < three < math.inf


def test_sampling_at_rate_one_is_no_sampling() -> None:
    for base in (gauss(1.5), lap(1.5), THREE_ATOMS):
        assert flatten(sampled(1.0, base)) == ((base, 1),)
        assert tight().epsilon(sampled(1.0, base), DELTA) == tight().epsilon(base, DELTA)


def test_order_and_grouping_do_not_matter() -> None:
    parts = (sampled(0.1, gauss(1.0)), lap(3.0))
    apart = Composed((parts[0], parts[1], parts[0]))
    together = Composed((times(parts[0], 2), parts[1]))
    assert flatten(apart) == flatten(together)
    assert tight().epsilon(apart, DELTA) == tight().epsilon(together, DELTA)


def test_pure_guarantees_need_no_delta() -> None:
    assert PLDAccountant().epsilon(times(lap(2.0), 4), 0.0) == pytest.approx(2.0)
    assert PLDAccountant().epsilon(gauss(2.0), 0.0) == math.inf
    assert tight().best(times(PureDP(epsilon=0.5), 3), 0.0)[0] == pytest.approx(1.5)
    rate, base = 0.2, 1.5
    assert pure_epsilon(sampled(rate, lap(1 / base))) == pytest.approx(math.log1p(rate * math.expm1(base)))
    assert pure_epsilon(RandomizedResponse(one_to_one=0.8, zero_to_one=0.3)) == pytest.approx(math.log(0.7 / 0.2))
    assert pure_epsilon(Atoms(upper=(1.0, 0.0), lower=(0.5, 0.5))) == math.inf


def test_what_double_precision_cannot_resolve_is_infinite_and_left_to_renyi() -> None:
    event = times(gauss(0.3), 200)
    loud = times(sampled(0.5, gauss(0.3)), 200)
    assert PLDAccountant().epsilon(event, 1e-12) > pld.LARGEST_EPSILON
    assert PLDAccountant().epsilon(loud, 1e-12) == math.inf
    epsilon, name = tight().best(loud, 1e-12)
    assert math.isfinite(epsilon)
    assert "Renyi" in name


@pytest.mark.parametrize("delta", [1e-12, 1e-15])
def test_a_tiny_delta_is_accounted_more_tightly_than_by_renyi(delta: float) -> None:
    event = times(sampled(0.01, gauss(1.0)), 100)
    epsilon, name = tight().best(event, delta)
    assert name == "privacy-loss distribution"
    assert routes.rare_steps_epsilon(0.01, 1.0, 100, delta) < epsilon < 0.92 * RenyiAccountant().epsilon(event, delta)


def test_tight_says_who_won_and_never_exceeds_anybody() -> None:
    event = Composed((times(sampled(0.01, gauss(1.0)), 100), gauss(3.0)))
    epsilon, name = tight().best(event, DELTA)
    assert name == "privacy-loss distribution"
    assert epsilon <= RenyiAccountant().epsilon(event, DELTA)
    assert tight().best(gauss(1.0), DELTA)[1] == "exact Gaussian composition"
    with pytest.raises(ValueError, match="at least one"):
        TightAccountant([])


# --- Gaussian: closed form against integration, and against the grid --------------------------------------


@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0, 20.0])
def test_exact_gaussian_is_the_integral(sigma: float) -> None:
    p, q, knots = routes.sampled_pair("gaussian", sigma, 1.0)
    for epsilon in (0.0, 0.3, 1.0):
        assert gaussian_delta(epsilon, 1 / sigma) == pytest.approx(
            routes.hockey_stick(p, q, epsilon, knots), rel=1e-6, abs=1e-12
        )


@pytest.mark.parametrize("delta", [1e-3, 1e-20, 1e-100, 1e-300])
@pytest.mark.parametrize("mu", [1e-9, 1e-3, 0.1, 1.0, 40.0])
def test_exact_gaussian_epsilon_holds_at_every_delta(mu: float, delta: float) -> None:
    """In 400 digits (Balle and Wang 2018, Theorem 8), and from above."""
    found = gaussian_epsilon(mu, delta)
    with mpmath.workdps(400):

        def true(epsilon: float) -> mpmath.mpf:
            places = (mpmath.mpf(sign * mu) / 2 - mpmath.mpf(epsilon) / mu for sign in (1, -1))
            return mpmath.ncdf(next(places)) - mpmath.exp(epsilon) * mpmath.ncdf(next(places))

        assert true(found) <= delta
        if found:
            assert true(found * (1 - 1e-6)) > delta


@pytest.mark.parametrize("delta", [1e-17, 1e-20, 1e-100, 1e-300])
def test_gaussian_noise_is_calibrated_at_every_delta(delta: float) -> None:
    """Four aggregations at epsilon 1, as drawn: noise ends at 64 deviations, far from a shift of 1/17."""
    noise = calibrate(lambda scale: times(gauss(scale), 4), 1.0, delta)
    assert 0.999 <= gaussian_epsilon(2 / noise, delta) <= 1
    # Loud noise needs a share of delta for its ends, and what is below that share has no epsilon.
    assert tight().epsilon(gauss(1 / 49), delta) == (math.inf if delta < 1e-33 else pytest.approx(1700, rel=0.2))


def test_gaussians_compose_as_one_and_the_grid_agrees_from_above() -> None:
    event = Composed((times(gauss(4.0), 5), times(gauss(7.0), 3)))
    mu = math.sqrt(5 / 16 + 3 / 49)
    exact = PLDAccountant().epsilon(event, DELTA)
    assert exact == gaussian_epsilon(mu, DELTA)
    grid = (
        pld.distribution(gauss(4.0), 1e-4).self_compose(5).compose(pld.distribution(gauss(7.0), 1e-4).self_compose(3))
    )
    assert exact <= grid.get_epsilon_for_delta(DELTA) <= exact * 1.0001


# --- one sampled step: both directions against integration ------------------------------------------------


@pytest.mark.parametrize(("kind", "scale"), [("gaussian", 0.6), ("gaussian", 2.0), ("laplace", 0.4), ("laplace", 2.0)])
@pytest.mark.parametrize("rate", [0.02, 0.5])
def test_a_sampled_step_is_the_integral(kind: str, scale: float, rate: float) -> None:
    base = gauss(scale) if kind == "gaussian" else lap(scale)
    p, q, knots = routes.sampled_pair(kind, scale, rate)

    def exact(epsilon: float) -> float:
        return max(routes.hockey_stick(p, q, epsilon, knots), routes.hockey_stick(q, p, epsilon, knots))

    found = PLDAccountant().epsilon(sampled(rate, base), 1e-3)
    assert exact(found) <= 1e-3 * (1 + 1e-6)
    assert exact(found * 0.999) > 1e-3
    # The directions of the grid are those of the integrals.
    grid = pld.distribution(sampled(rate, base), 1e-4)
    assert grid._pmf_remove.get_delta_for_epsilon(0.3) == pytest.approx(
        routes.hockey_stick(p, q, 0.3, knots), rel=1e-4, abs=1e-9
    )
    assert grid._pmf_add.get_delta_for_epsilon(0.3) == pytest.approx(
        routes.hockey_stick(q, p, 0.3, knots), rel=1e-4, abs=1e-9
    )


# --- composition: exact enumeration, optimal composition, simulation --------------------------------------


@pytest.mark.parametrize("count", [1, 4, 8])
@pytest.mark.parametrize("rate", [0.3, 1.0])
@pytest.mark.parametrize("atoms", [THREE_ATOMS, Atoms(upper=(0.6, 0.3, 0.1), lower=(0.1, 0.5, 0.4))])
def test_atoms_compose_as_their_products(atoms: Atoms, rate: float, count: int) -> None:
    upper, lower = np.array(atoms.upper), np.array(atoms.lower)
    mixed = (1 - rate) * lower + rate * upper

    def exact(epsilon: float, times: int = count) -> float:
        return max(
            routes.product_hockey_stick(mixed, lower, times, epsilon),
            routes.product_hockey_stick(lower, mixed, times, epsilon),
        )

    found = PLDAccountant().epsilon(times(sampled(rate, atoms), count), 1e-3)
    wanted = routes.epsilon_of(exact, 1e-3)
    assert wanted - 1e-9 <= found <= wanted * 1.001 + 1e-9
    # One composition more is another number.
    assert abs(routes.epsilon_of(lambda epsilon: exact(epsilon, count + 1), 1e-3) - found) > 0.01 * found


@pytest.mark.parametrize(("epsilon", "count"), [(0.3, 30), (1.0, 5)])
def test_pure_epsilon_composes_optimally(epsilon: float, count: int) -> None:
    """Kairouz, Oh and Viswanath 2015, Theorem 3.3: delta at (k - 2i) epsilon, for whole i, in closed form."""
    accounted = PLDAccountant().epsilon(times(PureDP(epsilon=epsilon), count), DELTA)

    def exact(total: float) -> float:
        losses = epsilon * (count - 2 * np.arange(count + 1))
        chances = stats.binom.pmf(np.arange(count + 1), count, 1 / (1 + math.exp(epsilon)))
        return float(np.sum(chances * np.maximum(-np.expm1(total - losses), 0.0)))

    wanted = routes.epsilon_of(exact, DELTA)
    assert wanted - 1e-9 <= accounted <= wanted * 1.001


@pytest.mark.parametrize("factor", [2 / 3, 1.0, 3 / 2])
def test_sampled_gaussians_agree_with_simulation(factor: float) -> None:
    """The accountant's delta for sigma lies in the simulation's band for sigma, and in no other's."""
    rate, sigma, count, draws = 0.1, 1.2, 40, 100_000
    event = times(sampled(rate, gauss(sigma)), count)
    epsilon = 1.0
    grid = pld.distribution(event.event, 1e-3).self_compose(count)
    generator = np.random.default_rng(1)
    for remove, pmf in ((True, grid._pmf_remove), (False, grid._pmf_add)):
        losses = routes.sampled_gaussian_losses(
            generator, rate=rate, sigma=sigma * factor, count=count, draws=draws, remove=remove
        )
        delta, error = routes.simulated_delta(losses, epsilon)
        agrees = abs(pmf.get_delta_for_epsilon(epsilon) - delta) < 5 * error
        assert agrees == (factor == 1.0)


@pytest.mark.parametrize("factor", [2 / 3, 1.0, 3 / 2])
def test_a_revealed_mixture_agrees_with_simulation(factor: float) -> None:
    count, draws, epsilon = 20, 200_000, 1.0
    generator = np.random.default_rng(3)
    scales = np.array(MIXTURE.noise_multipliers) * factor
    losses = np.zeros(draws)
    for _ in range(count):
        mu = 1 / scales[generator.choice(3, size=draws, p=MIXTURE.weights)]
        losses += mu * generator.normal(size=draws) + mu**2 / 2
    delta, error = routes.simulated_delta(losses, epsilon)
    grid = pld.distribution(MIXTURE, 1e-3).self_compose(count)
    agrees = abs(grid.get_delta_for_epsilon(epsilon) - delta) < 5 * error
    assert agrees == (factor == 1.0)


def test_a_mixture_of_one_part_is_a_gaussian() -> None:
    only = RevealedMixture(weights=(0.0, 1.0), noise_multipliers=(0.1, 2.0))
    for accountant in (PLDAccountant(), RenyiAccountant()):
        assert accountant.epsilon(times(only, 9), DELTA) == pytest.approx(
            accountant.epsilon(times(gauss(2.0), 9), DELTA), rel=1e-3
        )
    half = RevealedMixture(weights=(0.5, 0.5), noise_multipliers=(2.0, 2.0))
    assert RenyiAccountant().epsilon(half, DELTA) == pytest.approx(RenyiAccountant().epsilon(gauss(2.0), DELTA))


def test_gaussian_curve_below_zero_is_the_reverse_curve() -> None:
    epsilons = np.array([-3.0, -0.5, 0.0, 0.5, 3.0])
    p, q, knots = routes.sampled_pair("gaussian", 0.5, 1.0)
    wanted = [routes.hockey_stick(p, q, float(epsilon), knots) for epsilon in epsilons]
    assert pld.gaussian_curve(epsilons, 2.0) == pytest.approx(wanted, rel=1e-6)


# --- Opacus -----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")
def test_opacus_prv_agrees() -> None:
    """Node-level ProGAP by Opacus' PRV: its upper end is above the tight value by its own error at most."""
    event = Composed((times(sampled(0.013, gauss(1.1)), 600), times(gauss(1.5), 2)))
    prv, truth = PRVAccountant().epsilon(event, DELTA), PLDAccountant().epsilon(event, DELTA)
    assert truth * 0.9995 <= prv <= truth + 0.025
    assert not PRVAccountant().supports(lap(1.0))
    with pytest.raises(UnsupportedEvent, match="Gaussians only"):
        PRVAccountant().epsilon(lap(1.0), DELTA)
    assert PRVAccountant().epsilon(Nothing(), DELTA) == 0
    assert PRVAccountant().epsilon(NonPrivate(reason="x"), DELTA) == math.inf


# --- work -------------------------------------------------------------------------------------------------


LOPSIDED: tuple[Single, ...] = (
    Atoms(upper=(0.7, 0.2, 0.1), lower=(0.4, 0.1, 0.5)),
    PoissonSampled(rate=0.2, event=Gaussian(noise_multiplier=0.8)),
    PoissonSampled(rate=0.2, event=Laplace(noise_multiplier=0.8)),
    PoissonSampled(rate=0.2, event=Atoms(upper=(0.9, 0.1), lower=(0.3, 0.7))),
    SampledOnce(rate=0.2, event=Repeated(event=Gaussian(noise_multiplier=2.0), count=3)),
    SampledTerms(rate=0.3, present=2, absent=0, noise_multiplier=1.0),
)
"""Events whose two directions differ."""


def mismatch(event: Single) -> float:
    """By how much the curves of the two directions fail to be one pair's.

    With P the law with the unit, Q without it and c = e^eps, H_c(P||Q) = 1 - c + c H_(1/c)(Q||P): each
    direction says what the other must be.
    """
    pair = pld.distribution(event, 1e-3)
    epsilons = np.linspace(-1.0, 1.0, 9)
    removed = np.array([pair._pmf_remove.get_delta_for_epsilon(epsilon) for epsilon in epsilons])
    added = np.array([pair._pmf_add.get_delta_for_epsilon(-epsilon) for epsilon in epsilons])
    return float(np.abs(removed - (1 - np.exp(epsilons) * (1 - added))).max())


@pytest.mark.parametrize("event", LOPSIDED, ids=lambda event: type(event).__name__)
def test_the_two_curves_of_an_event_are_those_of_one_pair(event: Single) -> None:
    assert mismatch(event) < 1e-3


@pytest.mark.parametrize("accountant", [PLDAccountant(), RenyiAccountant()], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("delta", [0.01, 1e-6])
def test_who_is_named_first_changes_no_epsilon(accountant: PLDAccountant | RenyiAccountant, delta: float) -> None:
    pair = Atoms(upper=(0.7, 0.2, 0.1), lower=(0.4, 0.1, 0.5))
    other = Atoms(upper=pair.lower, lower=pair.upper)
    for count in (1, 4):
        one, two = (accountant.epsilon(Repeated(event=event, count=count), delta) for event in (pair, other))
        assert math.isclose(one, two, rel_tol=1e-6)
        assert one > 0
