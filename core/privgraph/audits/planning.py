"""Which runs an audit refuses, and what it costs, told before it starts. No torch."""

from __future__ import annotations

import math

from privgraph.audits.options import AuditOptions, Subject
from privgraph.privacy.events import NonPrivate, Nothing
from privgraph.privacy.ledger import LedgerEntry

PLAYED = frozenset(
    {
        "private gradients",
        "private gradients of subgraphs",
        "private subgraph gradients",
        "aggregation perturbation",
        "private gradients under replacement",
        "aggregation perturbation, own rows covered",
        "noisy table of class sums",
        "noisy weighted votes",
        "noisy argmax of a posterior",
        "noisy argmax of log-probabilities",
        "noisy maximum of teachers' votes",
        "gate",
        "test of the largest count (gaussian)",
        "noisy counts of votes (gaussian)",
        "tests and noisy counts of votes (gaussian), up to a teacher's limit",
        "noisy count of votes (laplace)",
        "noisy count of votes (gaussian)",
        "randomised response",
        "Laplace",
    }
)
"""Names of ledger entries that a game of `privgraph.audits.games.table` knows."""


def known(entry: LedgerEntry) -> bool:
    """Whether a game knows the mechanism of this entry, and it has noise to play with."""
    return entry.mechanism in PLAYED and (bool(entry.noise_std) or not isinstance(entry.event, NonPrivate))


class MechanismPlan:
    """Planning of the audit `mechanism`."""

    def refuses(self, subject: Subject) -> str | None:
        """It plays whole ledgers: one entry that no game knows, and there is no audit."""
        ledger = subject.statement.ledger
        if all(isinstance(entry.event, Nothing) for entry in ledger):
            return "nothing that is protected is read in this run: there is nothing to play"
        for entry in ledger:
            if not known(entry):
                reason = f": {entry.event.reason}" if isinstance(entry.event, NonPrivate) else ""
                return f"no game plays {entry.mechanism} ({entry.stage}){reason}"
        return None

    def cost(self, subject: Subject, options: AuditOptions) -> str:
        """In releases, and roughly in seconds."""
        ledger = subject.statement.ledger
        releases = sum(entry.count for entry in ledger)
        seconds = options.trials * sum(entry.count * SECONDS.get(entry.mechanism, FAST) for entry in ledger)
        return (
            f"{options.trials:,} trials of {releases:,} release{'s' * (releases != 1)} each, about {in_words(seconds)} on one core; "
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


SECONDS = {
    "private gradients": 1.2e-4,
    "private gradients under replacement": 1.2e-4,
    "private gradients of subgraphs": 1.5e-4,
    "private subgraph gradients": 4e-4,
    "aggregation perturbation": 1e-3,
    "aggregation perturbation, own rows covered": 1e-3,
    "noisy table of class sums": 6e-5,
    "tests and noisy counts of votes (gaussian), up to a teacher's limit": 2e-4,
    "randomised response": 2e-5,
}
"""Of one trial of one release, measured with noise on a lattice; where none is named, it is `FAST`."""
FAST = 5e-6

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
