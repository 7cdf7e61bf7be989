"""The page Attacks: a table for each question, curves of chosen rows, audits, and new ones of own runs."""

import json
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import Open, drawn, keys

from privgraph.attacks.options import AttackOptions
from privgraph.registry import sides
from privgraph.runs import attacking
from privgraph.runs.examining import Examination
from privgraph.runs.store import RunStore
from privgraph_workbench.jobs import queue
from privgraph_workbench.leaks import Claim, Leak
from privgraph_workbench.parts import cart

QUESTIONS = {
    "members": "who was trained on",
    "edges": "who is connected to whom",
    "relations": "which relations were learnt from",
}


def choose(app: AppTest, rows: list[int]) -> AppTest:
    app.session_state[app.dataframe[0].key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    return app.run()


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


def test_a_form_submits_an_attack_on_ones_own_run(opened: Open, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, str, AttackOptions]] = []
    monkeypatch.setattr(attacking, "start", lambda _, *asked: started.append(asked))
    app = opened("attacks", run=run, attack="lira", attack__shadows="32", attack__variance="each", attack__seed="3")
    held = {str(one.key) for kind in ("number_input", "selectbox", "toggle") for one in app.get(kind)}
    assert not {"attack.query", "attack.distance", "attack.pairs"} & held, "nothing that is not read"
    app.button(key="start_attack").click().run()
    assert started == [(run, "lira", AttackOptions(shadows=32, variance="each", seed=3))]


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


def test_the_page_of_a_run_has_its_attacks_and_audits(opened: Open, store: RunStore, run: str) -> None:
    store.add_attack(run, replace(made_attack(run, memory=3.0), sound=0.0, bound=1.0))
    store.add_audit(run, made_audit(run, noise=0.4, published=1.5))
    tables = [one.value for one in opened("train", run=run).dataframe]
    assert [list(one.outcome) for one in tables if "outcome" in one] == [[Leak.CLEAR]]
    assert [list(one.published_claim) for one in tables if "claim" in one] == [[Claim.REFUTED]]


def test_several_attacks_leave_for_a_report_each_with_its_own_bound_and_no_seed(opened: Open, store: RunStore) -> None:
    for seed, epsilon, bound in ((90210, 4.0, 1.0), (31337, 8.0, 3.0)):
        one = keep(store, spec("dp-mlp", seed, unit="node", epsilon=epsilon, batch_size=8))
        said = store.get(one).statement
        store.add_attack(one, replace(made_attack(one), bound=bound, delta=said.delta, sound=said.epsilon))
    app = choose(opened("attacks", who="members"), [0, 1])
    (key,) = [one for one in keys(app) if one.startswith("collect.attack_roc")]
    app.button(key=key).click().run()
    (entry,) = cart.cart().entries
    assert sorted(one.epsilon_audited or 0.0 for one in entry.held.values()) == [1.0, 3.0]
    assert len({row["attack"] for row in entry.rows}) == 2
    told = json.dumps([list(entry.rows), dict(entry.statements)])
    assert not [one for one in ("90210", "31337", *entry.runs) if one in told]
