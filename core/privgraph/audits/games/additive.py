"""Noise on numbers, played on one number that the unit moves by the whole sensitivity."""

from dataclasses import dataclass

import numpy as np
import torch

from privgraph.audits.games.base import Array, Dice
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.laplace import LaplaceNoise
from privgraph.streams import Secret


@dataclass(frozen=True, kw_only=True)
class AdditiveGame:
    """One number that is 0 without the unit and `sensitivity` with it, through the product's own noise."""

    mechanism: LaplaceNoise | GaussianNoise

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        noise, moved = dice.secret("noise"), self.mechanism.sensitivity
        scores, before = np.zeros((trials, 3)), None
        for _ in range(count):
            truth = np.full(trials, moved if present else 0.0)
            seen = self._release(truth, noise)
            scores[:, :2] += self._ratio(seen)[:, None]
            if before is not None:
                scores[:, 2] += np.abs(seen - before)
            before = seen
        return scores

    def _release(self, truth: Array, noise: Secret) -> Array:
        if isinstance(self.mechanism, LaplaceNoise):
            return self.mechanism.noisy(truth, noise)
        return np.asarray(self.mechanism.add_(torch.from_numpy(truth), noise).numpy())

    def _ratio(self, seen: Array) -> Array:
        """The log-likelihood ratio with the unit over without it."""
        moved = self.mechanism.sensitivity
        if isinstance(self.mechanism, LaplaceNoise):
            return np.asarray((np.abs(seen) - np.abs(seen - moved)) / self.mechanism.scale)
        return np.asarray(moved * (seen - moved / 2) / self.mechanism.std**2)
