"""What one step of `SampledSubgraphs` costs, for the worst out-degree: upper bounds on its hockey-stick curves.

P is the law of the noisy sum with a node z, Q without it, and H_c(P||Q) = E_Q[(dP/dQ - c)_+]. Lengths are in clipping norms C over the
noise: a = 1/noise_multiplier is what z's own gradient is, 2a what each of the K subgraphs that hold it can change. The full proofs stand
in `privgraph/methods/heter_poisson/README.md`, "What is proved"; in short:

- **A mixture against a point** (P1). For P = sum w_i N(v_i, I), Q = N(0, I) and |v_i| <= r_i, both H_c(P||Q) and H_c(Q||P) are largest for
  the numbers r_i on one line: `mixture_curves`.
- **With the central/peripheral rule** (P2). Given everybody else's draws, n ~ Bin(D, q) out-neighbours are central, and the pair is
  (1-q) sum_k Bin(k; n, p) N(2ka) + q N(a) against N(0), averaged over n: `exclusive_curves`.
- **Without it** (P3). Subgraphs are independent given who draws z, so that a test's power on larger sets is bounded by that on smaller ones; what
  is left is a maximum over decreasing sequences, solved by an antitonic regression for each outcome: `open_curves`.
- **All out-degrees** (P4). Each bound grows with K in stochastic order, degrees up to M are dominated by M, and others by blocks of
  degrees: `envelope`.

Every number is rounded up: a law on a grid keeps the mean of each cell in a coordinate in which what is averaged is convex, a curve is
joined by chords, tails that are cut off count as revealed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, log_ndtr, logsumexp, ndtr, rel_entr

from privgraph.privacy.composition import gaussian_delta
from privgraph.privacy.events import SampledSubgraphs

Array = NDArray[np.float64]

_WIDTH = 12.0
"""Standard deviations around all means that a grid covers: less than 1e-32 lies outside."""

_WIDER = 1.002
"""The factor by which the mean of K may grow within one block of out-degrees."""

_BROADER = 1.05
"""The same for blocks of out-degrees with the rule, for the counts n within them and for the means of the table."""

_SMALLEST_MEAN = 0.02
"""Where the table of Poisson means begins."""

_ROUNDING = 1e-14
"""Room for the rounding of one value of a curve near 1."""

_QUADRATURE = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True)
class Curves:
    """delta at each epsilon of a grid, (E,): H(P||Q), z `removed`, and H(Q||P), z `added`. Upper bounds both."""

    removed: Array
    added: Array

    def largest(self, other: Curves) -> Curves:
        """The pointwise maximum: convex if both are."""
        return Curves(np.maximum(self.removed, other.removed), np.maximum(self.added, other.added))

    def convex(self, epsilons: Array) -> Curves:
        """The largest convex curves below these, in exp(epsilon) and through 1 at 0: still above a true curve, as that is convex."""
        return Curves(_convex_below(epsilons, self.removed), _convex_below(epsilons, self.added))

    def either(self, epsilons: Array) -> Curves:
        """Each direction by its own curve or by the other's reversed, H_c(P||Q) = 1 - c + c H_(1/c)(Q||P), whichever is smaller.

        On a grid that is its own mirror image, `epsilons` from -e to e. What rounding does to 1 - c + c H is added.
        """

        def reversed_(other: Array) -> Array:
            growth = np.exp(epsilons)
            return np.asarray(growth * (other[::-1] + _ROUNDING) - np.expm1(epsilons))

        return Curves(
            np.minimum(self.removed, reversed_(self.added)), np.minimum(self.added, reversed_(self.removed))
        ).convex(epsilons)


# --- laws of K ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Law:
    """K ~ Bin(`trials`, `chance`), or Poisson(`mean`) where trials are infinite."""

    trials: float
    chance: float = 0.0
    mean: float = 0.0

    def weights(self, negligible: float) -> Array:
        """Pr[K = k] from k = 0 until no more than `negligible` is left."""
        if self.chance == 1:
            return np.append(np.zeros(int(self.trials)), 1.0)
        mean = self.mean if math.isinf(self.trials) else self.trials * self.chance
        last = int(min(self.trials, math.ceil(mean + 12 * math.sqrt(mean) + 60)))
        k = np.arange(1, last + 1, dtype=np.float64)
        if mean == 0:
            return np.ones(1)
        # From ratios of neighbours: differences of log gammas would lose digits at a million trials.
        if math.isinf(self.trials):
            none, steps = -mean, np.log(mean / k)
        else:
            none = self.trials * math.log1p(-self.chance)
            steps = np.log((self.trials - k + 1) / k) + math.log(self.chance) - math.log1p(-self.chance)
        weights = np.exp(none + np.concatenate([[0.0], np.cumsum(steps)]))
        left = np.cumsum(weights[::-1])[::-1]
        return np.asarray(weights[: max(1, int((left > negligible).sum()))])


def degree_law(rate: float, neighbours: int, degree: int) -> Law:
    """K of a node with `degree` out-neighbours: each is central with chance q and then draws it with min(1, M/D)."""
    return Law(degree, rate * min(1.0, neighbours / degree)) if degree else Law(math.inf)


def block_law(rate: float, neighbours: int, first: int, last: int) -> Law:
    """A law above K in stochastic order for every out-degree from `first` to `last`; `first` at least M.

    Throw Poisson(l) balls into n boxes: Bin(n, 1 - exp(-l/n)) boxes are hit, stochastically more the more balls or boxes there are
    (a ball hits a new box with probability 1 - hit/n). Bin(D, qM/D) is that law at n = D, l = -D log(1 - qM/D), which falls in D.
    """
    chance = rate * neighbours / first
    if first == last or chance == 1:
        return degree_law(rate, neighbours, first) if first == last else Law(last, 1.0)
    return Law(last, -math.expm1(first * math.log1p(-chance) / last))


def _blocks(event: SampledSubgraphs) -> Iterator[tuple[int, int]]:
    """Out-degrees (first, last) from M on, in blocks within which the mean of a block's law grows little.

    Degrees below M are dominated by M, of which all draw z. The degree M + 1 never is in a block with M, so that no chance is 1.
    """
    rate, neighbours, largest = event.rate, event.neighbours, event.largest_degree
    first = min(neighbours, largest)
    while first <= largest:
        last = first
        if first > neighbours:
            mean = _mean(rate, neighbours, first)
            least = mean / _WIDER
            if _mean(rate, neighbours, largest) >= least:
                last = largest
            else:
                # Bisection: means fall in the degree.
                low, high = first, largest
                while high - low > 1:
                    middle = (low + high) // 2
                    low, high = (middle, high) if _mean(rate, neighbours, middle) >= least else (low, middle)
                last = low
        yield first, last
        first = last + 1


def _mean(rate: float, neighbours: int, degree: int) -> float:
    """-D log(1 - qM/D): the balls of `block_law`."""
    return -degree * math.log1p(-rate * neighbours / degree)


# --- a mixture against a point --------------------------------------------------------------------------------------------


class _Line:
    """Thresholds x (N,) on a line, and what mixtures of means on it need at each: `shifts` (K,), rising but for the last.

    What is the same for all weights is kept, as one envelope asks for hundreds of mixtures.
    """

    def __init__(self, shifts: Array, spacing: float) -> None:
        self.x = np.arange(-_WIDTH, float(shifts.max()) + _WIDTH + spacing, spacing)
        self._exponents = np.outer(shifts, self.x) - shifts[:, None] ** 2 / 2
        self._above, self._below = ndtr(shifts[:, None] - self.x), ndtr(self.x - shifts[:, None])
        self._log_none, self._all = log_ndtr(-self.x), ndtr(self.x)
        self._ratios: dict[int, tuple[Array, Array]] = {}

    def curves(self, weights: Array, last: float, growth: Array, lost: float) -> Curves:
        """Of the mixture that has `weights` on the first shifts and `last` on the last one, at each c of `growth`."""
        count = len(weights)
        rows = np.append(np.arange(count), len(self._exponents) - 1)
        if count not in self._ratios:
            top = self._exponents[rows].max(axis=0)
            self._ratios[count] = np.exp(self._exponents[rows] - top), top
        ratios, top = self._ratios[count]
        with np.errstate(divide="ignore"):  # far from all means that have a weight, it underflows
            log_ratio = np.log(weights @ ratios[:-1] + last * ratios[-1]) + top
        above = weights @ self._above[:count] + last * self._above[-1]
        below = weights @ self._below[:count] + last * self._below[-1]
        with np.errstate(divide="ignore"):
            removed = above - np.exp(np.minimum(log_ratio + self._log_none, 0.0))
            added = self._all - np.exp(np.minimum(np.log(below) - log_ratio, 0.0))
        return Curves(
            np.minimum(1.0, lost + _chords(growth, log_ratio, removed)), _chords(growth, -log_ratio[::-1], added[::-1])
        )


def mixture_curves(shifts: Array, weights: Array, epsilons: Array, spacing: float = 0.005) -> Curves:
    """sum_i w_i N(shift_i, 1) against N(0, 1), exact but for chords; shifts (K,) not negative, epsilons (E,) rising.

    The likelihood ratio L grows in x, so that at c = L(x) the best test is a threshold at x: H_c(P||Q) = sum w S(x - shift) - c S(x), and the like
    for Q against P at c = 1/L(x). H is convex in c: between two thresholds' c a chord is an upper bound.
    """
    line = _Line(shifts, spacing)
    return line.curves(weights[:-1], float(weights[-1]), np.exp(epsilons), 0.0)


def _chords(growth: Array, log_places: Array, heights: Array) -> Array:
    """The curve through 1 at 0 and `heights` at exp(`log_places`), which rise; constant where those end."""
    kept = (log_places < 700) & (log_places > -700)  # exp is finite, and not 0
    places = np.concatenate([[0.0], np.exp(log_places[kept])])
    # Rounded up to what processors multiply quickly.
    return np.asarray(np.interp(growth, places, np.concatenate([[1.0], np.clip(heights[kept], 1e-60, 1.0)])))


def exclusive_curves(
    event: SampledSubgraphs, degree: int, epsilons: Array, negligible: float = 1e-15, spacing: float = 0.005
) -> Curves:
    """With the rule, for one out-degree D: the mean over n ~ Bin(D, q) of the pairs that n central out-neighbours make."""
    return _Exclusive(event, epsilons, negligible, spacing).degrees(degree, degree)


class _Exclusive:
    """Curves with the rule, for many out-degrees on one line."""

    def __init__(self, event: SampledSubgraphs, epsilons: Array, negligible: float, spacing: float) -> None:
        self.event, self.negligible = event, negligible
        self._growth = np.exp(epsilons)
        self._count = max(len(law.weights(negligible)) for law in dominating(event, whole=True))
        a = 1 / event.noise_multiplier
        self._line = _Line(np.append(2 * a * np.arange(self._count), a), spacing)
        self._table: dict[int, Curves] = {}

    def pair(self, law: Law) -> Curves:
        """(1-q) sum_k Pr[K = k] N(2ka) + q N(a) against N(0)."""
        q, weights = self.event.rate, law.weights(self.negligible)[: self._count]
        lost = max(self.negligible, 1 - float(weights.sum()))
        return self._line.curves((1 - q) * weights, q, self._growth, lost)

    def degrees(self, first: int, last: int) -> Curves:
        """Out-degrees `first` to `last`: n below Bin(last, q) and, given n, K below Bin(n, M/first). Exact where they are one.

        In blocks, n is rounded up to one of few.
        """
        if last == 0:
            return self.pair(Law(math.inf))
        chance = min(1.0, self.event.neighbours / first)

        def up(n: int) -> int:
            return n if first == last or n < 16 else min(last, math.ceil(n * _BROADER))

        return self._mean(last, up, lambda n: self.pair(Law(n, chance) if n else Law(math.inf)))

    def far(self, first: int, last: int) -> Curves:
        """The same for large degrees: given n, K is below Poisson(-n log(1 - M/first)), the next mean in a table that all share."""
        each = -math.log1p(-self.event.neighbours / first)

        def step(n: int) -> int:
            return max(0, math.ceil(math.log(max(n * each / _SMALLEST_MEAN, 1.0)) / math.log(_BROADER) + 1e-9))

        def up(n: int) -> int:
            return min(last, math.floor(_SMALLEST_MEAN * _BROADER ** step(n) / each * (1 - 1e-12)))

        def at(n: int) -> Curves:
            if step(n) not in self._table:
                self._table[step(n)] = self.pair(Law(math.inf, mean=_SMALLEST_MEAN * _BROADER ** step(n)))
            return self._table[step(n)]

        return self._mean(last, up, at)

    def _mean(self, degree: int, up: Callable[[int], int], at: Callable[[int], Curves]) -> Curves:
        """The mean of `at` over n ~ Bin(`degree`, q), where all from one n to `up` of it count as the largest of them."""
        q = self.event.rate
        chances, parts = [], []
        # Below this number n is rare, and counts as this one.
        low = max(0, math.floor(degree * q - 9 * math.sqrt(degree * q * (1 - q)) - 9))
        below, beyond = 0.0, 1.0
        while beyond > self.negligible:
            high = max(low, up(low))
            reached, beyond = float(bdtr(high, degree, q)), float(bdtrc(high, degree, q))
            if reached > below:
                chances.append(reached - below)
                parts.append(at(high))
            low, below = high + 1, reached
        weights = np.asarray(chances)
        return Curves(
            weights @ np.array([part.removed for part in parts]) + beyond,
            weights @ np.array([part.added for part in parts]) + beyond,
        )


# --- without the rule -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outcomes:
    """What z can gain at each point of a grid, for k = 0, 1, ... subgraphs that hold it, relative to what it costs there.

    log_ratios (K, N): gain over cost; log_costs (N,): the chance of the point in what is paid for.
    """

    log_ratios: Array
    log_costs: Array

    def curve(self, weights: Array, epsilons: Array, lost: float) -> Array:
        """max over decreasing sequences of sum_k w_k (gain_k - c cost_k), at each c = exp(epsilon).

        At each point the outcomes that a test may take are a prefix 0..m, so that the best it can do is the sum of w_k (R_k - c)_+, with
        R the antitonic regression of the ratios in k. `lost` is the chance of all larger k, which count as revealed.
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

    Removed: gain_k = (1-q) e^(s x - s^2/2) + q e^(t x - t^2/2), s = 2ka and t = s + a, cost 1. Added: gain_k = e^(s x - s^2/2), cost
    (1-q) + q e^(-a x - a^2/2). In y = e^(ax), or its inverse, gains are convex and costs linear.
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
    """Points x (N,) and log chances that stand for x ~ N(0, 1): each cell's chance goes to its two ends, and the mean of
    exp(`slope` x) stays. A convex function of that has a mean no smaller than the true one."""
    x = np.arange(-_WIDTH, top + _WIDTH + spacing, spacing)
    places, weights = _QUADRATURE
    t = spacing * (places + 1) / 2
    w = spacing * weights / 2
    share = np.expm1(slope * t) / math.expm1(slope * spacing)  # of the right end
    right = np.exp(-np.outer(x, t) - t**2 / 2) @ (w * (1 - share))
    left = np.exp(np.outer(x, spacing - t) - (spacing - t) ** 2 / 2) @ (w * share)
    return x, np.log(right + left) - x**2 / 2 - math.log(2 * math.pi) / 2


