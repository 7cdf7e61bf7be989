"""What an attack on edges finds of a perceptron on the same graph, which reads none: what similarity tells.
No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.advice import BASELINE as BLIND
from privgraph_workbench.words.verdicts import caution, learnt, severity

MOST = 200
SAME = ("by", "distance", "unlinked")
"""Options in which two attacks on edges have to agree to be compared."""


def perceptrons(store: RunStore, record: RunRecord) -> list[RunRecord]:
    """Perceptrons on the same graph with the same kind of split, finished or not; those of the same seed
    come first, then the newest."""
    asked = record.spec
    same = [
        one
        for one in store.find(RunQuery(methods=(BLIND,), limit=MOST))
        if not one.unreadable
        and (one.spec.dataset, one.spec.data_options, one.spec.split)
        == (asked.dataset, asked.data_options, asked.split)
    ]
    return sorted(same, key=lambda one: one.spec.seed != asked.seed)


def beside(store: RunStore, record: RunRecord, attack: AttackRecord) -> AttackRecord | None:
    """The newest attack of the same kind, with the same distance and the same pairs, on a perceptron that was
    trained on the same graph; the attack itself where its run is one. None for attacks that ask something
    else, or that read edges by influence."""
    if not caution(attack):
        return None
    if record.spec.method == BLIND:
        return attack
    return _alike(store, record, attack.attack, attack.options)


def drawn(store: RunStore, record: RunRecord, attack: AttackRecord) -> AttackRecord | None:
    """What is drawn beside the curve of an attack on edges: `beside`; of one by influence, what the distance
    of the same attack finds of a perceptron, since such a model cannot be asked by influence."""
    if attack.by_classes is None or caution(attack) or record.spec.method == BLIND:
        return beside(store, record, attack)
    options = replace(attack.options, by="distance", distance=AttackOptions().distance)
    return _alike(store, record, attack.attack, options)


def severities(store: RunStore, record: RunRecord, attacks: Sequence[AttackRecord]) -> list[int]:
    """How severe each attack on the run is (`verdicts.SEVERITIES`)."""
    return [severity(one, beside(store, record, one), learnt(record)) for one in attacks]


def _alike(store: RunStore, record: RunRecord, name: str, options: AttackOptions) -> AttackRecord | None:
    for run in perceptrons(store, record):
        same = [
            one
            for one in (store.attacks(run.id) if run.state == "done" else ())
            if one.attack == name and all(getattr(one.options, key) == getattr(options, key) for key in SAME)
        ]
        if same:
            return same[-1]
    return None
