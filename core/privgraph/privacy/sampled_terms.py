"""What one step of `SampledTerms` costs, exactly: the pair of laws that dominates it.

Unit and relation: a unit stands behind at most m terms of a sum in the dataset with it (law P) and behind at
most n in the dataset without it (law Q); every other term is the same function of public data, of the past
and of everybody else's data in both. Terms have norm at most C, are in the sum by coins of their own, each
with chance q, and the sum has noise N(0, sigma^2 I). Which terms those are does not hang on any coin. Lengths
are in units of sigma: a = C/sigma.

**Claim.** H_c(P||Q) <= H_c(P*||Q*) and H_c(Q||P) <= H_c(Q*||P*) for every c, with two mixtures on a line,

    P* = sum_j Bin(j; m, q) N(ja, 1)   and   Q* = sum_j Bin(j; n, q) N(-ja, 1).

*Proof.* Fix the past and the coins of all other terms. Their law is the same in both datasets, so that by
joint convexity a bound that holds for each of them holds for their mean. Let R = N(r, I), where r is the sum
of the other terms that are drawn: the step in which none of the unit's is. If j of the unit's terms are
drawn, in either dataset, the step is N(r + v, I) with |v| <= ja. Take any test of the step and write its
power under R as Phi(u). By Neyman and Pearson its power under N(r + v, I) lies between Phi(u - ja) and Phi(u
+ ja). The number of the unit's drawn terms is at most Bin(m, q) in stochastic order under P, and Bin(n, q)
under Q; so

    power under P <= sum_j Bin(j; m, q) Phi(u + ja)   and   power under Q >= sum_j Bin(j; n, q) Phi(u - ja).

The right sides are what the test "x > -u" has under P* and Q*. So power under P - c power under Q is at most
H_c(P*||Q*), whatever the test. For the other order exchange the two datasets and look at the test "x < u".

*It is attained*: with all of the unit's terms C along one direction under P, and -C under Q, P and Q are P*
and Q*. No smaller curve is sound of these facts alone. *Composition* (Zhu, Dong and Wang 2022): given every
past a step is dominated by this one pair, so that T adaptive steps are dominated by its T-fold product, in
each order.

No coin is revealed, and the coins of the two datasets need not be the same ones: what is compared with is the
step in which none of the unit's terms is drawn, which both datasets have.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from privgraph.privacy.events import SampledTerms
from privgraph.privacy.hockey_sticks import Curves, opposed_curves
from privgraph.privacy.subgraph_laws import Law

Array = NDArray[np.float64]

_POINTS = 4000
"""Of one integral of `log_moment`: where more are needed, a looser bound stands in."""

_EDGE = 13.0
"""Standard deviations beyond which nothing is left of an integral."""


def curves(event: SampledTerms, epsilons: Array, negligible: float = 1e-20, spacing: float = 0.005) -> Curves:
    """H(P*||Q*) and H(Q*||P*) at each epsilon (E,), rising. Numbers of terms of chance `negligible` count as
    revealed."""
    (up, up_weights), (down, down_weights) = (_law(event, terms, negligible) for terms in (event.present, event.absent))
    found = opposed_curves(up, up_weights, down, down_weights, epsilons, spacing)
    return Curves(*(np.minimum(1.0, one + negligible) for one in (found.removed, found.added)))


def _law(event: SampledTerms, terms: int, negligible: float) -> tuple[Array, Array]:
    """What the unit's drawn terms come to, over the noise, and the chances, which are not 0."""
    weights = Law(terms, event.rate).weights(negligible)
    kept = weights > 0
    return np.flatnonzero(kept) / event.noise_multiplier, weights[kept]


@lru_cache(maxsize=256)
def reach(event: SampledTerms, negligible: float = 1e-18) -> float:
    """A loss, at most 500, beyond which no more than `negligible` is left in either direction."""
    lengths = [float(_law(event, terms, negligible / 4)[0][-1]) for terms in (event.present, event.absent)]
    mu = sum(lengths)
    seen = min(mu * mu / 2 + 9.5 * mu, 500.0)
    epsilons = np.linspace(0.0, seen, 401)
    found = curves(event, epsilons, negligible / 4)
    left = np.maximum(found.removed, found.added)
    return float(epsilons[left <= negligible].min(initial=seen))


def log_moment(event: SampledTerms, orders: Array) -> Array:
    """log E_Q*[(P*/Q*)^a] or log E_P*[(Q*/P*)^a], the larger, at each order a above 1 (shape of `orders`).

    By the trapezoid rule: a law's density is a polynomial in exp(ax) times a Gaussian, whose roots lie pi/a
    away from the line (the binomial's are real, and factors exp(-(ja)^2/2) keep them real), so that the rule
    converges geometrically. The log of the integrand falls at least as fast as that of a Gaussian below 0 and
    above a up + (a-1) down. Where that is too far, coins count as seen.
    """
    seen = _seen(event, orders)
    laws = [_log_law(event, terms) for terms in (event.present, event.absent)]
    lengths = [terms / event.noise_multiplier for terms in (event.present, event.absent)]
    step = min(1 / 16, math.pi * event.noise_multiplier / 8)
    x: Array = -_EDGE + step * np.arange(_POINTS, dtype=np.float64)
    values = np.empty((2, len(orders)))
    for way in (0, 1):
        (upper, lower), (up, down) = (laws, lengths) if way == 0 else (laws[::-1], lengths[::-1])
        above, below = _log_density(upper, x, event), _log_density(lower, -x, event)
        for place, order in enumerate(orders):
            points = math.ceil((order * up + (order - 1) * down + 2 * _EDGE) / step)
            if points > _POINTS:
                values[way, place] = math.inf
                continue
            exponents = order * above[:points] - (order - 1) * below[:points]
            top = exponents.max()
            values[way, place] = top + math.log(step * np.exp(exponents - top).sum())
    return np.asarray(np.minimum(seen, values.max(axis=0)))


def _log_law(event: SampledTerms, terms: int) -> Array:
    """log Pr[j of the unit's terms are drawn], j = 0, ..., `terms`."""
    j = np.arange(terms + 1, dtype=np.float64)
    choose = gammaln(terms + 1) - gammaln(j + 1) - gammaln(terms - j + 1)
    none = np.where(j < terms, (terms - j) * (math.log1p(-event.rate) if event.rate < 1 else -math.inf), 0.0)
    return np.asarray(choose + j * math.log(event.rate) + none)


def _log_density(log_weights: Array, x: Array, event: SampledTerms) -> Array:
    """log sum_j w_j N(x; ja, 1)."""
    found: Array = np.full_like(x, -math.inf)
    for j, log_weight in enumerate(log_weights):
        found = np.logaddexp(found, log_weight - (x - j / event.noise_multiplier) ** 2 / 2)
    return found - math.log(2 * math.pi) / 2


def _seen(event: SampledTerms, orders: Array) -> Array:
    """The log moment where every coin is seen and the datasets share them: a shift of 2k + l, sound and
    loose."""
    both = _log_law(event, min(event.present, event.absent))
    alone = _log_law(event, abs(event.present - event.absent))
    shifts = (2.0 * np.arange(len(both))[:, None] + np.arange(len(alone))) / event.noise_multiplier
    chances = both[:, None] + alone
    exponents = (orders * (orders - 1))[:, None, None] * shifts**2 / 2
    return np.asarray(logsumexp(exponents + chances, axis=(1, 2)))
