"""How many subgraphs hold a node: laws of K for one out-degree, above all of a block of them, and above all
there are.

Unit, relation and the proofs: `privgraph.privacy.subgraphs`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, logsumexp, rel_entr

from privgraph.privacy.composition import gaussian_delta
from privgraph.privacy.events import SampledSubgraphs

Array = NDArray[np.float64]

_WIDER = 1.002
"""The factor by which the mean of K may grow within one block of out-degrees."""


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
    """K of a node with `degree` out-neighbours: each is central with chance q and then draws it with min(1,
    M/D)."""
    return Law(degree, rate * min(1.0, neighbours / degree)) if degree else Law(math.inf)


def block_law(rate: float, neighbours: int, first: int, last: int) -> Law:
    """A law above K in stochastic order for every out-degree from `first` to `last`; `first` at least M.

    Throw Poisson(l) balls into n boxes: Bin(n, 1 - exp(-l/n)) boxes are hit, stochastically more the more
    balls or boxes there are (a ball hits a new box with probability 1 - hit/n). Bin(D, qM/D) is that law at n
    = D, l = -D log(1 - qM/D), which falls in D.
    """
    chance = rate * neighbours / first
    if first == last or chance == 1:
        return degree_law(rate, neighbours, first) if first == last else Law(last, 1.0)
    return Law(last, -math.expm1(first * math.log1p(-chance) / last))


def blocks(event: SampledSubgraphs) -> Iterator[tuple[int, int]]:
    """Out-degrees (first, last) from M on, in blocks within which the mean of a block's law grows little.

    Degrees below M are dominated by M, of which all draw z. The degree M + 1 never is in a block with M, so
    that no chance is 1.
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
    """A loss beyond which `negligible` is left in either direction, even if K were seen: then shifts are 2k +
    1 at most."""
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
    worst = np.full_like(orders, -math.inf)
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
        worst = np.maximum(worst, logsumexp(terms, axis=1))
    return np.asarray(worst)
