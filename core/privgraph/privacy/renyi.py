"""Renyi accounting (Mironov 2017): curves of each mechanism, their sum, and the conversion to epsilon.

Every curve is the larger of the two directions (unit added, unit removed). Sampled Gaussian, Laplace and
bounded-range pairs are mirror images of each other, for which removal is the larger (Mironov, Talwar and
Zhang 2019, Theorem 5); the tests recompute both by quadrature.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from privgraph.privacy import sampled_terms as terms
from privgraph.privacy import subgraph_laws
from privgraph.privacy.composition import Mechanism, check_delta, flatten, inside_sample, laws
from privgraph.privacy.events import (
    Atoms,
    BoundedRange,
    Gaussian,
    Laplace,
    NonPrivate,
    PoissonSampled,
    PrivacyEvent,
    PureDP,
    RandomizedResponse,
    SampledOnce,
    SampledSubgraphs,
    SampledTerms,
)

Array = NDArray[np.float64]

Mirrored = Gaussian | Laplace | BoundedRange
"""Pairs that are mirror images of one another."""

CONVERSIONS = ("mironov", "balle")

DEFAULT_ORDERS: tuple[float, ...] = (
    *(1 + 10 ** (exponent / 8) for exponent in range(-16, 0)),
    *(order / 4 for order in range(8, 40)),
    *(float(order) for order in range(10, 65)),
    *(float(round(2 ** (exponent / 4))) for exponent in range(25, 57)),
)
"""Fractional orders from 1.01 to 10, whole ones to 64, then geometrically to 16384."""

_SMALLEST_SIGMA_FOR_QUADRATURE = 0.05


def convert(rdp: Array, orders: Array, delta: float, conversion: str) -> Array:
    """Epsilon of each order at `delta` in (0, 1).

    `mironov`: rdp + log(1/delta)/(a-1) (Mironov 2017, Proposition 3). `balle`: rdp + log((a-1)/a) -
    (log delta + log a)/(a-1) (Balle et al. 2020, Theorem 21; Canonne, Kamath and Steinke 2020, Proposition
    12).
    """
    if conversion == "mironov":
        return np.maximum(0.0, rdp + math.log(1 / delta) / (orders - 1))
    return np.maximum(0.0, rdp + np.log1p(-1 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1))


class RenyiAccountant:
    """Upper bounds on epsilon through the Renyi divergences at `orders`, all above 1.

    `continuous` lets the best order be refined between its neighbours. `interpolate` bounds the sampled
    mechanisms at a fractional order from the whole orders around it, by convexity, as published code does;
    otherwise quadrature gives them. Delta 0 gives infinity, except for what costs nothing.
    """

    def __init__(
        self,
        orders: Sequence[float] | None = None,
        conversion: str = "balle",
        *,
        continuous: bool = False,
        interpolate: bool = False,
    ) -> None:
        if conversion not in CONVERSIONS:
            raise ValueError(f"conversion must be one of {', '.join(CONVERSIONS)} (got {conversion})")
        self.orders = np.asarray(DEFAULT_ORDERS if orders is None else orders, dtype=np.float64)
        if self.orders.ndim != 1 or not len(self.orders) or not np.all(self.orders > 1):
            raise ValueError("orders must be a list of numbers above 1")
        self.conversion = conversion
        self.continuous = continuous
        self.interpolate = interpolate

    @property
    def name(self) -> str:
        form = {"mironov": "Mironov's conversion", "balle": "improved conversion"}[self.conversion]
        return f"Renyi divergences, {form}"

    def supports(self, event: PrivacyEvent) -> bool:
        """Every event of `privacy.events`."""
        flatten(event)
        return True

    def rdp(self, event: PrivacyEvent, orders: Sequence[float] | Array | None = None) -> Array:
        """Total Renyi divergence at each order (shape of `orders`; the accountant's own where None)."""
        at = self.orders if orders is None else np.asarray(orders, dtype=np.float64)
        total = np.zeros_like(at)
        for mechanism, count in flatten(event):
            if isinstance(mechanism, NonPrivate):
                return np.full_like(at, math.inf)
            total += count * curve(mechanism, at, interpolate=self.interpolate)
        return total

    def epsilon(self, event: PrivacyEvent, delta: float) -> float:
        """An upper bound on epsilon at `delta` in [0, 1)."""
        return self.epsilon_and_order(event, delta)[0]

    def epsilon_and_order(self, event: PrivacyEvent, delta: float) -> tuple[float, float]:
        """The bound and the order that attains it (infinite order where the event is free)."""
        check_delta(delta)
        if not flatten(event):
            return 0.0, math.inf
        if delta == 0:
            return math.inf, math.inf
        candidates = convert(self.rdp(event), self.orders, delta, self.conversion)
        best = int(np.nanargmin(candidates))
        epsilon, order = float(candidates[best]), float(self.orders[best])
        if not self.continuous or not math.isfinite(epsilon):
            return epsilon, order

        from scipy.optimize import minimize_scalar  # not at the top: it is slow to import, and pages start in a second

        def at(log_order: float) -> float:
            orders = np.array([1 + math.exp(log_order)])
            return float(convert(self.rdp(event, orders), orders, delta, self.conversion)[0])

        ordered = np.sort(self.orders)
        place = int(np.searchsorted(ordered, order))
        around = ordered[max(place - 1, 0)], ordered[min(place + 1, len(ordered) - 1)]
        found = minimize_scalar(
            at, bounds=(math.log(around[0] - 1), math.log(around[1] - 1)), method="bounded", options={"xatol": 1e-9}
        )
        if found.fun < epsilon:
            return float(found.fun), 1 + math.exp(float(found.x))
        return epsilon, order


def curve(mechanism: Mechanism, orders: Array, *, interpolate: bool = False) -> Array:
    """Renyi divergence of one mechanism at each order above 1."""
    return np.maximum(0.0, _log_moment(mechanism, orders, interpolate) / (orders - 1))


def _log_moment(mechanism: Mechanism, a: Array, interpolate: bool) -> Array:
    """log E_Q[(P/Q)^a], the larger of the two directions; the Renyi divergence times a-1."""
    if isinstance(mechanism, Gaussian):
        # a product, which is infinite where a power would be an error
        return a * (a - 1) / (2 * mechanism.noise_multiplier * mechanism.noise_multiplier)
    if isinstance(mechanism, Laplace):
        return laplace_log_moment(a, mechanism.noise_multiplier)
    if isinstance(mechanism, BoundedRange):
        return range_log_moment(a, mechanism.epsilon)
    if isinstance(mechanism, PureDP):
        # Randomised response attains what pure epsilon allows at every order.
        return np.asarray(np.logaddexp(a * mechanism.epsilon, (1 - a) * mechanism.epsilon)) - float(
            np.logaddexp(0.0, mechanism.epsilon)
        )
    if isinstance(mechanism, RandomizedResponse | Atoms):
        return _discrete_log_moment(laws(mechanism), a)
    if isinstance(mechanism, PoissonSampled):
        if isinstance(mechanism.event, Atoms | PureDP):
            return _discrete_log_moment(laws(mechanism), a)
        return _sampled_log_moment(mechanism.event, mechanism.rate, a, interpolate)
    if isinstance(mechanism, SampledOnce):
        # The moment is jointly convex in the two laws: at most the mean of 1, unsampled, and the moment
        # inside.
        inside = sum(
            (count * _log_moment(one, a, interpolate) for one, count in inside_sample(mechanism)), np.zeros_like(a)
        )
        return np.asarray(np.logaddexp(math.log1p(-mechanism.rate), math.log(mechanism.rate) + inside))
    if isinstance(mechanism, SampledTerms):
        return terms.log_moment(mechanism, a)
    if isinstance(mechanism, SampledSubgraphs):
        return subgraph_laws.log_moment(mechanism, a)
    weights = np.asarray(mechanism.weights)
    present = weights > 0
    scales = np.asarray(mechanism.noise_multipliers)[present]
    exponents = (a * (a - 1))[:, None] / (2 * scales[None, :] ** 2)
    return np.asarray(logsumexp(exponents + np.log(weights[present])[None, :], axis=1))


def laplace_log_moment(a: Array, b: float) -> Array:
    """log E_Q[(P/Q)^a] of a Laplace pair at distance 1 and scale b (Mironov 2017, Table II); a at least 1."""
    return np.asarray(
        np.logaddexp(np.log(a / (2 * a - 1)) + (a - 1) / b, np.log(np.maximum(a - 1, 1e-300) / (2 * a - 1)) - a / b)
    )


def range_log_moment(a: Array, epsilon: float) -> Array:
    """log E_Q[(P/Q)^a] of the pair that dominates a bounded range; a at least 1, from the densities
    e^(+-y/2)."""
    x = a - 0.5
    log_sinh = epsilon * x + np.log1p(-np.exp(-2 * epsilon * x))  # of 2 sinh(epsilon x)
    return np.asarray(log_sinh - np.log(2 * x) - epsilon / 2 - math.log1p(-math.exp(-epsilon)))


def _discrete_log_moment(pair: tuple[tuple[float, ...], tuple[float, ...]], a: Array) -> Array:
    def one_way(p: Array, q: Array) -> Array:
        if np.any((p > 0) & (q == 0)):
            return np.full_like(a, math.inf)
        both = p > 0
        log_p, log_q = np.log(p[both]), np.log(q[both])
        return np.asarray(logsumexp(a[:, None] * log_p + (1 - a[:, None]) * log_q, axis=1))

    first, second = np.asarray(pair[0]), np.asarray(pair[1])
    return np.maximum(one_way(first, second), one_way(second, first))


def _sampled_log_moment(base: Mirrored, q: float, a: Array, interpolate: bool) -> Array:
    whole = a == np.floor(a)
    result = np.empty_like(a)
    for place in np.flatnonzero(whole):
        result[place] = binomial_log_moment(base, q, int(a[place]))
    if np.all(whole):
        return result + _rounding(a)
    fractional = a[~whole]
    narrow = isinstance(base, Gaussian) and base.noise_multiplier < _SMALLEST_SIGMA_FOR_QUADRATURE
    if interpolate or narrow:
        result[~whole] = [_interpolated(base, q, order) for order in fractional]
    else:
        result[~whole] = np.maximum(
            quadrature_log_moment(base, q, fractional), quadrature_log_moment(base, q, 1 - fractional)
        )
    return result + _rounding(a)


def _rounding(a: Array) -> Array:
    """What doubles may lose of one step's log moment at orders a: of very many steps it is more than there
    is."""
    return np.asarray(2.0**-46 * a * (1 + np.log(a)))


def binomial_log_moment(base: Mirrored, q: float, order: int) -> float:
    """log E_Q[((1-q) + q P/Q)^order] at a whole order, by the binomial theorem (Mironov et al. 2019, section
    3.3)."""
    terms = np.arange(order + 1, dtype=np.float64)
    if isinstance(base, Gaussian):
        moments = terms * (terms - 1) / (2 * base.noise_multiplier**2)
    else:
        moments = np.concatenate([[0.0], _log_moment(base, terms[1:], interpolate=False)])
    choose = gammaln(order + 1) - gammaln(terms + 1) - gammaln(order - terms + 1)
    return float(logsumexp(choose + (order - terms) * math.log1p(-q) + terms * math.log(q) + moments))


def _interpolated(base: Mirrored, q: float, order: float) -> float:
    """A bound by convexity of the log moment in the order, which is 0 at order 1."""
    low = math.floor(order)
    below = 0.0 if low == 1 else binomial_log_moment(base, q, low)
    return (low + 1 - order) * below + (order - low) * binomial_log_moment(base, q, low + 1)


def quadrature_log_moment(base: Mirrored, q: float, exponents: Array) -> Array:
    """log E_Q[r^e] for each exponent e, r = (1-q) + q P/Q, by quadrature in log space.

    e = a is removal at order a, e = 1 - a is addition. The Gaussian integrand is analytic in a strip of half
    width pi sigma^2, in which the trapezoid rule converges geometrically; the Laplace ratio is constant
    outside [0, 1], and inside Gauss-Legendre panels are a unit of privacy loss wide at most, as for a bounded
    range.
    """
    if isinstance(base, Gaussian):
        sigma = base.noise_multiplier
        step = min(sigma / 16, math.pi * sigma**2 / 8)
        low, high = min(0.0, float(exponents.min())) - 13 * sigma, max(1.0, float(exponents.max())) + 13 * sigma
        x = np.arange(low, high + step, step)
        log_weight = -(x**2) / (2 * sigma**2) - math.log(sigma * math.sqrt(2 * math.pi)) + math.log(step)
        log_ratio = np.logaddexp(math.log1p(-q), math.log(q) + (2 * x - 1) / (2 * sigma**2))
    elif isinstance(base, BoundedRange):
        t = base.epsilon
        x, log_weight = _panels(math.ceil(2 * t) + 1)
        loss = t * (2 * x - 1)
        log_weight += math.log(t) - t / 2 - math.log1p(-math.exp(-t)) - loss / 2
        log_ratio = np.logaddexp(math.log1p(-q), math.log(q) + loss)
    else:
        t = 1 / base.noise_multiplier
        x, log_weight = _panels(math.ceil(2 * t) + 1)
        log_weight += math.log(t / 2) - t * x
        log_ratio = np.logaddexp(math.log1p(-q), math.log(q) + t * (2 * x - 1))
        sides = np.logaddexp(math.log1p(-q), math.log(q) + np.array([-t, t]))
        log_ratio = np.concatenate([log_ratio, sides])
        log_weight = np.concatenate([log_weight, [math.log(0.5), math.log(0.5) - t]])
    return np.asarray(logsumexp(exponents[:, None] * log_ratio[None, :] + log_weight[None, :], axis=1))


def _panels(count: int) -> tuple[Array, Array]:
    """Places and log weights of Gauss-Legendre quadrature on [0, 1], in `count` panels of 24."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    edges = np.linspace(0.0, 1.0, count + 1)
    places = (edges[:-1, None] + (nodes[None, :] + 1) / (2 * count)).ravel()
    return places, np.log(np.tile(weights / (2 * count), count))
