"""PrivGNN (Olatunji et al., TMLR 2023), its PATE baselines, and what a noisy argmax really costs.

Published: each query is a Poisson sample of the private nodes and Laplace noise of scale 1/lambda on the
posterior, whose L1 sensitivity is taken to be 1. That is wrong for the vector (two posteriors differ by
up to 2), and pessimistic for the argmax that is released: `argmax_event` is exact for it.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.special import gammaln, logsumexp

from privgraph.privacy.events import Atoms, Laplace, PoissonSampled, PrivacyEvent, Repeated
from privgraph.privacy.renyi import RenyiAccountant, laplace_log_moment


def query_event(*, queries: int, rate: float, noise: float, sensitivity: float = 1.0) -> Repeated:
    """Noisy posteriors: `queries` Poisson samples of `rate`, Laplace noise of scale 1/`noise` (lambda).

    `sensitivity` is 1 as published; 2 is what holds for the released vector.
    """
    laplace = Laplace(noise_multiplier=1 / (noise * sensitivity))
    return Repeated(event=PoissonSampled(rate=rate, event=laplace), count=queries)


def table_accountant() -> RenyiAccountant:
    """The convention behind every printed epsilon: whole orders from 2, no factor 3, no shift of the order.

    Its delta is ten times the one stated in the paper.
    """
    return RenyiAccountant(range(2, 101), "mironov")


class PaperAccountant:
    """What PrivGNN's tables would print at the delta that they state: `table_accountant` at ten times that
    delta.

    For any event, since the convention is a way of counting; for Poisson-sampled Laplace noise it gives the
    tables.
    """

    name = "the convention of PrivGNN's tables (whole Renyi orders from 2, at ten times the stated delta)"

    def supports(self, event: PrivacyEvent) -> bool:
        return table_accountant().supports(event)

    def epsilon(self, event: PrivacyEvent, delta: float) -> float:
        """Epsilon as printed beside `delta`. Above 0.05 ten times delta would be no chance: 0.5 is taken."""
        return table_accountant().epsilon(event, min(10 * delta, 0.5))


def paper_accountant() -> PaperAccountant:
    """The published accountant of a statement whose delta is the stated one."""
    return PaperAccountant()


def theorem_8(*, queries: int, rate: float, noise: float, delta: float, largest_order: int = 100) -> float:
    """Epsilon by Theorem 8 (Zhu and Wang 2019, general upper bound) as printed, with its factor 3,
    sensitivity 1.

    Minimum over whole orders from 2 to `largest_order` of the Renyi bound plus log(1/delta)/(order-1).
    """
    best = math.inf
    for order in range(2, largest_order + 1):
        terms = np.arange(order + 1, dtype=np.float64)
        moments = np.concatenate([[0.0], laplace_log_moment(terms[1:], 1 / noise)])
        log_terms = (
            gammaln(order + 1) - gammaln(terms + 1) - gammaln(order - terms + 1)
            + (order - terms) * math.log1p(-rate) + terms * math.log(rate) + moments
            + np.where(terms >= 3, math.log(3), 0.0)
        )  # fmt: skip
        rdp = float(logsumexp(log_terms)) / (order - 1)
        best = min(best, queries * rdp + math.log(1 / delta) / (order - 1))
    return best


def theorem_7(*, queries: int, rate: float, noise: float, delta: float) -> float:
    """Equation 2 as printed. It is false: it shifts the order by one without right, and lies below what
    holds."""
    return math.log(1 / math.sqrt(delta)) + queries * math.log1p(
        rate**2 * (2 / 3 * math.exp(noise) + math.exp(-2 * noise) / 3 - 1)
    )


def pate_independent(*, queries: int, noise: float, delta: float, moments: Sequence[int] = range(1, 9)) -> float:
    """PATEG's epsilon: the data-independent moments of the noisy maximum of Laplace counts (Papernot et al.
    2017).

    min over l of [Q min(2 lambda^2 l (l+1), 2 lambda l) + log(1/delta)]/l, with noise of scale 1/lambda.
    """
    return min(
        (queries * min(2 * noise**2 * moment * (moment + 1), 2 * noise * moment) + math.log(1 / delta)) / moment
        for moment in moments
    )


def pate_moment(votes: Sequence[float], noise: float, moment: int) -> float:
    """One query's log moment given its votes: the smaller of the two data-independent bounds and Theorem 3's.

    Papernot et al. 2017: with q the chance that the plurality loses, at most the sum over the others of
    (2 + lambda gap)/(4 exp(lambda gap)), and where q < (e^(2 lambda) - 1)/(e^(4 lambda) - 1), the moment is
    at most log((1-q) ((1-q)/(1 - e^(2 lambda) q))^l + q e^(2 lambda l)). It depends on private votes: an
    epsilon made from it is itself not private.
    """
    counts = np.sort(np.asarray(votes, dtype=np.float64))[::-1]
    gaps = counts[0] - counts[1:]
    independent = min(2 * noise**2 * moment * (moment + 1), 2 * noise * moment)
    q = float(np.sum((2 + noise * gaps) * np.exp(-noise * gaps) / 4))
    if q >= math.expm1(2 * noise) / math.expm1(4 * noise):
        return independent
    if q == 0:
        return 0.0
    log_stay = math.log1p(-q) + moment * (math.log1p(-q) - math.log1p(-math.exp(2 * noise) * q))
    return min(independent, float(np.logaddexp(log_stay, math.log(q) + 2 * noise * moment)))


def pate_dependent(
    votes: Sequence[Sequence[float]], *, noise: float, delta: float, moments: Sequence[int] = range(1, 9)
) -> float:
    """PATEM's epsilon, from the votes of every query: not private itself, as `pate_moment` says."""
    return min(
        (sum(pate_moment(row, noise, moment) for row in votes) + math.log(1 / delta)) / moment for moment in moments
    )


