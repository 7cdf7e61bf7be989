"""What methods that are taken promise, each in a line. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.facts.stretches import BLIND
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import rounded_delta

READS_NONE = (
    "reads no edge, so that its weights and predictions hide every edge (ε = 0, δ = 0) where features, labels and the "
    "split are public. It protects no person."
)
"""What such a model promises."""


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What a method that is taken promises, in a line, and a run of it that says so in full: "" where none
    does. epsilon: of that run."""

    method: str
    text: str
    run: str = ""
    epsilon: float | None = None


def promises(records: Sequence[RunRecord], said: Verdict) -> list[Promise]:
    """Of each method that is taken first at some budget, at the smallest of these; of a model that reads no
    edge, what follows from that."""
    found = []
    first = {one.takes[0]: one.epsilons[0] for one in reversed(said.stretches) if one.takes}
    for name in dict.fromkeys(one.takes[0] for one in said.stretches if one.takes):
        if name == BLIND:
            found.append(Promise(method=name, text=READS_NONE))
            continue
        for run in sorted(records, key=lambda one: one.spec.seed):
            told, asked = run.statement, run.spec.asked_epsilon
            if run.spec.method == name and told is not None and told.unit == said.unit and asked == first[name]:
                text = (
                    f"hides {meaning.protected(told.unit, told.neighbours)}, δ = {rounded_delta(told.delta)}. May be "
                    f"released: {told.released}. Taken as public: {'; '.join(told.public)}."
                )
                found.append(Promise(method=name, text=text, run=run.id, epsilon=asked))
                break
    return found
