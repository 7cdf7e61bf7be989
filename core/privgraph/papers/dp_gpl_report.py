"""A data-dependent Renyi cost of votes, and its release by smooth sensitivity (Papernot et al. 2018; Nissim
et al. 2007).

Unit, relation and sensitivities are those of `privgraph.papers.dp_gpl_votes`: a node moves one vote, of
weight w at most, from one class to another, in every query at once. All teachers are asked all queries, fixed
beforehand; a cap on answers only stops early.

The cost at one public order is the sum over all queries of that of the test and that of the maximum, whether
it was answered or not, so that it does not depend on what the noise let through: the divergence of a test and
then, if it passed, a maximum is at most that of the test plus that of the maximum, and queries add up. Each
is read off one number:

- the maximum off the gap g between the two largest counts: the likeliest label is not released with chance
  q <= (C - 1) Phi(-g/(sqrt 2 sigma)), and a moved vote changes g by at most 2w, the largest and the second by
  w each;
- the test off the distance g of the largest count to the threshold: q <= Phi(-g/sigma), which changes by at
  most w.

Theorem 6 of Papernot et al. holds for every bound on q, so that any smaller gap gives a bound too. The cost
used is a staircase: on the k-th cell of a public grid, the smallest bound at any grid point up to its left
end. It never rises with the gap, and nothing needs to be assumed of the theorem's formula. It bounds the
divergence of this data from every neighbour; for the other order the gap is taken one move smaller, as the
cost at a neighbour is a bound at most that large.

What this is, and what it is not: (epsilon, delta) between the data at hand and each of its neighbours, in
both orders. It is not the same for all data, and says nothing of data that were not there; a statement's
epsilon is the data-independent one, and pays for the release too. With 200 teachers and 50 queries a release
for epsilon 0.2 says no more than the independent cost; 0.5 and more does, where most teachers agree.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, stdtrit

from privgraph.lattice import add, draw, rounding_margin, step_of
from privgraph.papers import dp_gpl as dpgpl
from privgraph.privacy.composition import check_delta
from privgraph.privacy.events import Composed, PureDP
from privgraph.privacy.renyi import RenyiAccountant, convert
from privgraph.streams import Secret

Array = NDArray[np.float64]

DEGREES = 3
"""Degrees of freedom of Student's noise: the fewest whole ones with a finite variance."""

_CELLS = 32
"""Cells of the staircase that one move crosses."""

_SMALLEST = 1e-12
"""A floor under smooth sensitivities, so that they have a logarithm; a constant is smooth."""

_GRAIN = 2.0**-10
"""What is released of a cost is a multiple of it: coarse beside the digits of its noise, fine beside any cost
that counts."""

_SHARES = {"scale": 0.15, "place": 0.6, "sensitivity": 0.25}
"""How the epsilon of a release is split: what its noise's scale gives away, its place, and the sensitivity
itself."""


@dataclass(frozen=True, kw_only=True)
class Poll:
    """What is public of all queries: noise, threshold, classes, the largest weight, and the sum of all
    weights.

    `gate_sigma` 0: no tests.
    """

    classes: int
    total: float
    vote_sigma: float
    gate_sigma: float = 0.0
    threshold: float = 0.0
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.classes < 2:
            raise ValueError(f"Poll.classes must be at least 2 (got {self.classes})")
        for name in ("total", "vote_sigma", "weight"):
            if not (getattr(self, name) > 0 and math.isfinite(getattr(self, name))):
                raise ValueError(f"Poll.{name} must be positive and finite (got {getattr(self, name)})")
        if not (self.gate_sigma >= 0 and math.isfinite(self.gate_sigma)):
            raise ValueError(f"Poll.gate_sigma must not be negative, and finite (got {self.gate_sigma})")


@dataclass(frozen=True, kw_only=True)
class Sanitised:
    """A data-dependent cost that may be shown, as what was released paid for it.

    `cost` bounds the Renyi cost at `order` from above except with chance `failure` of the noise; `epsilon` at
    `delta` is that of votes and this release together, on the data at hand. `noisy_cost` and
    `noisy_sensitivity` are what was released; `events` what they cost, for the ledger.
    """

    order: float
    cost: float
    epsilon: float
    delta: float
    failure: float
    noisy_cost: float
    noisy_sensitivity: float
    events: tuple[PureDP, ...]


