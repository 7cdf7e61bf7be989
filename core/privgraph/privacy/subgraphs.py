"""What one step of `SampledSubgraphs` costs, for the worst out-degree: upper bounds on its hockey-stick
curves.

P is the law of the noisy sum with a node z, Q without it, and H_c(P||Q) = E_Q[(dP/dQ - c)_+]. Lengths are in
clipping norms C over the noise: a = 1/noise_multiplier is what z's own gradient is, 2a what each of the K
subgraphs that hold it can change. The full proofs stand in
`privgraph/methods/gradients/heter_poisson/README.md`, "What is proved"; in short:

- **A mixture against a point** (P1). For P = sum w_i N(v_i, I), Q = N(0, I) and |v_i| <= r_i, both H_c(P||Q)
  and H_c(Q||P) are largest for the numbers r_i on one line: `hockey_sticks.mixture_curves`.
- **With the central/peripheral rule** (P2). Given everybody else's draws, n ~ Bin(D, q) out-neighbours are
  central, and the pair is (1-q) sum_k Bin(k; n, p) N(2ka) + q N(a) against N(0), averaged over n:
  `exclusive_curves`.
- **Without it** (P3). Subgraphs are independent given who draws z, so that a test's power on larger sets is
  bounded by that on smaller ones; what is left is a maximum over decreasing sequences, solved by an antitonic
  regression for each outcome: `open_curves`.
- **All out-degrees** (P4). Each bound grows with K in stochastic order, degrees up to M are dominated by M,
  and others by blocks of degrees (`subgraph_laws`): `envelope`.

Every number is rounded up: a law on a grid keeps the mean of each cell in a coordinate in which what is
averaged is convex, a curve is joined by chords, tails that are cut off count as revealed.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from privgraph.privacy import subgraph_laws
from privgraph.privacy.events import SampledSubgraphs
from privgraph.privacy.hockey_sticks import WIDTH, Curves, Line
from privgraph.privacy.subgraph_laws import Law, block_law, blocks, degree_law, dominating

Array = NDArray[np.float64]

_BROADER = 1.05
"""Width of blocks with the rule: of out-degrees, of the counts n within them, and of the means in a table."""

_SMALLEST_MEAN = 0.02
"""Where the table of Poisson means begins."""

_QUADRATURE = np.polynomial.legendre.leggauss(12)


# --- with the rule ----------------------------------------------------------------------------------------


def exclusive_curves(
    event: SampledSubgraphs, degree: int, epsilons: Array, negligible: float = 1e-15, spacing: float = 0.005
) -> Curves:
    """With the rule, for one out-degree D: the mean over n ~ Bin(D, q) of the pairs that n central
    out-neighbours make."""
    return _Exclusive(event, epsilons, negligible, spacing).degrees(degree, degree)


class _Exclusive:
    """Curves with the rule, for many out-degrees on one line."""

    def __init__(self, event: SampledSubgraphs, epsilons: Array, negligible: float, spacing: float) -> None:
        self.event, self.negligible = event, negligible
        self._growth = np.exp(epsilons)
        self._count = max(len(law.weights(negligible)) for law in dominating(event, whole=True))
        a = 1 / event.noise_multiplier
        self._line = Line(np.append(2 * a * np.arange(self._count), a), spacing)

    def pair(self, law: Law) -> Curves:
        """(1-q) sum_k Pr[K = k] N(2ka) + q N(a) against N(0)."""
        q, weights = self.event.rate, law.weights(self.negligible)[: self._count]
        lost = max(self.negligible, 1 - float(weights.sum()))
        return self._line.curves((1 - q) * weights, q, self._growth, lost)

    def degrees(self, first: int, last: int) -> Curves:
        """Out-degrees `first` to `last`: n below Bin(last, q) and, given n, K below Bin(n, M/first). Exact
        where they are one.

        In blocks, n is rounded up to one of few.
        """
        if last == 0:
            return self.pair(Law(math.inf))
        chance = min(1.0, self.event.neighbours / first)

        def up(n: int) -> int:
            return n if first == last or n < 16 else min(last, math.ceil(n * _BROADER))

        counts, chances, beyond = self._chances(last, up)
        total = Curves(np.full_like(self._growth, beyond), np.full_like(self._growth, beyond))
        for n, part_chance in zip(counts, chances, strict=True):
            part = self.pair(Law(n, chance) if n else Law(math.inf))
            total = Curves(total.removed + part_chance * part.removed, total.added + part_chance * part.added)
        return total

    def far(self, blocks: Sequence[tuple[int, int]]) -> Curves:
        """The maximum over blocks of large degrees: given n, K is below Poisson(-n log(1 - M/first)), the
        next mean in one table."""
        chances_by_step: list[dict[int, float]] = []
        rest = []
        for first, last in blocks:
            each = -math.log1p(-self.event.neighbours / first) / _SMALLEST_MEAN

            def step(n: int, each: float = each) -> int:
                return max(0, math.ceil(math.log(max(n * each, 1.0)) / math.log(_BROADER) + 1e-9))

            def up(n: int, each: float = each, last: int = last) -> int:
                return min(last, math.floor(_BROADER ** step(n, each) / each * (1 - 1e-12)))

            counts, chances, beyond = self._chances(last, up)
            chances_by_step.append({})
            for n, chance in zip(counts, chances, strict=True):
                chances_by_step[-1][step(n)] = chances_by_step[-1].get(step(n), 0.0) + chance
            rest.append(beyond)
        steps = sorted({step for weights in chances_by_step for step in weights})
        table = [self.pair(Law(math.inf, mean=_SMALLEST_MEAN * _BROADER**step)) for step in steps]
        weights = np.array([[one.get(step, 0.0) for step in steps] for one in chances_by_step])
        beyonds = np.asarray(rest)[:, None]
        return Curves(
            (weights @ np.array([part.removed for part in table]) + beyonds).max(axis=0),
            (weights @ np.array([part.added for part in table]) + beyonds).max(axis=0),
        )

    def _chances(self, degree: int, up: Callable[[int], int]) -> tuple[list[int], list[float], float]:
        """n ~ Bin(`degree`, q), where all from one n to `up` of it count as the largest of them: counts,
        chances, and what is beyond."""
        q = self.event.rate
        counts, chances = [], []
        # Below this number n is rare, and counts as this one.
        low = max(0, math.floor(degree * q - 9 * math.sqrt(degree * q * (1 - q)) - 9))
        below, beyond = 0.0, 1.0
        while beyond > self.negligible:
            high = max(low, up(low))
            reached, beyond = float(bdtr(high, degree, q)), float(bdtrc(high, degree, q))
            if reached > below:
                counts.append(high)
                chances.append(reached - below)
            low, below = high + 1, reached
        return counts, chances, beyond


# --- without the rule -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outcomes:
    """What z can gain at each point of a grid, for k = 0, 1, ... subgraphs that hold it, relative to what it
    costs there.

    log_ratios (K, N): gain over cost; log_costs (N,): the chance of the point in what is paid for.
    """

    log_ratios: Array
    log_costs: Array

    def curve(self, weights: Array, epsilons: Array, lost: float) -> Array:
        """max over decreasing sequences of sum_k w_k (gain_k - c cost_k), at each c = exp(epsilon).

        At each point the outcomes that a test may take are a prefix 0..m, so that the best it can do is the
        sum of w_k (R_k - c)_+, with R the antitonic regression of the ratios in k. `lost` is the chance of
        all larger k, which count as revealed.
        """
        log_ratios = _antitonic(self.log_ratios[: len(weights)], weights)
        gains = np.exp(log_ratios + self.log_costs) * weights[:, None]
        costs = np.exp(self.log_costs) * weights[:, None]
        # An atom counts at all epsilons below its log ratio.
        places = np.searchsorted(epsilons, log_ratios.ravel(), side="left")
        above = [
            np.cumsum(np.bincount(places, weights=one.ravel(), minlength=len(epsilons) + 1)[::-1])[::-1][1:]
            for one in (gains, costs)
        ]
        return np.asarray(np.clip(above[0] - np.exp(epsilons) * above[1], 0.0, 1.0) + lost)


def open_curves(
    event: SampledSubgraphs, degree: int, epsilons: Array, negligible: float = 1e-15, spacing: float = 0.005
) -> Curves:
    """Without the rule, for one out-degree."""
    weights = degree_law(event.rate, event.neighbours, degree).weights(negligible)
    removed, added = _outcomes(event, len(weights), spacing)
    return Curves(removed.curve(weights, epsilons, negligible), added.curve(weights, epsilons, negligible))


def _outcomes(event: SampledSubgraphs, count: int, spacing: float) -> tuple[_Outcomes, _Outcomes]:
    """Both directions, for K below `count`, on one grid of x ~ N(0, 1) and its mirror image.

    Removed: gain_k = (1-q) e^(s x - s^2/2) + q e^(t x - t^2/2), s = 2ka and t = s + a, cost 1. Added: gain_k
    = e^(s x - s^2/2), cost (1-q) + q e^(-a x - a^2/2). In y = e^(ax), or its inverse, gains are convex and
    costs linear.
    """
    a, q = 1 / event.noise_multiplier, event.rate
    s = 2 * a * np.arange(count)[:, None]
    t = s + a
    stay = math.log1p(-q) if q < 1 else -math.inf
    x, log_chance = _grid(a, float(t.max()), spacing)
    present = np.logaddexp(stay + s * x - s**2 / 2, math.log(q) + t * x - t**2 / 2)
    u, log_mirrored = _grid(-a, float(s.max()), spacing)
    cost = np.logaddexp(stay, math.log(q) - a * u - a * a / 2)
    return _Outcomes(present, log_chance), _Outcomes(s * u - s**2 / 2 - cost, log_mirrored + cost)


def _grid(slope: float, top: float, spacing: float) -> tuple[Array, Array]:
    """Points x (N,) and log chances that stand for x ~ N(0, 1): each cell's chance goes to its two ends, and
    the mean of exp(`slope` x) stays. A convex function of that has a mean no smaller than the true one."""
    x = np.arange(-WIDTH, top + WIDTH + spacing, spacing)
    places, weights = _QUADRATURE
    t = spacing * (places + 1) / 2
    w = spacing * weights / 2
    share = np.expm1(slope * t) / math.expm1(slope * spacing)  # of the right end
    right = np.exp(-np.outer(x, t) - t**2 / 2) @ (w * (1 - share))
    left = np.exp(np.outer(x, spacing - t) - (spacing - t) ** 2 / 2) @ (w * share)
    return x, np.log(right + left) - x**2 / 2 - math.log(2 * math.pi) / 2


def _antitonic(log_values: Array, weights: Array) -> Array:
    """Weighted antitonic regression along the first axis, of each column.

    Nearly every column rises to one peak and falls from there. Then the prefix with the largest mean is one
    level, and what comes after it stays as it is: one pass, where `_antitonic_of_any` takes one for every
    value.
    """
    top = log_values.max(axis=0)
    values, weights = np.exp(log_values - top), np.maximum(weights, 1e-100)
    means = np.cumsum(values * weights[:, None], axis=0) / np.cumsum(weights)[:, None]
    level = np.arange(len(weights))[:, None] <= means.argmax(axis=0)
    best = np.where(level, means.max(axis=0), values)
    steps = np.diff(values, axis=0)
    fell = np.logical_or.accumulate(steps < 0, axis=0)
    others = (fell & (steps > 0)).any(axis=0)
    best[:, others] = _antitonic_of_any(values[:, others], weights)
    with np.errstate(divide="ignore"):  # what underflows beside the largest is worth nothing
        return np.asarray(np.log(best) + top)


def _antitonic_of_any(values: Array, weights: Array) -> Array:
    """The same of any values above 0: R_k = min over i <= k of max over j >= k of mean(i..j)."""
    best = np.full_like(values, np.inf)
    for first in range(len(weights)):
        means = np.cumsum(values[first:] * weights[first:, None], axis=0) / np.cumsum(weights[first:])[:, None]
        np.minimum(best[first:], np.maximum.accumulate(means[::-1], axis=0)[::-1], out=best[first:])
    return best


# --- all out-degrees --------------------------------------------------------------------------------------


def degree_curves(event: SampledSubgraphs, degree: int, epsilons: Array, negligible: float = 1e-15) -> Curves:
    """Upper bounds for a node with `degree` out-neighbours, whichever the rule."""
    found = exclusive_curves if event.exclusive else open_curves
    return found(event, degree, epsilons, negligible).either(epsilons)


def envelope(event: SampledSubgraphs, epsilons: Array, negligible: float = 1e-15) -> Curves:
    """Upper bounds for every out-degree from 0 to the largest: convex, so that each is the curve of a pair of
    laws.

    epsilons (E,): rising, evenly spaced. Probabilities of at most `negligible` count as revealed.
    """
    spacing = min(0.02, event.noise_multiplier / 100)
    parts = _exclusive_blocks if event.exclusive else _open_blocks
    found: Curves | None = None
    for part in parts(event, epsilons, negligible, spacing):
        found = part if found is None else found.largest(part)
    assert found is not None
    return found.either(epsilons)


def _open_blocks(event: SampledSubgraphs, epsilons: Array, negligible: float, spacing: float) -> Iterator[Curves]:
    laws = [
        block_law(event.rate, event.neighbours, first, last)
        if first >= event.neighbours
        else degree_law(event.rate, event.neighbours, first)
        for first, last in blocks(event)
    ]
    weights = [law.weights(negligible) for law in laws]
    removed, added = _outcomes(event, max(len(one) for one in weights), spacing)
    for one in weights:
        yield Curves(removed.curve(one, epsilons, negligible), added.curve(one, epsilons, negligible))


def _exclusive_blocks(event: SampledSubgraphs, epsilons: Array, negligible: float, spacing: float) -> Iterator[Curves]:
    """Degrees up to 2M + 2 one by one, up to 16M in blocks of which each n is looked at, and the rest through
    the table."""
    exclusive = _Exclusive(event, epsilons, negligible, spacing)
    neighbours, largest = event.neighbours, event.largest_degree
    first = min(neighbours, largest)
    far = []
    while first <= largest:
        last = first if first <= 2 * neighbours + 2 else min(largest, max(first, int(first * _BROADER)))
        if first <= 16 * neighbours:
            yield exclusive.degrees(first, last)
        else:
            far.append((first, last))
        first = last + 1
    if far:
        yield exclusive.far(far)


@lru_cache(maxsize=256)
def reach(event: SampledSubgraphs, negligible: float) -> float:
    """A loss, at most 500, beyond which no more than ten times `negligible` is left in either direction,
    whatever the out-degree."""
    seen = min(subgraph_laws.reach(event, negligible), 500.0)
    epsilons = np.linspace(-seen, seen, 401)
    if event.exclusive:
        curves = envelope(event, epsilons, negligible)
    else:
        parts = []
        for law in dominating(event):
            weights = law.weights(negligible)
            removed, added = _outcomes(event, len(weights), min(0.02, event.noise_multiplier / 100))
            parts.append(
                Curves(removed.curve(weights, epsilons, negligible), added.curve(weights, epsilons, negligible))
            )
        curves = functools.reduce(Curves.largest, parts)
    left = np.maximum(curves.removed, curves.added)[200:]
    return float(epsilons[200:][left <= 10 * negligible].min(initial=seen))


# --- guesses ----------------------------------------------------------------------------------------------


def typical(event: SampledSubgraphs, epsilons: Array) -> Curves:
    """Curves of the out-degree that is mostly the worst: M with the rule, infinite without. For searches, no
    bound.

    epsilons (E,): rising, evenly spaced, from -e to e.
    """
    negligible, spacing = 1e-12, min(0.04, event.noise_multiplier / 50)
    if event.exclusive:
        curves = exclusive_curves(event, min(event.neighbours, event.largest_degree), epsilons, negligible, spacing)
    else:
        weights = Law(math.inf, mean=event.rate * event.neighbours).weights(negligible)
        removed, added = _outcomes(event, len(weights), spacing)
        curves = Curves(removed.curve(weights, epsilons, negligible), added.curve(weights, epsilons, negligible))
    return curves.either(epsilons)


def guessed_squared_mu(event: SampledSubgraphs) -> float:
    """The squared shift of a Gaussian about as private as one step: a guess for grids, no bound.

    The smaller of the chi-squared divergence of a pair and its mean squared shift: with K hidden at an
    infinite out-degree, or seen, with the rule, at the out-degree M.
    """
    q, a = event.rate, 1 / event.noise_multiplier
    law = Law(event.neighbours, q) if event.exclusive else Law(math.inf, mean=q * event.neighbours)
    weights = law.weights(1e-6)
    shifts: Array = 2 * a * np.arange(len(weights), dtype=np.float64)

    def chi_squared(products: Array) -> Array:
        return np.asarray(np.expm1(np.minimum(products, 600.0)), dtype=np.float64)

    if event.exclusive:
        squares = (1 - q) * shifts**2 + q * a**2
        once, twice = chi_squared(np.asarray(shifts * a)), chi_squared(np.asarray(shifts**2))
        hidden = (1 - q) ** 2 * twice + 2 * q * (1 - q) * once + q**2 * math.expm1(min(a**2, 600.0))
        return float(weights @ np.minimum(squares, hidden))
    shifts = np.concatenate([shifts, shifts + a])
    weights = np.concatenate([(1 - q) * weights, q * weights])
    return min(float(weights @ shifts**2), float(weights @ chi_squared(np.outer(shifts, shifts)) @ weights))
