"""Three published claims, played: an attacker wins more often than the claimed epsilon allows. NumPy alone.

Each game has two neighbouring datasets, a release with the noise that a paper takes for `epsilon`, and an
event that the attacker waits for: with (epsilon, delta)-DP its chance with the record is at most e^epsilon
times that without it, plus delta.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from privgraph.audits.bounds import at_least, at_most
from privgraph.papers.dp_gpl import dependent_rdp, log_wrong
from privgraph.privacy.composition import gaussian_delta

DELTA = 1e-5
LEVEL = 0.025
"""On either side: the bound is right at 95% confidence."""
SPHERICAL_D, SMALL_W = 200, 0.02
"""Coordinates of the gradient; how small the common factor W must look for the attacker to speak."""
NODES, KEPT, SEED = 200, 10, 7
"""People, the edges that each may keep, and the seed of their sample, which everybody may know."""
VOTES, SIGMA, ORDERS = (150, 40, 10), 15.0, np.arange(2, 200)
"""Teachers' votes with the record; noise on each count; Renyi orders of the conversion."""


@dataclass(frozen=True)
class Played:
    """`rounds` in each world, and how often the attacker said "with": `right`ly and `wrong`ly."""

    claimed: float
    delta: float
    rounds: int
    right: int
    wrong: int

    @property
    def shown(self) -> float:
        """A lower bound on epsilon, right at 95% confidence (Clopper and Pearson): log((p - delta)/q)."""
        least = float(at_least(self.right, self.rounds, LEVEL)) - self.delta
        most = float(at_most(self.wrong, self.rounds, LEVEL))
        return max(0.0, math.log(least / most)) if least > 0 else 0.0


def spherical(epsilon: float, rounds: int, draw: np.random.Generator) -> Played:
    """HeterPoisson's spherical Laplace noise: sqrt(W) times a Gaussian, one exponential W for all.

    Lemma 1 takes one coordinate for all, which is Laplace: standard deviation sqrt 2 / epsilon then hides a
    shift of 1. The attacker reads W off the other coordinates, and speaks where it is small.
    """
    sigma = math.sqrt(2) / epsilon
    said = []
    for shift in (1.0, 0.0):
        w = draw.exponential(size=rounds)
        first = shift + sigma * np.sqrt(w) * draw.standard_normal(rounds)
        # the mean square of the others is W times chi-squared over its degrees of freedom
        seen = w * draw.chisquare(SPHERICAL_D - 1, rounds) / (SPHERICAL_D - 1)
        said.append(int(((seen < SMALL_W) & (first > 0.5)).sum()))
    return Played(epsilon, 0.0, rounds, *said)


def bounding(epsilon: float, rounds: int, draw: np.random.Generator) -> Played:
    """GAP's and ProGAP's degree bound: each node keeps `KEPT` of its neighbours, drawn at random.

    With that the papers take a node to move `KEPT` rows by 1. But where a node leaves, all lists are drawn
    again. The attacker knows the seed, and looks at which of both sums the noisy one is nearer to.
    """
    shift = _moved()
    sigma = math.sqrt(KEPT) / shift_at(epsilon)
    least = shift / 2 + 2 * sigma * (shift < 6 * sigma)
    # only the direction between the two sums matters: there noise is one normal number
    said = [int((truth * shift + sigma * draw.standard_normal(rounds) > least).sum()) for truth in (1.0, 0.0)]
    return Played(epsilon, DELTA, rounds, *said)


def _moved() -> float:
    """How far apart the sums over kept neighbours lie, with and without one of `NODES` people who all know
    each other; everybody's row is a unit vector of their class, one of two."""
    rows = np.eye(2)[np.arange(NODES) % 2]

    def sums(people: int) -> np.ndarray:
        draw, everybody = np.random.default_rng(SEED), np.arange(people)
        kept = [draw.choice(np.delete(everybody, who), KEPT, replace=False) for who in everybody]
        return np.asarray(rows[np.array(kept)].sum(1))

    return float(np.linalg.norm(sums(NODES)[:-1] - sums(NODES - 1)))


def shift_at(epsilon: float) -> float:
    """The shift in standard deviations at which a Gaussian has this epsilon at `DELTA`, from below."""
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(epsilon, middle) <= DELTA else (low, middle)
    return low


def printed(epsilon: float, rounds: int, draw: np.random.Generator) -> Played:
    """A data-dependent epsilon that is printed, as DP-GPL does: who knows the other votes compares it with
    both worlds. There is nothing to draw."""
    with_, without = (dependent_epsilon(votes) for votes in (VOTES, (VOTES[0] - 1, *VOTES[1:])))
    return Played(epsilon, DELTA, rounds, rounds if with_ != without else 0, 0)


def dependent_epsilon(votes: tuple[int, ...]) -> float:
    """What a data-dependent bound (Papernot et al. 2018, Theorem 6) says of one answer to these votes."""
    log_q = float(log_wrong(np.asarray(votes, dtype=np.float64), SIGMA))
    return min(dependent_rdp(log_q, SIGMA, float(order)) + math.log(1 / DELTA) / (order - 1) for order in ORDERS)


GAMES: Mapping[str, Callable[[float, int, np.random.Generator], Played]] = {
    "spherical Laplace noise": spherical,
    "a degree bound that is drawn again": bounding,
    "a data-dependent epsilon that is printed": printed,
}
