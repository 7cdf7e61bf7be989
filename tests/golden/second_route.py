"""A route of its own to the epsilon of compositions, with no grid of losses to round to.

Discrete laws: every count of every outcome, by the multinomial law. Others: characteristic functions. The
total privacy loss of a composition has the product of the characteristic functions; its cosine series on an
interval (Fang and Oosterlee 2008) gives delta(epsilon) = E[(1 - e^(epsilon - loss))_+] term by term, in
closed form. Nothing here is imported from the package. Both directions, unit removed and unit added; the
larger epsilon is told.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Array = NDArray[np.float64]
Pair = tuple[Array, Array, Array]
"""Places by quadrature: weights under the law with the unit, weights under the law without, privacy loss."""


def gaussian_pair(noise_multiplier: float) -> Pair:
    step = noise_multiplier / 64
    x = np.arange(-11 * noise_multiplier, 1 + 11 * noise_multiplier, step)
    scale = step / (noise_multiplier * math.sqrt(2 * math.pi))
    with_unit, without = (scale * np.exp(-((x - shift) ** 2) / (2 * noise_multiplier**2)) for shift in (1, 0))
    return with_unit, without, (2 * x - 1) / (2 * noise_multiplier**2)


def laplace_pair(noise_multiplier: float) -> Pair:
    t = 1 / noise_multiplier
    nodes, weights = np.polynomial.legendre.leggauss(400)
    x = (nodes + 1) / 2
    middle = weights / 2 * t / 2
    ends = np.array([0.5, 0.5 * math.exp(-t)])  # beyond the two centres the loss is constant
    with_unit = np.concatenate([middle * np.exp(-t * (1 - x)), ends])
    without = np.concatenate([middle * np.exp(-t * x), ends[::-1]])
    return with_unit, without, np.concatenate([t * (2 * x - 1), [t, -t]])


def pure_pair(epsilon: float) -> Pair:
    law = np.array([math.exp(epsilon), 1.0]) / (1 + math.exp(epsilon))
    return law, law[::-1], np.array([epsilon, -epsilon])


def range_pair(length: float) -> Pair:
    nodes, weights = np.polynomial.legendre.leggauss(400)
    y = length * nodes
    with_unit, without = (weights * np.exp(sign * y / 2) for sign in (1, -1))
    return with_unit / with_unit.sum(), without / without.sum(), y


def label_pair(noise: float, classes: int) -> Pair:
    """The label of a noised unit vector, by a sum over the line: (wins, loses, other) and (loses, wins,
    other)."""
    x = np.linspace(-45 / noise, 1 + 45 / noise, 400_001)

    def cdf(z: Array) -> Array:
        return np.where(z < 0, np.exp(np.minimum(noise * z, 0)) / 2, 1 - np.exp(-np.maximum(noise * z, 0)) / 2)

    def chance(own: float, rival: float) -> float:
        density = noise / 2 * np.exp(-noise * np.abs(x - own))
        return float(np.trapezoid(density * cdf(x - rival) * cdf(x) ** (classes - 2), x))

    wins, loses = chance(1, 0), chance(0, 1)
    law = np.array([wins, loses, 1 - wins - loses])
    return law, law[[1, 0, 2]], np.array([math.log(wins / loses), math.log(loses / wins), 0.0])


def sampled(pair: Pair, rate: float) -> Pair:
    with_unit, without, loss = pair
    return (1 - rate) * without + rate * with_unit, without, np.log1p(rate * np.expm1(loss))


def listed(pair: Pair, count: int, delta: float) -> float:
    """The smallest epsilon at `delta` of `count` copies of a pair of two or three outcomes: exact."""
    with_unit, without, loss = pair
    if len(loss) == 2:
        with_unit, without, loss = (np.append(one, 0.0) for one in (with_unit, without, loss))
    first, second = (one.ravel() for one in np.meshgrid(*[np.arange(count + 1)] * 2, indexing="ij"))
    third = count - first - second
    possible = (third >= 0) & ((third == 0) | (with_unit[2] > 0))
    times = np.stack([first, second, third])[:, possible]
    ways = gammaln(count + 1) - gammaln(times + 1).sum(axis=0)
    worst = 0.0
    for law, losses in ((with_unit, loss), (without, -loss)):
        chances = np.exp(ways + np.log(np.maximum(law, 1e-300)) @ times)
        likely = chances > 1e-25
        worst = max(worst, _smallest(chances[likely], (losses @ times)[likely], delta))
    return worst


def _smallest(chances: Array, losses: Array, delta: float) -> float:
    inside, outside = 0.0, max(float(losses.max()), 0.0)
    for _ in range(50):
        middle = (inside + outside) / 2
        above = losses > middle
        left = float(chances[above] @ -np.expm1(middle - losses[above]))
        inside, outside = (inside, middle) if left <= delta else (middle, outside)
    return outside


def epsilon(parts: Sequence[tuple[Pair, int]], delta: float) -> float:
    """The smallest epsilon, of the worse direction, at `delta` of smooth pairs, each as often as its count
    says."""
    removed = [(with_unit, loss, count) for (with_unit, _, loss), count in parts]
    added = [(without, -loss, count) for (_, without, loss), count in parts]
    return max(_one_way(removed, delta), _one_way(added, delta))


def _one_way(parts: Sequence[tuple[Array, Array, int]], delta: float) -> float:
    means = [(float(weights @ loss), float(weights @ loss**2), count) for weights, loss, count in parts]
    centre = sum(count * mean for mean, _, count in means)
    spread = math.sqrt(sum(count * (square - mean**2) for mean, square, count in means))
    low, wide = centre - 14 * spread, 28 * spread
    terms = np.arange(1200)
    frequency = terms * math.pi / wide
    total = np.ones(len(terms), dtype=np.complex128)
    for weights, loss, count in parts:
        total *= np.array([weights @ np.exp(1j * f * loss) for f in frequency]) ** count
    series = 2 / wide * np.real(total * np.exp(-1j * frequency * low))
    series[0] /= 2

    def delta_of(wanted: float) -> float:
        place = np.clip(wanted - low, 0, wide)
        angle, end = frequency * place, terms * math.pi
        # Integrals of cos and of e^(epsilon - loss) cos over losses above epsilon.
        safe = np.where(terms == 0, 1.0, frequency)
        plain = np.where(terms == 0, wide - place, (np.sin(end) - np.sin(angle)) / safe)
        fall = math.exp(place - wide)
        damped = (np.cos(angle) - frequency * np.sin(angle) - fall * (np.cos(end) - frequency * np.sin(end))) / (
            1 + frequency**2
        )
        return float(series @ (plain - damped))

    inside, outside = max(low, 0.0), low + wide
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if delta_of(middle) <= delta else (middle, outside)
    return outside


def once(unsampled: float, rate: float) -> float:
    """One sample for all, from the epsilon of all at delta/rate."""
    return math.log1p(rate * math.expm1(unsampled))
