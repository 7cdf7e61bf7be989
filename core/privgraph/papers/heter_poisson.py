"""HeterPoisson (Xiang et al., IEEE S&P 2024): Renyi accounting of heterogeneous Poisson sampling, as
published.

Its Lemma 1 is false for spherical Laplace noise in two dimensions and more (one W scales all coordinates, and
the others reveal it), so these epsilons guarantee nothing there: they reproduce tables. Sound is Gaussian
noise.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from privgraph.privacy.renyi import convert, laplace_log_moment

Array = NDArray[np.float64]

ORDERS: Array = np.linspace(1.0001, 10.0, 100)
MOST_TERMS = 200


def epsilon(
    *,
    central_rate: float,
    neighbours: int,
    out_degree: int,
    steps: int,
    sigma: float,
    delta: float,
    noise: str = "spherical-laplace",
    exclusive: bool = True,
    printed: bool = False,
) -> float:
    """Epsilon of `steps` steps, by the exact Laplace moment (the authors' code) or by Theorem 2 as `printed`.

    `central_rate` is q_b, `neighbours` M, `out_degree` D_ot; the noise has variance `sigma`^2 a coordinate.
    `noise` "gaussian" has the moments of section 4.3 ("Why not Gaussian?") instead; not `exclusive` is the
    law of k of Appendix B.3, without the central/peripheral rule.
    """
    if noise == "gaussian":
        log_moments = _gaussian_log_moments(central_rate, neighbours, out_degree, sigma, exclusive)
    else:
        log_moments = _log_moments(central_rate, neighbours, out_degree, sigma, printed, exclusive)
    return float(np.min(convert(steps * log_moments / (ORDERS - 1), ORDERS, delta, "balle")))


def _log_moments(
    q: float, neighbours: int, out_degree: int, sigma: float, printed: bool, exclusive: bool = True
) -> Array:
    """log E_k[B_k] at each order: k is 1/2 with chance q_b, else binomial (D_ot, q_b M/D_ot); without the
    rule, with chance q_b it is the binomial one and 1/2.

    B_k = a/(2a-1) e^((a-1) k t) + (a-1)/(2a-1) e^(-a k t), t = sqrt 2/sigma; printed: + 1/2 for the second
    term. The binomial mean of e^(c k) is (1 - p + p e^c)^D_ot, taken in logarithms: it overflows otherwise.
    """
    t = math.sqrt(2) / sigma
    a = ORDERS
    p = min(1.0, q * neighbours / out_degree) if out_degree else 0.0
    grow, shrink = np.log(a / (2 * a - 1)), np.log((a - 1) / (2 * a - 1))
    half = np.full_like(a, math.log(0.5))
    growing = grow + _binomial(out_degree, p, (a - 1) * t)
    falling = half if printed else shrink + _binomial(out_degree, p, -a * t)
    many = np.logaddexp(growing, falling)
    if not exclusive:
        central = np.logaddexp(growing + (a - 1) * t / 2, falling if printed else falling - a * t / 2)
    elif printed:
        central = np.logaddexp(grow + (a - 1) * t / 2, half)
    else:
        central = laplace_log_moment(a, 2 / t)
    return np.asarray(_either(q, many, central))


def terms(
    *, rate: float, neighbours: int, out_degree: int, sigma: float, order: float
) -> list[tuple[float, float, float, float]]:
    """Equation 3: k, log Pr(k), log B_k with spherical Laplace noise (by its exact moment, as the authors'
    code) and with Gaussian noise.

    For up to `MOST_TERMS` values of k from 0 to `out_degree`, at Renyi order `order` above 1. A node is read
    by `out_degree` others, each central with chance `rate` (the paper's q_b), and is in k of their subgraphs;
    `sigma` is the noise of the paper, for a clip of 1/2, so that k subgraphs move the sum by k. In
    logarithms: the terms themselves overflow.
    """
    last = max(1, out_degree)
    places = {*range(min(last, 12) + 1), *np.unique(np.geomspace(1, last, MOST_TERMS).round()).astype(int).tolist()}
    k = np.array(sorted(places), dtype=np.float64)
    chances = _log_chances(k, last, min(1.0, rate * neighbours / last)) + (math.log1p(-rate) if rate < 1 else -math.inf)
    t = math.sqrt(2) / sigma
    laplace = np.logaddexp(
        math.log(order / (2 * order - 1)) + (order - 1) * k * t, math.log((order - 1) / (2 * order - 1)) - order * k * t
    )
    gaussian = order * (order - 1) * k**2 / (2 * sigma**2)
    return [(float(a), float(b), float(c), float(d)) for a, b, c, d in zip(k, chances, laplace, gaussian, strict=True)]


def _gaussian_log_moments(q: float, neighbours: int, out_degree: int, sigma: float, exclusive: bool) -> Array:
    """log E_k[e^(a (a-1) k^2/(2 sigma^2))] at each order, k as in `_log_moments`.

    The last terms decide, whose chance is nearly nothing: that is what the paper holds against Gaussian
    noise. Up to `_EXACT` every k is a term of its own; beyond, blocks that widen by a thousandth count with
    their larger end.
    """
    growth = (ORDERS * (ORDERS - 1) / (2 * sigma**2))[:, None]
    p = min(1.0, q * neighbours / out_degree) if out_degree else 0.0
    k, length = _blocks(out_degree)
    chances = _log_chances(k, out_degree, p)
    many = _largest_ends(growth * k**2 + chances, length)
    if exclusive:
        return np.asarray(_either(q, many, growth[:, 0] / 4))
    return np.asarray(_either(q, many, _largest_ends(growth * (k + 0.5) ** 2 + chances, length)))


_EXACT = 512


def _log_chances(k: Array, trials: int, p: float) -> Array:
    """log of the binomial chances. By log gammas: scipy.stats is slow to import, and forms need this
    module."""
    if p in (0.0, 1.0):
        return np.where(k == trials * p, 0.0, -np.inf)
    choose = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
    return np.asarray(choose + k * math.log(p) + (trials - k) * math.log1p(-p))


def _blocks(last: int) -> tuple[Array, Array]:
    """Ends of blocks that cover 0 to `last`, and log of the length of the block that each begins (the last:
    of itself)."""
    ends = list(range(min(last, _EXACT) + 1))
    while ends[-1] < last:
        ends.append(min(last, ends[-1] + max(1, ends[-1] // 1000)))
    k = np.asarray(ends, dtype=np.float64)
    return k, np.log(np.append(np.diff(k), 1.0))


def _largest_ends(terms: Array, length: Array) -> Array:
    """(orders,): log of the sum over blocks of the larger end's term (orders, ends) times the length."""
    following = np.concatenate([terms[:, 1:], terms[:, -1:]], axis=1)
    return np.asarray(logsumexp(np.where(length > 0, np.maximum(terms, following), terms) + length, axis=1))


def _either(q: float, many: Array, central: Array) -> Array:
    """log of (1 - q) e^many + q e^central."""
    return np.logaddexp(math.log1p(-q) + many, math.log(q) + central) if q < 1 else central


def _binomial(trials: int, p: float, exponent: Array) -> Array:
    """log E[e^(exponent k)], k binomial."""
    if trials == 0 or p == 0:
        return np.zeros_like(exponent)
    stay = math.log1p(-p) if p < 1 else -math.inf
    return np.asarray(trials * np.logaddexp(stay, math.log(p) + exponent))
