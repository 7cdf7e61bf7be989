"""Composition of privacy-loss distributions by Fourier transforms, with a bound on everything that doubles
lose.

A transform of n values is right up to an absolute error, while delta may be smaller than any such error. So
the losses are composed under exponential tilting: with the chances p(l) of a loss and M = sum p(l) exp(t l),
the tilted law is q(l) = p(l) exp(t l)/M. Its T-fold convolution y gives delta at every epsilon,

    delta(e) = revealed + M^T exp(-t e) sum_l c(l - e) y(l),   c(x) = exp(-t x) (1 - exp(-x)), at x <= 0 0.

M^T exp(-t e) max c is the Renyi bound of order 1 + t on delta, max c = t^t/(1 + t)^(1 + t). An error of y so
counts in proportion to that bound: the composition keeps its digits for every delta. Tilt 0 is the plain
convolution.

**Claim.** Let u = 2^-53 and n a power of two. The sum of c y is computed to within

    max c ((2 + ln n) (exp(T (10 log2 n + 3) u) - 1) + (10 log2(n) sqrt(n) |y|_2 + 128) u + 2^-50).

*Proof.* (1) Each of log2 n stages of a fast Fourier transform adds a value and a product, to 7u of the sum
of both absolute values (Higham 2002, section 24.1). Inputs add up to 1, so that each output is wrong by at
most 10 log2(n) u. (2) A complex product is right to sqrt(5) u (Brent, Percival and Zimmermann 2007). The
T-th power of a number of at most 1 by repeated squares is then wrong by at most exp(T (10 log2 n + 3) u) -
1. (3) Let C be the transform of c. c rises once and falls once, so that |C_k| <= max c/sin(pi k/n), and
|C_0| <= n max c. The mean of |C_k| is at most max c (2 + ln n), as sin x >= 2x/pi. By Parseval, errors of
size s in the transform of y change the sum by at most s times that mean. (4) The transform back is wrong by
10 log2(n) u |y|_2 in Euclidean norm, and |c|_2 <= sqrt(n) max c. (5) Sums in pairs of at most 2^60 terms
lose fewer than 64 roundings of each of two parts. (6) What lies outside the n losses of the grid returns at
other losses: less than 2^-50, by Chernoff's bound.

**One step.** The chances of one step come from a hockey-stick curve on a grid of spacing h. A curve is a
difference P(A) - exp(e) Q(A), of which each part is right to r = 2^-40, or 8,000 roundings. It is therefore
at least (1 - r) times the true curve at e + 2r, where less chance lies within 2r of e than beyond. Rare
sampling gathers its chances at 0: there b = 2^-44, or 500 roundings, is added to the curve. Second
differences of the curve lose 7u of exp(l) Q(L > l) at each loss l, which add up to 7u/h of the curve, as
delta(e) = int_e^inf exp(l) Q(L > l) dl. Tilting moves each chance by 4u (2 + t |l| + |log M|) of itself. A
hockey-stick curve of a composition is monotone in that of each step. So T steps move epsilon by at most 2rT,
and delta by a factor of at most exp of T times the sum of these shares.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_UNIT = 2.0**-53
_STEP = 2.0**-40
_AT_ZERO = 2.0**-44
_OUTSIDE = 2.0**-50
_LARGEST_SIZE = 1 << 25
_LEAST_TILT, _LARGEST_TILT = 2.0**-10, 2.0**14


@dataclass(frozen=True)
class Losses:
    """The privacy loss of one mechanism, in one direction, on a grid.

    steps (N,): finite losses in steps of the grid, rising; chances (N,): of each, above 0; revealed: the
    chance of an infinite loss.
    """

    steps: NDArray[np.int64]
    chances: Array
    revealed: float

    @classmethod
    def from_pmf(cls, pmf: Any) -> Losses:
        """From dp-accounting's probability mass function, of which a curve at 0 may have been rounded."""
        dense = pmf.to_dense_pmf()
        chances = np.append(dense._probs, 0.0)
        chances[max(1 - dense._lower_loss, 0)] += _AT_ZERO / -math.expm1(-dense._discretization)
        places = np.flatnonzero(chances > 0)
        return cls(places + dense._lower_loss, chances[places], float(dense._infinity_mass))


Parts = Sequence[tuple[Losses, int]]
"""Mechanisms, each with the number of times it is composed."""


