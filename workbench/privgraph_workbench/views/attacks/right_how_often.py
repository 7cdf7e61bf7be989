"""Outsider, worst case and promise in one line: how often each picks the right one of two."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.audits.record import AuditRecord
from privgraph.audits.roc import least_area
from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.records import RunRecord
from privgraph_workbench.jobs import queue
from privgraph_workbench.words import meaning, verdicts
from privgraph_workbench.words.numbers import at_least, at_most, exact_percent, percent


def of(record: RunRecord) -> str:
    """The line of a run."""
    store = queue.store()
    return told(record, store.attacks(record.id), store.audits(record.id))


def told(record: RunRecord, attacks: Sequence[AttackRecord], audits: Sequence[AuditRecord]) -> str:
    """The line in Markdown; "" where nothing is promised, or nobody has tried."""
    said = record.statement
    if said is None or said.unit == "none" or math.isinf(said.epsilon):
        return ""
    # where similarity tells edges, the right one of two pairs is no matter of two neighbouring graphs
    asked = [one for one in attacks if verdicts.covered(one, said.unit) and not verdicts.caution(one)]
    outside = max(asked, key=lambda one: one.found[0], default=None)
    played = [(least, one.confidence) for one in audits if (least := least_area(one)) is not None]
    if outside is None and not played:
        return ""
    parts = [] if outside is None else [f"an outsider, of models like this, **{percent(outside.found[0])}**"]
    if played:
        least, confidence = max(played)
        parts.append(
            f"the worst case, with the same noise on data made for it, **{at_least(least)}** "
            f"({exact_percent(confidence)} confidence)"
        )
    whom = "that one" if played else "whoever knows all the rest"
    secret = "with secret noise, " if has_public_noise(said) else ""
    parts.append(f"{secret}ε allows {whom} **{at_most(meaning.ranked(said.epsilon, said.delta))}**")
    return f"**Right one of two picked:** {'; '.join(parts)}. A coin: 50%."