def _antitonic(log_values: Array, weights: Array) -> Array:
    """Weighted antitonic regression along the first axis, of each column: R_k = min over i <= k of max over j >= k of mean(i..j)."""
    top = log_values.max(axis=0)
    values, weights = np.exp(log_values - top), np.maximum(weights, 1e-100)
    best = np.full_like(values, np.inf)
    for first in range(len(weights)):
        means = np.cumsum(values[first:] * weights[first:, None], axis=0) / np.cumsum(weights[first:])[:, None]
        np.minimum(best[first:], np.maximum.accumulate(means[::-1], axis=0)[::-1], out=best[first:])
    with np.errstate(divide="ignore"):  # what underflows beside the largest is worth nothing
        return np.asarray(np.log(best) + top)


# --- all out-degrees ------------------------------------------------------------------------------------------------------


def degree_curves(event: SampledSubgraphs, degree: int, epsilons: Array, negligible: float = 1e-15) -> Curves:
    """Upper bounds for a node with `degree` out-neighbours, whichever the rule."""
    found = exclusive_curves if event.exclusive else open_curves
    return found(event, degree, epsilons, negligible).either(epsilons)


def envelope(event: SampledSubgraphs, epsilons: Array, negligible: float = 1e-15) -> Curves:
    """Upper bounds for every out-degree from 0 to the largest: convex, so that each is the curve of a pair of laws.

    epsilons (E,): rising, evenly spaced. Probabilities of at most `negligible` count as revealed.
    """
    spacing = min(0.02, event.noise_multiplier / 100)
    blocks = _exclusive_blocks if event.exclusive else _open_blocks
    found: Curves | None = None
    for part in blocks(event, epsilons, negligible, spacing):
        found = part if found is None else found.largest(part)
    assert found is not None
    return found.either(epsilons)


