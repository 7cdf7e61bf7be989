"""Privacy events: what a mechanism did, as accountants understand it. Pure data; no epsilon is computed here.

Scales are relative to the sensitivity of one protected unit, so an event needs no data:
`Gaussian(noise_multiplier=2)` is Gaussian noise of standard deviation 2 times the L2 sensitivity.
An accountant refuses an event that it does not know; `NonPrivate` is infinite for everybody.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral


def whole(count: object) -> bool:
    """Whether something is a whole number, and not negative."""
    return isinstance(count, Integral) and int(count) >= 0


def _positive(owner: object, name: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{type(owner).__name__}.{name} must be positive and finite (got {value})")


@dataclass(frozen=True, kw_only=True)
class Nothing:
    """No access to what is protected, or post-processing of private releases: costs nothing."""


@dataclass(frozen=True, kw_only=True)
class NonPrivate:
    """Access without protection: costs everything."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Gaussian:
    """Gaussian noise; `noise_multiplier` is its standard deviation over the L2 sensitivity."""

    noise_multiplier: float

    def __post_init__(self) -> None:
        _positive(self, "noise_multiplier", self.noise_multiplier)


@dataclass(frozen=True, kw_only=True)
class Laplace:
    """Laplace noise on each coordinate; `noise_multiplier` is its scale b over the L1 sensitivity."""

    noise_multiplier: float

    def __post_init__(self) -> None:
        _positive(self, "noise_multiplier", self.noise_multiplier)


@dataclass(frozen=True, kw_only=True)
class PureDP:
    """A mechanism of which only its pure epsilon is known."""

    epsilon: float

    def __post_init__(self) -> None:
        _positive(self, "epsilon", self.epsilon)


@dataclass(frozen=True, kw_only=True)
class BoundedRange:
    """A mechanism whose privacy losses between any two neighbours fill an interval of length `epsilon` at
    most.

    The exponential mechanism is one, with `epsilon` twice the sensitivity of a score over its scale. It is
    `epsilon`-DP, and composes better than that (Durfee and Rogers 2019; Dong, Durfee and Rogers 2020).

    What dominates it: let r be the ratio of the two laws. For losses in [t - epsilon, t], E_Q[(r - c)_+] is
    largest where r is at the two ends, as (r - c)_+ is convex and E_Q[r] = 1; with E = exp(epsilon) that is
    (E - e^t)(1 - c e^-t)/(E - 1), and over all t at most H_c = (sqrt E - sqrt c)^2/(E - 1), at e^t = sqrt(c
    E). This is the curve of the pair whose loss y lies in [-epsilon, epsilon] with density proportional to
    e^(y/2) with the unit and e^(-y/2) without: mirror images.
    """

    epsilon: float

    def __post_init__(self) -> None:
        _positive(self, "epsilon", self.epsilon)


@dataclass(frozen=True, kw_only=True)
class RandomizedResponse:
    """A bit reported 1 with probability `one_to_one` if it is 1, `zero_to_one` if it is 0."""

    one_to_one: float
    zero_to_one: float

    def __post_init__(self) -> None:
        for name in ("one_to_one", "zero_to_one"):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"RandomizedResponse.{name} must lie between 0 and 1")


@dataclass(frozen=True, kw_only=True)
class Atoms:
    """A pair of discrete laws that dominates every neighbouring pair, in both orders.

    `upper` is the law with the unit present, `lower` the one without it. The order counts under Poisson
    sampling and in composition with other events, unless exchanging the two laws only renames outcomes.
    """

    upper: tuple[float, ...]
    lower: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.upper) != len(self.lower):
            raise ValueError("Atoms.upper and Atoms.lower must have equal lengths")
        for law in (self.upper, self.lower):
            if not all(chance >= 0 for chance in law) or not abs(sum(law) - 1) <= 1e-9:
                raise ValueError("Atoms: each law must be non-negative and sum to 1")


@dataclass(frozen=True, kw_only=True)
class PoissonSampled:
    """`event` on a sample that holds each unit independently with probability `rate` (add/remove)."""

    rate: float
    event: Gaussian | Laplace | PureDP | BoundedRange | Atoms

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise ValueError(f"PoissonSampled.rate must lie in (0, 1] (got {self.rate})")


@dataclass(frozen=True, kw_only=True)
class RevealedMixture:
    """With probability `weights[i]`, the same on both sides and seen by the adversary, Gaussian noise
    whose standard deviation is `noise_multipliers[i]` times the shift then made (infinite: no shift)."""

    weights: tuple[float, ...]
    noise_multipliers: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.noise_multipliers):
            raise ValueError("RevealedMixture: weights and noise_multipliers must have equal lengths")
        if not all(weight >= 0 for weight in self.weights) or not abs(sum(self.weights) - 1) <= 1e-9:
            raise ValueError("RevealedMixture.weights must be non-negative and sum to 1")
        if not all(noise > 0 for noise in self.noise_multipliers):
            raise ValueError("RevealedMixture.noise_multipliers must be positive")


