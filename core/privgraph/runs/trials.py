"""What a run that was tried in a tuning promises: the price of the choice, or nothing. No torch."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from privgraph.privacy.serialisation import number_from_json, number_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import ASSUME_ONE_RUN, GAP_TUNING

NOT_RELEASED = "tried in a tuning, not released"
"""The badge of a run that a tuning tried, and did not choose."""
ONLY_THE_CHOSEN = (
    "of all that was tried, this run alone is released: neither another trial, nor how many there were, nor any "
    "other run or tuning on the same data"
)
TRIED_AGAIN = (
    "a trial that was stopped, failed or lost, and was made again, counts once: what it had told was deleted, and "
    "nobody decided by it to go on"
)
ALL_ARE_PAID = "no other run or tuning on the same data is released beside the trials of this one"


class Trial(StrEnum):
    """What became of a trial."""

    GOING_ON = "tried in a tuning that is going on"
    TRIED = NOT_RELEASED
    RELEASED = "chosen by a tuning"


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a tuning promises, fixed before its first trial.

    Args:
        epsilon: The price of the whole tuning, at `delta`.
        delta: The chance that the guarantee may fail.
        accountant: What computed `epsilon`, in words.
        composed: Whether all trials are paid for; else the chosen one alone may be released.
        law: Of the number of trials, in words.
        sampler: Who proposes options.
        trial_epsilon: What one trial alone is calibrated to, or 0 where that differs from trial to trial.
        score: What trials are compared by, in words.
        score_noise: Standard deviation of the noise on the number of validation nodes that are classified
            right; 0 without.
        key: Fingerprint of the noise key by which the number of trials is drawn; "" where an earlier version
            kept none.
    """

    epsilon: float
    delta: float
    accountant: str
    composed: bool
    law: str
    sampler: str
    trial_epsilon: float
    score: str
    score_noise: float
    key: str = ""

    def to_json(self) -> str:
        """As one line."""
        return json.dumps({**asdict(self), "epsilon": number_to_json(self.epsilon)}, sort_keys=True)

    @staticmethod
    def from_json(text: str) -> Terms:
        """What `to_json` wrote. Raises `ValueError` or `TypeError` for anything else."""
        record = json.loads(text)
        return Terms(**{**record, "epsilon": number_from_json(record["epsilon"])})

    @property
    def sentence(self) -> str:
        """How the released run was found, and what that costs."""
        noise = f", with noise of standard deviation {self.score_noise:g} nodes" if self.score_noise else ""
        each = f"; a trial alone costs epsilon {self.trial_epsilon:g}" if self.trial_epsilon else ""
        drawn = self.law if self.composed else f"how many, was drawn from {self.law} before the first, and is not told"
        return (
            f"it is the best of several trials by {self.score}{noise} ({drawn}; options by the sampler {self.sampler}"
            f"{each}); epsilon is the price of the whole tuning"
        )


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Which tuning a run was tried in, and what became of it. `terms` is None where the store does not know
    the tuning: the run came from another one."""

    tuning: str
    trial: Trial
    terms: Terms | None

    def __str__(self) -> str:
        return self.trial.value


def priced(statement: PrivacyStatement, mark: Mark) -> PrivacyStatement:
    """The statement of a trial, from that of the run alone.

    That of the chosen one holds the price of the tuning. All others promise nothing, unless the price covers
    every trial: whoever looked at all of them, and picked, has been told more than one epsilon covers.
    """
    terms = mark.terms
    gaps = tuple(gap for gap in statement.gaps if gap.title != GAP_TUNING.title)
    others = tuple(text for text in statement.assumptions if text != ASSUME_ONE_RUN)
    if terms is None or (mark.trial is not Trial.RELEASED and not terms.composed):
        why = f"{mark.trial.value}: a guarantee holds for the run that the tuning chooses, and for no other trial"
        return replace(
            statement,
            released=f"nothing: {mark.trial.value}",
            epsilon=math.inf,
            accountant="none",
            assumptions=(why, *others),
            tuned=True,
            per_holder=(),
        )
    scope = ALL_ARE_PAID if terms.composed else ONLY_THE_CHOSEN
    return replace(
        statement,
        epsilon=max(terms.epsilon, statement.epsilon) if mark.trial is Trial.RELEASED else terms.epsilon,
        accountant=terms.accountant,
        assumptions=(terms.sentence, scope, TRIED_AGAIN, *others),
        gaps=gaps,
        tuned=True,
        per_holder=(),
    )
