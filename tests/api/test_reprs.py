"""What a notebook shows of an object: one short line that says what it is, and none of its tensors."""

from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.figures.made_audits import audit as made_audit

import privgraph as pg
from privgraph.runs.records import StoredEvent
from privgraph.runs.spec import RunSpec


def shown() -> dict[str, str]:
    """By what it begins with, the repr of an object of each kind."""
    graph, spec = pg.load("karate"), made_runs.spec()
    plan = pg.plan("progap", on=graph, unit="edge", epsilon=1.0)
    record = made_runs.record(spec, made_runs.statement(made_runs.edge_entries(9.0)))
    return {
        "Graph(karate: 34 nodes, 78 edges, ": repr(graph),
        "Plan(progap: unit edge, sound epsilon 0.99": repr(plan),
        "PrivacyStatement(unit edge, ": repr(plan.statement),
        "RunSpec(progap on social: unit edge, epsilon 2.0, ": repr(
            pg.spec("progap", on="social", unit="edge", epsilon=2)
        ),
        "RunSpec(of-old on elsewhere: ": repr(RunSpec(method="of-old", dataset="elsewhere", options={"width": 4})),
        f"RunRecord({spec.id}: failed, ": repr(replace(record, state="failed", error="no memory " * 30)),
        f"<Run {spec.id}": repr(pg.Run(record, pg.open_store(":memory:"))),
        "StoredEvent(7, spent: ": repr(
            StoredEvent(sequence=7, attempt=1, time=0.0, kind="spent", payload={"entry": "x" * 1000})
        ),
        "AuditRecord(": repr(made_audit(trials=400)),
        "MethodSpec(progap: ": repr(pg.METHODS["progap"]),
        "DatasetSpec(cora: ": repr(pg.DATASETS["cora"]),
    }


def test_an_object_is_one_short_line() -> None:
    for begins, said in shown().items():
        assert said.startswith(begins), said
        assert len(said) < 400
        assert "\n" not in said
        assert "tensor" not in said


def test_an_epsilon_is_rounded_to_the_safe_side() -> None:
    said = pg.plan("progap", on="karate", unit="edge", epsilon=1.0).statement
    told = repr(replace(said, epsilon=1.00001, epsilon_audited=0.98769))
    assert "sound epsilon 1.001, " in told
    assert "audited epsilon at least 0.9876, " in told
    assert pytest.approx(1.0, abs=0.01) == said.epsilon
