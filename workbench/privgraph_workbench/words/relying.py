"""Whether one may rely on a run's guarantee, in one sentence: the same wherever attacks are told."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.audits.record import AuditRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.words.meaning import ranked
from privgraph_workbench.words.numbers import stated
from privgraph_workbench.words.statements import noise_is_public

LITTLE = 0.99
"""A promise that lets the right one of two be picked more often than this excludes little."""


def answer(said: PrivacyStatement, attacks: Sequence[AttackRecord], audits: Sequence[AuditRecord]) -> str:
    """The answer; what overrules the rest comes first: a refuted proof, a known fault. Where noise is public,
    it speaks of secret noise: what that of the run means is told below (`views.parts.public_noise`)."""
    if said.unit == "none" or math.isinf(said.epsilon):
        return "There is no guarantee here to rely on."
    sound = stated("sound", said.epsilon)
    if any(one.refutes_sound for one in attacks) or any(one.refutes_sound for one in audits):
        return f"Do not rely on this guarantee: more was shown than the ε of {sound} that we call sound."
    if said.known_faults:
        return "Do not rely on this guarantee: the program that made this run had a fault, which its page tells."
    what = f"the sound ε of {sound}{' for edges, and for nothing else' * (said.unit == 'edge')}"
    if said.epsilon_as_published is not None and any(one.refutes_published and one.covers == "run" for one in audits):
        stands = (
            f"Rely on {what}, not on the paper's {stated('published', said.epsilon_as_published)}, which is refuted"
        )
    else:
        stands = f"You may rely on {what}: it is proved, and nothing tried here contradicts it"
    if noise_is_public(said):
        stands = f"With secret noise, {stands[:1].lower()}{stands[1:]}"
    return f"{stands}{'; so large an ε excludes little' * (ranked(said.epsilon, said.delta) > LITTLE)}."
