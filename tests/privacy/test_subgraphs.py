"""Sampled subgraphs: each step of the proof by a route of its own, and the mechanism itself at its worst."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from numpy.typing import NDArray
from scipy import stats

from privgraph.privacy.accountants import PLDAccountant, RenyiAccountant, tight
from privgraph.privacy.composition import flatten
from privgraph.privacy.events import Gaussian, PoissonSampled, Repeated, SampledSubgraphs
from privgraph.privacy.hockey_sticks import Curves, laplace_mixture_curves, mixture_curves
from privgraph.privacy.subgraph_laws import Law, block_law, blocks, degree_law, dominating, log_moment, reach
from privgraph.privacy.subgraphs import (
    _antitonic,
    _antitonic_of_any,
    degree_curves,
    envelope,
    exclusive_curves,
    open_curves,
)

Array = NDArray[np.float64]

EPSILONS: Array = np.arange(-400, 401, dtype=np.float64) * 0.01
"""Rising, and its own mirror image."""


def subgraphs(
    noise: float, *, rate: float = 0.2, neighbours: int = 1, largest: int = 10_000, exclusive: bool = False
) -> SampledSubgraphs:
    return SampledSubgraphs(
        rate=rate, neighbours=neighbours, noise_multiplier=noise, largest_degree=largest, exclusive=exclusive
    )


# --- P1: a mixture against a point ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_mixtures_in_any_directions_are_dominated_by_one_line(seed: int) -> None:
    """Three dimensions, random directions and radii: both curves, by 200,000 draws, with error bars. Radii a
    third smaller on the line do not dominate the line itself, so that the check can fail.
    """
    generator = np.random.default_rng(seed)
    weights = generator.dirichlet(np.ones(4))
    radii = np.sort(generator.uniform(0, 2.5, 4))
    directions = generator.normal(size=(4, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    x = generator.normal(size=(200_000, 3))
    epsilons = np.array([-1.0, -0.3, 0.0, 0.4, 1.0])
    bound = mixture_curves(radii, weights, epsilons)
    for centres, aligned in ((directions * radii[:, None], False), (radii[:, None] * np.eye(3)[:1], True)):
        ratio = np.exp(x @ centres.T - radii**2 / 2) @ weights
        for i, c in enumerate(np.exp(epsilons)):
            for curve, sampled in (
                (bound.removed, np.maximum(ratio - c, 0)),
                (bound.added, np.maximum(1 - c * ratio, 0)),
            ):
                error = 5 * float(sampled.std()) / math.sqrt(len(x)) + 1e-9
                assert sampled.mean() <= curve[i] + error
                if aligned:
                    assert sampled.mean() >= curve[i] - error
    smaller = mixture_curves(radii * 2 / 3, weights, epsilons)
    assert (smaller.removed < bound.removed - 1e-3).any()


@pytest.mark.parametrize("sampling", [0.1, 0.5])
def test_mixture_curves_are_those_of_a_sampled_gaussian(sampling: float) -> None:
    """Against dp-accounting's own closed forms, both orders."""
    own = mixture_curves(np.array([0.0, 1.0]), np.array([1 - sampling, sampling]), EPSILONS)
    library = privacy_loss_distribution.from_gaussian_mechanism(
        1.0, sampling_prob=sampling, value_discretization_interval=1e-3, pessimistic_estimate=True
    )
    larger = np.maximum(own.removed, own.added)
    assert larger == pytest.approx(np.asarray(library.get_delta_for_epsilon(EPSILONS)), abs=2e-6)


def test_laplace_mixtures_by_quadrature() -> None:
    shifts, weights, scale = np.array([0.0, 0.5, 2.0]), np.array([0.5, 0.3, 0.2]), 1.3
    own = laplace_mixture_curves(shifts, weights, EPSILONS, scale)
    x = np.linspace(-60, 62, 400_001)
    q = np.exp(-np.abs(x) / scale) / (2 * scale)
    p = np.exp(-np.abs(x[:, None] - shifts) / scale) @ weights / (2 * scale)
    for i in range(0, len(EPSILONS), 80):
        c = math.exp(EPSILONS[i])
        assert own.removed[i] == pytest.approx(np.trapezoid(np.maximum(p - c * q, 0), x), abs=1e-6)
        assert own.added[i] == pytest.approx(np.trapezoid(np.maximum(q - c * p, 0), x), abs=1e-6)


