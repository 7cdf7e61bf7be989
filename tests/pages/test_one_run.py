"""The page of a run: its numbers, curves, promise, settings and files, in every state."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import KARATE, keep, spec
from tests.pages.reading import Open, badges, drawn, labels, links, numbers

from privgraph.privacy.ledger import Ledger
from privgraph.privacy.serialisation import statement_to_json
from privgraph.program import program
from privgraph.runs.final_statement import interrupted_statement
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import bound, stated


def figure(app: AppTest, name: str) -> dict[str, Any]:
    """The component that draws the figure of that name."""
    return next(one for one in drawn(app) if one["name"] == name)


def test_a_finished_run_shows_its_numbers(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(epsilon=2.0), accuracy=0.8123, tags=["mine"])
    said = store.get(run).statement
    app = opened("train", run=run)
    shown = numbers(app)
    assert shown["Test accuracy"] == "81.2%"
    assert shown[EPSILONS["sound"].label] == stated("sound", said.epsilon)
    assert shown[EPSILONS["published"].label] == stated("published", said.epsilon_as_published)
    assert shown[EPSILONS["audited"].label] == "—"
    assert shown["Adversary's accuracy"] == bound(meaning.guess(said.epsilon, said.delta))
    assert "mine" in badges(app)
    assert {"run": [run], "who": ["worst-case"]} in links(app).values()
    bars = [one for one in figure(app, f"standing.{run}")["figure"]["data"] if one["type"] == "bar"]
    assert {one["y"][0].partition(":")[0]: one["x"][0] for one in bars} == {
        "Guessing": 0.5,
        "This run": pytest.approx(0.8123),
    }
    assert {"SVG", "PDF", "PNG", "CSV", "JSON"} <= set(labels(app))
    line = "privgraph run progap --data karate --unit edge --epsilon 2 --seed 0"
    commands = [block.value for block in app.code]
    assert any(one.startswith(line) for one in commands)
    assert any(f"/train?run={run}" in one for one in commands)


def test_an_audit_refutes_a_claim_in_red(opened: Open, store: RunStore) -> None:
    run = keep(store, spec("dp-mlp", unit="node", epsilon=0.1, batch_size=8))
    said = store.get(run).statement
    store.add_audit(run, made_audit(run, delta=said.delta))
    record = store.get(run)
    app = opened("train", run=run)
    assert numbers(app)[EPSILONS["audited"].label] == f"≥ {stated('audited', record.epsilon_audited)}"
    assert ":red-badge[refuted" in badges(app)
    assert any("claim" in one.value for one in app.dataframe), "and the audit in numbers"


@pytest.mark.parametrize("state", ["stopped", "failed", "lost"])
def test_an_ended_run_can_be_tried_again(opened: Open, store: RunStore, state: str) -> None:
    error = "the disk is full" if state != "stopped" else ""
    run = keep(store, spec(), state=state, error=error)
    app = opened("train", run=run)
    assert figure(app, f"curves.{run}")["figure"]["data"]
    assert len(app.error) == bool(error)
    app.button(key="retry").click().run()
    assert store.get(run).state == "queued"


def test_a_stopped_run_keeps_its_whole_epsilon(opened: Open, store: RunStore) -> None:
    asked = spec(epsilon=4.0)
    plan = asked.config().plan(KARATE).statement
    run, worker = store.submit(asked), new_worker()
    assert store.leases.claim([run], worker) == [run]
    store.leases.made_by(worker, program())
    half = Ledger(plan.ledger[:1])
    said = interrupted_statement(plan, half, stopped=True)
    store.leases.finish(run, worker, Outcome(state="stopped", statement=statement_to_json(said)))
    app = opened("train", run=run)
    assert numbers(app)[EPSILONS["sound"].label] == stated("sound", plan.epsilon)


def test_equal_settings_open_the_run_of_before(opened: Open, store: RunStore) -> None:
    keep(store, spec(epsilon=2.0))
    app = opened("train", method="progap", data="karate", epsilon="2")
    app.button(key="go").click().run()
    assert store.count() == 1
    app.button(key="another").click().run()
    assert sorted(run.spec.seed for run in store.find(RunQuery())) == [0, 1]
    assert "another" not in {one.key for one in app.button}


def test_a_run_of_an_earlier_version_has_its_known_faults(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "faults" not in badges(opened("train", run=keep(store, spec("gap", unit="node"))))
    monkeypatch.setattr(store.leases, "made_by", lambda worker, version: None)
    old = keep(store, spec("gap", unit="node", selection="validation"))
    said = store.get(old).statement
    assert f"{len(said.known_faults)} known faults" in badges(opened("train", run=old))
