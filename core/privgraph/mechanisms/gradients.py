"""Private gradients: clip every example's, sum, add Gaussian noise, divide by the expected batch size.

Abadi et al., Deep Learning with Differential Privacy, CCS 2016, Algorithm 1; the paper of ProGAP uses it
inside Adam (DP-Adam), which is post-processing of the released gradients.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from privgraph.mechanisms.entries import gradient_entry, gradient_event
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.observer import Observer
from privgraph.privacy.events import NonPrivate, PoissonSampled
from privgraph.privacy.ledger import LedgerEntry
from privgraph.streams import Secret

NORMS = 2.0**-11
"""By what share a norm in single precision may be too small: its terms are squares of up to 4,096 numbers,
none negative."""

CANCELLED = 2.0**-18
"""What is added to a squared norm, as a share of the square of the sum of the lengths of its parts. Where
parts cancel, what is left is rounding, of at most 2^-22 of that sum; so it is clipped to 2^-13 of the clip at
most."""


LEAST_CLIP = 1e-12
"""Below it gradients end among subnormal numbers, whose steps are as large as they are."""

SUMS = torch.float64
"""In which blocks' sums are added up: however many blocks there are, that is one rounding of the whole sum
(`sums_margin`)."""


class Summed(Protocol):
    """Members' sums of clipped gradients, (S, P)."""

    @property
    def gradients(self) -> Tensor: ...


class PerExample(Summed, Protocol):
    """A stacked network whose backward pass has been run with per-example gradients of the loss (not
    averaged)."""

    def squared_norms(self) -> Tensor: ...
    def forget(self, gone: Tensor) -> None: ...
    def accumulate(self, factor: Tensor | None = None) -> None: ...


@dataclass(frozen=True, kw_only=True)
class PrivateGradients:
    """The Poisson-subsampled Gaussian mechanism on clipped per-example gradients.

    Unit: one training example (a node's record in a batch: its features, its own aggregates and its label).
    Relation: add/remove of one example. Released: the noisy sum, each time it is asked. Sensitivity: `clip`
    (C) in L2. Proof sketch: each example's gradient, over ALL parameters together, is scaled to norm at most
    C, so the sum over a batch moves by at most C when one example joins or leaves; the others' gradients do
    not depend on it, because no layer mixes examples (`mechanisms.validity`); and the divisor is the expected
    batch size, which does not depend on who was drawn. Noise of standard deviation C z is Gaussian with noise
    multiplier z; each example is in a batch independently with probability `rate`.

    A gradient whose squared norm is no finite number counts as zero, which is a vector of norm at most C too:
    what becomes of an absurd record is decided by that record alone. In floats, norms are enlarged by `NORMS`
    against their own rounding, and the noise by `sums_margin`, for the rounding of a sum of gradients in
    single precision.

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
        if self.clip < LEAST_CLIP:
            raise ValueError(f"PrivateGradients.clip must be at least {LEAST_CLIP:g} (got {self.clip:g})")
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
        noise: Sequence[Secret],
        observers: Sequence[Observer | None] = (),
    ) -> None:
        """Turn `net.gradients`, (S, P), into each member's private gradient, from its last backward pass.

        valid: (S, B) bool, the examples that were drawn (the rest is padding). noise: the members' own
        streams. observers: the members' adversaries in an audit; none in every run of the workbench.
        """
        PrivateGradients.clip_and_sum(mechanisms, net, valid)
        PrivateGradients.perturb(mechanisms, net, noise, observers)

    @staticmethod
    def clip_and_sum(mechanisms: Sequence[PrivateGradients], net: PerExample, valid: Tensor) -> None:
        """Turn `net.gradients` into each member's sum of clipped gradients of the last backward pass; not
        private yet."""
        clips = net.gradients.new_tensor([mechanism.clip for mechanism in mechanisms])
        squared = net.squared_norms()
        absurd = ~torch.isfinite(squared)
        if bool(absurd.any()):
            net.forget(absurd)
            squared = squared.masked_fill(absurd, 0)
        net.accumulate(clip_factors(squared, clips) * valid)

    @staticmethod
    def perturb(
        mechanisms: Sequence[PrivateGradients],
        net: Summed,
        noise: Sequence[Secret],
        observers: Sequence[Observer | None] = (),
    ) -> None:
        """Add noise to `net.gradients`, sums of clipped gradients, and divide by the expected batch size."""
        if not len(mechanisms) == len(noise) == len(net.gradients):
            raise ValueError(f"{len(net.gradients)} members need as many mechanisms and streams of noise")
        watching = observers or [None] * len(mechanisms)
        # Members that share a mechanism and a stream, as an audit's trials do, are one block: their noise is
        # drawn at once.
        together = len(set(mechanisms)) == len(set(noise)) == 1 and not any(watching)
        blocks = [net.gradients] if together else list(net.gradients)
        for block, mechanism, secret, observer in zip(blocks, mechanisms, noise, watching, strict=False):
            if observer is not None:
                observer.join(block, mechanism.clip)
            if mechanism.noise_multiplier > 0:
                std = mechanism.noise_multiplier * mechanism.clip * sums_margin(mechanism.expected_batch)
                GaussianNoise(std=std, sensitivity=mechanism.clip).add_(block, secret)
            if observer is not None:
                observer.see(block)
            block.div_(mechanism.expected_batch)


def clip_factors(squared_norms: Tensor, clips: Tensor) -> Tensor:
    """(S, B): min(1, C / norm) for squared norms (S, B) and clips (S,).

    The norm is enlarged so that rounding cannot push a clipped gradient over C: by `NORMS` of itself, as it
    is the root of a sum of squares in single precision, and by 1e-6 (as in Opacus).
    """
    return (clips.unsqueeze(1) / (squared_norms.sqrt() * (1 + NORMS) + 1e-6)).clamp_max_(1)


def sums_margin(expected_batch: float) -> float:
    """By what noise must be larger because gradients are added up in single precision.

    Each of B clipped gradients is rounded as the sum grows: by at most 2^-24 of the sum so far an addition, B
    C at most. When one joins or leaves, the sum is rounded otherwise. Counted is a change of C (2^-8 + B
    2^-22), which holds where the library adds up in blocks, as all do (four roundings of the whole sum in
    each of two neighbouring datasets); one gradient after another it could be more.
    """
    return 1 + 2.0**-8 + expected_batch * 2.0**-22
