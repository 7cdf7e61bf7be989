"""What all games share: how they are played, what they are scored by, and likelihoods of Gaussian mixtures.
NumPy only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from privgraph.streams import Secret

Array = NDArray[np.float64]

SCORES = (
    "log-likelihood ratio of all releases",
    "log-likelihood ratio at the scale of noise that the other coordinates show",
    "how much one release differs from the next",
)
"""The scores of a trial. The first is best if the noise is what it is said to be; the second sees noise whose
scale is drawn once for all coordinates; the third sees noise that is drawn once for all releases."""


@dataclass(frozen=True, kw_only=True)
class Dice:
    """Named streams of a dataset of a game, as the product's mechanisms take them.

    `key`: nobody's secret where the audit stands alone, for what is played protects nobody; an audit that
    takes a turn has one that nobody knows beforehand (`mechanism.coins`).
    """

    seed: int
    name: str
    key: bytes = b"the key of audits"

    def secret(self, purpose: str) -> Secret:
        """A stream as a run's context hands them out."""
        return Secret(self.key, self.seed, f"{purpose}/{self.name}")


class Game(Protocol):
    """One mechanism on a worst-case pair of neighbouring datasets."""

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        """Scores (trials, 3) of `count` releases each, as `SCORES`; `present` says which dataset is
        played."""


@dataclass(frozen=True, kw_only=True)
class Law:
    """A Gaussian mixture on a line, up to its scale: means (k,) and weights (k,)."""

    means: Array
    weights: Array

    @staticmethod
    def of(pairs: list[tuple[float, float]]) -> Law:
        """From (mean, weight); weights below 1e-15 are dropped."""
        kept = [(mean, weight) for mean, weight in pairs if weight > 1e-15]
        return Law(means=np.array([mean for mean, _ in kept]), weights=np.array([weight for _, weight in kept]))


def log_ratio(x: Array, present: Law, absent: Law, std: float | Array) -> Array:
    """(n,) log of the density with the unit over that without it, at x (n,), for noise of standard deviation
    `std`."""
    return _log_density(x, present, std) - _log_density(x, absent, std)


def _log_density(x: Array, law: Law, std: float | Array) -> Array:
    scale = np.broadcast_to(np.asarray(std, dtype=np.float64), x.shape)
    away = (x[:, None] - law.means[None, :]) / scale[:, None]
    powers = np.log(law.weights)[None, :] - away**2 / 2
    top = powers.max(axis=1)
    return np.asarray(top + np.log(np.exp(powers - top[:, None]).sum(axis=1)))


def once(rate: float, inside: Array) -> Array:
    """The log-likelihood ratio of releases from one sample that holds the unit with chance `rate`, of theirs
    if it does."""
    if rate == 1:
        return inside
    return np.asarray(np.logaddexp(np.log1p(-rate), np.log(rate) + inside))
