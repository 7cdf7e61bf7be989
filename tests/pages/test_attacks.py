"""The page Attacks: a table for each question, curves of chosen rows, audits, and new ones of own runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec

from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.registry import ATTACKS, sides
from privgraph.runs import attacking, auditing
from privgraph.runs.examining import Examination
from privgraph.runs.store import RunStore
from privgraph.runs.tables import attacks
from privgraph_workbench.facts import datasets
from privgraph_workbench.jobs import queue
from privgraph_workbench.leaks import Claim, Leak
from privgraph_workbench.parts import cart

Open = Callable[..., AppTest]
QUESTIONS = {
    "members": "who was trained on",
    "edges": "who is connected to whom",
    "relations": "which relations were learnt from",
}


def keys(app: AppTest) -> set[str]:
    return {str(one.key) for one in app.button}


def drawn(app: AppTest) -> list[set[str]]:
    """The names of lines in the legend of each figure."""
    figures = [json.loads(one.proto.json)["figure"] for one in app.get("bidi_component")]
    return [{one["name"] for one in figure["data"] if one.get("showlegend")} for figure in figures]


def choose(app: AppTest, rows: list[int]) -> AppTest:
    app.session_state[app.dataframe[0].key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    app.run()
    assert not app.exception
    return app


def test_every_question_of_an_attack_has_a_name() -> None:
    assert {sides(name).asks for name in ATTACKS} == set(QUESTIONS.values())


@pytest.mark.parametrize("who", [*QUESTIONS, "worst-case"])
def test_examples_have_rows_and_curves_for_each_question(opened: Open, who: str) -> None:
    app = opened("attacks", store="examples", who=who)
    (table,) = [one.value for one in app.dataframe]
    if who == "worst-case":
        assert len(table) == len(queue.examples().all_audits())
        assert set(table.claim) <= set(Claim)
        assert Claim.REFUTED in set(table.published_claim)
        assert len(drawn(app)) == 3
    else:
        asked = [one for one in queue.examples().all_attacks() if sides(one.attack).asks == QUESTIONS[who]]
        assert len(table) == len(asked) > 0
        assert set(table.outcome) <= set(Leak)
        assert table.unit.iloc[0] in ("edge", "node", "none")
        assert len(drawn(app)) == 1
    assert not {"start_attack", "start_audit"} & keys(app)
    assert "again" in keys(app)


def test_each_chosen_row_is_a_curve(opened: Open) -> None:
    app = opened("attacks", store="examples", who="edges")
    table = app.dataframe[0].value
    rows = [list(table.method).index("ProGAP"), list(table.method).index("MLP (ignores edges)")]
    (legend,) = drawn(choose(app, rows))
    for row in rows:
        assert any(name.startswith(str(table.method.iloc[row])) for name in legend)
    (fewer,) = drawn(choose(app, rows[:1]))
    assert not any(name.startswith("MLP") for name in fewer)
    app.session_state["fold.exposed"] = True
    app.run()
    assert not app.exception
    assert len(drawn(app)) > 1


def test_addresses_of_before_lead_to_their_question_and_run(opened: Open) -> None:
    run = next(one.run for one in queue.examples().all_attacks() if one.attack == "link")
    for query, who in (
        ({"run": run}, None),
        ({"who": "outsider", "attack": "link"}, "edges"),
        ({"attack": "relations"}, "relations"),
        ({"who": "worst-case", "run": run}, "worst-case"),
        ({"who": "nonsense"}, "members"),
    ):
        app = opened("attacks", store="examples", **query)
        assert who in (None, app.query_params["who"][0], app.query_params["who"])
    app = opened("attacks", store="examples", attack="link", run=run)
    table, chosen = app.dataframe[0].value, app.session_state[app.dataframe[0].key]
    assert run in set(table.run.iloc[list(chosen["selection"]["rows"])])


def test_the_address_of_audits_leads_to_the_worst_case(opened: Open, store: RunStore, run: str) -> None:
    app = opened("audit", run=run)
    assert app.title[0].value == "Attacks"
    assert app.query_params["who"] in ("worst-case", ["worst-case"])
    assert "start_audit" in keys(app)


@pytest.mark.parametrize("who", [*QUESTIONS, "worst-case"])
def test_an_empty_store_has_no_table_and_no_form(opened: Open, store: RunStore, who: str) -> None:
    app = opened("attacks", store="mine", who=who)
    assert not app.dataframe
    assert not drawn(app)
    assert not {"start_attack", "start_audit"} & keys(app)


def test_a_form_submits_an_attack_on_ones_own_run(opened: Open, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, str, AttackOptions]] = []
    monkeypatch.setattr(attacking, "start", lambda _, *asked: started.append(asked))
    app = opened("attacks", run=run, attack="lira", attack__shadows="32", attack__variance="each", attack__seed="3")
    held = {str(one.key) for kind in ("number_input", "selectbox", "toggle") for one in app.get(kind)}
    assert not {"attack.query", "attack.distance", "attack.pairs"} & held, "nothing that is not read"
    app.button(key="start_attack").click().run()
    assert started == [(run, "lira", AttackOptions(shadows=32, variance="each", seed=3))]


def test_a_form_submits_an_audit(opened: Open, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, str, AuditOptions]] = []
    monkeypatch.setattr(auditing, "start", lambda _, *asked: started.append(asked))
    app = opened("attacks", who="worst-case", run=run, audit__trials="2000")
    app.button(key="start_audit").click().run()
    assert started == [(run, "mechanism", AuditOptions(trials=2000))]


def test_a_run_that_hides_edges_is_first_attacked_for_them(opened: Open, store: RunStore, run: str) -> None:
    edges = keep(store, spec("gap", unit="edge"))
    assert opened("attacks", run=edges).query_params["who"] in ("edges", ["edges"])
    assert opened("attacks", run=run).query_params["who"] in ("members", ["members"])


def test_a_job_under_way_is_shown_and_can_be_stopped(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (store.folder(run) / "attacks").mkdir()
    going = Examination(token="ab12", name="lira", options=AttackOptions(), started=0.0, progress=0.4, stage="models")
    stopped: list[str] = []
    monkeypatch.setattr(attacking, "states", lambda *_: [going])
    monkeypatch.setattr(attacking, "stop", lambda _store, _run, token: stopped.append(token))
    app = opened("attacks", run=run)
    assert "start_attack" not in keys(app)
    assert app.get("progress")[0].proto.value == 40
    app.button(key="stop_attack.ab12").click().run()
    assert stopped == ["ab12"]
    monkeypatch.setattr(attacking, "states", lambda *_: [])
    store.add_attack(run, made_attack(run, memory=3.0))
    app.run()
    (table,) = [one.value for one in app.dataframe]
    assert list(table.outcome) == [Leak.CLEAR]
    assert len(drawn(app)) == 1


@pytest.mark.parametrize("error", ["it had no memory", ""])
def test_a_job_that_came_to_nothing_is_told(
    opened: Open, run: str, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    over = Examination(
        token="a", name="lira", options=AttackOptions(), started=0.0, done=True, error=error, stopped=not error
    )
    monkeypatch.setattr(attacking, "state", lambda *_: over)
    app = opened("attacks", run=run)
    assert len(app.error) == bool(error)
    assert not app.button(key="start_attack").disabled


def test_where_the_graph_is_not_here_the_data_page_is_named(
    opened: Open, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "unavailable", lambda _: "It is not at hand.")
    app = opened("attacks", run=run)
    assert app.button(key="start_attack").disabled
    assert [one for one in app.get("page_link") if one.proto.page == "data" or "karate" in one.proto.query_string]
    assert not opened("attacks", run=run, who="worst-case").button(key="start_audit").disabled, "it trains nothing"


def test_a_run_that_is_not_here_is_told(opened: Open, run: str) -> None:
    assert len(opened("attacks", run="nowhere").warning) == 1
    assert not opened("attacks", run=run).warning


def test_an_audit_of_ones_own_run_is_drawn_with_its_claims(opened: Open, store: RunStore, run: str) -> None:
    store.add_audit(run, made_audit(run, noise=0.4, published=1.5))
    app = opened("attacks", who="worst-case", run=run)
    (table,) = [one.value for one in app.dataframe]
    assert list(table.published_claim) == [Claim.REFUTED]
    assert len(drawn(app)) == 3


def test_a_damaged_row_does_not_take_the_pages_down(opened: Open, store: RunStore, run: str) -> None:
    for memory in (3.0, 0.0):
        store.add_attack(run, made_attack(run, memory=memory))
    with store.database.write() as connection:
        connection.execute(attacks.update().where(attacks.c.number == 1).values(record="{"))
    app = opened("attacks", run=run)
    assert len(app.dataframe[0].value) == 1
    assert any(":orange-badge[1 unreadable" in one.value for one in app.markdown)
    tables = [one.value for one in opened("train", run=run).dataframe]
    assert [list(one.outcome) for one in tables if "outcome" in one] == [[Leak.NONE]]


def test_the_page_of_a_run_has_its_attacks_and_audits(opened: Open, store: RunStore, run: str) -> None:
    store.add_attack(run, replace(made_attack(run, memory=3.0), sound=0.0, bound=1.0))
    store.add_audit(run, made_audit(run, noise=0.4, published=1.5))
    tables = [one.value for one in opened("train", run=run).dataframe]
    assert [list(one.outcome) for one in tables if "outcome" in one] == [[Leak.CLEAR]]
    assert [list(one.published_claim) for one in tables if "claim" in one] == [[Claim.REFUTED]]


def test_a_run_that_is_not_done_is_not_attacked(opened: Open, store: RunStore) -> None:
    for seed, state in enumerate(("queued", "running", "failed")):
        run = keep(store, spec("dp-mlp", seed, unit="node", epsilon=8.0, batch_size=8), state=state)
        app = opened("attacks", run=run)
        assert "start_attack" not in keys(app)
        assert not app.error, "it is not offered, and so nothing refuses it"


def test_several_attacks_leave_for_a_report_each_with_its_own_bound_and_no_seed(opened: Open, store: RunStore) -> None:
    for seed, epsilon, bound in ((90210, 4.0, 1.0), (31337, 8.0, 3.0)):
        one = keep(store, spec("dp-mlp", seed, unit="node", epsilon=epsilon, batch_size=8))
        said = store.get(one).statement
        assert said is not None
        store.add_attack(one, replace(made_attack(one), bound=bound, delta=said.delta, sound=said.epsilon))
    app = choose(opened("attacks", who="members"), [0, 1])
    (key,) = [one for one in keys(app) if one.startswith("collect.attack_roc")]
    app.button(key=key).click().run()
    (entry,) = cart.entries()
    assert sorted(one.epsilon_audited or 0.0 for one in entry.held.values()) == [1.0, 3.0]
    assert len({row["attack"] for row in entry.rows}) == 2
    told = json.dumps([list(entry.rows), dict(entry.statements)])
    assert not [one for one in ("90210", "31337", *entry.runs) if one in told]
