"""The price of choosing the best of K trials: against dp-accounting, against the exact law of a toy, and by
playing it."""

import itertools
import math
from itertools import islice

import mpmath
import numpy as np
import pytest
from dp_accounting import dp_event, rdp
from scipy.special import ndtr
from scipy.stats import chisquare

from privgraph.audits.bounds import at_least, at_most
from privgraph.options import OptionError
from privgraph.privacy import selection
from privgraph.privacy.accountants import LEAST_NOISE, TAILS, tight
from privgraph.privacy.calibration import calibrate
from privgraph.privacy.events import (
    Atoms,
    Composed,
    Gaussian,
    Laplace,
    NonPrivate,
    Nothing,
    PoissonSampled,
    PrivacyEvent,
    Repeated,
)
from privgraph.privacy.renyi import DEFAULT_ORDERS, convert
from privgraph.privacy.selection import Fixed, NegativeBinomial, Poisson, draw, make_law, price
from privgraph.streams import Secret

ORDERS = np.asarray(DEFAULT_ORDERS)
LAWS = (
    NegativeBinomial(mean=20),
    NegativeBinomial(mean=20, shape=0),
    NegativeBinomial(mean=5, shape=0.5),
    NegativeBinomial(mean=8, shape=3),
    Poisson(mean=20),
)
EVENTS = {
    "Gaussian": (Gaussian(noise_multiplier=4.0), dp_event.GaussianDpEvent(4.0)),
    "Laplace": (Laplace(noise_multiplier=3.0), dp_event.LaplaceDpEvent(3.0)),
    "sampled": (
        Repeated(event=PoissonSampled(rate=0.02, event=Gaussian(noise_multiplier=1.2)), count=50),
        dp_event.SelfComposedDpEvent(dp_event.PoissonSampledDpEvent(0.02, dp_event.GaussianDpEvent(1.2)), 50),
    ),
    "composed": (
        Composed((Gaussian(noise_multiplier=5.0), Laplace(noise_multiplier=9.0))),
        dp_event.ComposedDpEvent([dp_event.GaussianDpEvent(5.0), dp_event.LaplaceDpEvent(9.0)]),
    ),
}


def by_library(event: dp_event.DpEvent, law: NegativeBinomial | Poisson, delta: float) -> float:
    shape = math.inf if isinstance(law, Poisson) else law.shape
    accountant = rdp.RdpAccountant(orders=list(ORDERS))
    return float(accountant.compose(dp_event.RepeatAndSelectDpEvent(event, law.mean, shape)).get_epsilon(delta))


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("name", EVENTS)
def test_both_routes_agree_with_dp_accounting(name: str, law: NegativeBinomial | Poisson) -> None:
    """The theorems over this program's own Renyi divergences, and the route that `price` takes."""
    event, theirs = EVENTS[name]
    expected = by_library(theirs, law, 1e-5)
    own = float(np.min(convert(selection.chosen(selection.largest([event]), law), ORDERS, 1e-5, "balle")))
    assert own == pytest.approx(expected, rel=1e-6)
    assert price([event], law, 1e-5).epsilon == pytest.approx(expected, rel=1e-6)