class Composition:
    """The composition of `parts` on a grid of spacing `interval`, by one tilted convolution.

    `sign` is 1 for upper bounds on delta and epsilon, and -1 for lower bounds.
    """

    def __init__(self, parts: Parts, interval: float, tilt: float, sign: int) -> None:
        self._tilt, self._interval, self._sign = tilt, interval, sign
        count = sum(times for _, times in parts)
        losses: list[Array] = [part.steps.astype(np.float64) * interval for part, _ in parts]
        logs = [_log_moment(loss, np.log(part.chances), tilt) for loss, (part, _) in zip(losses, parts, strict=True)]
        tilted = [
            np.log(part.chances) + tilt * loss - log for loss, log, (part, _) in zip(losses, logs, parts, strict=True)
        ]
        times = [each for _, each in parts]
        low, high = (_reach(losses, tilted, times, side) / interval for side in (-1, 1))
        start = max(math.floor(low), sum(each * int(part.steps[0]) for part, each in parts))
        stop = min(math.ceil(high), sum(each * int(part.steps[-1]) for part, each in parts))
        size = 1 << max(3, (stop - start + 1).bit_length())
        self.losses: Array = np.zeros(1)
        if size > _LARGEST_SIZE:  # beyond memory: nothing is known
            self._law = self.losses
            self._log_scale = self._error = self._share = self._shift = 0.0
            self._revealed = 1.0 if sign > 0 else 0.0
            return
        transform: Any = 1.0
        for law, (part, each) in zip(tilted, parts, strict=True):
            folded = np.bincount((part.steps % size).astype(np.int64), weights=np.exp(law), minlength=size)
            transform = transform * _power(np.fft.rfft(folded), each)
        self._law = np.roll(np.fft.irfft(transform, size), -(start % size))
        self.losses = (start + np.arange(size, dtype=np.float64)) * interval
        self._log_scale = math.fsum(each * log for each, log in zip(times, logs, strict=True))
        depth = 10 * math.log2(size)
        powers = math.expm1(min(count * (depth + 3) * _UNIT, 700.0))
        norm = float(np.linalg.norm(self._law)) + powers
        self._error = _peak(tilt) * (
            (2 + math.log(size)) * powers + (depth * math.sqrt(size) * norm + 128) * _UNIT + _OUTSIDE
        )
        self._revealed = -math.expm1(math.fsum(each * math.log1p(-part.revealed) for part, each in parts))
        largest = max(float(np.abs(loss).max()) for loss in losses)
        share = _STEP + 8 * _UNIT / interval + 4 * _UNIT * (2 + tilt * largest + max(map(abs, logs)))
        share += _UNIT * max(len(law) for law in tilted) / size
        self._share = sign * count * share
        self._shift = sign * 2 * count * _STEP

    def epsilon(self, delta: float) -> float:
        """The bound on epsilon at `delta`, infinite where this composition cannot resolve it."""
        left = delta * math.exp(-self._share) - self._revealed
        if left <= 0:
            return math.inf
        log_left = math.log(left) - self._log_scale

        def above(epsilon: float) -> bool:
            first = int(np.searchsorted(self.losses, epsilon, side="right"))
            over = self.losses[first:] - epsilon
            found = float((np.exp(-self._tilt * over) * -np.expm1(-over) * self._law[first:]).sum())
            found += self._sign * self._error
            return found > 0 and math.log(found) - self._tilt * epsilon > log_left

        zero, high = int(np.searchsorted(self.losses, 0.0, side="right")) - 1, len(self.losses) - 1
        low = zero
        if self._sign < 0:
            # Far below the tilted law its error hides what there is: look from its middle downwards.
            step = math.ceil(0.5 / max(self._tilt * self._interval, 1e-6))
            low = int(np.searchsorted(self.losses, float(self.losses @ self._law)))
            while low > zero and not above(float(self.losses[low])):
                low = max(zero, low - step)
        if low == zero and not above(0.0):
            return 0.0
        if low >= high or above(float(self.losses[high])):
            return math.inf
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if above(float(self.losses[middle])) else (low, middle)
        # Between two losses delta is linear in exp(epsilon), but for the error: its larger end counts.
        edge, top = max(float(self.losses[low]), 0.0) if low >= 0 else 0.0, float(self.losses[high])
        over, law = self.losses[high:] - top, self._law[high:]
        upper = float((np.exp(-self._tilt * over) * law).sum())
        lower = float((np.exp(-(1 + self._tilt) * over) * law).sum())
        error = self._sign * self._error * math.exp(min(self._tilt * (top - edge), 700.0))
        ratio = (upper + error - math.exp(min(log_left + self._tilt * top, 700.0))) / lower if lower > 0 else 0.0
        inside = top + math.log(ratio) if ratio > 0 else edge
        if lower <= 0 and self._sign > 0:
            inside = top
        return max(0.0, min(max(inside, edge), top) + self._shift)

    def delta(self, epsilons: Array) -> Array:
        """Bounds on delta at each epsilon (E,), rising; of tilt 0 alone."""
        assert self._tilt == 0
        ends = np.searchsorted(self.losses, epsilons - self._shift, side="right")
        digits = np.finfo(np.longdouble).eps * len(self._law)
        law = self._law[::-1].astype(np.longdouble)
        upper = np.append(np.cumsum(law)[::-1], 0)[ends]
        lower = np.append(np.cumsum(law * np.exp(-self.losses[::-1].astype(np.longdouble)))[::-1], 0)[ends]
        found = np.asarray(upper - np.exp((epsilons - self._shift).astype(np.longdouble)) * lower, dtype=np.float64)
        scaled = (found + self._sign * (self._error + 4 * float(digits))) * math.exp(self._log_scale)
        return np.asarray(np.clip((self._revealed + scaled) * math.exp(self._share), 0.0, 1.0))


