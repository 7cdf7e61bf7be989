"""The data-dependent cost bounds true divergences; its smooth sensitivity bounds every change, by brute
force; its release."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.secrets_made_here import secret

from privgraph.mechanisms.noisy_max import gate_chance, label_chances
from privgraph.papers import dp_gpl_report as smooth
from privgraph.papers.dp_gpl_report import Poll

Array = NDArray[np.float64]
LEVEL = 1e-5
"""Chance of a false alarm of each check."""

TEACHERS = 24
SMALL = Poll(classes=3, total=TEACHERS, vote_sigma=3.0, gate_sigma=2.0, threshold=14.0)
WITHOUT_TEST = Poll(classes=3, total=TEACHERS, vote_sigma=3.0)
HISTOGRAMS = np.array(
    [(one, other, TEACHERS - one - other) for one in range(TEACHERS + 1) for other in range(TEACHERS + 1 - one)],
    dtype=np.float64,
)
"""Every histogram of as many votes of weight 1 in three classes."""


def moves(histograms: Array) -> Array:
    """How many votes lie between each two histograms: half their L1 distance."""
    return np.abs(histograms[:, None] - histograms[None, :]).sum(axis=2) / 2


def of_each(function: Callable[[Array], float]) -> Array:
    return np.array([function(one[None, :]) for one in HISTOGRAMS])


def farthest_drops(costs: Array, distances: Array, beta: float) -> Array:
    """The smallest beta-smooth bound there is, by its definition: max over all data of exp(-beta d) local
    sensitivity."""
    local = np.where(distances == 1, np.abs(costs[:, None] - costs[None, :]), 0).max(axis=1)
    return np.asarray((np.exp(-beta * distances) * local[None, :]).max(axis=1))


@pytest.mark.parametrize("order", [1.5, 3.0, 6.0])
def test_the_cost_bounds_the_true_divergences_in_both_orders(order: float) -> None:
    """All histograms, every moved vote: the exact laws of test and label. The formula alone, unshifted, is
    tighter."""
    near = moves(HISTOGRAMS) == 1
    passes = gate_chance(HISTOGRAMS.max(axis=1), SMALL.threshold, SMALL.gate_sigma)
    labels = np.array([label_chances(one, SMALL.vote_sigma) for one in HISTOGRAMS])
    whole = np.column_stack([1 - passes, passes[:, None] * labels])
    for poll, laws in ((WITHOUT_TEST, labels), (SMALL, whole)):
        costs = of_each(lambda counts, poll=poll: smooth.cost_at(order, counts, poll))  # type: ignore[misc]
        logs = np.log(np.maximum(laws, 1e-300))
        moments = np.exp(order * logs[:, None] + (1 - order) * logs[None, :]).sum(axis=2)
        there = np.where(near, np.log(moments) / (order - 1), 0.0)
        worst = np.maximum(there, there.T).max(axis=1)
        assert (worst <= costs * (1 + 1e-9) + 1e-12).all()
        assert costs.max() <= smooth.independent_cost(order, 1, poll) * (1 + 1e-9)
        assert costs.min() < 0.5 * costs.max()
        assert (worst > costs / 3).any()


@pytest.mark.parametrize("poll", [SMALL, WITHOUT_TEST], ids=["test", "no test"])
@pytest.mark.parametrize("beta", [0.05, 0.3, 2.0])
def test_smooth_sensitivity_is_never_below_brute_force(poll: Poll, beta: float) -> None:
    """One query, all histograms of 24 votes at all distances; and it is smooth."""
    order, distances = 4.0, moves(HISTOGRAMS)
    costs = of_each(lambda counts: smooth.cost_at(order, counts, poll))
    found = of_each(lambda counts: smooth.smooth_sensitivity(order, counts, poll, beta))
    least = farthest_drops(costs, distances, beta)
    assert (found >= least).all()
    assert np.median(found / least) < 1.6, "a bound, but not a useless one"
    assert np.abs(np.log(found[:, None] / found[None, :]))[distances == 1].max() <= beta * (1 + 1e-9)


def test_votes_of_different_weights_and_several_queries_at_once() -> None:
    """Three teachers of weights 2, 1 and 4 beside others that stay, and two queries: a teacher's two votes
    move together."""
    weights, order, beta = np.array([2.0, 1.0, 4.0]), 2.0, 0.4
    votes = np.array(list(itertools.product(range(9), repeat=3)))
    rows = np.array(
        [[np.bincount(query, weights=weights, minlength=3) for query in (row // 3, row % 3)] for row in votes]
    ) + np.array([[30.0, 8.0, 0.0], [24.0, 3.0, 11.0]])
    poll = Poll(classes=3, total=45.0, vote_sigma=6.0, gate_sigma=5.0, threshold=12.0, weight=4.0)
    distances = (votes[:, None] != votes[None, :]).sum(axis=2)
    costs = np.array([smooth.cost_at(order, one, poll) for one in rows])
    found = np.array([smooth.smooth_sensitivity(order, one, poll, beta) for one in rows])
    assert np.ptp(costs) > 0.01
    assert (found >= farthest_drops(costs, distances, beta)).all()
    assert np.abs(np.log(found[:, None] / found[None, :]))[distances == 1].max() <= beta * (1 + 1e-9)
    light = Poll(classes=3, total=45.0, vote_sigma=6.0, gate_sigma=5.0, threshold=12.0, weight=1.0)
    short = np.array([smooth.smooth_sensitivity(order, one, light, beta) for one in rows])
    light_costs = np.array([smooth.cost_at(order, one, light) for one in rows])
    assert (short < farthest_drops(light_costs, distances, beta)).any(), "the largest weight counts"


def test_costs_of_queries_add_up_and_never_rise_with_agreement() -> None:
    gaps = [np.array([[12.0 + k, 12.0 - k, 0.0]]) for k in range(13)]
    costs = [smooth.cost_at(3.0, one, WITHOUT_TEST) for one in gaps]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] == pytest.approx(smooth.independent_cost(3.0, 1, WITHOUT_TEST)) == pytest.approx(3 / 9)
    assert smooth.cost_at(3.0, np.concatenate(gaps), WITHOUT_TEST) == pytest.approx(sum(costs))


@pytest.mark.parametrize(("beta", "scale"), [(0.05, 0.0), (0.0, 0.4), (0.05, 0.4), (0.3, 1.5)])
def test_students_noise_keeps_its_epsilon(beta: float, scale: float) -> None:
    """Log ratios on a grid, both orders, both directions of each change; each part alone is reached."""
    law = stats.t(smooth.DEGREES)
    places = np.concatenate([np.linspace(-30, 30, 60_001), [-1e7, 1e7]])
    allowed = smooth.student_epsilon(beta, scale)
    worst = 0.0
    for stretch, shift in itertools.product((-beta, beta), (-scale, scale)):
        other = law.logpdf((places - shift) * math.exp(-stretch)) - stretch
        worst = max(worst, float(np.abs(other - law.logpdf(places)).max()))
    assert worst <= allowed + 1e-9
    assert worst > 0.8 * allowed


def test_a_release_tells_no_two_neighbours_apart_by_more_than_it_pays() -> None:
    """The density of what is released at every two neighbouring histograms, on a grid of outcomes."""
    epsilon, order = 1.0, 4.0
    place, scale_of_sensitivity = smooth.release(
        secret(), order, HISTOGRAMS[:1], SMALL, epsilon=epsilon, delta=1e-4
    ).events
    assert place.epsilon + scale_of_sensitivity.epsilon == pytest.approx(epsilon)
    beta, scale = 0.15 * epsilon / 3, 0.6 * epsilon * math.sqrt(3) / 2
    assert place.epsilon == pytest.approx(smooth.student_epsilon(beta, scale))
    costs = of_each(lambda counts: smooth.cost_at(order, counts, SMALL))
    found = of_each(lambda counts: smooth.smooth_sensitivity(order, counts, SMALL, beta))
    outcomes = np.linspace(-20, 20, 161)
    widths = (found / scale)[:, None]
    logs = stats.t.logpdf((outcomes[None, :] - costs[:, None]) / widths, smooth.DEGREES) - np.log(widths)
    first, second = np.nonzero(moves(HISTOGRAMS) == 1)
    worst = float(np.abs(logs[first] - logs[second]).max())
    assert 0.1 * place.epsilon < worst <= place.epsilon * (1 + 1e-9)


def releases(poll: Poll, counts: Array, draws: int, *, failure: float = 0.2) -> list[smooth.Sanitised]:
    stream = secret(11)
    return [smooth.release(stream, 3.0, counts, poll, epsilon=2.0, delta=1e-4, failure=failure) for _ in range(draws)]


@pytest.mark.long
def test_what_is_released_has_the_noise_that_is_paid_for_and_the_bound_holds_as_often_as_said() -> None:
    counts, draws, failure = np.array([[20.0, 3.0, 1.0], [24.0, 0.0, 0.0], [22.0, 1.0, 1.0]]), 2000, 0.2
    released = releases(WITHOUT_TEST, counts, draws, failure=failure)
    cost = smooth.cost_at(3.0, counts, WITHOUT_TEST)
    beta, scale = 0.15 * 2 / 3, 0.6 * 2 * math.sqrt(3) / 2
    sensitivity = smooth.smooth_sensitivity(3.0, counts, WITHOUT_TEST, beta)
    noise = (np.array([one.noisy_cost for one in released]) - cost) * scale / sensitivity
    logs = np.log([one.noisy_sensitivity / sensitivity for one in released]) / (beta / (0.25 * 2))
    for sample, law in ((noise, stats.t(3)), (logs, stats.laplace())):
        assert stats.kstest(sample, law.cdf).pvalue > LEVEL
        for wrong in (2 / 3, 3 / 2):
            assert stats.kstest(sample * wrong, law.cdf).pvalue < LEVEL
    assert abs(float(np.corrcoef(np.clip(noise, -5, 5), logs)[0, 1])) < 5 / math.sqrt(draws)
    broken = sum(one.cost < cost for one in released)
    assert stats.binomtest(broken, draws, failure, alternative="greater").pvalue > LEVEL
    assert broken > draws * failure / 20, "a bound that never fails is not the one that was said"
    assert all(0 <= one.cost <= smooth.independent_cost(3.0, 3, WITHOUT_TEST) for one in released)


def test_what_cannot_be_is_refused() -> None:
    counts = np.array([[3.0, 2.0, 1.0]])
    with pytest.raises(ValueError, match="above 1"):
        smooth.cost_at(1.0, counts, SMALL)
    with pytest.raises(ValueError, match="3 columns"):
        smooth.cost_at(2.0, counts[:, :2], SMALL)
    with pytest.raises(ValueError, match="beta must be positive"):
        smooth.smooth_sensitivity(2.0, counts, SMALL, 0.0)
    with pytest.raises(ValueError, match="release needs"):
        smooth.release(secret(), 2.0, counts, SMALL, epsilon=0.0, delta=1e-5)
    with pytest.raises(ValueError, match=r"Poll\.weight"):
        Poll(classes=3, total=5.0, vote_sigma=1.0, weight=0.0)
    with pytest.raises(ValueError, match=r"Poll\.classes"):
        Poll(classes=1, total=5.0, vote_sigma=1.0)
