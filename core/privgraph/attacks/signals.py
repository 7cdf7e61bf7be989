"""What an attack looks at: one number for each model and target, and who was a member of which model.

A signal is the scaled confidence of Carlini et al. (2022, Equation 4), log(p/(1 - p)) of the probability p
that a model gives to a target's true class: it is close to normal over models, and large where a model
remembers. NumPy and SciPy only.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


def scaled_confidence(logits: Array, labels: NDArray[np.int64]) -> Array:
    """log(p/(1 - p)) of the true class, (..., N), from logits or log-probabilities (..., N, C).

    labels: (N,) in [0, C). Computed from logarithms: a probability that is 1 in floats still has a finite
    signal. Raises `ValueError` for fewer than two classes, where every probability is 1, and for logits that
    are not numbers.

    >>> scaled_confidence(np.log([[0.75, 0.25], [0.5, 0.5]]), np.array([0, 1])).round(3)
    array([1.099, 0.   ])
    """
    logits = np.asarray(logits, dtype=np.float64)
    classes = logits.shape[-1]
    if classes < 2:
        raise ValueError(f"a signal needs at least two classes (got {classes})")
    if not np.isfinite(logits).all():
        raise ValueError("logits must be finite numbers")
    own = np.arange(classes) == np.asarray(labels)[:, None]
    rest = logsumexp(np.where(own, -np.inf, logits), axis=-1)
    return np.asarray(np.where(own, logits, 0.0).sum(-1) - rest)


def on_one_scale(signals: Array) -> Array:
    """Signals (M, T, Q), each model's and query's with mean 0 and standard deviation 1 over the targets.

    Models that stopped at different epochs are more or less sure of everybody. That moves all signals of a
    model alike, and would drown what one target moves. Nobody needs to know who trained for it. Where a model
    says the same of all targets, nothing is divided by.
    """
    spread = signals.std(1, keepdims=True)
    return np.asarray((signals - signals.mean(1, keepdims=True)) / np.where(spread > 0, spread, 1.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class Shadows:
    """What R shadow models say of T targets.

    signals: (R, T), or (R, T, Q) where each target is asked in Q ways, such as with its neighbours and alone.
    members: (R, T), whether the target was in the model's training set.

    Raises `ValueError` where shapes do not fit, or a signal is not a finite number.
    """

    signals: Array
    members: Bools

    def __post_init__(self) -> None:
        if self.members.ndim != 2 or self.members.dtype != np.bool_:
            raise ValueError("Shadows.members must be booleans of shape (models, targets)")
        if self.signals.shape[:2] != self.members.shape or self.signals.ndim > 3:
            raise ValueError(
                f"Shadows.signals must have shape (models, targets) or (models, targets, queries) for members of "
                f"shape {self.members.shape} (got {self.signals.shape})"
            )
        if not np.isfinite(self.signals).all():
            raise ValueError("a signal is not a finite number")

    @property
    def queries(self) -> Array:
        """The signals as (R, T, Q)."""
        return self.signals.reshape(*self.members.shape, -1)

    def moments(self, member: bool) -> tuple[NDArray[np.int64], Array, Array]:
        """Of the models that had each target (or had it not): their number (T,), mean (T, Q), and the sum of
        squared deviations from it (T, Q)."""
        chosen = (self.members == member)[:, :, None]
        count = chosen.sum(0)
        mean = np.where(chosen, self.queries, 0.0).sum(0) / np.maximum(count, 1)
        squares = (np.where(chosen, self.queries - mean, 0.0) ** 2).sum(0)
        return count[:, 0], mean, squares
