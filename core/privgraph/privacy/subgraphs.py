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
from collections.abc import Iterator
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

_BROADER = 1.1
"""The same for blocks of out-degrees with the rule, where the smallest degree is far above all others."""

_SMALLEST_MEAN = 0.02
"""Where the table of Poisson means begins."""

_SINGLE_DEGREES = 6
"""So many out-degrees from M on are taken one by one with the rule."""

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


def mixture_curves(shifts: Array, weights: Array, epsilons: Array, spacing: float = 0.005) -> Curves:
    """sum_i w_i N(shift_i, 1) against N(0, 1), exact but for chords; shifts (K,) not negative, epsilons (E,) rising.

    The likelihood ratio L grows in x, so that at c = L(x) the best test is a threshold at x: H_c(P||Q) = sum w S(x - shift) - c S(x), and the like
    for Q against P at c = 1/L(x). H is convex in c: between two thresholds' c a chord is an upper bound. Weights that sum to less
    than 1 leave the rest of P out, which counts as revealed.
    """
    lost = max(0.0, 1.0 - float(weights.sum()))
    x = np.arange(-_WIDTH, float(shifts.max()) + _WIDTH + spacing, spacing)
    exponents = np.outer(shifts, x) - shifts[:, None] ** 2 / 2
    top = exponents.max(axis=0)
    log_ratio = np.log(weights @ np.exp(exponents - top)) + top
    above, below = weights @ ndtr(shifts[:, None] - x), weights @ ndtr(x - shifts[:, None])
    removed = above - np.exp(np.minimum(log_ratio + log_ndtr(-x), 0.0))
    added = ndtr(x) - np.exp(np.minimum(np.log(np.maximum(below, 1e-300)) - log_ratio, 0.0))
    growth = np.exp(epsilons)
    return Curves(
        np.minimum(1.0, lost + _chords(growth, log_ratio, removed)), _chords(growth, -log_ratio[::-1], added[::-1])
    )


def _chords(growth: Array, log_places: Array, heights: Array) -> Array:
    """The curve through 1 at 0 and `heights` at exp(`log_places`), which rise; constant where those end."""
    kept = log_places < 700  # exp is finite
    places = np.concatenate([[0.0], np.exp(log_places[kept])])
    return np.asarray(np.interp(growth, places, np.concatenate([[1.0], np.clip(heights[kept], 0.0, 1.0)])))


def exclusive_curves(
    event: SampledSubgraphs, degree: int, epsilons: Array, negligible: float = 1e-15, spacing: float = 0.005
) -> Curves:
    """With the rule, for one out-degree D: the mean over n ~ Bin(D, q) of the pairs that n central out-neighbours make."""
    total = Curves(np.zeros_like(epsilons), np.zeros_like(epsilons))
    chances = Law(degree, event.rate).weights(negligible) if degree else np.ones(1)
    for number, chance in enumerate(chances):
        law = Law(number, min(1.0, event.neighbours / degree)) if number else Law(math.inf)
        part = _hidden(event, law, epsilons, negligible, spacing)
        total = Curves(total.removed + chance * part.removed, total.added + chance * part.added)
    lost = max(0.0, 1.0 - float(chances.sum()))
    return Curves(total.removed + lost, total.added + lost)


def _hidden(event: SampledSubgraphs, law: Law, epsilons: Array, negligible: float, spacing: float) -> Curves:
    """(1-q) sum_k Pr[K = k] N(2ka) + q N(a) against N(0)."""
    weights = law.weights(negligible)
    a = 1 / event.noise_multiplier
    shifts = np.append(2 * a * np.arange(len(weights)), a)
    return mixture_curves(shifts, np.append((1 - event.rate) * weights, event.rate), epsilons, spacing)


