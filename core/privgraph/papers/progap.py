"""ProGAP (Sajadmanesh and Gatica-Perez, WSDM 2024) and GAP (USENIX Security 2023): events and published
epsilons.

What is wrong with the published numbers (see `privacy.statements`): an undirected edge counts once, the
degree bound is resampled, tuning is unpaid. The formulas below are as printed, or as the papers' code
computes them.
"""

import math

from privgraph.privacy.events import Composed, Gaussian, Nothing, PoissonSampled, Repeated
from privgraph.privacy.renyi import RenyiAccountant


def theorem_4_1(depth: int, sigma: float, delta: float) -> float:
    """Edge-level epsilon of ProGAP, Theorem 4.1, and GAP, Theorem 1: K/(2 s^2) + sqrt(2 K log(1/delta))/s.

    `depth` is K, the number of aggregations, and `sigma` the noise over sensitivity 1. It is the Renyi
    bound at its best order; the exact composition is about 1.2 times smaller.
    """
    if depth == 0:
        return 0.0
    return depth / (2 * sigma**2) + math.sqrt(2 * depth * math.log(1 / delta)) / sigma


def edge_event(depth: int, noise_multiplier: float) -> Repeated:
    """K aggregations with Gaussian noise `noise_multiplier` times the L2 sensitivity of one unit."""
    return Repeated(event=Gaussian(noise_multiplier=noise_multiplier), count=depth)


def node_event(
    *, aggregations: int, aggregation_multiplier: float, steps: int, rate: float, gradient_multiplier: float
) -> Composed:
    """Aggregations and private gradient steps together.

    ProGAP with depth K and T steps a stage: K aggregations and (K+1) T steps; GAP: K aggregations and the
    steps of its encoder and its classifier. Multipliers are noise over sensitivity: sigma_AP/sqrt(D) and
    sigma_GP/C in the symbols of Theorem 4.2.
    """
    return Composed(
        (
            Repeated(event=Gaussian(noise_multiplier=aggregation_multiplier), count=aggregations)
            if aggregations
            else Nothing(),
            Repeated(
                event=PoissonSampled(rate=rate, event=Gaussian(noise_multiplier=gradient_multiplier)), count=steps
            ),
        )
    )


def theorem_4_2_accountant() -> RenyiAccountant:
    """ProGAP, Theorem 4.2 (Equation 11): whole orders from 2 to 64, eps = rdp + log(1/delta)/(order-1).

    The theorem's sum is the binomial moment of the Poisson-sampled Gaussian with its first two terms
    merged; the exponent of its term for 2 is printed as half of what its own general term (and the theorem
    that it cites) gives, which is taken to be a misprint.
    """
    return RenyiAccountant(range(2, 65), "mironov")


def repository_accountant() -> RenyiAccountant:
    """What the papers' code computes, at both levels: autodp's Renyi curves with the improved conversion.

    Real orders, sampled curves interpolated between whole orders, conversion of Balle et al. 2020.
    This made the papers' tables, and is what `epsilon_as_published` means for these methods.
    """
    return RenyiAccountant(conversion="balle", continuous=True, interpolate=True)
