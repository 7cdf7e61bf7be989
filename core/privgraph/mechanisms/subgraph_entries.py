"""The event and the ledger entry of private subgraph gradients, without torch: plans predict with them what
runs will write.

The proof of the sensitivities stands with the mechanism: `subgraph_gradients.SubgraphGradients`.
"""

from privgraph.privacy.events import NonPrivate, SampledSubgraphs
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry, WorstCase

GAUSSIAN, SPHERICAL_LAPLACE = "gaussian", "spherical-laplace"
NOISES = (GAUSSIAN, SPHERICAL_LAPLACE)

NOTHING_PROVED = (
    "nothing is proved of spherical Laplace noise on more than one coordinate: one random scale serves "
    "all of them, and the others reveal it"
)


def subgraph_event(
    *, noise: str, noise_multiplier: float, rate: float, neighbours: int, largest_degree: int, exclusive: bool
) -> SampledSubgraphs | NonPrivate:
    """One noisy sum of clipped gradients of sampled subgraphs, as the sound analysis sees it."""
    if noise_multiplier == 0:
        return NonPrivate(reason="gradients without noise")
    if noise == SPHERICAL_LAPLACE:
        return NonPrivate(reason=NOTHING_PROVED)
    return SampledSubgraphs(
        rate=rate,
        neighbours=neighbours,
        noise_multiplier=noise_multiplier,
        largest_degree=largest_degree,
        exclusive=exclusive,
    )


def subgraph_entry(
    *,
    clip: float,
    noise: str,
    noise_multiplier: float,
    rate: float,
    neighbours: int,
    largest_degree: int,
    exclusive: bool,
    stage: str,
    count: int,
) -> LedgerEntry:
    """`count` of them; the noise has standard deviation `noise_multiplier` times the clip in each
    coordinate."""
    return LedgerEntry(
        kind=MechanismKind.SUBGRAPH_GRADIENTS,
        mechanism="private subgraph gradients",
        stage=stage,
        event=subgraph_event(
            noise=noise,
            noise_multiplier=noise_multiplier,
            rate=rate,
            neighbours=neighbours,
            largest_degree=largest_degree,
            exclusive=exclusive,
        ),
        count=count,
        noise_std=noise_multiplier * clip,
        sensitivity=clip,
        sampling_rate=rate,
        note=f"{noise} noise; the sensitivity is that of a node's own gradient, and a subgraph that it is "
        f"drawn into moves by up to twice as much: {neighbours * rate:.3g} such subgraphs a step are "
        "expected at most",
        worst=WorstCase(
            clip=clip, noise=noise, neighbours=neighbours, largest_degree=largest_degree, exclusive=exclusive
        ),
    )