def bound_epsilon(parts: Parts, interval: float, delta: float, sign: int = 1) -> float:
    """A bound on the epsilon of a composition at `delta` in (0, 1): from above, or with sign -1 from
    below."""
    return Composition(parts, interval, _best_tilt(parts, interval, delta), sign).epsilon(delta)


def _peak(tilt: float) -> float:
    """The maximum of exp(-t x) (1 - exp(-x)): t^t/(1 + t)^(1 + t)."""
    return math.exp((tilt * math.log(tilt) if tilt else 0.0) - (1 + tilt) * math.log1p(tilt))


def _log_moment(losses: Array, logs: Array, order: float) -> float:
    """log sum_l exp(log p(l) + order l)."""
    exponents = logs + order * losses
    top = float(exponents.max())
    return top + math.log(float(np.exp(exponents - top).sum()))


def _best_tilt(parts: Parts, interval: float, delta: float) -> float:
    """About the tilt whose Renyi bound on epsilon is the smallest. Every tilt is sound."""
    losses: list[tuple[Array, Array, int]] = [
        (part.steps.astype(np.float64) * interval, np.log(part.chances), times) for part, times in parts
    ]

    def cost(tilt: float) -> float:
        moment = math.fsum(times * _log_moment(loss, logs, tilt) for loss, logs, times in losses)
        return (moment + math.log(_peak(tilt)) - math.log(delta)) / tilt

    return _descend(cost, _LEAST_TILT, _LARGEST_TILT)


def _reach(losses: Sequence[Array], laws: Sequence[Array], times: Sequence[int], side: int) -> float:
    """The loss beyond which the composition of `laws` has at most 2^-51 on that side, by Chernoff's bound."""
    room = math.log(2 / _OUTSIDE) + sum(times) * _STEP

    def bound(order: float) -> float:
        moments = (_log_moment(loss, law, side * order) for loss, law in zip(losses, laws, strict=True))
        return (sum(each * one for each, one in zip(times, moments, strict=True)) + room) / order

    scale = max(float(np.abs(loss).max()) for loss in losses)
    return side * bound(_descend(bound, 2.0**-30 / scale, 2.0**10 / scale))


def _descend(cost: Callable[[float], float], low: float, high: float) -> float:
    """About the smallest of a function with one valley, by golden sections of the logarithm."""
    a, b = math.log(low), math.log(high)
    golden = (math.sqrt(5) - 1) / 2
    x, y = b - golden * (b - a), a + golden * (b - a)
    at_x, at_y = cost(math.exp(x)), cost(math.exp(y))
    while b - a > 0.2:
        if at_x <= at_y:
            b, y, at_y = y, x, at_x
            x = b - golden * (b - a)
            at_x = cost(math.exp(x))
        else:
            a, x, at_x = x, y, at_y
            y = a + golden * (b - a)
            at_y = cost(math.exp(y))
    return math.exp((a + b) / 2)


def _power(values: Any, times: int) -> Any:
    """Each of complex `values` to the power `times`, at least 1, by repeated squares."""
    found: Any = None
    while True:
        if times & 1:
            found = values if found is None else found * values
        times >>= 1
        if not times:
            return found
        values = values * values
