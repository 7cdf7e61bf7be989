"""Laplace noise on numbers of known L1 sensitivity."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privgraph.lattice import add, rounding_margin
from privgraph.privacy.events import Laplace
from privgraph.streams import Secret

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LaplaceNoise:
    """The Laplace mechanism: independent noise of density exp(-|x|/scale)/(2 scale) on every coordinate.

    Unit and relation are those for which `sensitivity` (L1, in the units of the numbers) was proved.
    Guarantee: pure, epsilon = sensitivity/scale (Dwork et al. 2006). In floats: numbers are rounded to a
    lattice of at most 2^-40 scales, noise is an integer on it, and their sum is exact (`privgraph.lattice`);
    the noise that is drawn is larger than `scale` by as much as makes up for the rounding. What is no number
    counts as 0.
    """

    scale: float
    sensitivity: float

    def __post_init__(self) -> None:
        for name in ("scale", "sensitivity"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"LaplaceNoise.{name} must be positive and finite (got {getattr(self, name)})")

    def event(self) -> Laplace:
        return Laplace(noise_multiplier=self.scale / self.sensitivity)

    @property
    def std(self) -> float:
        """The standard deviation of the noise."""
        return math.sqrt(2) * self.scale

    def noisy(self, numbers: Array, secret: Secret) -> Array:
        """Numbers of any shape with noise, drawn from `secret` in their order."""
        margin = rounding_margin(self.scale / self.sensitivity, 2 * max(1, numbers.size))
        return add("laplace", self.scale * margin, np.nan_to_num(numbers, nan=0.0), secret)
