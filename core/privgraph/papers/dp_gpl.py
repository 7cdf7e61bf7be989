"""DP-GPL and DP-GPL+W: confident noisy maxima of teachers' votes (Papernot et al. 2018), one weight a
teacher.

The printed epsilons are scaled by the square of the weight, which no conversion to (epsilon, delta) allows;
those near 0.2 come from a cost that depends on private votes and was not sanitised. `exact_event` is
independent of the data and exact: a moved vote is the square root of 2 in L2.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp

from privgraph.privacy.events import Composed, Gaussian, Nothing, Repeated

Array = NDArray[np.float64]

ORDERS: Array = np.concatenate([np.arange(2, 100, 0.5), np.geomspace(100, 1000, 200)])
"""Renyi orders of data-dependent costs: those of Papernot et al. 2018."""


def independent_epsilon(
    *,
    queries: int,
    answered: int,
    threshold_sigma: float,
    vote_sigma: float,
    weight: float = 1.0,
    delta: float,
    squared_vote_sensitivity: float = 1.0,
) -> float:
    """Data-independent epsilon as published: Renyi slope c, Mironov's conversion at the best real order.

    c = w^2 (Q/(2 s1^2) + v A/(2 s2^2)), epsilon = c + 2 sqrt(c log(1/delta)). `squared_vote_sensitivity` v is
    1 in the paper's Equation 2; 2 is what holds, since a moved vote changes two counts.
    """
    slope = weight**2 * (queries / (2 * threshold_sigma**2) + squared_vote_sensitivity * answered / (2 * vote_sigma**2))
    return slope + 2 * math.sqrt(slope * math.log(1 / delta))


def printed_ratio(largest_weight: float, smallest_weight: float) -> float:
    """The law that all printed ranges obey, eps_max/eps_min = (w_max/w_min)^2. No guarantee scales so."""
    return (largest_weight / smallest_weight) ** 2


def exact_event(
    *, queries: int, answered: int, threshold_sigma: float, vote_sigma: float, weight: float = 1.0
) -> Composed:
    """Threshold tests (sensitivity w) and noisy maxima (sensitivity w sqrt 2): Gaussians, composed
    exactly."""
    return Composed(
        (
            Repeated(event=Gaussian(noise_multiplier=threshold_sigma / weight), count=queries)
            if queries
            else Nothing(),
            Repeated(event=Gaussian(noise_multiplier=vote_sigma / (weight * math.sqrt(2))), count=answered)
            if answered
            else Nothing(),
        )
    )


def gnmax_rdp(counts: Sequence[float], sigma: float, order: float) -> float:
    """Data-dependent Renyi cost of one noisy maximum (Papernot et al. 2018, Theorem 6). Not private
    itself."""
    return dependent_rdp(float(log_wrong(np.asarray(counts, dtype=np.float64), sigma)), sigma, order)


def threshold_rdp(largest_count: float, threshold: float, sigma: float, order: float) -> float:
    """Data-dependent Renyi cost of one threshold test. Not private itself.

    The test's sensitivity is 1, that of a noisy maximum the square root of 2, hence the factor on sigma.
    """
    return dependent_rdp(float(log_unlikely(largest_count, threshold, sigma)), math.sqrt(2) * sigma, order)


def log_wrong(counts: Array, sigma: float) -> Array:
    """log q of counts (..., C): a bound on the chance that another label than the likeliest goes out
    (Proposition 7)."""
    ordered = np.sort(counts, axis=-1)
    gaps = ordered[..., -1:] - ordered[..., :-1]
    return np.asarray(
        np.minimum(logsumexp(log_ndtr(-gaps / (math.sqrt(2) * sigma)), axis=-1), math.log1p(-1 / counts.shape[-1]))
    )


def log_unlikely(largest_count: float | Array, threshold: float, sigma: float) -> Array:
    """log q of a threshold test: the chance of its less likely outcome."""
    distance = np.abs(threshold - np.asarray(largest_count, dtype=np.float64)) / sigma
    return np.asarray(log_ndtr(-distance))


def dependent_rdp(log_q: float, sigma: float, order: float) -> float:
    """Papernot et al. 2018, Theorem 6 with the orders of its Proposition 10, or the independent
    order/sigma^2."""
    return float(dependent_rdps(np.array([log_q]), sigma, np.array([order]))[0, 0])


def dependent_rdps(log_q: Array, sigma: float, orders: Array) -> Array:
    """`dependent_rdp` (Q, K) of each log q (Q,) at each of K orders above 1."""
    log_q = np.asarray(log_q, dtype=np.float64)[:, None]
    orders = np.asarray(orders, dtype=np.float64)[None, :]
    independent = np.broadcast_to(orders / sigma**2, (len(log_q), orders.shape[1]))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # where the theorem is silent, so are its terms
        mu2 = sigma * np.sqrt(-log_q)
        mu1 = mu2 + 1
        eps1, eps2 = mu1 / sigma**2, mu2 / sigma**2
        # The theorem's condition on q, in logarithms.
        most = (mu2 - 1) * eps2 - mu2 * (np.log(mu1 / (mu1 - 1)) + np.log(mu2 / (mu2 - 1)))
        log_stay = np.log(-np.expm1(log_q))
        log_a = (orders - 1) * (log_stay - np.log(-np.expm1((log_q + eps2) * (1 - 1 / mu2))))
        log_b = (orders - 1) * (eps1 - log_q / (mu1 - 1))
        bound = np.logaddexp(log_stay + log_a, log_q + log_b) / (orders - 1)
        applies = (mu2 > 1) & (orders <= mu1) & (log_q <= most)
    found = np.where(applies, np.minimum(independent, np.maximum(bound, 0.0)), independent)
    return np.where(np.isneginf(log_q), 0.0, found)
