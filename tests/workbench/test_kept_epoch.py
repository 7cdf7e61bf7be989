"""Which epoch's model a run keeps: what methods say of it, against what their runs came to, and where a
report says it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.methods.kept import Kept
from privgraph.progress import Metric
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench import tables
from privgraph_workbench.facts import kept_epoch
from privgraph_workbench.figures.runs import curves
from privgraph_workbench.reporting import Drawn, findings, main_findings

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


def test_a_table_says_of_which_epoch_its_accuracies_are() -> None:
    store = RunStore.open()
    edge = made_runs.finish(store, made_runs.spec(), 0.7, made_runs.statement(made_runs.edge_entries(9)))
    said = made_runs.statement(made_runs.node_entries(4.0), "node")
    node = made_runs.finish(store, made_runs.spec(unit="node"), 0.8, said)
    lines = [tables.Line(name=name, label=name, record=one) for name, one in (("Edges", edge), ("People", node))]
    table, *told = tables.measured(lines, {})
    assert isinstance(table, tables.Table)
    notes = [one for one in told if isinstance(one, str) and "model that a run kept" in one]
    assert [one.rpartition("kept: ")[2] for one in notes] == [
        "the epoch of best validation accuracy, of each stage, while learning curves go on to the last.",
        "the last epoch.",
    ]
    marks = [one.partition("]")[0] + "]" for one in notes]
    assert [mark in row[-2] for row, mark in zip(table.rows, marks, strict=True)] == [True, True]
    alone = tables.measured(lines[1:], {})[1]
    assert isinstance(alone, str)
    assert alone.endswith("An accuracy is that of the model that a run kept: the last epoch.")
    gone = replace(edge.spec, method="a method that is gone")
    assert kept_epoch.kept(gone) is None
    assert kept_epoch.note([("X", gone)]) == ""


def test_learning_curves_name_their_run_and_the_model_that_was_kept() -> None:
    store = RunStore.open()
    said = made_runs.statement(made_runs.edge_entries(9))
    run = made_runs.finish(store, made_runs.spec(), 0.7, said, made_runs.learning(3))
    rows = curves.data(store.events(run.id), record=run)
    drawn = curves.chart(rows)
    assert drawn.title.startswith("Learning curves: ProGAP on Made-up social network")
    assert drawn.title.endswith("edge ε 0.8142 (ε 1 asked for)")
    assert drawn.notes == (
        f"Kept: the epoch of best validation accuracy, of each stage (test accuracy 70.0%). {curves.ON}",
    )
    assert main_findings.of("curves", rows).startswith("Kept: the epoch of best validation accuracy, of each stage (")
    assert set(curves.table(rows)[0]) == {"run", "metric", "stage", "step", "value", "evaluator"}
    bare = curves.data(store.events(run.id))
    assert curves.chart(bare).title == "Learning curves"
    kept = Drawn(figure="curves", rows=bare, runs=[run])
    assert kept.name == drawn.title, "one that was kept without saying so is named by its run"
    assert "that of the model that a run kept: the epoch of best validation accuracy" in findings.settings(kept)