def exact_epsilon(law: NegativeBinomial, shift: float, delta: float) -> float:
    """Epsilon of the largest of K Gaussians at distance `shift`, from the densities q F'(Q): no theorem."""
    y = np.linspace(-14, 14 + shift, 400_001)
    g = law.parameter

    def density(mean: float) -> np.ndarray:
        own = np.exp(-((y - mean) ** 2) / 2) / math.sqrt(2 * math.pi)
        return own * law.mean * (g / (1 - (1 - g) * ndtr(y - mean))) ** (1 + law.shape)

    with_unit, without = density(shift), density(0.0)
    for law_of_choice in (with_unit, without):
        assert np.trapezoid(law_of_choice, y) == pytest.approx(1, abs=1e-6), "the density of the choice"

    def excess(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
        return float(np.trapezoid(np.maximum(p - math.exp(epsilon) * q, 0), y))

    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        fails = max(excess(with_unit, without, middle), excess(without, with_unit, middle)) > delta
        low, high = (middle, high) if fails else (low, middle)
    return high


@pytest.mark.parametrize("shape", [0.0, 0.5, 1.0, 3.0])
def test_no_choice_of_gaussians_costs_more_than_its_price_and_some_cost_more_than_one_run(shape: float) -> None:
    """The exact law of the choice, by quadrature: an underpriced choice would be found out."""
    law, shift, delta = NegativeBinomial(mean=30, shape=shape), 0.5, 1e-5
    event = Gaussian(noise_multiplier=1 / shift)
    exact = exact_epsilon(law, shift, delta)
    assert exact <= price([event], law, delta).epsilon
    assert exact > tight().epsilon(event, delta) * 1.1


def test_a_played_selection_stays_under_its_price_and_refutes_that_of_one_run() -> None:
    """A game that was made to be dear: three outcomes, of which the best is likelier with the unit, and the
    middle one without it. The middle one is chosen where no trial was the best.

    The lower bound, by Monte Carlo, refutes the epsilon of one run, and that of two, and stays under the
    price, which is nearly three.
    """
    law, epsilon, games = NegativeBinomial(mean=1000), 1.0, 400_000
    rise = math.exp(epsilon)
    with_unit, without = (0.02 * rise, 0.002), (0.02, 0.002 * rise)
    event = Atoms(upper=(*with_unit, 1 - sum(with_unit)), lower=(*without, 1 - sum(without)))
    assert tight().epsilon(event, 0.0) == pytest.approx(epsilon), "one trial"
    random = np.random.default_rng(5)

    def middle(best: float, second: float) -> int:
        """How often the middle outcome is chosen."""
        trials = random.geometric(law.parameter, size=games)
        bests = random.binomial(trials, best)
        return int(((bests == 0) & (random.binomial(trials, second / (1 - best)) > 0)).sum())

    often, seldom = middle(*without), middle(*with_unit)
    bound = math.log(float(at_least(often, games, 0.025)) / float(at_most(seldom, games, 0.025)))
    assert bound > 2.3 * epsilon
    assert bound <= price([event], law, 1e-9).epsilon <= 3.01 * epsilon


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_laws_are_what_they_say(law: NegativeBinomial | Poisson) -> None:
    found = [(number, float(chance)) for number, chance in islice(law.chances(), 3000)]
    assert found[0][0] == (0 if isinstance(law, Poisson) else 1)
    assert sum(chance for _, chance in found) == pytest.approx(1, abs=1e-9)
    assert sum(number * chance for number, chance in found) == pytest.approx(law.mean, rel=1e-6)


@pytest.mark.parametrize("shape", [0.0, 0.01, 0.5, 1.0, 2.0, 10.0, 100.0])
@pytest.mark.parametrize("mean", [1.001, 1.5, 20.0, 10_000.0])
def test_the_mean_that_is_priced_is_no_less_than_that_of_the_law_as_drawn(mean: float, shape: float) -> None:
    """In 40 digits: rounding the parameter down makes the mean larger, and dearer."""
    law = NegativeBinomial(mean=mean, shape=shape)
    with mpmath.workdps(40):
        g, k = mpmath.mpf(law.parameter), mpmath.mpf(shape)
        drawn = (1 / g - 1) / mpmath.log(1 / g) if shape == 0 else k * (1 - g) / (g * (1 - g**k))
        assert mean * (1 - mpmath.mpf(2) ** -52) <= drawn <= law.priced_mean * (1 + mpmath.mpf(2) ** -52)
    assert law.priced_mean <= mean * 1.000001


def test_numbers_of_trials_are_drawn_from_their_law() -> None:
    law = NegativeBinomial(mean=4)
    drawn = np.asarray([draw(law, Secret(bytes(32), seed, "noise/trials")) for seed in range(4000)])
    assert drawn[0] == draw(law, Secret(bytes(32), 0, "noise/trials")), "a stream draws the same again"

    def fits(other: NegativeBinomial) -> float:
        expected = np.asarray([float(chance) for _, chance in islice(other.chances(), 12)])
        seen = np.asarray([(drawn == number).sum() for number in range(1, 13)])
        expected, seen = np.append(expected, 1 - expected.sum()), np.append(seen, (drawn > 12).sum())
        return float(chisquare(seen, expected * len(drawn)).pvalue)

    assert fits(law) > 1e-3
    assert fits(NegativeBinomial(mean=5)) < 1e-6
    assert fits(NegativeBinomial(mean=4, shape=0.5)) < 1e-6


def test_one_of_several_events_costs_at_least_as_much_as_each() -> None:
    some = [Gaussian(noise_multiplier=4.0), Repeated(event=Laplace(noise_multiplier=20.0), count=8)]
    law = NegativeBinomial(mean=10)
    both = price(some, law, 1e-6).epsilon
    assert both >= max(price([one], law, 1e-6).epsilon for one in some) - 1e-6
    assert price([some[0], some[0]], law, 1e-6) == price([some[0]], law, 1e-6)


def test_all_trials_are_composed_by_the_tightest_accountant() -> None:
    event = Composed((Gaussian(noise_multiplier=3.0), Nothing()))
    expected = tight().epsilon(Repeated(event=Gaussian(noise_multiplier=3.0), count=7), 1e-6)
    assert price([event], Fixed(count=7), 1e-6).epsilon == pytest.approx(expected, rel=1e-6)
    mixed = price([event, Gaussian(noise_multiplier=2.9)], Fixed(count=7), 1e-6).epsilon
    assert mixed > tight().epsilon(Repeated(event=Gaussian(noise_multiplier=2.9), count=7), 1e-6)


def test_a_search_is_priced_by_its_dearest_way() -> None:
    events = [Gaussian(noise_multiplier=noise) for noise in (9.0, 7.0, 5.0, 4.0, 3.0, 2.5, 2.0)]
    curves = [selection.largest([one]) for one in events]

    def ways(low: int, high: int) -> list[list[int]]:
        if low >= high:
            return [[]]
        middle = low + (high - low) // 2
        return [[middle, *rest] for rest in (*ways(low, middle), *ways(middle + 1, high))]

    found = ways(0, 7)
    assert {len(one) for one in found} == {3}
    expected = np.max([np.sum([curves[place] for place in way], axis=0) for way in found], axis=0)
    np.testing.assert_allclose(selection.longest_path(curves), expected)
    np.testing.assert_allclose(selection.longest_path(curves[::-1]), expected, err_msg="whichever half is the dearer")
    dearest = Composed(tuple(events[place] for place in max(found, key=lambda way: sum(way))))
    assert selection.search_price(events, 1e-6).epsilon >= tight().epsilon(dearest, 1e-6)
    assert selection.search_price([*events[:6], NonPrivate(reason="raw")], 1e-6).epsilon == math.inf


@pytest.mark.parametrize("law", [NegativeBinomial(mean=20), Poisson(mean=20), Fixed(count=20)], ids=str)
def test_what_has_no_price_is_infinite(law: selection.Law) -> None:
    gaussian = Gaussian(noise_multiplier=4.0)
    assert price([gaussian], law, 0.0).epsilon == math.inf
    assert price([gaussian, NonPrivate(reason="raw")], law, 1e-5).epsilon == math.inf
    assert price([Gaussian(noise_multiplier=0.001)], law, 1e-5).epsilon == math.inf
    assert price([Nothing()], law, 1e-5).epsilon == 0
    with pytest.raises(ValueError, match="delta"):
        price([gaussian], law, 1.0)


def test_a_trial_that_hides_nothing_fails_for_certain() -> None:
    """Theorem 6 with d = 1: an expected number of trials, each of which may fail."""
    loud, law = np.full(ORDERS.shape, 1e6), Poisson(mean=20)
    np.testing.assert_allclose(selection.chosen(loud, law), 1e6 + 20 + math.log(20) / (ORDERS - 1), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "trials", "shape", "said"),
    [
        ("normal", 20, 1, "law must be one of"),
        ("geometric", 1, 1, "mean must lie above 1"),
        ("poisson", 1e9, 1, "mean must lie above 1"),
        ("negative binomial", 20, -0.5, "shape must lie between"),
        ("negative binomial", math.nan, 1, "mean must lie above 1"),
        ("fixed", 2.5, 1, "whole number"),
        ("fixed", 0, 1, "count must lie between"),
    ],
)
def test_a_law_that_there_is_none_of_is_refused(name: str, trials: float, shape: float, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        make_law(name, trials, shape)


@pytest.mark.parametrize("law", [NegativeBinomial(mean=20), Fixed(count=20)], ids=str)
def test_tails_are_paid_for_in_every_trial(law: selection.Law) -> None:
    event = [Gaussian(noise_multiplier=4.0)]
    assert math.isinf(price(event, law, 20.5 * TAILS).epsilon)
    assert math.isfinite(price(event, law, 40 * TAILS).epsilon)
    assert math.isinf(selection.search_price(event * 3, 2.5 * TAILS if isinstance(law, Fixed) else 0.0).epsilon)


@pytest.mark.parametrize("law", [NegativeBinomial(mean=20), Fixed(count=20)], ids=str)
def test_one_trial_of_too_little_noise_leaves_no_price(law: selection.Law) -> None:
    events = [Gaussian(noise_multiplier=4.0), Gaussian(noise_multiplier=LEAST_NOISE / 2)]
    assert math.isinf(price(events, law, 1e-5).epsilon)
    assert math.isinf(selection.search_price([*events, events[0]], 1e-5).epsilon)


def settings_of_epsilons(epsilons: list[float], delta: float) -> list[PrivacyEvent]:
    """Plain Gaussians that cost about these."""
    noises = [calibrate(lambda noise: Gaussian(noise_multiplier=noise), epsilon, delta) for epsilon in epsilons]
    return [Composed((Gaussian(noise_multiplier=noise),)) for noise in noises]


@pytest.mark.parametrize(("steps", "exact"), [(3, 11.619), (4, 14.151), (6, 20.313)])
def test_a_search_among_gaussians_costs_its_dearest_way_exactly(steps: int, exact: float) -> None:
    last = 2**steps - 2
    events = settings_of_epsilons([0.1 * 100 ** (k / last) for k in range(last + 1)], 1e-6)
    cost = selection.search_price(events, 1e-6)
    assert cost.epsilon == pytest.approx(exact, abs=1e-3)
    assert "exact Gaussian" in cost.accountant
    # Every way through the tree is a composition that may happen, and costs no more.
    for way in itertools.product((False, True), repeat=steps):
        low, high, taken = 0, len(events), []
        for right in way:
            middle = (low + high) // 2
            taken.extend(events[middle].events)
            low, high = (middle + 1, high) if right else (low, middle)
        assert tight().epsilon(Composed(tuple(taken)), 1e-6) <= cost.epsilon


def test_gaussian_trials_that_differ_cost_the_dearest_one_each_time_exactly() -> None:
    events = settings_of_epsilons([1.0, 0.999], 1e-6)
    cost = price(events, Fixed(count=10), 1e-6)
    assert cost.epsilon == pytest.approx(3.524, abs=1e-3)
    alike = price(events[:1], Fixed(count=10), 1e-6).epsilon
    assert alike <= cost.epsilon * (1 + 1e-9)
    mixed = [*events, Composed((Laplace(noise_multiplier=50.0),))]
    assert "Renyi" in price(mixed, Fixed(count=10), 1e-6).accountant
    assert "Renyi" in selection.search_price(mixed, 1e-6).accountant


def test_a_number_of_trials_is_settled_by_enough_digits() -> None:
    """Its law is the stated one up to 2^-200."""
    asked: list[int] = []

    class Counted(Secret):
        def integer(self, bits: int) -> int:
            asked.append(bits)
            return super().integer(bits)

    draw(NegativeBinomial(mean=20), Counted(bytes(32), 0, "noise/trials"))
    assert asked
    assert min(asked) >= 200
