"""Spherical Laplace noise: the symmetric multivariate Laplace distribution of HeterPoisson (section 4.3,
Algorithm 4)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from privgraph.lattice import draw, step_of
from privgraph.mechanisms.subgraph_entries import NOTHING_PROVED
from privgraph.privacy.events import NonPrivate
from privgraph.streams import Secret


@dataclass(frozen=True, kw_only=True)
class SphericalLaplaceNoise:
    """sqrt(W) Z with Z ~ N(0, std^2 I) and ONE W ~ Exp(1) for all coordinates: each has standard deviation
    `std`.

    Guarantee: none that is known in two dimensions and more. The paper's Lemma 1 projects on the direction of
    the difference, where the noise is Laplace; but what is released has all coordinates, whose size tells W,
    and a small W leaves little noise. From d = 3 the Renyi divergence is infinite from order d/(d - 2) on.
    """

    std: float

    def __post_init__(self) -> None:
        if not (self.std >= 0 and math.isfinite(self.std)):
            raise ValueError(f"SphericalLaplaceNoise.std must not be negative (got {self.std})")

    def event(self) -> NonPrivate:
        return NonPrivate(reason=NOTHING_PROVED)

    def add_(self, values: Tensor, secret: Secret) -> Tensor:
        """Add noise in place: W first, then Z in the order of the entries of `values`; as one release,
        whatever the shape.

        In doubles, without a lattice common to all: nothing is promised that floats could break.
        """
        if self.std == 0:
            return values
        scale = math.sqrt((draw("exponential", 1.0, secret, 1)[0] + 0.5) * step_of(1.0))
        drawn = draw("gaussian", 1.0, secret, values.numel()) * (step_of(1.0) * scale * self.std)
        return values.add_(torch.from_numpy(drawn).view(values.shape).to(values))
