"""The privacy statement that a run ends with: its plan's words, with the ledger of what was run. No torch."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from privgraph.privacy.accountants import tight
from privgraph.privacy.kinds import Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import (
    ASSUME_AGAIN_NOT_CHOSEN,
    ASSUME_LAST_EPOCH,
    ASSUME_SECRET_KEY,
    ASSUME_STOP_NOT_CHOSEN,
)

_ROUNDING = 1e-6
NOISE_IS_PUBLIC = (
    "the noise of this run is no secret: its key stands in the program, so that anybody can repeat the run. It shows "
    "what the method does on a public graph, and its epsilon is that of the same noise with a secret key"
)
"""What a statement says where the installation's key is `streams.OPEN_KEY`."""


class LedgerMismatch(Exception):
    """What was run is not what was planned; the message is one sentence."""


def final_statement(planned: PrivacyStatement, ledger: Ledger) -> PrivacyStatement:
    """The statement of a run that is done.

    Its epsilon is computed anew from the ledger. Raises `LedgerMismatch` unless the ledger holds exactly the
    mechanisms of the plan, as often, and costs no more than the plan says: a guarantee that was shown before
    a run is not quietly changed after it.
    """
    missing, extra = _differences(planned.ledger, ledger.entries)
    if missing or extra:
        told = [f"{sum(missing.values())} planned and not run ({_first(missing)})"] if missing else []
        told += [f"{sum(extra.values())} run and not planned ({_first(extra)})"] if extra else []
        raise LedgerMismatch(f"the ledger is not what was planned: mechanisms {', '.join(told)}")
    spent = sound_epsilon(planned, ledger)
    if spent > planned.epsilon * (1 + _ROUNDING):
        raise LedgerMismatch(f"the ledger costs epsilon {spent:.6g}, and {planned.epsilon:.6g} was planned")
    return replace(planned, ledger=ledger.entries)


def interrupted_statement(planned: PrivacyStatement, ledger: Ledger, *, stopped: bool = False) -> PrivacyStatement:
    """The statement of a run that was stopped or failed on its way: an upper bound on what was run by then.

    What was run is a beginning of the plan, and a mechanism may have been under way that is not in the ledger
    yet; so epsilon is that of the whole plan, and of whatever was run beyond it. The ledger holds what was
    finished. `stopped`: somebody ended it, who could see its curves. At node level these read private labels,
    so that the moment may have been chosen by them: the statement no longer says that nothing was, and
    assumes it aloud.
    """
    _, extra = _differences(planned.ledger, ledger.entries)
    beyond = [replace(entry, count=count) for entry, count in extra.items()]
    epsilon = max(planned.epsilon, sound_epsilon(planned, Ledger([*planned.ledger, *beyond])))
    chosen = (ASSUME_STOP_NOT_CHOSEN,) if stopped and planned.unit == "node" else ()
    what = "a run that somebody stopped" if stopped else "an interrupted run"
    return replace(
        planned,
        epsilon=epsilon,
        epsilon_as_published=None if beyond else planned.epsilon_as_published,
        release=Release.PART,
        released=f"what {what} had computed by then, of: {planned.released}",
        assumptions=(
            *(text for text in planned.assumptions if text != ASSUME_LAST_EPOCH),
            *chosen,
            "epsilon is that of the whole plan, an upper bound on the part that was run",
        ),
        ledger=ledger.entries,
    )


def with_public_noise(statement: PrivacyStatement) -> PrivacyStatement:
    """The statement of a run whose noise anybody can draw again; as it is where nothing is protected."""
    if statement.unit == "none":
        return statement
    return in_accord(replace(statement, assumptions=(NOISE_IS_PUBLIC, *statement.assumptions)))


def has_public_noise(statement: PrivacyStatement) -> bool:
    """Whether anybody can draw the noise of the run again."""
    return NOISE_IS_PUBLIC in statement.assumptions


def in_accord(statement: PrivacyStatement) -> PrivacyStatement:
    """The statement without the assumption of a secret key where its noise is public: stored ones may have
    both."""
    if not has_public_noise(statement) or ASSUME_SECRET_KEY not in statement.assumptions:
        return statement
    return replace(statement, assumptions=tuple(text for text in statement.assumptions if text != ASSUME_SECRET_KEY))


def tried_again(statement: PrivacyStatement) -> PrivacyStatement:
    """The statement of a run that is not in its first attempt: another's noise may be drawn anew, so that a
    choice among attempts by what they told would not be covered."""
    if statement.unit == "none":
        return statement
    return replace(statement, assumptions=(*statement.assumptions, ASSUME_AGAIN_NOT_CHOSEN))


def sound_epsilon(planned: PrivacyStatement, ledger: Ledger) -> float:
    """Epsilon of the ledger at the planned delta, by the tightest sound accountant; infinite where nothing is
    protected."""
    return math.inf if planned.unit == "none" else tight().epsilon(ledger.event(), planned.delta)


def _differences(
    planned: Iterable[LedgerEntry], run: Iterable[LedgerEntry]
) -> tuple[Counter[LedgerEntry], Counter[LedgerEntry]]:
    """Planned and not run, run and not planned, with their counts."""
    one, other = _counted(planned), _counted(run)
    return one - other, other - one


def _counted(entries: Iterable[LedgerEntry]) -> Counter[LedgerEntry]:
    found: Counter[LedgerEntry] = Counter()
    for entry in entries:
        found[replace(entry, count=1)] += entry.count
    return found


def _first(entries: Counter[LedgerEntry]) -> str:
    entry = next(iter(entries))
    return f"{entry.mechanism}, {entry.stage}" if entry.stage else entry.mechanism