@dataclass(frozen=True, eq=False)
class _Stairs:
    """A cost that falls with a gap, cell by cell of a public grid; a move changes the gap by `move` at
    most."""

    heights: Array
    move: float

    @property
    def _width(self) -> float:
        return self.move / _CELLS

    def at(self, gaps: Array) -> Array:
        # A gap on the edge of a cell counts for the cell below, against rounding.
        cells = np.floor(gaps / self._width - 1e-9).astype(np.int64)
        return np.asarray(self.heights[np.clip(cells, 0, len(self.heights) - 1)])

    def smooth(self, gaps: Array, beta: float) -> Array:
        """The largest drop of one move anywhere, times exp(-beta) for every move that it is away:
        beta-smooth.

        A drop is from a gap in cell k to one at most a move larger, at most `_CELLS` + 1 cells on (one of
        them against rounding). With d moves, one end of it can be reached where x - (d+1) move is at or below
        the cell's right end and x + d move at or above its left one; the smallest such d, left real, changes
        by at most 1 a move.
        """
        beyond = np.concatenate([self.heights[_CELLS + 1 :], np.full(_CELLS + 1, self.heights[-1])])
        drops = self.heights - beyond[: len(self.heights)]
        places = np.arange(len(drops))[drops > 0]
        if not len(places):
            return np.zeros(len(gaps))
        left = places * self._width
        x = gaps[:, None]
        away = np.maximum((x - left - self._width) / self.move - 1, (left - x) / self.move)
        return np.asarray((np.exp(-beta * np.maximum(away, 0)) * drops[places]).max(axis=1))


def _stairs(log_q: Array, sigma: float, order: float, move: float) -> _Stairs:
    """log q (K,) at the left ends of the cells -> the staircase, one move earlier for the order from the
    neighbours."""
    bounds = dpgpl.dependent_rdps(log_q, sigma, np.array([order]))[:, 0]
    heights = np.minimum.accumulate(bounds)
    earlier = np.maximum(np.arange(len(heights)) - _CELLS - 1, 0)
    return _Stairs(heights[earlier], move)


def _parts(order: float, counts: Array, poll: Poll) -> list[tuple[_Stairs, Array]]:
    """The staircase of maxima, and of tests, with the gap of each query."""
    if not order > 1:
        raise ValueError(f"a Renyi order is above 1 (got {order})")
    counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[1] != poll.classes:
        raise ValueError(f"counts must have a row a query and {poll.classes} columns (got {counts.shape})")
    ordered = np.sort(counts, axis=1)
    moved, sigma = 2 * poll.weight, poll.vote_sigma
    log_q = math.log(poll.classes - 1) + log_ndtr(-_lefts(poll.total, moved) / (math.sqrt(2) * sigma))
    # A gap of 0 bounds q by (C - 1)/2 only; no bound above 1 is one.
    stairs = _stairs(np.minimum(log_q, math.log1p(-1 / poll.classes)), sigma / poll.weight, order, moved)
    parts = [(stairs, ordered[:, -1] - ordered[:, -2])]
    if poll.gate_sigma:
        farthest = max(abs(poll.threshold), abs(poll.total - poll.threshold))
        log_q = log_ndtr(-_lefts(farthest, poll.weight) / poll.gate_sigma)
        gates = _stairs(log_q, math.sqrt(2) * poll.gate_sigma / poll.weight, order, poll.weight)
        parts.append((gates, np.abs(ordered[:, -1] - poll.threshold)))
    return parts


def _lefts(farthest: float, move: float) -> Array:
    """Left ends of cells from 0 until past `farthest`."""
    return np.asarray(np.arange(math.ceil(farthest / move * _CELLS) + _CELLS + 2) * (move / _CELLS), dtype=np.float64)


def independent_cost(order: float, queries: int, poll: Poll) -> float:
    """The Renyi cost at `order` whatever the votes are, every query answered."""
    gate = 1 / (2 * poll.gate_sigma**2) if poll.gate_sigma else 0.0
    return queries * order * poll.weight**2 * (gate + 1 / poll.vote_sigma**2)


def cost_at(order: float, counts: Array, poll: Poll) -> float:
    """The data-dependent Renyi cost at `order` of counts (Q, C), both ways between this data and any
    neighbour. Not private."""
    return float(sum(stairs.at(gaps).sum() for stairs, gaps in _parts(order, counts, poll)))


