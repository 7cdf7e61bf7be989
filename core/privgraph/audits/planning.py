"""Which runs an audit refuses, and what it costs, told before it starts. No torch."""

from __future__ import annotations

import math

from privgraph.audits.options import AuditOptions, Subject
from privgraph.privacy.events import NonPrivate
from privgraph.privacy.ledger import LedgerEntry

PLAYED: frozenset[str] = frozenset()
"""Names of ledger entries that a game knows."""


def known(entry: LedgerEntry) -> bool:
    """Whether a game knows the mechanism of this entry."""
    return entry.mechanism in PLAYED


class MechanismPlan:
    """Planning of the audit `mechanism`."""

    def refuses(self, subject: Subject) -> str | None:
        """It plays whole ledgers: one entry that no game knows, and there is no audit."""
        for entry in subject.statement.ledger:
            if not known(entry):
                reason = f": {entry.event.reason}" if isinstance(entry.event, NonPrivate) else ""
                return f"no game plays {entry.mechanism} ({entry.stage}){reason}"
        if not subject.statement.ledger:
            return "the run's ledger is empty: nothing was released, and nothing can be audited"
        return None

    def cost(self, subject: Subject, options: AuditOptions) -> str:
        """In releases, and roughly in seconds."""
        releases = sum(entry.count for entry in subject.statement.ledger)
        seconds = options.trials * releases * SECONDS_A_RELEASE
        return (
            f"{options.trials:,} trials of {releases:,} releases each, about {in_words(seconds)} on one core; "
            "no data are read and nothing is trained"
        )


class WhiteBoxPlan:
    """Planning of the audit `white-box`."""

    def refuses(self, subject: Subject) -> str | None:
        """It needs gradients with noise."""
        if not any("gradients" in entry.mechanism for entry in subject.statement.ledger):
            return "this run trains nothing with private gradients: the audit mechanism plays what it does"
        return None

    def cost(self, subject: Subject, options: AuditOptions) -> str:
        """That of the run, which is trained once more."""
        took = "" if subject.seconds is None else f", about {in_words(subject.seconds)}"
        return f"one more training with {options.canaries:,} canaries: as long as the run itself{took}"


SECONDS_A_RELEASE = 1e-5
"""Of one trial of one release, measured."""

MECHANISM = MechanismPlan()
WHITE_BOX = WhiteBoxPlan()


def in_words(seconds: float) -> str:
    """A duration for people.

    >>> in_words(0.2), in_words(42), in_words(600)
    ('a second', '42 seconds', '10 minutes')
    """
    if seconds < 1.5:
        return "a second"
    return f"{math.ceil(seconds)} seconds" if seconds < 120 else f"{math.ceil(seconds / 60)} minutes"