# --- P3: the maximum over decreasing sequences ------------------------------------------------------------


def best_decreasing(terms: Array) -> float:
    """max of sum_k terms[k, i_k] over i_0 <= i_1 <= ...: one k after another, whatever the terms are."""
    best = np.zeros(terms.shape[1])
    for term in terms:
        best = np.maximum.accumulate(best) + term
    return float(best.max())


@pytest.mark.parametrize(("noise", "rate", "degree"), [(3.0, 0.3, 4), (1.0, 0.6, 7), (20.0, 0.2, 50)])
def test_antitonic_regression_finds_the_best_decreasing_sequence(noise: float, rate: float, degree: int) -> None:
    event = subgraphs(noise, rate=rate, neighbours=2)
    bound = open_curves(event, degree, EPSILONS, spacing=0.0025)
    rho = degree_law(rate, 2, degree).weights(1e-15)[:, None]
    a = 1 / noise
    s = 2 * a * np.arange(len(rho))[:, None]
    x = np.linspace(-10, float(s.max()) + a + 10, 8001)
    for i in range(200, 601, 40):
        c = math.exp(EPSILONS[i])
        tail = stats.norm.sf
        removed = rho * ((1 - rate) * tail(x - s) + rate * tail(x - s - a) - c * tail(x))
        added = rho * (tail(x - s) - c * ((1 - rate) * tail(x) + rate * tail(x + a)))
        for terms, curve in ((removed, bound.removed), (added, bound.added)):
            searched = best_decreasing(terms)
            assert searched - 1e-12 <= curve[i] <= searched + 1e-5
            # Without the order between sizes of sets, more would have to be paid.
            assert float(terms.max(axis=1).sum()) >= curve[i] - 1e-5


@pytest.mark.parametrize("peaks", [1, 2])
def test_one_pass_gives_the_regression_that_many_passes_give(peaks: int) -> None:
    """Also of columns with two peaks, which are left to the rule for any values."""
    k, x = np.arange(12.0)[:, None], np.linspace(-6, 30, 500)
    bumps = [-((2 * k - x) ** 2) / 2, -((2 * k - x - 9) ** 2) / 2][:peaks]
    log_values = np.asarray(np.logaddexp.reduce(bumps))
    weights = stats.poisson.pmf(np.arange(12), 1.3)
    top = log_values.max(axis=0)
    with np.errstate(divide="ignore"):
        slow = np.log(_antitonic_of_any(np.exp(log_values - top), weights)) + top
    assert _antitonic(log_values, weights) == pytest.approx(slow, rel=1e-12, abs=1e-12)


