"""Whether one may rely on a run's guarantee, in one sentence: the same wherever attacks are told."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.audits.record import AuditRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.words.audits import alone, taken
from privgraph_workbench.words.meaning import ranked
from privgraph_workbench.words.numbers import stated

LITTLE = 0.99
"""A promise that lets the right one of two be picked more often than this excludes little."""


def answer(
    said: PrivacyStatement, attacks: Sequence[AttackRecord], audits: Sequence[AuditRecord], *, fallen_told: bool = False
) -> str:
    """The answer; what overrules the rest comes first: a refuted proof, or a known fault.
    `fallen_told`: that the published epsilon is refuted, and on which premise, stands beside it."""
    if said.unit == "none" or math.isinf(said.epsilon):
        return "There is no guarantee here to rely on."
    sound = stated("sound", said.epsilon)
    if any(one.refutes_sound for one in attacks) or any(one.refutes_sound for one in audits):
        return f"Do not rely on this guarantee: more was shown than the ε of {sound} that we call sound."
    if said.known_faults:
        return "Do not rely on this guarantee: the program that made this run had a fault, which its page tells."
    of, only = f"the sound ε of {sound}", " for edges, and for nothing else" * (said.unit == "edge")
    what = f"{of}{only}"
    weak = ranked(said.epsilon, said.delta) > LITTLE
    told = f"You may rely on {what}: it is proved, and nothing tried here contradicts it"
    fell = [one for one in audits if one.refutes_published and one.covers == "run"]
    published = said.epsilon_as_published
    if published is not None and fell:
        if_ = f", {taken(fell[0])}" if all(alone(one, published) for one in fell) else ""
        why = "" if fallen_told else f", which is refuted{if_}"
        told = f"Rely on {what},"
        told += f" not the paper's {stated('published', published)}{why}"
    little = "; so large an ε excludes little" * weak
    return f"{told}{little}."
