"""The ledger entries of mechanisms, without torch: plans predict with them what runs will write.

The proofs of the sensitivities stand with the mechanisms: `aggregation.AggregationPerturbation` and
`gradients.PrivateGradients`.
"""

from __future__ import annotations

import math

from privgraph.privacy.events import Gaussian, NonPrivate, PoissonSampled, RevealedMixture
from privgraph.privacy.ledger import LedgerEntry


def aggregation_sensitivity(unit: str, undirected: bool, max_degree: int) -> float:
    """L2 sensitivity of a sum over neighbours of rows of norm at most 1; see `AggregationPerturbation`."""
    if unit == "node":
        return math.sqrt(max_degree)
    return math.sqrt(2) if undirected else 1.0


def replaced_aggregation_sensitivity(max_degree: int) -> float:
    """2 sqrt(D (D + 1)): L2, of all rows together, one node's own among them, when its record is replaced.

    Relation: the node's features and its kept edges, at most D in and D out, become any others with the same bounds; all
    other kept edges stay. Proof: its own row goes from one sum of at most D vectors of norm at most 1 to another: 2D. Row i
    moves by at most a_i + b_i, where a_i and b_i are 1 if the node points to i before and after, at most D ones each: the
    squares add up to at most 4D, where it points to the same D nodes. And 4D^2 + 4D = 4D(D + 1).
    """
    return 2 * math.sqrt(max_degree * (max_degree + 1))


def published_aggregation_sensitivity(unit: str, max_degree: int) -> float:
    """As GAP's Lemmas 1 and 3 count it: 1 an edge, sqrt(D) a node."""
    return math.sqrt(max_degree) if unit == "node" else 1.0


def aggregation_entry(unit: str, undirected: bool, max_degree: int, std: float, stage: str) -> LedgerEntry:
    """One noisy aggregation, with noise of standard deviation `std` (0: none, and the event says so)."""
    sensitivity = aggregation_sensitivity(unit, undirected, max_degree)
    if std == 0:
        return LedgerEntry(
            mechanism="aggregation", stage=stage, event=NonPrivate(reason="neighbours are summed without noise")
        )
    return LedgerEntry(
        mechanism="aggregation perturbation",
        stage=stage,
        event=Gaussian(noise_multiplier=std / sensitivity),
        event_as_published=Gaussian(noise_multiplier=std / published_aggregation_sensitivity(unit, max_degree)),
        noise_std=std,
        sensitivity=sensitivity,
        note="sum over neighbours of rows of norm at most 1",
    )


def replaced_aggregation_entry(max_degree: int, std: float, stage: str) -> LedgerEntry:
    """One noisy aggregation whose own rows are covered too; as published, by HeterPoisson's correction of GAP.

    That is noise 2(D + 1) times as large as GAP's (section 6.2), which is counted against the square root of D.
    """
    sensitivity = replaced_aggregation_sensitivity(max_degree)
    claimed = 2 * (max_degree + 1) * published_aggregation_sensitivity("node", max_degree)
    return LedgerEntry(
        mechanism="aggregation perturbation, own rows covered",
        stage=stage,
        event=Gaussian(noise_multiplier=std / sensitivity),
        event_as_published=Gaussian(noise_multiplier=std / claimed),
        noise_std=std,
        sensitivity=sensitivity,
        note="sum over neighbours of rows of norm at most 1; a replaced node changes its own row and its neighbours' rows",
    )


def replaced_gradient_entry(clip: float, noise_multiplier: float, rate: float, stage: str, count: int) -> LedgerEntry:
    """`count` noisy gradients of Poisson samples in which one node's record is replaced.

    Its coin has one law before and after, so it may be revealed (joint convexity): with probability `rate` its gradient
    goes from one vector of norm at most C to another, a shift of at most 2C; else nothing moves.
    """
    return LedgerEntry(
        mechanism="private gradients under replacement",
        stage=stage,
        event=RevealedMixture(weights=(1 - rate, rate), noise_multipliers=(math.inf, noise_multiplier / 2)),
        event_as_published=gradient_event(noise_multiplier, rate),
        count=count,
        noise_std=noise_multiplier * clip,
        sensitivity=2 * clip,
        sampling_rate=rate,
        note="sum of clipped per-example gradients of a Poisson sample; a replaced node's gradient turns round",
    )


def gradient_event(noise_multiplier: float, rate: float) -> PoissonSampled | NonPrivate:
    """One noisy gradient of a Poisson sample."""
    if noise_multiplier == 0:
        return NonPrivate(reason="gradients without noise")
    return PoissonSampled(rate=rate, event=Gaussian(noise_multiplier=noise_multiplier))


def gradient_entry(clip: float, noise_multiplier: float, rate: float, stage: str, count: int) -> LedgerEntry:
    """`count` noisy gradients of Poisson samples; noise of standard deviation clip x noise_multiplier."""
    return LedgerEntry(
        mechanism="private gradients",
        stage=stage,
        event=gradient_event(noise_multiplier, rate),
        count=count,
        noise_std=noise_multiplier * clip,
        sensitivity=clip,
        sampling_rate=rate,
        note="sum of clipped per-example gradients of a Poisson sample",
    )
