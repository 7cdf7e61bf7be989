"""Gaussian noise on a quantity of known L2 sensitivity."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from privgraph.lattice import LARGEST, draw, rounding_margin, step_of
from privgraph.privacy.events import Gaussian, NonPrivate
from privgraph.streams import Secret

_CHUNK = 1 << 18
"""Numbers that get their noise at once: bounds the memory that it takes."""


@dataclass(frozen=True, kw_only=True)
class GaussianNoise:
    """The Gaussian mechanism: independent N(0, std^2) on every coordinate.

    Unit and relation are those for which `sensitivity` (L2, in the units of the quantity) was proved.
    Guarantee: that of N(0, 1) against N(sensitivity/std, 1), by rotating the difference of two neighbouring
    quantities onto one axis: noise multiplier std/sensitivity. In floats: the quantity is rounded to a
    lattice of at most 2^-40 std, noise is an integer on it with the law of the Gaussian, rounded
    (`privgraph.lattice`), and their sum is exact; only then is it rounded to the type of the quantity.
    Rounding adds to the sensitivity at most a step for each coordinate; the noise that is drawn is larger
    than `std` by as much as makes up for that (`lattice.rounding_margin`: less than a millionth for a million
    coordinates and noise of 100 times the sensitivity). What is no number counts as 0. The noise is that of a
    keyed stream: without the key nobody can subtract it.
    """

    std: float
    sensitivity: float

    def __post_init__(self) -> None:
        if not (self.std >= 0 and math.isfinite(self.std)):
            raise ValueError(f"GaussianNoise.std must not be negative (got {self.std})")
        if not (self.sensitivity > 0 and math.isfinite(self.sensitivity)):
            raise ValueError(f"GaussianNoise.sensitivity must be positive and finite (got {self.sensitivity})")

    def event(self) -> Gaussian | NonPrivate:
        if self.std == 0:
            return NonPrivate(reason="no noise")
        return Gaussian(noise_multiplier=self.std / self.sensitivity)

    def add_(self, values: Tensor, secret: Secret) -> Tensor:
        """Add noise in place, drawn from `secret` in the order of the entries of `values`."""
        if self.std == 0 or not values.numel():
            return values
        std = self.std * rounding_margin(self.std / self.sensitivity, 2 * math.sqrt(values.numel()))
        step = step_of(std)
        if not values.is_contiguous():
            return values.copy_(self.add_(values.contiguous(), secret))
        for part in torch.split(values.view(-1), _CHUNK):
            noise = torch.from_numpy(draw("gaussian", std, secret, part.numel())).to(part.device)
            steps = part.to(torch.float64).div_(step).nan_to_num_(0.0, LARGEST, -LARGEST).clamp_(-LARGEST, LARGEST)
            part.copy_(noise.add_(steps.round_().to(torch.int64)).to(torch.float64).mul_(step))
        return values
