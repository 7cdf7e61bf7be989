"""Private gradients: clip every example's, sum, add Gaussian noise, divide by the expected batch size.

Abadi et al., Deep Learning with Differential Privacy, CCS 2016, Algorithm 1; the paper of ProGAP uses it inside Adam
(DP-Adam), which is post-processing of the released gradients.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from privgraph.mechanisms.entries import gradient_entry, gradient_event
from privgraph.mechanisms.witness import Witness
from privgraph.privacy.events import NonPrivate, PoissonSampled
from privgraph.privacy.ledger import LedgerEntry


class PerExample(Protocol):
    """A stacked network whose backward pass has been run with per-example gradients of the loss (not averaged)."""

    @property
    def gradients(self) -> Tensor: ...
    def squared_norms(self) -> Tensor: ...
    def accumulate(self, factor: Tensor | None = None) -> None: ...


@dataclass(frozen=True, kw_only=True)
class PrivateGradients:
    """The Poisson-subsampled Gaussian mechanism on clipped per-example gradients.

    Unit: one training example (a node's record in a batch: its features, its own aggregates and its label).
    Relation: add/remove of one example. Released: the noisy sum, each time it is asked.
    Sensitivity: `clip` (C) in L2. Proof sketch: each example's gradient, over ALL parameters together, is scaled to
    norm at most C, so the sum over a batch moves by at most C when one example joins or leaves; the others' gradients
    do not depend on it, because no layer mixes examples (`mechanisms.validity`); and the divisor is the expected batch
    size, which does not depend on who was drawn. Noise of standard deviation C z is Gaussian with noise multiplier z;
    each example is in a batch independently with probability `rate`.

    clip: C > 0, L2. noise_multiplier: z >= 0 (0: not private, and the event says so). rate: in (0, 1].
    expected_batch: rate times the number of training examples, > 0.
    """

    clip: float
    noise_multiplier: float
    rate: float
    expected_batch: float

    def __post_init__(self) -> None:
        for name in ("clip", "expected_batch"):
            if not (getattr(self, name) > 0 and math.isfinite(getattr(self, name))):
                raise ValueError(f"PrivateGradients.{name} must be positive and finite (got {getattr(self, name)})")
        if not (self.noise_multiplier >= 0 and math.isfinite(self.noise_multiplier)):
            raise ValueError(f"PrivateGradients.noise_multiplier must not be negative (got {self.noise_multiplier})")
        if not 0 < self.rate <= 1:
            raise ValueError(f"PrivateGradients.rate must lie in (0, 1] (got {self.rate})")

    def event(self) -> PoissonSampled | NonPrivate:
        """One application."""
        return gradient_event(self.noise_multiplier, self.rate)

    def entry(self, stage: str, count: int) -> LedgerEntry:
        """The ledger entry of `count` applications."""
        return gradient_entry(self.clip, self.noise_multiplier, self.rate, stage, count)

    @staticmethod
    def release(
        mechanisms: Sequence[PrivateGradients],
        net: PerExample,
        valid: Tensor,
        noise: Sequence[torch.Generator],
        witnesses: Sequence[Witness | None] = (),
    ) -> None:
        """Turn `net.gradients`, (S, P), into each member's private gradient, from its last backward pass.

        valid: (S, B) bool, the examples that were drawn (the rest is padding). noise: the members' own generators.
        witnesses: the members' adversaries in an audit; none in every run of the workbench.
        """
        clips = net.gradients.new_tensor([mechanism.clip for mechanism in mechanisms])
        factors = clip_factors(net.squared_norms(), clips) * valid
        net.accumulate(factors)
        watching = witnesses or [None] * len(mechanisms)
        for member, (mechanism, generator, witness) in enumerate(zip(mechanisms, noise, watching, strict=True)):
            row = net.gradients[member]
            if witness is not None:
                witness.join(row, mechanism.clip)
            if mechanism.noise_multiplier > 0:
                drawn = torch.empty_like(row).normal_(generator=generator)
                row.add_(drawn, alpha=mechanism.noise_multiplier * mechanism.clip)
            if witness is not None:
                witness.see(row)
            row.div_(mechanism.expected_batch)


def clip_factors(squared_norms: Tensor, clips: Tensor) -> Tensor:
    """(S, B): min(1, C / norm) for squared norms (S, B) and clips (S,).

    The norm is enlarged by 1e-6 so that rounding cannot push a clipped gradient over C (as in Opacus).
    """
    return (clips.unsqueeze(1) / (squared_norms.sqrt() + 1e-6)).clamp_max_(1)
