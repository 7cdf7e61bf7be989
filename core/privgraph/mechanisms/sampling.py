"""Poisson sampling: every example joins a batch independently, as amplification by sampling assumes."""

import numpy as np
import torch
from torch import Tensor

from privgraph.streams import Secret


def poisson_batch(examples: int, rate: float, secret: Secret, device: torch.device | None = None) -> Tensor:
    """Row numbers on `device`, each of `examples` rows independently with probability `rate`; possibly none.

    The probability is the very double that is accounted for: coins compare as many binary digits as it takes.
    """
    if not 0 < rate <= 1:
        raise ValueError(f"rate must lie in (0, 1] (got {rate})")
    return torch.from_numpy(np.flatnonzero(secret.coins(rate, examples))).to(device or "cpu")


def sampling_plan(examples: int, batch_size: int, epochs: int) -> tuple[float, int]:
    """Sampling rate and number of steps for `epochs` passes in batches of `batch_size`, in expectation.

    As the papers' code: rate B/n and floor(epochs n / B) steps; a batch larger than the set is the set.

    >>> sampling_plan(19804, 256, 10)
    (0.012926681478489193, 773)
    """
    if min(examples, batch_size, epochs) < 1:
        raise ValueError(f"examples, batch_size and epochs must be at least 1 (got {examples}, {batch_size}, {epochs})")
    expected = min(batch_size, examples)
    return expected / examples, epochs * examples // expected