def _open_blocks(event: SampledSubgraphs, epsilons: Array, negligible: float, spacing: float) -> Iterator[Curves]:
    laws = [
        block_law(event.rate, event.neighbours, first, last)
        if first >= event.neighbours
        else degree_law(event.rate, event.neighbours, first)
        for first, last in _blocks(event)
    ]
    weights = [law.weights(negligible) for law in laws]
    removed, added = _outcomes(event, max(len(one) for one in weights), spacing)
    for one in weights:
        yield Curves(removed.curve(one, epsilons, negligible), added.curve(one, epsilons, negligible))


def _exclusive_blocks(event: SampledSubgraphs, epsilons: Array, negligible: float, spacing: float) -> Iterator[Curves]:
    """Degrees up to 2M + 2 one by one, up to 16M in blocks of which each n is looked at, and the rest through the table."""
    exclusive = _Exclusive(event, epsilons, negligible, spacing)
    neighbours, largest = event.neighbours, event.largest_degree
    first = min(neighbours, largest)
    while first <= largest:
        last = first if first <= 2 * neighbours + 2 else min(largest, max(first, int(first * _BROADER)))
        yield exclusive.degrees(first, last) if first <= 16 * neighbours else exclusive.far(first, last)
        first = last + 1


def _convex_below(epsilons: Array, deltas: Array) -> Array:
    """The largest convex function of exp(epsilon) through 1 at 0 that is nowhere above `deltas`, at the same places."""
    x = np.concatenate([[0.0], np.exp(epsilons)])
    y = np.concatenate([[1.0], np.clip(deltas, 0.0, 1.0)])
    kept = np.arange(len(x))
    while True:
        slopes = np.diff(y[kept]) / np.diff(x[kept])
        inner = np.concatenate([[True], slopes[1:] > slopes[:-1], [True]])
        if inner.all():
            return np.asarray(np.interp(x[1:], x[kept], y[kept]))
        # Who lies above the chord of two others is not on the curve, whether those are or not.
        kept = kept[inner]


