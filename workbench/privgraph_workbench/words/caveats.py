"""What must be known before what an attack found of one model is read as said of a run: the page Attacks,
figures and reports say it in these words."""

from __future__ import annotations

import math
from collections.abc import Iterable

from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.words.numbers import percent
from privgraph_workbench.words.verdicts import APART, apart

AGAIN = "of a model trained again"
"""How a caveat in short begins; of a model that stands in for its run and tests its epsilon it says no
more."""


def pairs(attacked: Iterable[tuple[RunRecord, AttackRecord]]) -> list[tuple[str, str]]:
    """Of each attack on a run all that must be known, and the same in short."""
    return [(of(one, run.statement), in_short(one, run.statement)) for run, one in attacked]


def of(attack: AttackRecord, statement: PrivacyStatement | None) -> str:
    """All of it in sentences: what was attacked in the run's place, whether that tests its epsilon, and how
    far it is from the run. `statement`: that of the run."""
    return " ".join(filter(None, (trained_again(attack), _apart(attack, statement), stand_in(attack))))


def in_short(attack: AttackRecord, statement: PrivacyStatement | None) -> str:
    """The same in a few words, for a verdict: `a model trained again, 60.1% right where the run is 72.3%`."""
    differs = f", {percent(attack.accuracy)} right where the run is {percent(attack.said)}" if _differs(attack) else ""
    tests = "; it tests no ε" if _apart(attack, statement) else ""
    return f"{AGAIN}{differs}{tests}"


def trained_again(attack: AttackRecord) -> str:
    """What was attacked in the run's place."""
    noise = ", with noise of its own" if math.isfinite(attack.sound) else ""
    return f"The attacked model was trained again on {sides(attack.attack).again}{noise}."


def stand_in(attack: AttackRecord) -> str:
    """That the attacked model is not as accurate as the run in whose place it stands; "" where it is."""
    if not _differs(attack):
        return ""
    return (
        f"The attacked model is right about {percent(attack.accuracy)} of the test nodes, the run about "
        f"{percent(attack.said)}. Models that differ so much may give away more or less than the run."
    )


def _differs(attack: AttackRecord) -> bool:
    return attack.said is not None and abs(attack.accuracy - attack.said) > APART


def _apart(attack: AttackRecord, statement: PrivacyStatement | None) -> str:
    return "" if statement is None else apart(attack, statement.unit, statement.public)
