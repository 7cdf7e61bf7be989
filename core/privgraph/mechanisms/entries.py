"""The ledger entries of mechanisms, without torch: plans predict with them what runs will write.

The proofs of the sensitivities stand with the mechanisms: `aggregation.AggregationPerturbation` and
`gradients.PrivateGradients`.
"""

import math

from privgraph.privacy.events import Gaussian, NonPrivate, Nothing, PoissonSampled, SampledTerms
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry, WorstCase


def aggregation_sensitivity(unit: str, undirected: bool, max_degree: int) -> float:
    """L2 sensitivity of a sum over neighbours of rows of norm at most 1; see `AggregationPerturbation`."""
    if unit == "node":
        return math.sqrt(max_degree)
    return math.sqrt(2) if undirected else 1.0


def replaced_aggregation_sensitivity(max_degree: int) -> float:
    """2 sqrt(D (D + 1)): L2, of all rows together, one node's own among them, when its record is replaced.

    Relation: the node's features and its kept edges, at most D in and D out, become any others with the same
    bounds; all other kept edges stay. Proof: its own row goes from one sum of at most D vectors of norm at
    most 1 to another: 2D. Row i moves by at most a_i + b_i, where a_i and b_i are 1 if the node points to i
    before and after, at most D ones each: the squares add up to at most 4D, where it points to the same D
    nodes. And 4D^2 + 4D = 4D(D + 1).
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
            kind=MechanismKind.UNPROTECTED,
            mechanism="aggregation",
            stage=stage,
            event=NonPrivate(reason="neighbours are summed without noise"),
        )
    return LedgerEntry(
        kind=MechanismKind.AGGREGATION,
        mechanism="aggregation perturbation",
        stage=stage,
        event=Gaussian(noise_multiplier=std / sensitivity),
        event_as_published=Gaussian(noise_multiplier=std / published_aggregation_sensitivity(unit, max_degree)),
        noise_std=std,
        sensitivity=sensitivity,
        note="sum over neighbours of rows of norm at most 1",
        worst=WorstCase(max_degree=max_degree) if unit == "node" else WorstCase(),
    )


def replaced_aggregation_entry(max_degree: int, std: float, stage: str) -> LedgerEntry:
    """One noisy aggregation whose own rows are covered too; as published, by HeterPoisson's correction of
    GAP.

    That is noise 2(D + 1) times as large as GAP's (section 6.2), which is counted against the square root of
    D.
    """
    sensitivity = replaced_aggregation_sensitivity(max_degree)
    claimed = 2 * (max_degree + 1) * published_aggregation_sensitivity("node", max_degree)
    return LedgerEntry(
        kind=MechanismKind.REPLACED_AGGREGATION,
        mechanism="aggregation perturbation, own rows covered",
        stage=stage,
        event=Gaussian(noise_multiplier=std / sensitivity),
        event_as_published=Gaussian(noise_multiplier=std / claimed),
        noise_std=std,
        sensitivity=sensitivity,
        note="sum over neighbours of rows of norm at most 1; a replaced node changes its own row and its "
        "neighbours' rows",
        worst=WorstCase(max_degree=max_degree),
    )


def replaced_gradient_entry(clip: float, noise_multiplier: float, rate: float, stage: str, count: int) -> LedgerEntry:
    """`count` noisy gradients of Poisson samples in which one node's record is replaced.

    One term of norm at most C, drawn with probability `rate`, stands in the place of another: the node is
    behind one term before and behind one after, and all other terms stay. What that costs is proved, and
    attained, in `privgraph.privacy.sampled_terms`; the node's coin stays hidden.
    """
    return LedgerEntry(
        kind=MechanismKind.REPLACED_GRADIENTS,
        mechanism="private gradients under replacement",
        stage=stage,
        event=SampledTerms(rate=rate, present=1, absent=1, noise_multiplier=noise_multiplier),
        event_as_published=gradient_event(noise_multiplier, rate),
        count=count,
        noise_std=noise_multiplier * clip,
        sensitivity=2 * clip,
        sampling_rate=rate,
        note="sum of clipped per-example gradients of a Poisson sample; a replaced node's gradient turns round",
        worst=WorstCase(clip=clip),
    )


def gradient_event(noise_multiplier: float, rate: float) -> PoissonSampled | NonPrivate:
    """One noisy gradient of a Poisson sample."""
    if noise_multiplier == 0:
        return NonPrivate(reason="gradients without noise")
    return PoissonSampled(rate=rate, event=Gaussian(noise_multiplier=noise_multiplier))


def gradient_entry(clip: float, noise_multiplier: float, rate: float, stage: str, count: int) -> LedgerEntry:
    """`count` noisy gradients of Poisson samples; noise of standard deviation clip x noise_multiplier."""
    return LedgerEntry(
        kind=MechanismKind.GRADIENTS,
        mechanism="private gradients",
        stage=stage,
        event=gradient_event(noise_multiplier, rate),
        count=count,
        noise_std=noise_multiplier * clip,
        sensitivity=clip,
        sampling_rate=rate,
        note="sum of clipped per-example gradients of a Poisson sample",
        worst=WorstCase(clip=clip),
    )


EPOCH_BY_PRIVATE_LABELS = (
    "which epoch goes out is computed from private validation records without noise, and one of them can decide it"
)


def chosen_epoch_entry(stage: str) -> LedgerEntry:
    """The best epoch by validation accuracy, at node level: no noise, so no finite epsilon; as published,
    free.

    Unit: one node, which validates; relation: with it or without it. No epsilon covers it, however large the
    noise of the gradients is. Proof: let that noise be so large that the T epochs' models give the node's
    label by T fair coins, and let it be the only one that validates. With it, what is released errs on its
    record with chance 2^-T, and without it, with 1/2: so epsilon is at least (T - 1) log 2 (for small delta),
    which no account of the gradients bounds.
    """
    return LedgerEntry(
        kind=MechanismKind.UNPROTECTED,
        mechanism="best epoch by private labels",
        stage=stage,
        event=NonPrivate(reason=EPOCH_BY_PRIVATE_LABELS),
        event_as_published=Nothing(),
    )