def smooth_sensitivity(order: float, counts: Array, poll: Poll, beta: float) -> float:
    """A beta-smooth bound on how much one node changes `cost_at`. Not private.

    Each query's and each test's is beta-smooth in its own gap, and a node moves all gaps by one move at most:
    their sum is beta-smooth and bounds the change of the sum.
    """
    if not beta > 0:
        raise ValueError(f"smooth_sensitivity: beta must be positive (got {beta})")
    total = sum(stairs.smooth(gaps, beta).sum() for stairs, gaps in _parts(order, counts, poll))
    return max(float(total), _SMALLEST)


def student_epsilon(beta: float, scale: float) -> float:
    """Pure epsilon of f + (S/scale) Z, with S a beta-smooth bound on the change of f and Z of Student's law
    with d = 3.

    3 beta + 2 scale/sqrt 3 (Bun and Steinke 2019, section 3.1). Proof: Z has a density proportional to (d +
    z^2)^(-(d+1)/2). Moved by t its logarithm changes by at most |t| max (d+1)|z|/(d + z^2) = |t| (d+1)/(2
    sqrt d), at z = sqrt d. Stretched by e^l, the logarithm of e^-l h(z e^-l) has the derivative -1 + (d+1)
    u^2/(d + u^2) in l, u = z e^-l, which lies between -1 and d: at most d |l|. From D to a neighbour D' the
    centre moves by |f - f'| scale/S <= scale in units of the noise at D, then the noise is stretched by S'/S,
    between e^-beta and e^beta.
    """
    return DEGREES * beta + scale * (DEGREES + 1) / (2 * math.sqrt(DEGREES))


def _student(secret: Secret) -> float:
    """Student's law with 3 degrees of freedom, to 40 binary digits of its logarithm."""
    size = math.exp((int(draw("log-student", 1.0, secret, 1)[0]) + 0.5) * step_of(1.0))
    return size if secret.coin(Fraction(1, 2)) else -size


def release(
    secret: Secret,
    order: float,
    counts: Array,
    poll: Poll,
    *,
    epsilon: float,
    delta: float,
    failure: float = 0.05,
) -> Sanitised:
    """Release the cost of counts (Q, C) and its smooth sensitivity for pure `epsilon`, and bound the cost by
    both.

    The logarithm of a beta-smooth bound changes by at most beta: Laplace noise of scale b = beta/e on it
    costs e, and the true one is at most b log(1/(2p)) above the noisy one but with chance p. Given that, the
    true cost is at most Student's quantile of 1 - p times S/scale above the noisy one, but with chance p.
    `failure` is 2p.
    """
    check_delta(delta)
    if not (0 < epsilon < math.inf and delta > 0 and 0 < failure < 0.5):
        raise ValueError("release needs a positive epsilon and delta, and a failure between 0 and 1/2")
    beta = _SHARES["scale"] * epsilon / DEGREES
    scale = _SHARES["place"] * epsilon / student_epsilon(0.0, 1.0)
    laplace = beta / (_SHARES["sensitivity"] * epsilon)
    sensitivity = smooth_sensitivity(order, counts, poll, beta)
    noisy_cost = cost_at(order, counts, poll) + sensitivity / scale * _student(secret)
    noisy_cost = round(noisy_cost / _GRAIN) * _GRAIN
    wider = laplace * rounding_margin(laplace / beta, 2)
    noisy_sensitivity = math.exp(float(add("laplace", wider, np.array([math.log(sensitivity)]), secret)[0]))
    largest = noisy_sensitivity * math.exp(laplace * math.log(1 / failure))  # p = failure/2
    bound = noisy_cost + largest / scale * float(stdtrit(DEGREES, 1 - failure / 2))
    cost = min(max(bound, 0.0), independent_cost(order, len(counts), poll))
    events = (
        PureDP(epsilon=student_epsilon(beta, scale)),
        PureDP(epsilon=_SHARES["sensitivity"] * epsilon),
    )
    rdp = cost + RenyiAccountant().rdp(Composed(events), np.array([order]))
    return Sanitised(
        order=order,
        cost=cost,
        epsilon=float(convert(rdp, np.array([order]), delta, "balle")[0]),
        delta=delta,
        failure=failure,
        noisy_cost=noisy_cost,
        noisy_sensitivity=noisy_sensitivity,
        events=events,
    )
