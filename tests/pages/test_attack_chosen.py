"""Which run, which half and which attack the page Attacks shows, and what an address says."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.pages.attack_pages import box
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import summaries, texts

from privgraph.runs.store import RunStore
from privgraph_workbench.serving import shell
from privgraph_workbench.views.attacks import (
    overall,
)

Open = Callable[..., AppTest]


def test_a_wrong_address_gets_a_sentence_and_the_page_goes_on(opened: Open, run: str) -> None:
    app = opened("attacks", run="gap-karate-000000000000", attack="guess", found="7", attack__shadows="2")
    said = "\n".join(one.value for one in app.warning)
    assert "There is no finished run gap" in said
    assert "there is no attack guess" in said
    assert not [one for one in app.button if one.key == "start_attack"], "2 shadow models are no number of them"
    assert app.selectbox(key="run").value == run


def test_the_old_address_is_that_of_the_worst_case(opened: Open, run: str) -> None:
    old, new = opened("audit", run=run), opened("attacks", run=run, who="worst-case")
    for app in (old, new):
        assert [title.value for title in app.title] == ["Attacks"]
        assert app.selectbox(key="run").value == run
        assert any(button.label == "Start the audit" for button in app.button)
    outsiders = opened("attacks", run=run)
    assert any(button.label == "Start the attack" for button in outsiders.button)


@pytest.mark.long
def test_without_an_address_the_page_opens_on_what_a_promise_keeps_and_attacked_runs_come_first(
    opened: Open, store: RunStore
) -> None:
    app = opened("attacks")
    first = store.get(str(app.selectbox(key="run").value))
    assert first.spec.unit == "node"
    assert next(one.key for one in app.button if str(one.key).startswith("kept.")) == f"kept.{first.id}"
    (more,) = map(float, re.findall(r"clearly more \(([\d.]+) points", box(app)))
    assert more > 15, "it is compared with the same attack without privacy"
    assert "not private" in summaries(app)[0], "the curve without privacy is laid over, unasked"
    counted = {one.run for one in store.all_attacks()}
    options = app.selectbox(key="run").options
    assert len(options) == len(counted), "those that were attacked, at first"
    relations = ["Made-up products" in one for one in options]
    assert any(relations)
    assert relations == sorted(relations), "runs that were asked another question stand behind"
    app.toggle(key="every_run").set_value(True).run()
    options = app.selectbox(key="run").options
    assert ["attacked" in one for one in options[: len(counted) + 1]] == [True] * len(counted) + [False]
    assert max(len(one) for one in options) <= 100, "an entry says no more than tells it apart"
    own = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
    store.add_attack(own, made_attack(own))
    assert opened("attacks").selectbox(key="run").value == own


def test_another_run_leaves_nothing_of_the_one_before_in_the_address(opened: Open, store: RunStore, run: str) -> None:
    elsewhere = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    for seed in (0, 1):
        store.add_attack(run, made_attack(run, seed=seed))
    store.add_attack(elsewhere, made_attack(elsewhere))
    app = opened("attacks", run=run, found="2", over=elsewhere)
    app.selectbox(key="run").select(elsewhere).run()
    assert not app.exception
    assert "In this page's address" not in texts(app)
    assert app.query_params["found"] in ("1", ["1"])
    assert "found" not in [one.key for one in app.selectbox], "of one attack there is nothing to choose"
    assert "over" not in app.query_params
    over = app.multiselect(key="over")
    assert (over.value, over.proto.set_value) == ([], True), "the browser is told that none is laid over"
    assert not any("attacked" in one for one in app.selectbox(key="run").options), "it would tell none apart"


def test_one_comes_back_to_the_half_that_one_left(opened: Open, run: str) -> None:
    app = opened("attacks", run=run, who="worst-case")
    for page in ("runs", "attacks"):
        app.query_params.clear()
        app.switch_page(str(shell.folder() / f"{page}.py")).run()
    assert not app.exception, app.exception
    assert "An audit is such an attack" in texts(app)


def test_the_strongest_attack_on_what_is_hidden_is_shown_first(opened: Open, store: RunStore, run: str) -> None:
    records = [made_attack(run, memory=one, seed=place) for place, one in enumerate((0.1, 2.0, 0.5))]
    link = replace(made_attack(run, memory=3.0), attack="link", bound=None, steps=None)
    for one in (*records, link):
        store.add_attack(run, one)
    app = opened("attacks", run=run)
    assert app.selectbox(key="found").value == "2", "the run hides nodes"
    text = texts(app)
    assert "**Who was trained on?**" in text
    assert "**Who is connected to whom?**" in text
    (other,) = [one for one in app.button if one.label == "Show it"]
    other.click().run()
    assert app.selectbox(key="found").value == "4", "the way from the summary to the attack that it tells of"
    assert app.query_params["found"] in ("4", ["4"])
    assert overall.strongest([*records, link], [2, 2, 2, 2], "edge") == 4
    assert overall.strongest([*records, link], [2, 3, 2, 1], "edge") == 2, "what gives away most comes first"
    refuting = replace(records[0], sound=0.1, bound=0.2)
    assert overall.strongest([*records, refuting], [2, 4, 2, 4], "node") == 4, "what refutes our proof, before all"


def test_one_comes_back_to_the_run_that_one_left(opened: Open, store: RunStore) -> None:
    first, second = (keep(store, spec("dp-mlp", unit="node", epsilon=one, batch_size=8)) for one in (8.0, 4.0))
    app = opened("attacks", run=first)
    for page in ("runs", "attacks"):
        app.query_params.clear()
        app.switch_page(str(shell.folder() / f"{page}.py")).run()
    assert app.selectbox(key="run").value == first != second


def test_a_run_that_was_never_attacked_stays_offered_where_the_address_names_it(
    opened: Open, store: RunStore, run: str
) -> None:
    other = keep(store, spec("gnn", unit="none"))
    store.add_attack(run, made_attack(run))
    app = opened("attacks", run=other)
    assert app.selectbox(key="run").value == other
    assert app.selectbox(key="run").options.count(app.selectbox(key="run").options[0]) == 1
    assert opened("attacks").selectbox(key="run").value == run