# --- coarse bounds and guesses --------------------------------------------------------------------------------------------


def dominating(event: SampledSubgraphs, *, whole: bool = False) -> tuple[Law, ...]:
    """Laws of which one is above K in stochastic order, whatever the out-degree.

    `whole`: for a table of K with the rule, where n is rounded up as well: of half as much again.
    """
    first = Law(min(event.neighbours, event.largest_degree), event.rate)
    if event.largest_degree <= event.neighbours:
        return (first,)
    second = block_law(event.rate, event.neighbours, event.neighbours + 1, event.largest_degree)
    if whole:
        second = Law(math.inf, mean=1.5 * event.neighbours * event.rate + 3)
    return first, second


@lru_cache(maxsize=256)
def reach(event: SampledSubgraphs, negligible: float) -> float:
    """A loss beyond which `negligible` is left in either direction, even if K were seen: then shifts are 2k + 1 at most."""
    largest = 0.0
    for law in dominating(event):
        weights = law.weights(negligible / 4)
        shifts = (2 * np.arange(len(weights)) + 1) / event.noise_multiplier
        low, high = 0.0, float(shifts[-1] ** 2 / 2 + 40 * shifts[-1])
        while high - low > 1e-3 * high:
            middle = (low + high) / 2
            left = sum(float(w) * gaussian_delta(middle, float(mu)) for w, mu in zip(weights, shifts, strict=True))
            low, high = (low, middle) if left <= negligible / 2 else (middle, high)
        largest = max(largest, high)
    return largest


