"""What trials may be compared by: only what the guarantee of a trial covers, or what gets noise of its own.
No torch.

The theorems price a trial whose output is model and score together. A score that reads private data beside
what a run releases is not covered by the run's ledger, and the choice by it has no price.

At edge level features, labels and the split are public with respect to the protected edge. Where predictions
are made from what was noised (`Release.AGGREGATES`, `Release.GRAPH`), validation accuracy is post-processing,
and free. At node level validation labels are private: the number of validation nodes that are classified
right gets Gaussian noise. Given what the trial releases, one node changes that number by 1 at most, its own
term, if nobody else's prediction reads its record: so where predictions are covered for the nodes that do not
train. The noise stands in the trial's ledger as one more Gaussian of sensitivity 1.
"""

import math
import os
from dataclasses import dataclass

import numpy as np

from privgraph import lattice
from privgraph.options import OptionError
from privgraph.privacy.events import Composed, Gaussian
from privgraph.privacy.kinds import Neighbours, Release
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import ASSUME_COMMON_SAMPLES
from privgraph.registry import method
from privgraph.runs.spec import RunSpec
from privgraph.streams import Secret

METRIC = "val_accuracy"
_EXACT = (Release.AGGREGATES, Release.GRAPH)
_COUNTED = (
    (Release.AGGREGATES, Neighbours.FROZEN_SAMPLE),
    (Release.AGGREGATES, Neighbours.REPLACED_RECORD),
    (Release.MODEL, Neighbours.FROZEN_ROSTER),
    (Release.MODEL, Neighbours.FROZEN_DEGREES),
)
"""Releases with which a node's record is read by no other validation node's prediction."""


class ScoreError(RuntimeError):
    """A run tells no score that its guarantee covers; the message is one sentence."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """How a trial is scored: `noise` is the standard deviation of the noise on the number of right ones among
    `nodes` validation nodes, 0 where the accuracy is free."""

    noise: float
    nodes: int

    @property
    def words(self) -> str:
        return "validation accuracy" if self.noise == 0 else "noisy validation accuracy"

    def event(self, ledger: Ledger) -> Composed:
        """A trial with this ledger, its score included."""
        own = ledger.event()
        return own if self.noise == 0 else Composed((*own.events, Gaussian(noise_multiplier=self.noise)))

    def of(self, accuracy: float | None) -> float:
        """The score of a run of that validation accuracy, with fresh noise where it takes any.

        Its noise is drawn once: whoever stores the score stores no second one. Raises `ScoreError` where a
        run tells none at all; no accuracy is refused, for an error would tell of it without noise.
        """
        if accuracy is None:
            raise ScoreError("a trial told no validation accuracy to compare it by")
        if self.noise == 0:
            return accuracy
        right = float(round(accuracy * self.nodes))
        drawn = lattice.add("gaussian", self.noise, np.array([right]), Secret(os.urandom(32), 0, "noise"))
        return float(drawn[0]) / self.nodes


def score_of(spec: RunSpec, statement: PrivacyStatement, validation_nodes: int, noise: float) -> Score:
    """How trials of such runs are compared. Raises `OptionError` with the reason where no price covers
    that."""
    row = method(spec.method)
    if statement.unit == "none":
        raise OptionError("nothing is protected: choose options as you like, a tuning has nothing to pay")
    if spec.asked_epsilon is None:
        raise OptionError("the noise is given by an option: a tuning sets the noise by the epsilon asked for all of it")
    if spec.options.get("accounting") == "published":
        raise OptionError("accounting published calibrates to a formula that need not hold: a tuning needs sound")
    if math.isinf(statement.epsilon):
        raise OptionError("nothing is guaranteed by such a run, and so by no choice among several")
    if statement.epsilon == 0:
        raise OptionError("such a run reads nothing that is protected: choose options as you like")
    if ASSUME_COMMON_SAMPLES in statement.assumptions:
        raise OptionError(
            "trials would read the same samples (option common): they are not independent, and a choice among them has "
            "no price"
        )
    if statement.data_dependent or statement.per_holder:
        raise OptionError("the epsilon of such a run hangs on data or holder: a price needs one that is known before")
    if validation_nodes < 1:
        raise OptionError("there are no validation nodes to compare trials by")
    if statement.unit == "edge" and statement.release in _EXACT:
        return Score(noise=0.0, nodes=validation_nodes)
    kinds = (statement.release, statement.neighbours)
    if statement.unit == "node" and kinds in _COUNTED and not row.own_parts:
        if noise <= 0:
            raise OptionError(
                "validation labels are private at node level: give the score noise (score_noise, in nodes), for a "
                "choice by what was not noised has no price"
            )
        return Score(noise=noise, nodes=validation_nodes)
    raise OptionError(
        f"{row.title} cannot be tuned at {statement.unit} level: no validation accuracy that its guarantee covers is "
        "known, and a choice by what was not noised has no price"
    )