# --- P4: all out-degrees ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "neighbours"), [(0.2, 1), (0.9, 3), (1.0, 2), (0.02, 10)])
def test_blocks_cover_every_degree_and_dominate_it(rate: float, neighbours: int) -> None:
    event = subgraphs(1.0, rate=rate, neighbours=neighbours, largest=3000)
    degree_ranges = list(blocks(event))
    assert degree_ranges[0][0] == neighbours
    assert degree_ranges[-1][1] == 3000
    assert all(one[1] + 1 == following[0] for one, following in itertools.pairwise(degree_ranges))
    counts = np.arange(60)
    tops = np.max([stats.binom.sf(counts, law.trials, law.chance) for law in dominating(event)], axis=0)
    for first, last in degree_ranges:
        law = block_law(rate, neighbours, first, last)
        above = stats.binom.sf(counts, law.trials, law.chance)
        for degree in {first, (first + last) // 2, last}:
            own = stats.binom.sf(counts, degree, rate * neighbours / degree)
            assert (own <= above * (1 + 1e-9) + 1e-15).all()
            assert (own <= tops * (1 + 1e-9) + 1e-15).all()


def test_laws_have_the_library_s_weights() -> None:
    for trials, chance in ((3, 0.5), (10**6, 2e-6), (40, 1.0), (7, 0.0)):
        weights = Law(trials, chance).weights(1e-14)
        assert weights == pytest.approx(stats.binom.pmf(np.arange(len(weights)), trials, chance), rel=1e-9, abs=1e-300)
        assert 1 - weights.sum() <= 2e-14
    poisson = Law(math.inf, mean=4.0).weights(1e-14)
    assert poisson == pytest.approx(stats.poisson.pmf(np.arange(len(poisson)), 4.0), rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize(("noise", "rate", "neighbours"), [(6.0, 0.2, 1), (2.0, 0.5, 2), (12.0, 0.9, 3)])
def test_the_envelope_is_above_every_degree(noise: float, rate: float, neighbours: int, exclusive: bool) -> None:
    event = subgraphs(noise, rate=rate, neighbours=neighbours, exclusive=exclusive)
    whole = envelope(event, EPSILONS)
    nearest = np.inf
    for degree in (0, 1, neighbours, neighbours + 1, 5, 17, 100, 1234, 10_000):
        one = degree_curves(event, degree, EPSILONS)
        for above, below in ((whole.removed, one.removed), (whole.added, one.added)):
            assert (below <= above + 1e-7).all()
            nearest = min(nearest, float((above - below)[300:500].max()))
    assert nearest < 0.01
    weaker = envelope(subgraphs(noise * 1.1, rate=rate, neighbours=neighbours, exclusive=exclusive), EPSILONS)
    stronger = degree_curves(event, neighbours, EPSILONS)
    assert (stronger.removed > weaker.removed + 1e-6).any()


@pytest.mark.parametrize("exclusive", [False, True])
def test_curves_are_those_of_pairs_of_laws(exclusive: bool) -> None:
    """Convex in exp(epsilon), falling, and at least 1 - exp(epsilon): what composition takes for granted."""
    event = subgraphs(1.5, rate=0.4, neighbours=2, exclusive=exclusive)
    for curve in vars(envelope(event, EPSILONS)).values():
        slopes = np.diff(curve) / np.diff(np.exp(EPSILONS))
        assert (np.diff(slopes) >= -1e-9).all()
        assert (slopes <= 0).all()
        assert (curve >= -np.expm1(EPSILONS) - 1e-12).all()
        assert (curve >= 0).all()


def test_the_largest_convex_curve_below() -> None:
    """A bump is cut, a convex curve stays."""
    smooth = np.exp(-np.exp(EPSILONS))
    bumpy = smooth + 0.05 * np.exp(-((EPSILONS - 0.5) ** 2) / 0.01)
    found = Curves(smooth, bumpy).convex(EPSILONS)
    assert found.removed == pytest.approx(smooth, abs=1e-12)
    assert (found.added <= bumpy + 1e-15).all()
    assert (found.added >= smooth - 1e-12).all()
    assert float((bumpy - found.added).max()) > 0.03


# --- special cases ----------------------------------------------------------------------------------------


def test_without_neighbours_or_without_others_it_is_a_sampled_gaussian() -> None:
    alone = PoissonSampled(rate=0.2, event=Gaussian(noise_multiplier=3.0))
    assert flatten(subgraphs(3.0, neighbours=0)) == flatten(subgraphs(3.0, largest=0)) == ((alone, 1),)
    everybody = subgraphs(3.0, rate=1.0, exclusive=True)
    assert flatten(everybody) == ((Gaussian(noise_multiplier=3.0), 1),)
    expected = mixture_curves(np.array([0.0, 1 / 3.0]), np.array([0.8, 0.2]), EPSILONS)
    for exclusive in (False, True):
        found = degree_curves(subgraphs(3.0, exclusive=exclusive), 0, EPSILONS)
        assert found.removed == pytest.approx(expected.removed, abs=2e-7)
        assert found.added == pytest.approx(expected.added, abs=2e-7)


@pytest.mark.parametrize("exclusive", [False, True])
def test_few_nodes_have_few_degrees(exclusive: bool) -> None:
    """With at most two out-neighbours and M = 5 all are drawn: the curve of degree 2, which is above those of
    0 and 1."""
    event = subgraphs(2.0, neighbours=5, largest=2, exclusive=exclusive)
    found, two = envelope(event, EPSILONS), degree_curves(event, 2, EPSILONS)
    assert found.removed == pytest.approx(two.removed, abs=5e-5)
    assert (degree_curves(event, 1, EPSILONS).removed <= found.removed + 1e-12).all()


# --- the mechanism itself ---------------------------------------------------------------------------------


def star(event: SampledSubgraphs, degree: int, without: float, drawn: float, own: float, knowing: float) -> Curves:
    """The exact curves of one step where z points to `degree` leaves and to nobody else, and all gradients
    lie on one line.

    In units of C: a central leaf gives `drawn` where it draws z, and else `without`; z's own gradient is
    `own`. Without z a leaf that would have drawn it gives `knowing`, which is `without` in truth: nobody
    draws who is not there. The rule: where z is central, it is in no other's subgraph.
    """
    q, a = event.rate, 1 / event.noise_multiplier
    chance = min(1.0, event.neighbours / degree)
    x = np.arange(-degree * a - 9, degree * a + a + 9, 0.01)
    p_law, q_law = np.zeros_like(x), np.zeros_like(x)
    for n in range(degree + 1):
        for k in range(n + 1):
            weight = stats.binom.pmf(n, degree, q) * stats.binom.pmf(k, n, chance)
            absent = a * (k * knowing + (n - k) * without)
            present = a * (k * drawn + (n - k) * without)
            central = a * own + (absent if event.exclusive else present)
            q_law += weight * stats.norm.pdf(x - absent)
            p_law += weight * ((1 - q) * stats.norm.pdf(x - present) + q * stats.norm.pdf(x - central))
    growth = np.exp(EPSILONS)[:, None]
    return Curves(
        np.maximum(p_law - growth * q_law, 0).sum(axis=1) * 0.01,
        np.maximum(q_law - growth * p_law, 0).sum(axis=1) * 0.01,
    )


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize(("noise", "degree", "neighbours"), [(2.0, 1, 1), (3.0, 4, 2), (5.0, 6, 1)])
def test_a_star_stays_below_the_bound(noise: float, degree: int, neighbours: int, exclusive: bool) -> None:
    """The worst gradients and random ones; with a quarter less noise than accounted for, the worst are found
    out."""
    event = subgraphs(noise, rate=0.3, neighbours=neighbours, exclusive=exclusive)
    bound = degree_curves(event, degree, EPSILONS)
    understated = degree_curves(
        subgraphs(noise * 4 / 3, rate=0.3, neighbours=neighbours, exclusive=exclusive), degree, EPSILONS
    )
    settings = [(-1.0, 1.0, 1.0), *np.random.default_rng(7).uniform(-1, 1, (4, 3)).tolist()]
    excess = 0.0
    for without, drawn, own in settings:
        played = star(event, degree, without, drawn, own, knowing=without)
        assert (played.removed <= bound.removed + 1e-6).all()
        assert (played.added <= bound.added + 1e-6).all()
        excess = max(excess, float((played.removed - understated.removed).max()))
    assert excess > 1e-3


def test_with_the_rule_a_star_is_not_the_worst() -> None:
    """z points to two nodes that point at each other, and M = 2: whoever is not central is drawn. A central
    node is null in the other's subgraph, which so tells of its draw. That shows more than a star does, at
    most what is proved: n is seen.
    """
    q, noise = 0.6, 1.0
    event = subgraphs(noise, rate=q, neighbours=2, exclusive=True)
    # The gradient of each, by (holds z, holds the other).
    telling = {(0, 0): 0.0, (0, 1): -1.0, (1, 0): 1.0, (1, 1): 1.0}
    plain = {(0, 0): -1.0, (0, 1): -1.0, (1, 0): 1.0, (1, 1): 1.0}
    x = np.arange(-12, 12, 0.01)

    def played(first: dict[tuple[int, int], float], second: dict[tuple[int, int], float]) -> Curves:
        p_law, q_law = np.zeros_like(x), np.zeros_like(x)
        for one, other, own in itertools.product((0, 1), repeat=3):
            chance = np.prod([q if coin else 1 - q for coin in (one, other, own)])

            def mean(holds: int, one: int = one, other: int = other) -> float:
                return one * first[holds, 1 - other] + other * second[holds, 1 - one]

            q_law += chance * stats.norm.pdf(x, mean(0), noise)
            p_law += chance * stats.norm.pdf(x, mean(1 - own) + own, noise)
        growth = np.exp(EPSILONS)[:, None]
        return Curves(
            np.maximum(p_law - growth * q_law, 0).sum(axis=1) * 0.01,
            np.maximum(q_law - growth * p_law, 0).sum(axis=1) * 0.01,
        )

    worse, bound = played(telling, plain), degree_curves(event, 2, EPSILONS)
    leaves = star(event, 2, -1.0, 1.0, 1.0, knowing=-1.0)
    assert played(plain, plain).added == pytest.approx(leaves.added, abs=1e-6)
    assert float((worse.added - leaves.added).max()) > 0.02
    assert (worse.added <= bound.added + 1e-6).all()
    assert (worse.removed <= bound.removed + 1e-6).all()
    at = int(np.flatnonzero(np.isclose(EPSILONS, 0.8))[0])
    assert (worse.added[at], leaves.added[at], bound.added[at]) == pytest.approx((0.231, 0.206, 0.236), abs=5e-4)


def test_with_the_rule_leaves_must_not_know_who_is_missing() -> None:
    """Were a leaf's gradient without z to depend on whether it would have drawn z, the bound would not hold,
    and this sees it."""
    event = subgraphs(3.0, rate=0.3, neighbours=2, exclusive=True)
    played = star(event, 4, without=1.0, drawn=1.0, own=1.0, knowing=-1.0)
    assert float((played.removed - degree_curves(event, 4, EPSILONS).removed).max()) > 5e-4


# --- accountants ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("noise", "rate", "neighbours", "steps", "exclusive"),
    [
        (0.6, 0.004, 1, 10, False),
        (200.0, 0.004, 10, 10_000, True),
        (20.0, 1.0, 1, 10, False),
        (30.0, 0.999, 2, 3, True),
    ],
)
def test_extreme_settings_neither_overflow_nor_warn(
    noise: float, rate: float, neighbours: int, steps: int, exclusive: bool
) -> None:
    """A million nodes, and warnings are errors."""
    event = subgraphs(noise, rate=rate, neighbours=neighbours, largest=999_999, exclusive=exclusive)
    found = tight().epsilon(Repeated(event=event, count=steps), 1e-6)
    assert 0 < found < 100
    assert math.isfinite(reach(event, 1e-15))


def test_renyi_bounds_are_sound_and_of_no_use() -> None:
    """Every k as a term of its own, K seen; far above the tight number, as the rarest k decide."""
    event = subgraphs(3.0, largest=300)
    orders = np.array([1.5, 2.0, 6.0])
    expected = np.full(3, -np.inf)
    for law in dominating(event):
        k = np.arange(law.trials + 1)
        terms = (
            stats.binom.logpmf(k, law.trials, law.chance)
            + (orders * (orders - 1))[:, None] * ((2 * k + 1) / 3) ** 2 / 2
        )
        expected = np.maximum(expected, np.logaddexp.reduce(terms, axis=1))
    found = log_moment(event, orders)
    assert (found >= expected - 1e-9).all()
    assert found == pytest.approx(expected, rel=0.2)
    repeated = Repeated(event=subgraphs(3.0), count=20)
    assert RenyiAccountant().epsilon(repeated, 1e-5) > 10 * PLDAccountant().epsilon(repeated, 1e-5)


def test_exclusive_curves_reveal_the_number_of_central_neighbours() -> None:
    """One out-neighbour, always drawn: with chance 1 - q nothing but z's own draw, else one changed gradient
    or z's own."""
    event = subgraphs(2.0, exclusive=True)
    found = exclusive_curves(event, 1, EPSILONS)
    none = mixture_curves(np.array([0.0, 0.5]), np.array([0.8, 0.2]), EPSILONS)
    one = mixture_curves(np.array([1.0, 0.5]), np.array([0.8, 0.2]), EPSILONS)
    assert found.removed == pytest.approx(0.8 * none.removed + 0.2 * one.removed, abs=1e-9)
    assert found.added == pytest.approx(0.8 * none.added + 0.2 * one.added, abs=1e-9)