# --- without the rule -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outcomes:
    """What z can gain at each point of a grid, for k = 0, 1, ... subgraphs that hold it, relative to what it costs there.

    log_ratios (K, N): gain over cost; log_costs (N,): the chance of the point in what is paid for.
    """

    log_ratios: Array
    log_costs: Array

    def curve(self, weights: Array, epsilons: Array) -> Array:
        """max over decreasing sequences of sum_k w_k (gain_k - c cost_k), at each c = exp(epsilon).

        At each point the outcomes that a test may take are a prefix 0..m, so that the best it can do is the sum of w_k (R_k - c)_+, with
        R the antitonic regression of the ratios in k.
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
        lost = max(0.0, 1.0 - float(weights.sum()))
        return np.asarray(np.clip(above[0] - np.exp(epsilons) * above[1], 0.0, 1.0) + lost)


def open_curves(
    event: SampledSubgraphs, degree: int, epsilons: Array, negligible: float = 1e-15, spacing: float = 0.005
) -> Curves:
    """Without the rule, for one out-degree."""
    weights = degree_law(event.rate, event.neighbours, degree).weights(negligible)
    removed, added = _outcomes(event, len(weights), spacing)
    return Curves(removed.curve(weights, epsilons), added.curve(weights, epsilons))


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
    values = np.exp(log_values - top)
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
    spacing = _spacing(event, epsilons)
    blocks = _exclusive_blocks if event.exclusive else _open_blocks
    found: Curves | None = None
    for part in blocks(event, epsilons, negligible, spacing):
        found = part if found is None else found.largest(part)
    assert found is not None
    return found.either(epsilons)


def _spacing(event: SampledSubgraphs, epsilons: Array) -> float:
    """Of x: one step changes the loss of one subgraph by no more than the grid of losses has."""
    wanted = float(epsilons[1] - epsilons[0]) * event.noise_multiplier / 2 if len(epsilons) > 1 else 0.0
    return min(max(wanted, 0.0025), 0.02)


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
        yield Curves(removed.curve(one, epsilons), added.curve(one, epsilons))


def _exclusive_blocks(event: SampledSubgraphs, epsilons: Array, negligible: float, spacing: float) -> Iterator[Curves]:
    """Degrees near M one by one; others in blocks: given n, Bin(n, M/D) is below Poisson(-n log(1 - M/first)), and n below Bin(last, q).

    The curve of each Poisson mean is taken from a table, at the next larger mean.
    """
    neighbours, largest = event.neighbours, event.largest_degree
    first = min(neighbours, largest)
    while first <= min(largest, neighbours + _SINGLE_DEGREES):
        yield exclusive_curves(event, first, epsilons, negligible, spacing)
        first += 1
    table: dict[int, Curves] = {}

    def at(step: int) -> Curves:
        if step not in table:
            table[step] = _hidden(event, Law(math.inf, mean=_BROADER**step), epsilons, negligible, spacing)
        return table[step]

    while first <= largest:
        last = min(largest, max(first, int(first * _BROADER)))
        each = -math.log1p(-neighbours / first)
        # From a mean of which smaller ones are rare, or hardly cheaper.
        middle, spread = last * event.rate, math.sqrt(last * event.rate * (1 - event.rate))
        step = math.floor(math.log(max((middle - 9 * spread) * each, _SMALLEST_MEAN)) / math.log(_BROADER))
        removed, added, below, beyond = np.zeros_like(epsilons), np.zeros_like(epsilons), 0.0, 1.0
        while beyond > negligible:
            most = min(last, math.floor(_BROADER**step / each * (1 - 1e-12)))
            reached, beyond = float(bdtr(most, last, event.rate)), float(bdtrc(most, last, event.rate))
            if reached > below:
                removed += (reached - below) * at(step).removed
                added += (reached - below) * at(step).added
                below = reached
            step += 1
        yield Curves(removed + beyond, added + beyond)
        first = last + 1


def _convex_below(epsilons: Array, deltas: Array) -> Array:
    """The largest convex function of exp(epsilon) through 1 at 0 that is nowhere above `deltas`, at the same places."""
    x = np.concatenate([[0.0], np.exp(epsilons)]).tolist()
    y = np.concatenate([[1.0], np.clip(deltas, 0.0, 1.0)]).tolist()
    kept = [0]
    for i in range(1, len(x)):
        while len(kept) > 1:
            j, k = kept[-2], kept[-1]
            if (y[k] - y[j]) * (x[i] - x[k]) < (y[i] - y[k]) * (x[k] - x[j]):
                break
            kept.pop()
        kept.append(i)
    return np.asarray(np.interp(x[1:], np.asarray(x)[kept], np.asarray(y)[kept]))


# --- coarse bounds and guesses --------------------------------------------------------------------------------------------


def dominating(event: SampledSubgraphs) -> tuple[Law, ...]:
    """Laws of which one is above K in stochastic order, whatever the out-degree."""
    first = Law(min(event.neighbours, event.largest_degree), event.rate)
    if event.largest_degree <= event.neighbours:
        return (first,)
    return first, block_law(event.rate, event.neighbours, event.neighbours + 1, event.largest_degree)


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


def guessed_squared_mu(event: SampledSubgraphs) -> float:
    """The squared shift of a Gaussian about as private as one step: a guess for grids and searches, no bound.

    The smaller of the chi-squared divergence of the pair and the mean squared shift, at the out-degree infinity.
    """
    q, a = event.rate, 1 / event.noise_multiplier
    weights = Law(math.inf, mean=q * event.neighbours).weights(1e-6)
    shifts = 2 * a * np.arange(len(weights))
    shifts = np.concatenate([shifts, shifts + a])
    weights = np.concatenate([(1 - q) * weights, q * weights])
    squared = float(weights @ shifts**2)
    with np.errstate(over="ignore"):
        return min(squared, float(weights @ np.expm1(np.outer(shifts, shifts)) @ weights))


def with_noise(event: SampledSubgraphs, noise_multiplier: float) -> SampledSubgraphs:
    """The same step with other noise."""
    return replace(event, noise_multiplier=noise_multiplier)
