"""The playground's world: what a neighbour moves, what noise hides, and how often a guess is right."""

import math

import numpy as np
import pytest

from privgraph_workbench.figures.play import evidence
from privgraph_workbench.play import world as worlds
from privgraph_workbench.play.two_worlds import Pair, automatic, drawn
from privgraph_workbench.play.world import FRIENDS, World, make_world
from privgraph_workbench.words.meaning import guess

SMALL = make_world(60, 0.85)


def neighbours(world: World, protects: str) -> list[World]:
    """Every neighbouring world: without one friendship, or without one person."""
    if protects == "edges":
        return [world.without(int(one), int(other)) for one, other in world.friends]
    return [world.without(who) for who in range(world.people)]


def unit_rows(draw: np.random.Generator, people: int) -> np.ndarray:
    """Rows as an earlier hop may have published them: of L1 norm 1, some at a single number."""
    rows = worlds.unit(draw.laplace(size=(1, people, worlds.GROUPS)).astype(np.float32))
    rows[0, ::2] = np.eye(worlds.GROUPS, dtype=np.float32)[draw.integers(worlds.GROUPS, size=len(rows[0, ::2]))]
    return rows


@pytest.mark.parametrize("protects", ["edges", "people"])
def test_no_neighbour_moves_a_hop_by_more_than_the_sensitivity(protects: str) -> None:
    draw, largest = np.random.default_rng(0), 0.0
    for world in (SMALL, make_world(60, 0.5, seed=3)):
        for other in neighbours(world, protects):
            hints = (worlds.first_rows(world), worlds.first_rows(other))
            later = unit_rows(draw, world.people)
            for here, there in (hints, (later, later)):
                moved = np.abs(world.adjacency @ here - other.adjacency @ there).sum()
                largest = max(largest, float(moved))
    assert largest <= worlds.SENSITIVITY[protects] * (1 + 1e-5)
    assert largest >= worlds.SENSITIVITY[protects] * (1 - 1e-5), "somebody reaches it: it is not larger than needed"


def test_nobody_has_more_friends_than_the_sensitivity_counts() -> None:
    for people in (60, 120, 300):
        for alike in (0.35, 0.85, 0.95):
            world = make_world(people, alike)
            degrees = np.bincount(world.friends.ravel(), minlength=people)
            assert degrees.max() <= FRIENDS
            assert degrees.mean() == pytest.approx(worlds.MEAN_FRIENDS, abs=0.3)
            assert (world.friends[:, 0] < world.friends[:, 1]).all()
            assert len({tuple(pair) for pair in world.friends.tolist()}) == len(world.friends)
            same = (world.groups[world.friends[:, 0]] == world.groups[world.friends[:, 1]]).mean()
            assert same == pytest.approx(alike, abs=0.1)


def test_noise_is_laplace_of_the_stated_scale() -> None:
    b = worlds.scale("edges", 2.0, 1)
    assert b == 1.0
    assert worlds.scale("people", 2.0, 3) == 3 * 16 / 2
    (told,) = worlds.published(SMALL, b, 1, 2000, np.random.default_rng(1))
    noise = (told - SMALL.adjacency @ worlds.first_rows(SMALL)).ravel()
    # of Laplace noise |x| is exponential with mean b, and its square is 2 b^2; 2/3 and 3/2 of b are far away
    assert np.abs(noise).mean() == pytest.approx(b, rel=0.01)
    assert (np.abs(noise) ** 2).mean() == pytest.approx(2 * b**2, rel=0.02)
    assert (noise > 0).mean() == pytest.approx(0.5, abs=0.005)


@pytest.mark.parametrize(("protects", "hops"), [("edges", 1), ("edges", 3), ("people", 2)])
def test_no_evidence_exceeds_epsilon(protects: str, hops: int) -> None:
    epsilon = 1.5
    b = worlds.scale(protects, epsilon, hops)
    for place, other in enumerate(neighbours(SMALL, protects)[::7]):
        for found in worlds.both(SMALL, other, b, hops, 300, place):
            assert np.abs(found).max() <= min(epsilon, worlds.largest_evidence(SMALL, other, b, hops)) + 1e-3


def test_evidence_is_the_ratio_of_the_two_densities() -> None:
    """By hand, for one friendship and one hop."""
    one, other = (int(end) for end in SMALL.friends[0])
    without = SMALL.without(one, other)
    told = worlds.published(SMALL, 0.7, 1, 4, np.random.default_rng(3))
    means = [(world.adjacency @ worlds.first_rows(world))[0] for world in (SMALL, without)]
    by_hand = [sum(-np.abs(row - mean).sum() / 0.7 * sign for mean, sign in zip(means, (1, -1), strict=True))
               for row in told[0]]  # fmt: skip
    assert worlds.evidence(told, SMALL, without, 0.7) == pytest.approx(by_hand, abs=1e-3)


@pytest.mark.long
def test_a_guesser_is_as_good_as_the_closed_form_says() -> None:
    """A friendship moves two numbers by 1 each: evidence is the sum of two parts, each cut off at epsilon/2,
    whose law is integrated here by a route of its own."""
    epsilon = 2.0
    one, other = next((int(a), int(b)) for a, b in SMALL.friends if SMALL.hints[a] == SMALL.hints[b])
    pair = Pair(60, 0.85, "edges", epsilon, 1, 5, one, other)
    e = epsilon / 2
    # two Laplace numbers, shifted by e each way: P(sum of parts > 0) by numerical integration
    grid = np.linspace(-30, 30, 6001)
    step = grid[1] - grid[0]
    density = np.exp(-np.abs(grid)) / 2
    parts = np.clip(np.abs(grid + e) - np.abs(grid), -e, e)
    joint = density[:, None] * density[None, :] * step**2
    sums = parts[:, None] + parts[None, :]
    exact = float(joint[sums > 1e-9].sum() + joint[np.abs(sums) <= 1e-9].sum() / 2)
    assert 0.6 < exact < guess(epsilon, 0.0)
    assert worlds.guessed(*drawn(pair)) == pytest.approx(exact, abs=0.02)
    assert automatic(pair, 20_000) / 20_000 == pytest.approx(exact, abs=0.015)


def test_two_thousand_automatic_rounds_do_not_beat_the_promise() -> None:
    for protects, epsilon in (("edges", 0.5), ("people", 4.0)):
        friend = SMALL.friends_of(3)[0] if protects == "edges" else None
        right = automatic(Pair(60, 0.85, protects, epsilon, 1, 1, 3, friend))
        margin = 4 * math.sqrt(0.25 / 2000)
        assert 0.5 - margin < right / 2000 < guess(epsilon, 0.0) + margin


@pytest.mark.parametrize("epsilon", [0.25, 1.0])
def test_no_histogram_exceeds_the_promise_by_chance(epsilon: float) -> None:
    friend = make_world(60, 0.85).friends_of(3)[0]
    for seed in range(1, 30):
        pair = Pair(60, 0.85, "edges", epsilon, 1, seed, 3, friend)
        assert 0 < evidence.largest(evidence.data(*drawn(pair), epsilon)) <= epsilon + 1e-3
