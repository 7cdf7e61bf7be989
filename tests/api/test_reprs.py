"""What a notebook shows of an object: one short line that says what it is, and none of its tensors or
histograms."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from tests.figures import made_runs
from tests.figures.made_audits import audit as made_audit

import privgraph as pg
from privgraph.privacy.events import Gaussian
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry
from privgraph.runs.records import StoredEvent
from privgraph.runs.spec import RunSpec


@pytest.fixture(scope="module")
def graph() -> pg.Graph:
    return pg.load("karate")


def test_a_graph(graph: pg.Graph) -> None:
    said = "Graph(karate: 34 nodes, 78 edges, 34 features, 2 classes; random split of seed 0: 26 training, 3 validation"
    assert repr(graph).startswith(said)
    directed = replace(graph, undirected=False, split_seed=None, split="public")
    assert ", 156 directed edges, " in repr(directed)
    assert "; public split: 26 training, " in repr(directed)
    nobody = replace(graph, x=graph.x[:0], y=graph.y[:0], edge_index=graph.edge_index[:, :0])
    assert repr(nobody).startswith("Graph(karate: 0 nodes, 0 edges, 34 features, ")


def test_a_plan_and_its_statement(graph: pg.Graph) -> None:
    plan = pg.plan("progap", on=graph, unit="edge", epsilon=1.0)
    epsilon, noise = plan.statement.epsilon, plan.noise["aggregation_std"]
    assert repr(plan).startswith("Plan(progap: unit edge, sound epsilon 0.99")
    assert f"delta {plan.statement.delta:g}; noise: aggregation std {noise:.4g}; {plan.steps:,} steps)" in repr(plan)
    free = pg.plan("gnn", on=graph)
    assert repr(free) == f"Plan(gnn: unit none, sound epsilon ∞, delta 0; noise: none; {free.steps:,} steps)"
    said = repr(plan.statement)
    assert said.startswith("PrivacyStatement(unit edge, neighbours undirected edge, sound epsilon 0.99")
    assert "published epsilon 0." in said
    assert "audited" not in said
    attacked = replace(plan.statement, epsilon=1.00001, epsilon_audited=0.98769, epsilon_as_published=None)
    assert "sound epsilon 1.001, audited epsilon at least 0.9876, delta" in repr(attacked)
    assert "published" not in repr(attacked)
    assert epsilon <= 1


def test_a_spec_shows_what_is_not_default() -> None:
    asked = pg.spec("progap", on="social", unit="edge", epsilon=2, depth=4, seed=3, data_options={"nodes": 300})
    told = "RunSpec(progap on social: unit edge, epsilon 2.0, depth 4, nodes 300, random split, seed 3)"
    assert repr(asked) == told
    assert repr(pg.spec("gnn", on="cora")) == "RunSpec(gnn on cora: unit none, random split, seed 0)"
    given = pg.spec("dp-gpl", on="cora", vote_sigma=3)
    assert repr(given) == "RunSpec(dp-gpl on cora: unit node, vote_sigma 3.0, random split, seed 0)"
    gone = RunSpec(method="of-old", dataset="elsewhere", options={"unit": "node", "width": 4})
    assert repr(gone) == "RunSpec(of-old on elsewhere: unit node, width 4, random split, seed 0)"


def test_a_run_in_the_store() -> None:
    spec = made_runs.spec()
    record = made_runs.record(spec, made_runs.statement(made_runs.edge_entries(9.0)))
    assert repr(replace(record, metrics={"test_accuracy": 0.81234})).startswith(f"RunRecord({spec.id}: done, test acc")
    broken = repr(replace(record, metrics={}, state="failed", error="no memory " * 30))
    assert broken.startswith(f"RunRecord({spec.id}: failed, no memory no")
    assert len(broken) < 200
    run = pg.Run(record, pg.open_store(":memory:"))
    assert repr(replace(run, record=replace(record, statement_text=None))).endswith("sound epsilon ∞>")
    event = StoredEvent(sequence=7, attempt=1, time=0.0, kind="spent", payload={"entry": "x" * 1000})
    assert repr(event).startswith("StoredEvent(7, spent: {'entry': 'xxx")
    assert len(repr(event)) < 130


def test_an_audit() -> None:
    record = made_audit(trials=400)
    told = repr(replace(record, epsilon=0.98769, sound=1.00001, published=0.5, confidence=0.95))
    assert told.startswith(f"AuditRecord({record.audit} of {record.run}: epsilon of the run at least 0.9876, ")
    assert f"sound epsilon 1.001, published epsilon 0.5, delta {record.delta:g}, confidence 0.95, 400 trials)" in told
    assert "one step" in repr(replace(record, covers="step"))
    assert "published" not in repr(replace(record, published=None))


def test_rows_of_tables_and_the_store() -> None:
    assert repr(pg.METHODS["progap"]) == "MethodSpec(progap: ProGAP, units none, edge, node)"
    sizes = "2,708 nodes, 5,278 edges, 1,433 features, 7 classes"
    assert repr(pg.DATASETS["cora"]) == f"DatasetSpec(cora: Cora, {sizes})"
    assert repr(pg.DATASETS["social"]) == "DatasetSpec(social: Made-up social network)"
    assert repr(pg.AUDITS["mechanism"]) == "AuditSpec(mechanism: Mechanisms, played many times)"
    store = pg.open_store(":memory:")
    assert repr(store) == f"RunStore({store.folders})"


def test_an_entry_shows_all_but_its_defaults() -> None:
    entry = LedgerEntry(
        kind=MechanismKind.ADDITIVE, mechanism="noise", stage="counts", event=Gaussian(noise_multiplier=2.0), count=3
    )
    told = "mechanism='noise', stage='counts', event=Gaussian(noise_multiplier=2.0), count=3)"
    assert repr(entry) == f"LedgerEntry(kind={MechanismKind.ADDITIVE!r}, {told}"
    for item in fields(LedgerEntry):  # two entries that differ never look alike
        if item.name in ("sensitivity", "noise_std", "sampling_rate"):
            assert f"{item.name}=0.5" in repr(replace(entry, **{item.name: 0.5}))
