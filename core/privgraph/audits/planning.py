"""Which runs an audit refuses, and what it costs, told before it starts. No torch."""

import math
from collections.abc import Mapping

from privgraph.audits.options import AuditOptions, Subject
from privgraph.privacy.events import NonPrivate, Nothing
from privgraph.privacy.kinds import OF_GRADIENTS, MechanismKind, Neighbours
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import PrivacyStatement

_KINDS = MechanismKind
PLAYED: Mapping[MechanismKind, tuple[str, ...]] = {
    _KINDS.GRADIENTS: ("clip",),
    _KINDS.REPLACED_GRADIENTS: ("clip",),
    _KINDS.LISTED_GRADIENTS: ("clip", "max_degree"),
    _KINDS.SUBGRAPH_GRADIENTS: ("clip", "noise", "neighbours", "largest_degree", "exclusive"),
    _KINDS.AGGREGATION: (),
    _KINDS.REPLACED_AGGREGATION: ("max_degree",),
    _KINDS.CLASS_SUMS: (),
    _KINDS.WEIGHTED_VOTES: (),
    _KINDS.POSTERIOR: (),
    _KINDS.LOG_POSTERIOR: (),
    _KINDS.MAXIMUM: (),
    _KINDS.PART_MAXIMUM: (),
    _KINDS.GATE: (),
    _KINDS.COUNTS: (),
    _KINDS.LIMITED_COUNTS: ("gate_std",),
    _KINDS.RANDOMISED_RESPONSE: (),
    _KINDS.EDGE_COUNT: (),
    _KINDS.ADDITIVE: (),
}
"""Kinds of mechanisms that a game of `privgraph.audits.games.table` plays, and what of its worst case
(`WorstCase`) it needs."""


def known(entry: LedgerEntry) -> bool:
    """Whether a game knows the mechanism of this entry, and it has noise to play with."""
    return entry.kind in PLAYED and (bool(entry.noise_std) or not isinstance(entry.event, NonPrivate))


def lacking(entry: LedgerEntry, unit: str) -> str | None:
    """Why the worst case of this entry cannot be made, in one sentence, or None: an old record may have left
    something out."""
    needed = PLAYED.get(entry.kind, ())
    if entry.kind is _KINDS.AGGREGATION and unit == "node":
        needed = ("max_degree",)
    missing = next((name for name in needed if getattr(entry.worst, name) is None), None)
    return None if missing is None else f"this run's record lacks the {missing} of {entry.mechanism} ({entry.stage})"


def undecided(statement: PrivacyStatement) -> str | None:
    """Why it cannot be told what to play, in one sentence, or None: an unknown kind is never taken for
    another."""
    if statement.neighbours is Neighbours.UNKNOWN:
        return f"it is not known here what two neighbouring datasets of this run are: {statement.relation}"
    for entry in statement.ledger:
        if entry.kind is _KINDS.UNKNOWN:
            return f"{entry.mechanism} ({entry.stage}) is a mechanism of a kind that is not known here"
    return None


class MechanismPlan:
    """Planning of the audit `mechanism`."""

    def refuses(self, subject: Subject) -> str | None:
        """It plays whole ledgers: one entry that no game knows, and there is no audit."""
        ledger = subject.statement.ledger
        if all(isinstance(entry.event, Nothing) for entry in ledger):
            return "nothing that is protected is read in this run: there is nothing to play"
        reason = undecided(subject.statement)
        if reason:
            return reason
        told = any(isinstance(entry.event, NonPrivate) for entry in ledger)
        if subject.statement.known_faults and math.isinf(subject.statement.epsilon) and not told:
            return "the ledger of this run leaves out what makes its epsilon infinite: see the known faults"
        for entry in ledger:
            if not known(entry):
                reason = f": {entry.event.reason}" if isinstance(entry.event, NonPrivate) else ""
                return f"no game plays {entry.mechanism} ({entry.stage}){reason}"
        return next(filter(None, (lacking(entry, subject.statement.unit) for entry in ledger)), None)

    def cost(self, subject: Subject, options: AuditOptions) -> str:
        """In releases, and roughly in seconds."""
        ledger = subject.statement.ledger
        releases = sum(entry.count for entry in ledger)
        return (
            f"{options.trials:,} trials of {releases:,} release{'s' * (releases != 1)} each, about "
            f"{self.time(subject, options)} on one quiet core, {in_words(START_SECONDS)} of them to start; no data are "
            "read and nothing is trained"
        )

    def time(self, subject: Subject, options: AuditOptions) -> str:
        """By what one trial of each kind takes."""
        each = sum(entry.count * SECONDS.get(entry.kind, FAST) for entry in subject.statement.ledger)
        return in_words(START_SECONDS + options.trials * each)


class WhiteBoxPlan:
    """Planning of the audit `white-box`."""

    def refuses(self, subject: Subject) -> str | None:
        """It needs gradients with noise."""
        reason = undecided(subject.statement)
        if reason:
            return reason
        trained = [entry for entry in subject.statement.ledger if entry.kind in OF_GRADIENTS]
        if not trained:
            return "this run trains nothing with private gradients: the audit mechanism plays what it does"
        for entry in trained:
            if not known(entry):
                return f"there is no noise among {entry.mechanism} ({entry.stage}): nothing could hide a canary"
        return next(filter(None, (lacking(entry, subject.statement.unit) for entry in trained)), None)

    def cost(self, subject: Subject, options: AuditOptions) -> str:
        """That of the run, which is trained once more."""
        took = self.time(subject, options)
        told = f", about {took} in all" if took else ""
        return f"one more training with {options.canaries:,} canaries: as long as the run itself{told}"

    def time(self, subject: Subject, options: AuditOptions) -> str:
        """That of the run, however many canaries there are; "" where it is not known."""
        return "" if subject.seconds is None else in_words(START_SECONDS + subject.seconds)


START_SECONDS = 8.0
"""To start a process and load torch."""
SECONDS = {
    _KINDS.GRADIENTS: 1.2e-4,
    _KINDS.REPLACED_GRADIENTS: 1.2e-4,
    _KINDS.LISTED_GRADIENTS: 1.5e-4,
    _KINDS.SUBGRAPH_GRADIENTS: 4e-4,
    _KINDS.AGGREGATION: 1e-3,
    _KINDS.REPLACED_AGGREGATION: 1e-3,
    _KINDS.CLASS_SUMS: 6e-5,
    _KINDS.LIMITED_COUNTS: 2e-4,
    _KINDS.RANDOMISED_RESPONSE: 2e-5,
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
