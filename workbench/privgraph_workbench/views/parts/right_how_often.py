"""Outsider, worst case and promise on one scale: how often each picks the right one of two."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.attacks.exchange import group_delta
from privgraph.attacks.record import AttackRecord
from privgraph.audits.record import AuditRecord
from privgraph.audits.roc import least_area
from privgraph.runs.records import RunRecord
from privgraph_workbench.jobs import queue
from privgraph_workbench.words import meaning, verdicts
from privgraph_workbench.words.numbers import at_least, at_most, exact_percent, percent


def of(record: RunRecord) -> str:
    """The scale of a run."""
    store = queue.store()
    return told(record, store.attacks(record.id), store.audits(record.id))


def told(record: RunRecord, attacks: Sequence[AttackRecord], audits: Sequence[AuditRecord]) -> str:
    """The scale as a table in Markdown, from a coin to what is allowed; "" where nothing is promised, or
    nobody has tried."""
    said = record.statement
    if said is None or said.unit == "none" or math.isinf(said.epsilon):
        return ""
    # where similarity tells edges, the right one of two pairs is no matter of two neighbouring graphs
    asked = [one for one in attacks if verdicts.covered(one, said.unit) and not verdicts.caution(one)]
    outside = max(asked, key=lambda one: one.found[0], default=None)
    played = [(least, one.confidence) for one in audits if (least := least_area(one)) is not None]
    if outside is None and not played:
        return ""
    lines = [("a coin", "50%")]
    if outside is not None:
        lines.append(("an outsider, of models like this run", f"**{percent(outside.found[0])}**"))
        lines.append(("what the sound ε allows that outsider", _allowed(outside)))
    if played:
        least, confidence = max(played)
        sure = f":gray[{exact_percent(confidence)} confidence]"
        lines.append(("the worst case: the same noise, on data made for the attack", f"**{at_least(least)}** {sure}"))
    whom = "the worst case" if played else "somebody who knows all but one record"
    most = at_most(meaning.ranked(said.epsilon, said.delta))
    lines.append((f"what the sound ε allows {whom}", f"**{most}**"))
    rows = [("who picks the right one of two", "how often"), ("---", "---"), *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _allowed(outside: AttackRecord) -> str:
    """How often the run's sound epsilon lets that attack be right: of two nodes that exchange their places it
    is spent once for each record that changes."""
    if outside.steps is None or not outside.drawn:
        return "no limit: it plays another game, and tests no ε"
    spent = outside.steps * outside.sound
    most = at_most(meaning.guess(spent, group_delta(outside.sound, outside.delta, outside.steps)))
    changes = f"{outside.steps} record{'s' * (outside.steps > 1)} change{'s' * (outside.steps == 1)}"
    return f"**{most}** :gray[{changes}: {outside.steps} times ε]" if outside.steps > 1 else f"**{most}**"
