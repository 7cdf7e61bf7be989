"""Private gradients of sampled subgraphs: clip every subgraph's, sum, add noise (HeterPoisson, Algorithm 1,
lines 3 to 8)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.gradients import LEAST_CLIP, SUMS, clip_factors, sums_margin
from privgraph.mechanisms.observer import Observer
from privgraph.mechanisms.spherical_laplace import SphericalLaplaceNoise
from privgraph.mechanisms.subgraph_entries import GAUSSIAN, NOISES, subgraph_entry, subgraph_event
from privgraph.privacy.events import NonPrivate, SampledSubgraphs
from privgraph.privacy.ledger import LedgerEntry
from privgraph.streams import Secret


class PerSubgraph(Protocol):
    """Gradients of the losses of B subgraphs, over all parameters together."""

    def squared_norms(self) -> Tensor:
        """(B,)."""

    def add_to(self, total: Tensor, factors: Tensor) -> None:
        """Add each gradient, times its factor (B,), to `total` (P,); a factor of 0 adds nothing, whatever the
        gradient."""


@dataclass(frozen=True, kw_only=True)
class SubgraphGradients:
    """Noise on the sum of clipped gradients of the subgraphs of heterogeneous Poisson sampling.

    Unit: one training node z with its features, label, in-edges and out-edges. Relation: opt-out; the whole
    graph and with it all out-degrees stay as they are, and z takes part or not. Released: the noisy sum, each
    time it is asked.

    Sensitivity, for one set of coins (L2, C = `clip`). Proof sketch: a subgraph's gradient depends on the
    records of its own nodes alone, and has norm at most C. If z is central, its subgraph is there or is not:
    C. If z is drawn into k subgraphs of others, each of their gradients goes from one vector of norm at most
    C to another: 2 C k. No other subgraph holds z. With the rule (`exclusive`) a central z is in no other
    subgraph, with z and without: C or 2 C k, never both. Each training node is central independently with
    probability `rate` (q), and its out-neighbours, when central, draw z independently with probability min(1,
    M/D), M = `neighbours`, D its out-degree of at most `largest_degree`. What that costs with Gaussian noise
    of standard deviation z C is the event `SampledSubgraphs`, proved in
    methods/gradients/heter_poisson/README.md; with spherical Laplace noise nothing is proved.

    A gradient that is not finite counts as zero, which is a vector of norm at most C too.

    noise_multiplier: standard deviation over C, >= 0 (0: not private, and the event says so). expected_batch:
    rate times the number of training nodes, by which the noisy sum is divided; it does not depend on who was
    drawn.
    """

    clip: float
    noise: str = GAUSSIAN
    noise_multiplier: float
    rate: float
    neighbours: int
    largest_degree: int
    exclusive: bool
    expected_batch: float

    def __post_init__(self) -> None:
        for name in ("clip", "expected_batch"):
            if not (getattr(self, name) > 0 and math.isfinite(getattr(self, name))):
                raise ValueError(f"SubgraphGradients.{name} must be positive and finite (got {getattr(self, name)})")
        if self.clip < LEAST_CLIP:
            raise ValueError(f"SubgraphGradients.clip must be at least {LEAST_CLIP:g} (got {self.clip:g})")
        if not (self.noise_multiplier >= 0 and math.isfinite(self.noise_multiplier)):
            raise ValueError(f"SubgraphGradients.noise_multiplier must not be negative (got {self.noise_multiplier})")
        if not 0 < self.rate <= 1:
            raise ValueError(f"SubgraphGradients.rate must lie in (0, 1] (got {self.rate})")
        if self.noise not in NOISES:
            raise ValueError(f"SubgraphGradients.noise must be one of {', '.join(NOISES)} (got {self.noise})")

    def event(self) -> SampledSubgraphs | NonPrivate:
        """One application."""
        return subgraph_event(
            noise=self.noise,
            noise_multiplier=self.noise_multiplier,
            rate=self.rate,
            neighbours=self.neighbours,
            largest_degree=self.largest_degree,
            exclusive=self.exclusive,
        )

    def entry(self, stage: str, count: int) -> LedgerEntry:
        """The ledger entry of `count` applications."""
        return subgraph_entry(
            clip=self.clip,
            noise=self.noise,
            noise_multiplier=self.noise_multiplier,
            rate=self.rate,
            neighbours=self.neighbours,
            largest_degree=self.largest_degree,
            exclusive=self.exclusive,
            stage=stage,
            count=count,
        )

    def release(
        self, parts: Iterable[PerSubgraph], total: Tensor, noise: Secret, observer: Observer | None = None
    ) -> None:
        """Turn `total` (P,), whatever it holds, into the private gradient of all subgraphs of `parts`.

        No parts at all is a sample too: noise alone, as the accounting assumes.
        """
        added = torch.zeros_like(total, dtype=SUMS)
        clips = total.new_tensor([self.clip])
        for part in parts:
            squared = part.squared_norms()
            factors = clip_factors(squared.unsqueeze(0), clips)[0]
            total.zero_()
            part.add_to(total, factors.masked_fill_(~torch.isfinite(squared), 0.0))
            added += total
        total.copy_(added)
        if observer is not None:
            observer.join(total, self.clip)
        std = self.noise_multiplier * self.clip * sums_margin(self.expected_batch)
        if self.noise == GAUSSIAN:
            GaussianNoise(std=std, sensitivity=self.clip).add_(total, noise)
        else:
            SphericalLaplaceNoise(std=std).add_(total, noise)
        if observer is not None:
            observer.see(total)
        total.div_(self.expected_batch)
