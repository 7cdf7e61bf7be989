"""Which epoch's model a run keeps: what methods say of it, against what their runs came to, and where a
report says it."""

from __future__ import annotations

import pytest

from privgraph.methods.kept import Kept
from privgraph.progress import Metric
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import kept_epoch

CLOSE = 1e-6


def test_what_methods_say_is_what_their_runs_came_to() -> None:
    """Of the last epoch a run's validation accuracy is that where its curve ends; of the best one, no lower
    than anywhere in the last stage."""
    store = RunStore.open()
    seen: dict[tuple[str, Kept | None], int] = {}
    for name in ("progap", "gap", "mlp", "gnn", "dp-mlp", "dp-gnn", "heter-poisson", "privgnn", "edge-rand"):
        for record in store.find(RunQuery(methods=(name,), states=("done",), limit=400))[::20]:
            points = [one.event for one in store.events(record.id) if isinstance(one.event, Metric)]
            curve = [one for one in points if one.name == "val_accuracy"]
            if not curve or "val_accuracy" not in record.metrics:
                continue
            own = [one.value for one in curve if one.stage == curve[-1].stage]
            kept, value = kept_epoch.kept(record.spec), record.metrics["val_accuracy"]
            seen[name, kept] = seen.get((name, kept), 0) + 1
            if kept is Kept.LAST:
                assert value == pytest.approx(own[-1], abs=CLOSE), record.id
            else:
                assert value >= max(own) - CLOSE, record.id
    assert {kept for _, kept in seen} == {Kept.LAST, Kept.VALIDATED}
    assert {kept for name, kept in seen if name == "progap"} == {Kept.LAST, Kept.VALIDATED}, "by what it protects"
