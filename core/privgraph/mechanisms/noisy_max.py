"""Answers to queries through noise: weighted votes, counts of teachers, and posteriors. No torch.

Unit: one private node. Relation: add or remove it, with its features, label and edges; the coins of all other
nodes stay as they fell. Sensitivities are proved here for one answer on a given sample that may hold the
node; a Poisson sample and repetition are the accountant's business (`privacy.events.PoissonSampled`,
`Repeated`).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from privgraph.lattice import add, add_untied, rounding_margin
from privgraph.papers.privgnn import argmax_atoms
from privgraph.papers.privgnn_releases import MAXIMA, Answer, ensemble_answer, votes_answer
from privgraph.privacy.events import Atoms, Gaussian
from privgraph.streams import Secret

Array = NDArray[np.float64]

_STEP = 1 / 32
"""Step of integrals, in standard deviations."""


@dataclass(frozen=True, kw_only=True)
class NoisyVotes:
    """A vector of weighted votes (C,), or a table of sums (d, C), with Gaussian noise, released whole.

    Votes: each private node of the sample adds w e_y, with |w| <= 1 and y its label, where w depends on its
    own record and on what is public. Sensitivity: without the node, w e_y is missing and nothing else
    changes: at most 1 in L2 (and in L1), in one coordinate. Table: the same with a vector w of L2 norm at
    most 1 in the place of the number: at most 1 in L2, in one column (`methods.teachers.privgnn.table`).
    Guarantee of either: the Gaussian pair of noise multiplier `std`.
    """

    std: float

    def __post_init__(self) -> None:
        _positive(self, "std", self.std)

    def event(self) -> Gaussian:
        return votes_answer(self.std)

    def noisy(self, votes: Array, secret: Secret) -> Array:
        """votes or sums (..., C) with independent N(0, std^2) on every entry."""
        wider = rounding_margin(self.std, 2 * math.sqrt(votes.size))
        return add("gaussian", self.std * wider, votes, secret)


@dataclass(frozen=True, kw_only=True)
class NoisyMax:
    """The largest of C counts of teachers' votes after noise of law `kind` and scale b = `scale`; the label
    alone goes out.

    Each teacher of a query casts at most one vote, and a private node belongs to at most one teacher.
    Sensitivity: without the node, one vote moves, appears or goes: the counts differ by at most 1 each, in at
    most two classes, so by at most sqrt 2 in L2 and 2 in L1. Guarantees, with proof sketches:

    - gaussian: the noisy counts are a Gaussian of shift sqrt 2, and the label is post-processing: multiplier
      b/sqrt 2.
    - laplace: the same with the L1 sensitivity 2: multiplier b/2.
    - gumbel: the label is j with chance proportional to exp(count_j / b), the exponential mechanism (McSherry
      and Talwar 2007). The weight of j changes by a factor of at most e^(1/b), and the sum of all is the same
      for every j: privacy losses within a range of 2/b, which is pure epsilon 2/b and composes better (Durfee
      and Rogers 2019).
    - exponential: one-sided noise is permute-and-flip (McKenna and Sheldon 2020; the equality: Ding et al.
      2021), which has the same pure epsilon 2/b, and is never worse than the exponential mechanism.

    Where votes have public weights, the node's vote moves its weight instead of 1, and all sensitivities are
    multiplied by it: the event is that of the node whose teacher weighs `weight`. With Gaussian noise all
    noisy counts may go out for the price of their largest.
    """

    kind: str
    scale: float
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in MAXIMA:
            raise ValueError(f"NoisyMax.kind must be one of {', '.join(MAXIMA)} (got {self.kind})")
        _positive(self, "scale", self.scale)
        _positive(self, "weight", self.weight)

    def event(self) -> Answer:
        return ensemble_answer(self.kind, self.scale / self.weight)

    @property
    def std(self) -> float:
        """The standard deviation of the noise on each count."""
        shapes = {"gaussian": 1.0, "laplace": math.sqrt(2), "exponential": 1.0, "gumbel": math.pi / math.sqrt(6)}
        return self.scale * shapes[self.kind]

    def noisy(self, counts: Array, secret: Secret) -> Array:
        """counts (..., C) with independent noise on every entry; only the place of the largest may be
        released.

        On a lattice, of which whole counts are part unless noise is beyond 2^40; no two entries of a row are
        its largest.
        """
        scale = self.scale * rounding_margin(self.scale / self.weight, 2 * counts.shape[-1])
        return add_untied(self.kind, scale, counts, secret)


@dataclass(frozen=True, kw_only=True)
class NoisyPosterior:
    """PrivGNN's Algorithm 1, line 7: the place of the largest of C probabilities after Laplace noise of scale
    1/`lam`.

    Sensitivity: nothing is assumed of the teacher but that its posterior is a probability vector, so another
    node may turn any into any other. Guarantee: `argmax_atoms`, exact for the label alone; its proof stands
    there.
    """

    lam: float
    classes: int

    def __post_init__(self) -> None:
        _positive(self, "lam", self.lam)
        if self.classes < 2:
            raise ValueError(f"NoisyPosterior.classes must be at least 2 (got {self.classes})")

    def event(self) -> Atoms:
        return argmax_atoms(self.lam, self.classes)

    @property
    def std(self) -> float:
        """The standard deviation of the noise on each probability."""
        return math.sqrt(2) / self.lam

    def noisy(self, posteriors: Array, secret: Secret) -> Array:
        """posteriors (..., C) with independent Laplace noise; only the place of the largest may be released.

        Noise is larger by a share of 2^-30. That covers rounding to the lattice: a posterior p, rounded by at
        most half a step g, has the place of its largest noisy entry in common with (1 - 2^-30) p + 2^-30/C
        plus a constant that makes it sum to 1, and that is a probability vector again, as g is far below
        2^-30/C.
        """
        return add_untied("laplace", (1 + 2.0**-30) / self.lam, posteriors, secret)


@dataclass(frozen=True, kw_only=True)
class NoisyGate:
    """Whether the largest of C counts, with Gaussian noise of standard deviation `std`, exceeds a public
    `threshold`.

    Sensitivity: each count changes by at most 1 when a node comes or goes (weighted votes: one count;
    teachers: two), and so does the largest; where the node's teacher weighs `weight`, by at most that.
    Guarantee: the Gaussian pair of noise multiplier `std` over `weight`, paid for every query, passed or not.
    """

    std: float
    threshold: float
    weight: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, "std", self.std)
        _positive(self, "weight", self.weight)

    def event(self) -> Gaussian:
        return Gaussian(noise_multiplier=self.std / self.weight)

    def passes(self, counts: Array, secret: Secret) -> NDArray[np.bool_]:
        """One answer a row of counts (..., C)."""
        wider = rounding_margin(self.std / self.weight, 2)
        passed: NDArray[np.bool_] = add("gaussian", self.std * wider, counts.max(axis=-1), secret) > self.threshold
        return passed


def label_chances(counts: Array, sigma: float) -> Array:
    """The chance (C,) of each label of a noisy maximum: counts (C,) with independent N(0, sigma^2) on each.

    The density of one noisy count times the chances that all others lie below it, integrated by the trapezoid
    rule, which converges geometrically here; in logarithms, so that small chances have their digits too. A
    label that needs the largest count to fall by more than 40 sigma has chance 0.
    """
    counts = np.asarray(counts, dtype=np.float64) / sigma
    top = float(counts.max())
    low = max(float(counts.min()), top - 40) - 10
    places = np.arange(low, top + 10, _STEP)
    distances = places[None, :] - counts[:, None]
    below = log_ndtr(distances)
    logs = below.sum(axis=0)[None, :] - below - distances**2 / 2
    return np.asarray(np.exp(logs).sum(axis=1) * (_STEP / math.sqrt(2 * math.pi)))


def gate_chance(largest: float | Array, threshold: float, sigma: float) -> Array:
    """The chance that a largest count passes a gate of noise `sigma`."""
    return np.asarray(ndtr((np.asarray(largest, dtype=np.float64) - threshold) / sigma))


def _positive(owner: object, name: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{type(owner).__name__}.{name} must be positive and finite (got {value})")