def argmax_atoms(noise: float, classes: int) -> Atoms:
    """The exact dominating pair of the argmax of a posterior with Laplace noise of scale 1/`noise`.

    A and B are the chances that class j wins when the posterior is the unit vector of j, or of another
    class: the laws (A, B, 1-A-B) and (B, A, 1-A-B). Proof sketch: for a set S of labels, P(argmax in S)
    is largest over the simplex at a unit vector inside S and smallest at one outside, because the sum of
    log F(t - p_i) is concave in p; so for every c this pair has the largest hockey-stick divergence.
    """
    if classes < 2 or not noise > 0:
        raise ValueError(f"argmax_atoms needs at least 2 classes and positive noise (got {classes}, {noise})")

    from scipy.integrate import quad  # not at the top: it is slow to import, and forms need this module

    def cdf(x: float) -> float:
        return 0.5 * math.exp(noise * x) if x < 0 else 1 - 0.5 * math.exp(-noise * x)

    def density(x: float) -> float:
        return 0.5 * noise * math.exp(-noise * abs(x))

    def integral(winner: float, rival: float, equals: int) -> float:
        """P(winner + noise beats rival + noise and `equals` pure noises)."""
        knots = sorted({-60 / noise, 0.0, 1.0, 1 + (60 + math.log(classes)) / noise})
        pieces = (
            quad(
                lambda t: density(t - winner) * cdf(t - rival) * cdf(t) ** equals,
                *ends,
                epsabs=0.0,  # the smaller chance may be as small as e^-noise
                epsrel=1e-11,
                limit=500,
            )[0]
            for ends in pairwise(knots)
        )
        return float(sum(pieces))

    # The smaller chance is rounded down, by more than it may be wrong: the pair is then easier to tell apart.
    wins, loses = integral(1.0, 0.0, classes - 2), integral(0.0, 1.0, classes - 2) * (1 - 1e-10)
    rest = max(0.0, 1 - wins - loses)
    return Atoms(upper=(wins, loses, rest), lower=(loses, wins, rest))


def argmax_event(*, queries: int, rate: float, noise: float, classes: int) -> Repeated:
    """Released labels only: the sound and exact event of `queries` noisy argmaxes on Poisson samples."""
    return Repeated(event=PoissonSampled(rate=rate, event=argmax_atoms(noise, classes)), count=queries)