@dataclass(frozen=True, kw_only=True)
class SampledOnce:
    """All of `event` on one and the same sample, which holds each unit independently with probability `rate`.

    Add/remove. Unlike `PoissonSampled` in a `Repeated`, no fresh sample is drawn for each repetition.

    Guarantee: where all of `event` is (e, d), this is (log(1 + rate (exp(e) - 1)), rate d). Proof sketch
    (Balle, Barthe and Gaboardi 2018, Theorem 8). Fix the sample of everybody else, which has the same law
    with the unit and without; Q and P are the laws of the adaptive composition on that sample without and
    with the unit. What is compared is M = (1 - rate) Q + rate P with Q; by joint convexity the average over
    samples is no larger. With c = 1 + rate (exp(e) - 1), M - c Q = rate (P - exp(e) Q), so that
    H_c(M || Q) = rate H_exp(e)(P || Q), exactly. In the other order H_c(Q || M) = b H_(c rate/b)(Q || P) with
    b = 1 - c (1 - rate), or 0 where b <= 0; b <= rate and c rate/b >= exp(e), so that this is at most
    rate H_exp(e)(Q || P). Both directions of `event` are needed, no others.
    """

    rate: float
    event: Repeated | Composed

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise ValueError(f"SampledOnce.rate must lie in (0, 1] (got {self.rate})")


@dataclass(frozen=True, kw_only=True)
class SampledTerms:
    """A noisy sum over a Poisson sample of terms of norm at most C, some of which hang on one unit.

    Every term is in the sum with probability `rate`, independently. At most `present` terms are the unit's
    doing in the dataset with it, and at most `absent` in the dataset without it; all others are equal in
    both. The noise is Gaussian, of standard deviation `noise_multiplier` C. A row that is added: 1 and 0. A
    row that is replaced: 1 and 1. A node with a row of its own that K other rows read: K + 1 and K. What
    dominates it, exactly, and why: `privgraph.privacy.sampled_terms`.
    """

    rate: float
    present: int
    absent: int
    noise_multiplier: float

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise ValueError(f"SampledTerms.rate must lie in (0, 1] (got {self.rate})")
        _positive(self, "noise_multiplier", self.noise_multiplier)
        for name in ("present", "absent"):
            value = getattr(self, name)
            if not whole(value):
                raise ValueError(f"SampledTerms.{name} must be a whole number, and not negative (got {value})")


@dataclass(frozen=True, kw_only=True)
class SampledSubgraphs:
    """The noisy sum of gradients of sampled subgraphs, one a sampled central node (HeterPoisson, Algorithms 1
    to 3).

    Every node is central with probability `rate`, independently. A node with D out-neighbours is held by the
    subgraph of each central one of them with probability min(1, `neighbours`/D), independently; `exclusive`:
    never while it is central itself (Algorithm 2, lines 13 to 22). The sum of the subgraphs' gradients, each
    clipped to norm C, gets Gaussian noise of standard deviation `noise_multiplier` C. No node has more than
    `largest_degree` out-neighbours.

    Unit: a node, with its own central draw, whose gradient is one term of at most C, and its place in others'
    subgraphs, each of whose gradients changes by at most 2C. Everybody else's degrees and draws stay
    (opt-out). What dominates it, for the worst D, and why: `privgraph.privacy.subgraphs`.
    """

    rate: float
    neighbours: int
    noise_multiplier: float
    largest_degree: int
    exclusive: bool

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise ValueError(f"SampledSubgraphs.rate must lie in (0, 1] (got {self.rate})")
        _positive(self, "noise_multiplier", self.noise_multiplier)
        for name in ("neighbours", "largest_degree"):
            if getattr(self, name) < 0:
                raise ValueError(f"SampledSubgraphs.{name} must not be negative (got {getattr(self, name)})")


Single = (
    Nothing
    | NonPrivate
    | Gaussian
    | Laplace
    | PureDP
    | BoundedRange
    | RandomizedResponse
    | Atoms
    | PoissonSampled
    | SampledOnce
    | SampledTerms
    | SampledSubgraphs
    | RevealedMixture
)


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """`event`, `count` times, each adaptively."""

    event: Single
    count: int

    def __post_init__(self) -> None:
        if not whole(self.count):
            raise ValueError(f"Repeated.count must be a whole number, and not negative (got {self.count})")


@dataclass(frozen=True)
class Composed:
    """Adaptive composition of `events`."""

    events: tuple[Single | Repeated, ...]


PrivacyEvent = Single | Repeated | Composed
