"""Spherical Laplace noise: the symmetric multivariate Laplace distribution of HeterPoisson (section 4.3, Algorithm 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from privgraph.mechanisms.subgraph_entries import NOTHING_PROVED
from privgraph.privacy.events import NonPrivate


@dataclass(frozen=True, kw_only=True)
class SphericalLaplaceNoise:
    """sqrt(W) Z with Z ~ N(0, std^2 I) and ONE W ~ Exp(1) for all coordinates: each has standard deviation `std`.

    Guarantee: none that is known in two dimensions and more. The paper's Lemma 1 projects on the direction of the
    difference, where the noise is Laplace; but what is released has all coordinates, whose size tells W, and a small W
    leaves little noise. From d = 3 the Renyi divergence is infinite from order d/(d - 2) on.
    """

    std: float

    def __post_init__(self) -> None:
        if not (self.std >= 0 and math.isfinite(self.std)):
            raise ValueError(f"SphericalLaplaceNoise.std must not be negative (got {self.std})")

    def event(self) -> NonPrivate:
        return NonPrivate(reason=NOTHING_PROVED)

    def add_(self, values: Tensor, generator: torch.Generator) -> Tensor:
        """Add noise in place: W first, then Z in the memory order of `values`; as one release, whatever the shape."""
        if self.std == 0:
            return values
        scale = torch.empty((), dtype=torch.float64, device=values.device).exponential_(generator=generator).sqrt()
        drawn = torch.empty(values.shape, dtype=values.dtype, device=values.device).normal_(generator=generator)
        return values.add_(drawn.mul_(scale.to(values.dtype)), alpha=self.std)
