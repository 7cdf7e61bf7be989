"""The Relations page: what it tells of guarantees and texts, and what leaves in files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures import made_relations
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_relations import made_answer, made_pair, made_run
from tests.pages.kept_runs import keep
from tests.pages.reading import texts
from tests.pages.relation_pages import (
    Answering,
    ask,
    described,
    files,
    process,
    submitted,
)

from privgraph.data.catalogue import dataset
from privgraph.privacy.serialisation import statement_to_json
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.testing.methods import TEXT_FACTS
from privgraph_workbench.facts import describing

Open = Callable[..., AppTest]
NATURAL, COMPUTING, SOCIETY = dataset("m10-titles").domains
TINY = {"encoder": "tiny", "unit": "edge", "steps": 4}
__all__ = ["described", "process", "submitted"]  # fixtures
pytestmark = pytest.mark.usefixtures("described")


@pytest.mark.parametrize("published", [1.0, None], ids=["a smaller one is published", "no formula is published"])
def test_the_wager_is_that_of_the_sound_epsilon(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch, published: float | None
) -> None:
    monkeypatch.setattr(
        made_relations,
        "statement_to_json",
        lambda said: statement_to_json(replace(said, epsilon_as_published=published)),
    )
    made_run(store)
    shown = texts(opened("relations"))
    assert f"ε as published {'no formula' if published is None else '**1**'}" in shown
    assert "they are right at most 98.3%" in shown, "e⁴ to 1, whatever is published"


@pytest.mark.long
def test_every_figure_leaves_with_the_statements_of_its_runs(opened: Open, store: RunStore, process: Answering) -> None:
    bare, private = made_pair(store)
    made_run(store, negatives=8)
    made_run(store, negatives=16)
    for one in (bare, private):
        store.add_attack(one.id, made_attack(one.id, name="relations"))
    app = ask(opened("relations", private=private.id, bare=bare.id), "rustic bench")
    assert private.statement is not None
    sound = private.statement.epsilon
    stated = {name: {one["epsilon"] for one in file["statements"].values()} for name, file in files(app).items()}
    assert stated == {
        "moved": {"inf", sound},
        "relation_ranking": {"inf", sound},
        "attack_areas": {"inf", sound},
    }


def test_who_asks_two_runs_is_told_that_both_read_the_same_relations(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_run(store)
    alone = files(ask(opened("relations"), "a rake"))["moved"]
    assert not any("Composition" in one for one in alone["badges"])
    made_run(store, unit="none")
    both = files(ask(opened("relations"), "a rake"))["moved"]
    assert any("Composition: 2 runs on the same data" in one for one in both["badges"])


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "learnt", "predicted"),
    [
        ({}, NATURAL, COMPUTING),
        ({"tested_on": SOCIETY}, NATURAL, SOCIETY),
        ({"trained_on": SOCIETY}, SOCIETY, NATURAL),
        ({"trained_on": COMPUTING, "tested_on": SOCIETY}, COMPUTING, SOCIETY),
    ],
)
def test_domains_are_told_apart_by_whether_their_relations_were_read(
    opened: Open,
    store: RunStore,
    process: Answering,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, str],
    learnt: str,
    predicted: str,
) -> None:
    facts = replace(
        TEXT_FACTS, domains=(NATURAL, COMPUTING, SOCIETY), entities=(600, 600, 800), relations=(1000, 1000, 1000)
    )
    monkeypatch.setattr(made_relations, "TEXT_FACTS", facts)
    made_run(store, data="m10-titles", **options)
    app = opened("relations", domain=learnt)
    (other,) = {NATURAL, COMPUTING, SOCIETY} - {learnt, predicted}
    assert app.selectbox(key="domain").options[0] == f"{predicted} (predicted)"
    assert set(app.selectbox(key="domain").options[1:]) == {f"{learnt} (learnt)", other}
    assert f"These runs have read the relations of {learnt}" in app.selectbox(key="domain").help
    shown = texts(ask(app, "a title"))
    assert "These are relations that the runs trained on: private" in shown


# The question and its answer


@pytest.mark.long
def test_each_encoder_reads_and_compares_as_its_run_did(opened: Open, store: RunStore, process: Answering) -> None:
    made_run(store, unit="none", max_tokens=16)
    made_run(store, max_tokens=48, similarity="dot")
    ask(opened("relations"), "a rake")
    read = {one.name: (one.max_tokens, one.similarity) for one in process.asked[0].encoders}
    assert read == {"base": (48, "dot"), "bare": (16, "cosine"), "private": (48, "dot")}


def test_texts_are_searched_in_the_data_that_the_run_read(opened: Open, store: RunStore, process: Answering) -> None:
    keep(store, make_spec("relational", "products", TINY, data_options={"products": 200, "seed": 3}), facts=TEXT_FACTS)
    ask(opened("relations"), "a rake")
    searched = dict(process.asked[0].data_options)
    assert (process.asked[0].data, searched["products"], searched["seed"]) == ("products", 200, 3)


def test_a_run_that_was_trained_anew_is_asked_anew(opened: Open, store: RunStore, process: Answering) -> None:
    run = made_run(store)
    app = ask(opened("relations"), "a rake")
    store.delete(run.id)
    assert made_run(store).id == run.id
    app.run()
    assert len(process.asked) == 2, "though nothing else was typed"
    before, after = ({one.name: one.made for one in question.encoders} for question in process.asked)
    assert after["private"] > before["private"], "its adapter is another one, in the same folder"
    assert after["base"] == before["base"], "what the base encoder has read is kept"


@pytest.mark.parametrize(("nearer", "told"), [(0.99, True), (0.5, False)])
def test_a_text_that_is_far_under_a_trained_encoder_alone_is_said_to_be(
    opened: Open, store: RunStore, process: Answering, nearer: float, told: bool
) -> None:
    made_run(store)
    answer = made_answer(partners=False)
    far = replace(answer.near["private"], score=0.782, usual=0.96, nearer=nearer)
    process.found = replace(answer, near={**answer.near, "private": far})
    app = ask(opened("relations"), "a rake")
    shown = texts(app)
    said = "and they are not very near under “Private, ε 4”**"
    assert (said in shown) is told
    assert ("Training was on texts of kitchen alone" in shown) is told, "under the base it is near"


def test_of_a_text_that_is_unlike_the_others_the_nearest_one_is_asked_by_one_click(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_run(store)
    answer = made_answer(partners=False)
    process.found = replace(answer, near={**answer.near, "private": replace(answer.near["private"], nearer=1.0)})
    app = ask(opened("relations"), "something to sit on")
    assert "moved" in files(app), "with a caution, answers are shown all the same"
    said = "Ask about the nearest text of the data instead: rustic red bench of oak"
    assert app.button(key="ask_instead").label == said
    app.button(key="ask_instead").click().run()
    assert process.asked[-1].text == "rustic red bench of oak"


def test_examples_stand_on_their_buttons_as_they_are(
    opened: Open, store: RunStore, process: Answering, described: SimpleNamespace
) -> None:
    hostile = "![x](http://evil.example) :red[lamp] $5$"
    described.domains = (
        describing.Domain(
            name="garden", texts=60, relations=90, words=2.0, most_words=2, samples=((hostile, "oak bench"),)
        ),
    )
    made_run(store)
    app = opened("relations")
    label = app.button(key="example.0").label
    assert r"!\[x\](http" in label
    assert r"red\[lamp\] \$5\$" in label
    app.button(key="example.0").click().run()
    assert process.asked[0].text == hostile, "it is asked about as it stands in the data"
