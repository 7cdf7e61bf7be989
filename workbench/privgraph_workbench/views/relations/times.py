"""How long a training takes on this machine."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.runs.graph_id import GraphId
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts import expecting
from privgraph_workbench.jobs import queue


def seconds(spec: RunSpec) -> float | None:
    """About how long a run takes, by finished ones of its method on its graph, whose times are taken to grow
    with steps and the texts of each: the quickest, for others had company. None where none tells."""
    graph = GraphId.of(spec)
    alike = [
        one
        for one in expecting.finished(queue.store(), [spec.method], spec.dataset)
        if one.seconds and GraphId.of(one.spec) == graph and one.spec.unit == spec.unit
    ]
    pace = min((one.seconds / _work(one.spec) for one in alike if one.seconds), default=None)
    return None if pace is None else pace * _work(spec)


def _work(spec: RunSpec) -> float:
    """Texts that are read: two of each relation, and its negatives."""
    steps, relations, negatives = (int(spec.options[name]) for name in ("steps", "batch_size", "negatives"))
    return steps * relations * (2 + negatives)


def total(specs: Sequence[RunSpec]) -> float | None:
    """The same of several, one after another."""
    each = [seconds(one) for one in specs]
    known = [one for one in each if one is not None]
    return sum(known) if known and len(known) == len(each) else None
