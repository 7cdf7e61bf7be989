"""Hockey-stick curves of mixtures on a line against a point, and what may be done with upper bounds of such
curves.

H_c(P||Q) = E_Q[(dP/dQ - c)_+] is the delta at epsilon = log c. It is convex in c, falls, and is 1 at c = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp, ndtr

Array = NDArray[np.float64]

WIDTH = 12.0
"""Standard deviations around all means that a grid covers: less than 1e-32 lies outside."""

_ROUNDING = 1e-14
"""Room for the rounding of one value of a curve near 1."""


@dataclass(frozen=True)
class Curves:
    """delta at each epsilon of a grid, (E,): H(P||Q), z `removed`, and H(Q||P), z `added`. Upper bounds
    both."""

    removed: Array
    added: Array

    def largest(self, other: Curves) -> Curves:
        """The pointwise maximum: convex if both are."""
        return Curves(np.maximum(self.removed, other.removed), np.maximum(self.added, other.added))

    def convex(self, epsilons: Array) -> Curves:
        """The largest convex curves below these, in exp(epsilon) and through 1 at 0: still above a true
        curve, as that is convex."""
        return Curves(_convex_below(epsilons, self.removed), _convex_below(epsilons, self.added))

    def either(self, epsilons: Array) -> Curves:
        """Each direction by its own curve or by the other's reversed, H_c(P||Q) = 1 - c + c H_(1/c)(Q||P),
        whichever is smaller.

        On a grid that is its own mirror image, `epsilons` from -e to e. What rounding does to 1 - c + c H is
        added.
        """

        def reversed_(other: Array) -> Array:
            growth = np.exp(epsilons)
            return np.asarray(growth * (other[::-1] + _ROUNDING) - np.expm1(epsilons))

        return Curves(
            np.minimum(self.removed, reversed_(self.added)), np.minimum(self.added, reversed_(self.removed))
        ).convex(epsilons)


def _convex_below(epsilons: Array, deltas: Array) -> Array:
    """The largest convex function of exp(epsilon) through 1 at 0 that is nowhere above `deltas`, at the same
    places."""
    x = np.concatenate([[0.0], np.exp(epsilons)])
    y = np.concatenate([[1.0], np.clip(deltas, 0.0, 1.0)])
    corners = np.arange(len(x))
    while True:
        slopes = np.diff(y[corners]) / np.diff(x[corners])
        inner = np.concatenate([[True], slopes[1:] > slopes[:-1], [True]])
        if inner.all():
            return np.asarray(np.interp(x[1:], x[corners], y[corners]))
        # Who lies above the chord of two others is not on the curve, whether those are or not.
        corners = corners[inner]


class Line:
    """Thresholds x (N,) on a line, and what mixtures of means on it need at each: `shifts` (K,), rising but
    for the last.

    What is the same for all weights is kept, as one envelope asks for hundreds of mixtures.
    """

    def __init__(self, shifts: Array, spacing: float) -> None:
        self.x = np.arange(-WIDTH, float(shifts.max()) + WIDTH + spacing, spacing)
        self._exponents = np.outer(shifts, self.x) - shifts[:, None] ** 2 / 2
        self._above, self._below = ndtr(shifts[:, None] - self.x), ndtr(self.x - shifts[:, None])
        self._log_none, self._all = log_ndtr(-self.x), ndtr(self.x)
        self._ratios: dict[int, tuple[Array, Array]] = {}

    def curves(self, weights: Array, last: float, growth: Array, lost: float) -> Curves:
        """Of the mixture that has `weights` on the first shifts and `last` on the last one, at each c of
        `growth`."""
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
    """sum_i w_i N(shift_i, 1) against N(0, 1), exact but for chords; shifts (K,) not negative, epsilons (E,)
    rising.

    The likelihood ratio L grows in x, so that at c = L(x) the best test is a threshold at x: H_c(P||Q) = sum
    w S(x - shift) - c S(x), and the like for Q against P at c = 1/L(x). H is convex in c: between two
    thresholds' c a chord is an upper bound.
    """
    line = Line(shifts, spacing)
    return line.curves(weights[:-1], float(weights[-1]), np.exp(epsilons), 0.0)


def opposed_curves(
    up: Array, up_weights: Array, down: Array, down_weights: Array, epsilons: Array, spacing: float = 0.005
) -> Curves:
    """sum_i w_i N(up_i, 1) against sum_j v_j N(-down_j, 1), exact but for chords; up (K,) and down (L,) not
    negative.

    As `mixture_curves`, which has down = 0: a ratio of a sum of rising terms to one of falling terms grows in
    x. Weights may add up to less than 1.
    """
    x = np.arange(-WIDTH - float(down.max()), float(up.max()) + WIDTH + spacing, spacing)
    laws = [
        (np.log(weights)[:, None], x[None, :] - centres[:, None])
        for centres, weights in ((up, up_weights), (-down, down_weights))
    ]
    p, q = (logsumexp(log_weights - away**2 / 2, axis=0) for log_weights, away in laws)
    p_above, q_above = (logsumexp(log_weights + log_ndtr(-away), axis=0) for log_weights, away in laws)
    p_below, q_below = (logsumexp(log_weights + log_ndtr(away), axis=0) for log_weights, away in laws)
    # For a threshold far out both parts are small together: what is left keeps its digits.
    log_ratio = p - q
    removed = np.exp(p_above) - np.exp(np.minimum(log_ratio + q_above, 0.0))
    added = np.exp(q_below) - np.exp(np.minimum(p_below - log_ratio, 0.0))
    growth = np.exp(epsilons)
    return Curves(_chords(growth, log_ratio, removed), _chords(growth, -log_ratio[::-1], added[::-1]))


def _chords(growth: Array, log_places: Array, heights: Array) -> Array:
    """The curve through 1 at 0 and `heights` at exp(`log_places`), which rise; constant where those end."""
    kept = (log_places < 700) & (log_places > -700)  # exp is finite, and not 0
    places = np.concatenate([[0.0], np.exp(log_places[kept])])
    # Rounded up to what processors multiply quickly.
    return np.asarray(np.interp(growth, places, np.concatenate([[1.0], np.clip(heights[kept], 1e-60, 1.0)])))


def laplace_mixture_curves(
    shifts: Array, weights: Array, epsilons: Array, scale: float, spacing: float = 0.002
) -> Curves:
    """sum_i w_i Laplace(shift_i, scale) against Laplace(0, scale): as `mixture_curves`, whose likelihood
    ratio also grows in x."""
    x = np.arange(0.0, float(shifts.max()) + spacing * scale, spacing * scale)
    log_ratio = np.log(np.exp((x - np.abs(x - shifts[:, None])) / scale).T @ weights)

    def tail(z: Array) -> Array:
        return np.where(z > 0, np.exp(-np.abs(z)) / 2, 1 - np.exp(-np.abs(z)) / 2)

    above = weights @ tail((x - shifts[:, None]) / scale)
    none = tail(x / scale)
    removed, added = above - np.exp(log_ratio) * none, (1 - none) - np.exp(-log_ratio) * (1 - above)
    growth = np.exp(epsilons)
    return Curves(_chords(growth, log_ratio, removed), _chords(growth, -log_ratio[::-1], added[::-1]))
