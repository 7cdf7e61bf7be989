"""Second routes to the same numbers: direct integration, exact enumeration and simulation, with no
accountant."""

import itertools
import math
from collections.abc import Callable

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad

Array = NDArray[np.float64]
Density = Callable[[float], float]


def hockey_stick(p: Density, q: Density, epsilon: float, knots: list[float]) -> float:
    """E_q[(p/q - e^epsilon)_+] of two densities on the line, by adaptive quadrature between the knots."""
    return integral(lambda x: max(p(x) - math.exp(epsilon) * q(x), 0.0), knots)


def integral(function: Density, knots: list[float]) -> float:
    """Adaptive quadrature between the knots."""
    return sum(
        quad(function, *ends, limit=2000, epsabs=1e-14, epsrel=1e-10)[0] for ends in itertools.pairwise(sorted(knots))
    )


def sampled_pair(kind: str, scale: float, rate: float) -> tuple[Density, Density, list[float]]:
    """Densities with and without the unit of a sampled Gaussian or Laplace, and knots for their integrals."""

    def law(x: float) -> float:
        if kind == "gaussian":
            return math.exp(-(x**2) / (2 * scale**2)) / (scale * math.sqrt(2 * math.pi))
        return math.exp(-abs(x) / scale) / (2 * scale)

    wide = (30 if kind == "gaussian" else 60) * scale
    knots = [-wide, *np.linspace(-3 * scale, 1 + 3 * scale, 30), 0.0, 1.0, 1 + wide]
    return (lambda x: (1 - rate) * law(x) + rate * law(x - 1)), law, knots


def renyi_moment(p: Density, q: Density, order: float, knots: list[float]) -> float:
    """E_q[(p/q)^order]; where q has underflowed there is nothing left of the integrand."""

    def integrand(x: float) -> float:
        below = q(x)
        return below * (p(x) / below) ** order if below > 0 else 0.0

    return integral(integrand, knots)


def product_hockey_stick(p: Array, q: Array, count: int, epsilon: float) -> float:
    """The hockey-stick divergence of `count` independent copies of two discrete laws, by listing all
    types."""
    total = 0.0
    for outcome in itertools.combinations_with_replacement(range(len(p)), count):
        times = np.bincount(outcome, minlength=len(p))
        ways = math.factorial(count) / math.prod(math.factorial(int(time)) for time in times)
        total += ways * max(float(np.prod(p**times)) - math.exp(epsilon) * float(np.prod(q**times)), 0.0)
    return total


def epsilon_of(delta_of: Callable[[float], float], delta: float, high: float = 100.0) -> float:
    """The smallest epsilon with delta_of(epsilon) <= delta, by bisection."""
    if delta_of(0.0) <= delta:
        return 0.0
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if delta_of(middle) <= delta:
            high = middle
        else:
            low = middle
    return high


def simulated_delta(losses: Array, epsilon: float) -> tuple[float, float]:
    """delta(epsilon) and its standard error from privacy losses drawn under the upper law."""
    terms = np.where(losses > epsilon, -np.expm1(np.minimum(epsilon - losses, 0.0)), 0.0)
    return float(terms.mean()), float(terms.std() / math.sqrt(len(terms)))


def sampled_gaussian_losses(
    generator: np.random.Generator, *, rate: float, sigma: float, count: int, draws: int, remove: bool
) -> Array:
    """Total privacy losses of `count` Poisson-sampled Gaussians, unit removed or added."""
    total = np.zeros(draws)
    for _ in range(count):
        x = generator.normal(0.0, sigma, draws)
        if remove:
            x += generator.random(draws) < rate
        loss = np.log1p(rate * np.expm1((2 * x - 1) / (2 * sigma**2)))
        total += loss if remove else -loss
    return total


def rare_steps_epsilon(rate: float, sigma: float, count: int, delta: float) -> float:
    """A lower bound on epsilon of `count` Gaussian steps of noise `sigma`, each sampled with chance `rate`.

    The event that some step exceeds x has chance 1 - (1 - a)^T with the unit and 1 - (1 - b)^T without it.
    So delta is at least the first less exp(epsilon) times the second. x is where one step loses epsilon.
    """
    with mpmath.workdps(40):
        q, s = mpmath.mpf(rate), mpmath.mpf(sigma)

        def shown(epsilon: mpmath.mpf) -> mpmath.mpf:
            x = (2 * s**2 * mpmath.log((mpmath.expm1(epsilon) + q) / q) + 1) / 2
            without, drawn = (mpmath.erfc(z / s / mpmath.sqrt(2)) / 2 for z in (x, x - 1))
            mixed = (1 - q) * without + q * drawn
            both = (-mpmath.expm1(count * mpmath.log1p(-chance)) for chance in (mixed, without))
            return next(both) - mpmath.exp(epsilon) * next(both)

        # The difference may rise and fall: from above, down to the first epsilon at which it is above delta.
        high = mpmath.mpf(60)
        while shown(low := high * mpmath.mpf("0.9")) <= delta:
            high = low
            if high < 1e-4:
                return 0.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if shown(middle) > delta else (low, middle)
        return float(low)