def log_moment(event: SampledSubgraphs, orders: Array) -> Array:
    """log E_Q[(P/Q)^a] at most, with K seen: sound and of little use, as the rare large K count for all.

    Beyond 64, k in bins: all of a bin's chance at its largest k.
    """
    found = np.full_like(orders, -math.inf)
    for law in dominating(event):
        edges = np.unique(np.concatenate([np.arange(65), np.geomspace(64, max(law.trials, 65), 400).astype(int)]))
        edges = edges[edges <= law.trials]
        tops = np.append(edges[1:] - 1, law.trials)
        # Chernoff where a chance is too small for a float: log Pr[K >= k] <= -n KL(k/n, p).
        part = np.maximum(edges / law.trials, law.chance)
        log_chances = -law.trials * (rel_entr(part, law.chance) + rel_entr(1 - part, 1 - law.chance))
        exact = bdtrc(edges[1:] - 1, law.trials, law.chance)
        log_chances[1:] = np.where(exact > 1e-300, np.log(np.maximum(exact, 1e-300)), log_chances[1:])
        mu = (2 * tops + 1) / event.noise_multiplier
        terms = (orders * (orders - 1))[:, None] * mu[None, :] ** 2 / 2 + log_chances[None, :]
        found = np.maximum(found, logsumexp(terms, axis=1))
    return np.asarray(found)


def typical(event: SampledSubgraphs, epsilons: Array) -> Curves:
    """Curves of the out-degree that is mostly the worst: M with the rule, infinite without. For searches, no bound.

    epsilons (E,): rising, evenly spaced, from -e to e.
    """
    negligible, spacing = 1e-12, min(0.04, event.noise_multiplier / 50)
    if event.exclusive:
        found = exclusive_curves(event, min(event.neighbours, event.largest_degree), epsilons, negligible, spacing)
    else:
        weights = Law(math.inf, mean=event.rate * event.neighbours).weights(negligible)
        removed, added = _outcomes(event, len(weights), spacing)
        found = Curves(removed.curve(weights, epsilons, negligible), added.curve(weights, epsilons, negligible))
    return found.either(epsilons)


def guessed_squared_mu(event: SampledSubgraphs) -> float:
    """The squared shift of a Gaussian about as private as one step: a guess for grids, no bound.

    The smaller of the chi-squared divergence of a pair and its mean squared shift: with K hidden at an infinite out-degree, or
    seen, with the rule, at the out-degree M.
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


def with_noise(event: SampledSubgraphs, noise_multiplier: float) -> SampledSubgraphs:
    """The same step with other noise."""
    return replace(event, noise_multiplier=noise_multiplier)
