"""Terms of a Poisson sample that hang on one unit: the pair that dominates, against the mechanism itself and
by routes of its own."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from numpy.typing import NDArray
from scipy import stats
from tests.golden import second_route

from privgraph.privacy.accountants import PLDAccountant, tight
from privgraph.privacy.composition import flatten
from privgraph.privacy.events import Gaussian, PoissonSampled, Repeated, SampledTerms
from privgraph.privacy.hockey_sticks import Curves
from privgraph.privacy.sampled_terms import curves, log_moment, reach

Array = NDArray[np.float64]

EPSILONS: Array = np.arange(-300, 301, dtype=np.float64) * 0.01
CASES = [(0.3, 1, 1, 1.0), (0.3, 2, 1, 1.5), (0.15, 3, 2, 1.0), (0.6, 2, 2, 2.0), (0.9, 1, 2, 0.8), (1.0, 2, 1, 2.0)]


def terms(rate: float, present: int, absent: int, noise: float) -> SampledTerms:
    return SampledTerms(rate=rate, present=present, absent=absent, noise_multiplier=noise)


# --- the mechanism itself ---------------------------------------------------------------------------------


def mixture(gradients: Array, rate: float, noise: float, x: Array) -> Array:
    """Density, at points x (N, 2), of the noisy sum of a Poisson sample of `gradients` (n, 2), over the clip:
    every sample."""
    total = np.zeros(len(x))
    for coins in itertools.product((0, 1), repeat=len(gradients)):
        chance = np.prod([rate if coin else 1 - rate for coin in coins])
        mean = np.asarray(coins, dtype=np.float64) @ gradients
        total += chance * np.exp(-((x - mean) ** 2).sum(axis=1) / (2 * noise**2)) / (2 * math.pi * noise**2)
    return total


def played(with_unit: Array, without: Array, rate: float, noise: float) -> Curves:
    """The exact curves of two datasets in the plane, by quadrature."""
    step, edge = noise / 25, 5 * noise + max(len(with_unit), len(without))
    line = np.arange(-edge, edge, step)
    x = np.stack([one.ravel() for one in np.meshgrid(line, line)], axis=1)
    p, q = (mixture(dataset, rate, noise, x) * step**2 for dataset in (with_unit, without))
    growth = np.exp(EPSILONS[::20])
    return Curves(
        np.array([np.maximum(p - c * q, 0).sum() for c in growth]),
        np.array([np.maximum(q - c * p, 0).sum() for c in growth]),
    )


@pytest.mark.parametrize(("rate", "present", "absent", "noise"), CASES)
def test_no_gradients_in_the_plane_pass_the_curve_and_aligned_ones_reach_it(
    rate: float, present: int, absent: int, noise: float
) -> None:
    """Random gradients of the unit's terms in both datasets, on the circle and in it, beside a stranger's
    with a coin of its own."""
    bound = curves(terms(rate, present, absent, noise), EPSILONS[::20])
    generator = np.random.default_rng(round(100 * rate) + present)

    def drawn(count: int) -> Array:
        angle, length = generator.uniform(0, 2 * math.pi, count), generator.uniform(0, 1, count) ** 0.25
        length[generator.random(count) < 0.5] = 1.0
        return np.stack([length * np.cos(angle), length * np.sin(angle)], axis=1)

    aligned = np.tile([[1.0, 0.0]], (present, 1)), np.tile([[-1.0, 0.0]], (absent, 1))
    for number in range(6):
        stranger, fewer = drawn(1), int(generator.integers(0, 2))
        own, other = (drawn(max(0, count - fewer)) for count in (present, absent))
        if number == 0:
            own, other = aligned
        found = played(np.concatenate([own, stranger]), np.concatenate([other, stranger]), rate, noise)
        assert (found.removed <= bound.removed + 1e-4).all()
        assert (found.added <= bound.added + 1e-4).all()
    reached = played(*aligned, rate, noise)
    assert reached.removed == pytest.approx(bound.removed, abs=1e-4)
    assert reached.added == pytest.approx(bound.added, abs=1e-4)
    understated = curves(terms(rate, present, absent, noise * 4 / 3), EPSILONS[::20])
    assert float((reached.removed - understated.removed).max()) > 1e-3


# --- curves -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "present", "absent", "noise"), [*CASES, (0.05, 41, 40, 9.0), (0.5, 0, 3, 1.0)])
def test_curves_by_quadrature(rate: float, present: int, absent: int, noise: float) -> None:
    bound = curves(terms(rate, present, absent, noise), EPSILONS)
    x = np.arange(-(absent + 10 * noise), present + 10 * noise, noise / 400)
    p = sum(stats.binom.pmf(j, present, rate) * stats.norm.pdf(x, j, noise) for j in range(present + 1))
    q = sum(stats.binom.pmf(j, absent, rate) * stats.norm.pdf(x, -j, noise) for j in range(absent + 1))
    for i in range(0, len(EPSILONS), 50):
        c = math.exp(EPSILONS[i])
        for curve, one, other in ((bound.removed, p, q), (bound.added, q, p)):
            exact = float(np.maximum(one - c * other, 0).sum()) * noise / 400
            assert exact - 1e-9 <= curve[i] <= exact + 2e-5


@pytest.mark.parametrize(("rate", "present", "absent", "noise"), CASES)
def test_curves_are_those_of_pairs_of_laws(rate: float, present: int, absent: int, noise: float) -> None:
    for curve in vars(curves(terms(rate, present, absent, noise), EPSILONS)).values():
        slopes = np.diff(curve) / np.diff(np.exp(EPSILONS))
        assert (np.diff(slopes) >= -1e-9).all()
        assert (slopes <= 0).all()
        assert (curve >= -np.expm1(EPSILONS) - 1e-12).all()


def test_few_terms_and_rare_ones_lie_below() -> None:
    """The proof's stochastic order: fewer terms, a smaller rate and more noise never cost more, anywhere on
    the curve."""
    whole = curves(terms(0.4, 3, 2, 1.5), EPSILONS)
    for less in (terms(0.4, 2, 2, 1.5), terms(0.4, 3, 1, 1.5), terms(0.3, 3, 2, 1.5), terms(0.4, 3, 2, 1.8)):
        below = curves(less, EPSILONS)
        assert (below.removed <= whole.removed + 1e-7).all()
        assert (below.added <= whole.added + 1e-7).all()
        assert float((whole.removed - below.removed).max()) > 1e-3


def test_numbers_of_terms_that_are_left_out_are_paid_for() -> None:
    event = terms(0.1, 40, 39, 3.0)
    exact, rough = curves(event, EPSILONS), curves(event, EPSILONS, 1e-3)
    for one, other in ((exact.removed, rough.removed), (exact.added, rough.added)):
        assert (other >= one).all()
        assert (other <= one + 2e-3).all()


def test_nothing_is_left_beyond_the_reach() -> None:
    several = [terms(0.05, 41, 40, 9.0), terms(0.3, 1, 1, 1.0), terms(0.9, 6, 5, 30.0)]
    for event in (*several, terms(0.2, 4, 1, 2.0), terms(0.2, 1, 4, 2.0)):
        last = np.array([reach(event)])
        beyond = curves(event, last)
        assert max(float(beyond.removed[0]), float(beyond.added[0])) <= 1e-17
        nearer = curves(event, last * 0.9)
        assert max(float(nearer.removed[0]), float(nearer.added[0])) > 1e-18


# --- accountants ------------------------------------------------------------------------------------------


def test_one_term_or_everybody_is_a_known_gaussian() -> None:
    alone = PoissonSampled(rate=0.2, event=Gaussian(noise_multiplier=3.0))
    assert flatten(terms(0.2, 1, 0, 3.0)) == flatten(terms(0.2, 0, 1, 3.0)) == ((alone, 1),)
    assert flatten(terms(1.0, 3, 2, 5.0)) == ((Gaussian(noise_multiplier=1.0), 1),)
    assert flatten(terms(0.2, 0, 0, 5.0)) == ()
    library = privacy_loss_distribution.from_gaussian_mechanism(
        3.0, sampling_prob=0.2, value_discretization_interval=1e-3
    )
    own = curves(terms(0.2, 1, 0, 3.0), EPSILONS)
    larger = np.maximum(own.removed, own.added)
    assert larger == pytest.approx(np.asarray(library.get_delta_for_epsilon(EPSILONS)), abs=2e-6)


def smooth_pair(event: SampledTerms) -> second_route.Pair:
    """Weights of both laws and the loss, at points of a line: no code in common with the product."""
    noise, rate = event.noise_multiplier, event.rate
    step = noise / 64
    x = np.arange(-event.absent - 11 * noise, event.present + 11 * noise, step)
    p, q = (
        step * sum(stats.binom.pmf(j, many, rate) * stats.norm.pdf(x, sign * j, noise) for j in range(many + 1))
        for many, sign in ((event.present, 1), (event.absent, -1))
    )
    return p, q, np.log(p / q)


@pytest.mark.parametrize(
    ("event", "count", "delta"),
    [
        (terms(0.1, 3, 2, 4.0), 100, 1e-5),
        (terms(0.06, 3, 2, 16.0), 600, 1e-5),
        (terms(0.02, 1, 1, 1.0), 300, 1e-5),
        (terms(0.5, 11, 10, 60.0), 40, 1e-4),
    ],
)
def test_epsilons_by_characteristic_functions(event: SampledTerms, count: int, delta: float) -> None:
    own = PLDAccountant().epsilon(Repeated(event=event, count=count), delta)
    other = second_route.epsilon([(smooth_pair(event), count)], delta)
    assert other <= own * (1 + 1e-6)
    assert own == pytest.approx(other, rel=1e-3)
    wrong = SampledTerms(
        rate=event.rate, present=event.present, absent=event.absent, noise_multiplier=event.noise_multiplier * 1.1
    )
    assert PLDAccountant().epsilon(Repeated(event=wrong, count=count), delta) < 0.98 * other


@pytest.mark.parametrize(("rate", "present", "absent", "noise"), [*CASES[:5], (0.05, 41, 40, 9.0)])
def test_renyi_divergences_by_quadrature(rate: float, present: int, absent: int, noise: float) -> None:
    orders = np.array([1.05, 1.5, 2.0, 7.25, 20.0])
    p, q, loss = smooth_pair(terms(rate, present, absent, noise))
    expected = [
        max(np.log(np.sum(q * np.exp(a * loss))), np.log(np.sum(p * np.exp(-a * loss)))) for a in orders.tolist()[:3]
    ]
    found = log_moment(terms(rate, present, absent, noise), orders)
    assert found[:3] == pytest.approx(expected, rel=1e-6)
    # Where an integral would be too long coins count as seen: more, and still the moment grows convexly from
    # 0 at order 1.
    assert (np.diff(np.concatenate([[0.0], found]) / np.concatenate([[1.0], orders - 1])) >= -1e-12)[1:].all()
    far = log_moment(terms(rate, present, absent, noise), np.array([4000.0, 16384.0]))
    assert (far <= np.array([4000.0, 16384.0]) ** 2 * ((present + absent) / noise) ** 2 / 2).all()


@pytest.mark.parametrize(
    "event",
    [terms(1e-4, 201, 200, 5.0), terms(0.999, 201, 200, 4000.0), terms(0.3, 1, 1, 1e-6), terms(1e-6, 1, 1, 1e6)],
    ids=str,
)
def test_extreme_settings_neither_overflow_nor_warn(event: SampledTerms) -> None:
    found = tight().epsilon(Repeated(event=event, count=10), 1e-6)
    assert found >= 0
    assert (found > 100) == (event.noise_multiplier < 1e-3)
