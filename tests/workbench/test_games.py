"""Claims of papers, played: the attacks win where the claims are wrong, and not where they hold."""

import math

import numpy as np
import pytest

from privgraph.papers.heter_poisson_gaps import shown_delta
from privgraph.privacy.composition import gaussian_delta, gaussian_epsilon
from privgraph_workbench.figures.play import many_teachers
from privgraph_workbench.play import games
from privgraph_workbench.play.games import DELTA, GAMES, Played


@pytest.mark.parametrize("game", GAMES)
def test_the_claim_is_refuted(game: str) -> None:
    for seed in range(5):
        played = GAMES[game](1.0, 20_000, np.random.default_rng(seed))
        assert played.claimed == 1.0
        assert played.shown > 2.0


def test_a_bound_is_that_of_clopper_and_pearson() -> None:
    assert Played(1.0, 0.0, 1000, 0, 0).shown == 0.0
    assert Played(1.0, 0.0, 1000, 500, 500).shown == 0.0
    # of n rounds without any hit the upper limit is 1 - level^(1/n), of n hits the lower one level^(1/n)
    end = 0.025 ** (1 / 1000)
    assert Played(1.0, 0.0, 1000, 1000, 0).shown == pytest.approx(math.log(end / (1 - end)), rel=1e-6)


def test_bounds_of_a_mechanism_that_keeps_its_promise_do_not_exceed_it() -> None:
    """Randomised response with epsilon 1, played as the games are: at most 1 of 40 bounds may exceed it, of
    200 repetitions."""
    draw = np.random.default_rng(0)
    truth = 1 / (1 + math.exp(-1))
    shown = [
        Played(1.0, 0.0, 2000, int(draw.binomial(2000, truth)), int(draw.binomial(2000, 1 - truth))).shown
        for _ in range(200)
    ]
    assert np.mean([one > 1 for one in shown]) <= 0.025
    assert np.mean(shown) > 0.8, "and they are of use"


def test_spherical_noise_is_played_as_it_is_drawn() -> None:
    """By an independent route: the chance of the event, integrated over W in closed form."""
    rounds = 400_000
    played = games.spherical(1.0, rounds, np.random.default_rng(1))
    w = np.random.default_rng(2).exponential(size=rounds)
    seen = w * np.random.default_rng(3).chisquare(games.SPHERICAL_D - 1, rounds) / (games.SPHERICAL_D - 1)
    assert (played.right + played.wrong) / rounds == pytest.approx((seen < games.SMALL_W).mean(), rel=0.05)
    # what the event shows is no more than what anybody can reach who reads W
    ratio, chance = played.right / played.wrong, played.right / rounds
    assert chance - math.exp(1.0) * chance / ratio <= shown_delta(1.0, 1 / math.sqrt(2)) + 0.002


def test_a_leaving_person_moves_nearly_every_list_that_is_drawn_again() -> None:
    assert games._moved() > 10 * math.sqrt(games.KEPT), "what the papers count is the root of the number kept"
    mu = games.shift_at(1.0)
    assert gaussian_delta(1.0, mu) <= DELTA
    assert gaussian_epsilon(mu, DELTA) == pytest.approx(1.0, abs=1e-6)


def test_noise_on_votes_is_paid_for() -> None:
    """By an independent route: the answers compose to one Gaussian, whose epsilon is what was asked for."""
    for epsilon, queries in ((2.0, 50), (0.5, 200)):
        sigma = many_teachers.vote_sigma(epsilon, queries)
        assert gaussian_epsilon(math.sqrt(2 * queries) / sigma, DELTA) <= epsilon
        assert gaussian_epsilon(math.sqrt(2 * queries) / (0.99 * sigma), DELTA) > epsilon
    few, many = many_teachers.data(teachers=10)[0], many_teachers.data(teachers=500)[-1]
    assert few["right"] < many["right"] <= 1, "no share is more than all, however it is rounded"
    assert few["sigma"] == many["sigma"]
