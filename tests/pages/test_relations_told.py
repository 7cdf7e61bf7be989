"""The Relations page: what it tells of guarantees and attacks, what it asks for, and what leaves in files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest
from streamlit.testing.v1 import AppTest
from tests import full_gallery
from tests.figures import made_relations
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_relations import made_answer, made_pair, made_run
from tests.pages import offered_files
from tests.pages.kept_runs import keep
from tests.pages.reading import texts
from tests.pages.test_relations import Answering, ask

from privgraph.attacks.outcome import Rate
from privgraph.data.catalogue import dataset
from privgraph.privacy.serialisation import statement_to_json
from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.leases import new_worker
from privgraph.runs.questions import Near
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.testing.methods import TEXT_FACTS
from privgraph_workbench.facts import describing
from privgraph_workbench.jobs import asking, queue
from privgraph_workbench.serving.offered_files import find
from privgraph_workbench.views.parts import statement
from privgraph_workbench.views.relations import nearest

Open = Callable[..., AppTest]
NATURAL, COMPUTING, SOCIETY = dataset("m10-titles").domains
TINY = {"encoder": "tiny", "unit": "edge", "steps": 4}


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Answering:
    made = Answering()
    monkeypatch.setattr(asking, "asker", lambda: made)
    monkeypatch.setattr(nearest, "PATIENCE", 0.0)
    return made


@pytest.fixture(autouse=True)
def described(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What another process would say of the data: no examples."""
    made = SimpleNamespace(domains=(), facts=TEXT_FACTS)
    monkeypatch.setattr(describing, "describe", lambda *_, **__: made)
    return made


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[RunSpec]:
    """The runs that the page asks for, which nobody trains."""
    specs: list[RunSpec] = []
    monkeypatch.setattr(queue, "submit", lambda asked, tags=(): specs.extend(asked))
    return specs


def files(app: AppTest) -> dict[str, dict[str, Any]]:
    """The page's figures as their JSON files have them, by name."""
    found = {}
    for label, address in offered_files.links(app):
        if label == "JSON":
            _, token, place = address.split("/", 2)
            file = find(token, unquote(place))
            assert file is not None
            read = json.loads(file.make())
            found[read["figure"]] = read
    return found


def link_labels(app: AppTest) -> list[str]:
    return [one.proto.label for one in app.get("page_link")]


def move(app: AppTest, option: str) -> None:
    """Asks for the chosen run with other values of one option."""
    app.selectbox(key="moved").select(option).run()
    app.button(key="train_moved").click().run()
    assert not app.exception, app.exception


# Guarantees


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


def test_a_bound_that_hangs_on_secret_noise_says_so_where_the_noise_is_public(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made_relations, "statement_to_json", lambda said: statement_to_json(with_public_noise(said)))
    run = made_run(store)
    store.add_attack(run.id, made_attack(run.id, name="relations"))
    shown = texts(opened("relations"))
    assert "**At ε 4 and secret noise** (weak protection), whatever they try" in shown
    assert shown.count(statement.PUBLIC) == 2, "beside the bound and on the card"
    assert "only ε is a promise, and that of secret noise alone." in shown


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
        "relation_options": {sound},
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
    assert f"The test asks for relations of **{predicted}**" in shown
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


@pytest.mark.parametrize(("searched", "of", "told"), [(999, 5000, True), (999, 1000, False)])
def test_it_is_told_where_some_texts_alone_were_searched(
    opened: Open, store: RunStore, process: Answering, searched: int, of: int, told: bool
) -> None:
    made_run(store)
    process.found = replace(made_answer(), searched=searched, texts=of)
    shown = texts(ask(opened("relations"), "a rake"))
    assert f"Compared with {searched} texts of garden." in shown
    assert ("Of its 5,000 texts, 999 were searched." in shown) is told


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


@pytest.mark.long
def test_a_text_of_another_domain_is_told_what_training_makes_of_it_and_searched_there(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_run(store)
    answer = made_answer(partners=False)
    titles = ("rustic bench", "rustic rake", "rustic swing", "rustic lamp", "oak lamp", "tin lamp")
    process.found = replace(
        answer,
        entities=tuple(replace(one, text=text) for one, text in zip(answer.entities, titles, strict=True)),
        near={**answer.near, "base": Near(score=0.31, usual=0.85, chance=0.2, nearer=1.0)},
    )
    app = ask(opened("relations"), "rustic kettle")
    (info,) = app.info
    assert "its nearest scores 0.31, where 0.85 is usual and 0.20 is chance" in info.value
    assert info.value.endswith("still share with it: **rustic** (Private, ε 4).")
    app.button(key="search.kitchen").click().run()
    asked = process.asked[-1]
    assert (asked.text, asked.domain) == ("rustic kettle", "kitchen")
    ask(app, "quantum banking law")
    assert not app.info
    assert any("The order below says next to nothing" in one.value for one in app.warning)


def test_words_that_training_has_brought_to_the_front_are_told(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_run(store)
    answer = made_answer(partners=False)
    titles = ("oak bench", "tin bench", "red bench", "rustic rake", "rustic lamp", "rustic mug")
    places = [{"base": row + 1, "private": 6 - row} for row in range(6)]
    process.found = replace(
        answer,
        entities=tuple(
            replace(one, text=title, places=at, scores=dict.fromkeys(at, 0.5))
            for one, title, at in zip(answer.entities, titles, places, strict=True)
        ),
    )
    shown = texts(ask(opened("relations", neighbours="3"), "a swing"))
    assert "**What the 3 nearest share**" in shown
    assert "- Base encoder, tiny: **bench** in 3\n- Private, ε 4: **rustic** in 3" in shown, "whatever was asked"
    assert "1. **rustic** mug" in shown


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


# Options that are moved


@pytest.mark.long
def test_a_budget_is_moved_though_the_noise_was_given(
    opened: Open, store: RunStore, process: Answering, submitted: list[RunSpec]
) -> None:
    made_run(store, noise_multiplier=1.0)
    move(opened("relations"), "epsilon")
    assert [one.asked_epsilon for one in submitted] == [1, 2, 4, 10], "each calibrates its own noise"


def test_moved_runs_are_trained_on_the_device_of_the_chosen_one(
    opened: Open, store: RunStore, process: Answering, submitted: list[RunSpec]
) -> None:
    keep(store, make_spec("relational", "products", TINY, device="cpu"), facts=TEXT_FACTS)
    move(opened("relations"), "negatives")
    assert {one.device for one in submitted} == {"cpu"}


# Attacks


@pytest.mark.long
def test_what_an_attack_found_is_told_with_its_intervals(opened: Open, store: RunStore, process: Answering) -> None:
    run = made_run(store)
    made = made_attack(run.id, name="relations")
    rates = (
        Rate(false=0.001, true=0.02, low=0.0, high=0.11),
        Rate(false=0.01, true=0.12, low=0.03, high=0.201),
        Rate(false=0.05, true=0.31, low=0.25, high=0.375),
    )
    found = replace(made.outcome, others=1000, area=0.731, area_low=0.652, area_high=0.798, rates=rates)
    alone = replace(made, outcome=found, areas=made.areas[:1], true_rates=made.true_rates[:1])
    store.add_attack(run.id, alone)
    (table,) = (one for one in opened("relations").dataframe if "attack" in one.value)
    row = table.value.iloc[0]
    assert row["area"] == "0.731"
    assert row["interval"] == "0.652 to 0.798"
    assert row["found at 5.0% false alarms"] == "31.0% (25.0% to 37.5%)"
    assert row["models"] == "1"
    assert "trained again and attacked." in texts(opened("relations"))
    shown = texts(opened("relations"))
    assert "One model was attacked: its interval leaves out the chance in training." in shown
    assert "only an evaluator knows, who keeps the coin" in shown
    assert "signed-rank p**" not in shown, "nobody was matched"
    store.add_attack(run.id, replace(alone, signed_rank=0.5))
    assert "**signed-rank p**: Wilcoxon's test" in texts(opened("relations"))


def test_where_an_attack_finds_nothing_one_that_finds_something_is_named(
    opened: Open, store: RunStore, process: Answering
) -> None:
    """On relations that were read often; a private run of that setting stands beside it."""
    often, hidden = made_run(store, unit="none", steps=400), made_run(store, steps=400, epsilon=2.0)
    other = made_run(store, steps=200, epsilon=2.0)
    bare, private = made_pair(store)
    for run, memory in ((often, 3.0), (hidden, 0.0), (other, 3.0), (bare, 0.0), (private, 0.0)):
        store.add_attack(run.id, made_attack(run.id, name="relations", memory=memory))
    address = {"private": private.id, "bare": bare.id}
    app = opened("relations", **address)
    shown = texts(app)
    assert "**Where relations are read more often, the same attack finds them.** On Made-up products" in shown
    assert "it picks the right one of two: without privacy: **98.1%**" in shown, "of the run that it tells apart"
    assert shown.count("ε 2: **") == 1, "and of the private run of that setting, not of another"
    assert "It finds nothing with privacy." in shown
    assert "See the attack that finds relations" in link_labels(app)
    store.add_attack(bare.id, made_attack(bare.id, name="relations", memory=3.0))
    assert "read more often" not in texts(opened("relations", **address)), "these runs show it themselves"


def test_attacks_with_and_without_shadow_models_stand_side_by_side(
    opened: Open, store: RunStore, process: Answering
) -> None:
    run = made_run(store)
    for name in ("relations", "relations-bavaria"):
        store.add_attack(run.id, replace(made_attack(run.id, name=name), title=name))
    (table,) = (one for one in opened("relations").dataframe if "attack" in one.value)
    assert sorted(table.value["attack"]) == ["relations", "relations-bavaria"]


def test_attacks_stand_in_the_order_of_their_figure(opened: Open, store: RunStore, process: Answering) -> None:
    for run in made_pair(store):
        said = run.statement
        store.add_attack(
            run.id, replace(made_attack(run.id, name="relations"), sound=said.epsilon if said else math.inf)
        )
    app = opened("relations")
    (table,) = (one.value for one in app.dataframe if "attack" in one.value)
    drawn = [row["attack"] for row in files(app)["attack_areas"]["rows"]]
    assert table["run"].tolist() == drawn == ["Private, ε 4", "Without privacy"]


@pytest.mark.parametrize("units", [["edge"], ["edge", "none"]], ids=["of the private run alone", "of both"])
def test_an_attack_that_finds_nothing_is_a_finding_and_no_proof(
    opened: Open, store: RunStore, process: Answering, units: list[str]
) -> None:
    runs = [made_run(store, unit=unit) for unit in units]
    assert "only ε is a promise" not in texts(opened("relations")), "nothing was tried"
    for run in runs:
        store.add_attack(run.id, made_attack(run.id, name="relations", memory=0.0))
    shown = texts(opened("relations"))
    both = len(units) == 2
    assert f"**The attack tried here finds nothing{', not even without privacy' * both}.**" in shown
    assert ("So it cannot show here what ε protects" in shown) is both
    assert "the private run: **" in shown
    assert "In the paper (Table 4, MAG-USA), the attack finds 6.9%" in shown
    assert "Another attack may find more; only ε is a promise." in shown


@pytest.mark.long
def test_how_often_a_relation_was_read_stands_beside_an_attack_that_finds_nothing(
    opened: Open, store: RunStore, process: Answering
) -> None:
    run = made_run(store, steps=40)
    store.add_attack(run.id, made_attack(run.id, name="relations", memory=0.0))
    seldom = "read each relation 0.64 times on average: what is read so seldom"
    assert seldom in texts(opened("relations")), "40 · 32 / 2,000"
    often = made_run(store, steps=125)
    store.add_attack(often.id, made_attack(often.id, name="relations", memory=0.0))
    assert "read each relation 2 times on average. " in texts(opened("relations"))


@pytest.mark.long
def test_the_reason_is_that_of_the_attacked_run_and_the_other_is_named(
    opened: Open, store: RunStore, process: Answering
) -> None:
    bare, private = made_run(store, unit="none", steps=40), made_run(store, steps=400)
    store.add_attack(bare.id, made_attack(bare.id, name="relations", memory=0.0, targets=1))
    shown = texts(opened("relations"))
    assert "**The attack tried here finds nothing, not even without privacy.**" in shown
    name, other = "the run without privacy", "The private run"
    assert f"Training of {name} read each relation 0.64 times on average: what is read" in shown
    assert f"{other} was not attacked. Another attack may find more" in shown
    store.add_attack(private.id, made_attack(private.id, name="relations", memory=0.0))
    assert f"0.64 times ({name}) and 6.4 times (the private run) on average. " in texts(opened("relations"))


def test_an_attack_that_finds_something_says_of_whom(opened: Open, store: RunStore, process: Answering) -> None:
    run = made_run(store)
    store.add_attack(run.id, made_attack(run.id, name="relations", memory=3.0))
    shown = texts(opened("relations"))
    assert "**The attack tried here can tell what the private run learnt from.**" in shown
    assert "finds nothing" not in shown


@pytest.mark.parametrize(("bound", "said"), [(None, "none yet"), (0.0, "at least 0"), (0.25, "at least 0.25")])
def test_card_and_table_say_an_audited_bound_in_the_same_words(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch, bound: float | None, said: str
) -> None:
    run = made_run(store)
    store.add_attack(run.id, replace(made_attack(run.id, name="relations"), bound=bound))
    statement = run.statement
    assert statement is not None
    audited = replace(statement, epsilon_audited=bound)
    monkeypatch.setattr(type(run), "statement", property(lambda _: audited))
    app = opened("relations")
    (table,) = (one for one in app.dataframe if "attack" in one.value)
    assert table.value.iloc[0]["ε audited"] == said
    told = f"**{said}**" if bound else said
    assert f"ε audited {told}" in texts(app), "bold where an audit has found something"


@pytest.mark.parametrize(("bound", "said"), [(0.0, "none yet"), (0.25, "at least 0.25")])
def test_a_run_without_privacy_has_no_epsilon_to_audit(
    opened: Open, store: RunStore, process: Answering, bound: float, said: str
) -> None:
    run = made_run(store, unit="none")
    store.add_attack(run.id, replace(made_attack(run.id, name="relations", sound=math.inf), bound=bound))
    app = opened("relations")
    (table,) = (one for one in app.dataframe if "attack" in one.value)
    assert table.value.iloc[0]["ε audited"] == said
    assert "ε audited none yet" in texts(app)
    assert ("claims no ε that could be audited" in texts(app)) == (bound > 0), "why card and table differ"


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "word"), [(1.0, "Strong"), (2.0, "Moderate"), (4.0, "Weak"), (20.0, "Next to no")])
def test_a_private_run_s_card_calls_its_epsilon_as_the_run_s_page_does(
    opened: Open, store: RunStore, process: Answering, epsilon: float, word: str
) -> None:
    run = made_run(store, epsilon=epsilon)
    assert f"({word.lower()} protection)" in texts(opened("relations"))
    assert f"{word.lower()} protection" in texts(opened("train", run=run.id))


# What a stranger stumbles over


@pytest.mark.long
def test_an_attack_that_was_made_is_seen_and_the_other_one_is_offered(
    opened: Open, store: RunStore, process: Answering
) -> None:
    run = made_run(store)
    assert "Choose an attack on the private run" in link_labels(opened("relations"))
    store.add_attack(run.id, made_attack(run.id, name="relations"))
    app = opened("relations")
    assert "See the attack on the private run" in link_labels(app)
    assert "Not tried yet: Relations, by likelihood ratio" in link_labels(app)
    assert "ε 4: 98.3% · ε 10: over 99.99%" in texts(app), "no bound is a certainty"
    store.add_attack(run.id, made_attack(run.id, name="relations-bavaria"))
    assert not any("Not tried yet" in one for one in link_labels(opened("relations")))


def test_of_an_epsilon_that_excludes_nothing_no_limit_is_told(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_run(store, epsilon=20.0)
    shown = texts(opened("relations"))
    assert "so large an ε excludes next to nothing" in shown
    assert "they are right at most 100%" not in shown


@pytest.mark.long
def test_runs_of_the_gallery_say_that_their_encoder_is_not_here_and_are_trained_by_one_click(
    opened: Open, store: RunStore, process: Answering, submitted: list[RunSpec]
) -> None:
    full_gallery.fill(store)
    first = opened("relations")
    assert "no encoder" not in texts(first), "encoders of a few runs came along, and those stand first"
    assert not [one for one in first.button if str(one.key).startswith("train_here.")]
    for path in store.folders.glob("*/*.safetensors"):
        path.unlink()  # as of every other run of the gallery
    app = opened("relations")
    shown = texts(app)
    assert (
        "The gallery has the numbers of both runs, and no encoder: until one is trained here, the base encoder "
        "answers alone." in shown
    )
    asked = [one for one in app.button if str(one.key).startswith("train_here.")]
    assert [one.label for one in asked] == [
        "Train the private run here, about 2 min",
        "Train the run without privacy here, about 2 min",
    ]
    assert "It takes about 2 min." in shown, "one time for one training, everywhere"
    assert len(asked) == 2
    settings = [f"{name}, edge ε {one}" for name in ("PvGaLM", "Randomised relations") for one in (1, 2, 4, 10)]
    offered = [*settings, "PvGaLM, edge ε 4 · products 200"]  # the small shop, whose relations are read often
    assert sorted(app.selectbox(key="private").options) == sorted(f"{one} · no encoder" for one in offered), (
        "one of each setting: seeds that cannot be asked are told in the table"
    )
    assert app.selectbox(key="bare").options[0] == "PvGaLM, not private · no encoder"
    there = first.selectbox(key="private").options
    assert [one.split(", seed")[0] for one in there[:2]] == ["PvGaLM, edge ε 4", "PvGaLM, edge ε 10"]
    assert len(there) == len(settings) + 1
    private = store.get(str(app.selectbox(key="private").value))
    asked[0].click().run()
    (spec,) = submitted
    shipped = {one.spec.seed for one in store.find(RunQuery(limit=1000)) if one.spec.options == spec.options}
    assert (spec.options, spec.seed) == (private.spec.options, max(shipped) + 1), "the gallery's seeds stay"
    ask(app, "a rake")
    assert [one.name for one in process.asked[0].encoders] == ["base"], "what is not here is not asked"
    assert max(len(one) for one in app.selectbox(key="private").options) < 53, (
        "no entry is cut where the field is as wide as a phone"
    )
    own = made_run(store)
    assert opened("relations").selectbox(key="private").value == own.id, "of what can be asked, the newest comes first"


@pytest.mark.long
def test_the_switch_of_the_gallery_hides_what_the_address_names(
    opened: Open, store: RunStore, process: Answering
) -> None:
    full_gallery.fill(store)
    chosen = str(opened("relations").selectbox(key="private").value)
    app = opened("relations", private=chosen, gallery="false")
    assert "No language model has learnt relations here yet" in app.info[0].value
    assert not app.warning
    for page in ("attacks", "audit"):
        run = str(opened(page).selectbox(key="run").value)
        hidden = opened(page, run=run, gallery="false")
        assert "run" not in {one.key for one in hidden.selectbox}
        assert not hidden.warning


def test_a_run_under_way_is_stopped_here_and_its_stop_is_acknowledged(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made_run(store, state="queued")
    worker = new_worker()
    store.leases.claim([run.id], worker)
    monkeypatch.setattr(queue, "launch", lambda *_: None)
    app = opened("relations", private=run.id)
    assert not app.warning, "an address that names a run in training is no mistake"
    app.button(key=f"stop_run.{run.id}").click().run()
    assert store.get(run.id).state == "stopping"
    button = app.button(key=f"stop_run.{run.id}")
    assert (button.label, button.disabled) == ("Stopping…", True)


def test_the_base_encoder_has_no_seeds_for_nothing_trained_it(
    opened: Open, store: RunStore, process: Answering
) -> None:
    for seed in range(2):
        made_run(store, seed=seed)
    (table,) = (one.value for one in opened("relations").table if "PREC@1" in one.value)
    assert table["seeds"].tolist() == ["–", "–", "2"]


def test_two_values_of_an_option_are_no_section_and_more_can_be_trained(
    opened: Open, store: RunStore, process: Answering
) -> None:
    run = made_run(store, metrics={"test_accuracy": 0.1})
    made_run(store, negatives=8, metrics={"test_accuracy": 0.3})
    app = opened("relations", private=run.id)
    assert "### What moves it?" not in texts(app)
    assert "relation_options" not in files(app)
    assert app.button(key="train_moved").label == "Train 3 runs"
    (told,) = (one.value for one in app.caption if "runs are missing" in one.value)
    assert "3 runs are missing, about 7 s in all." in told, "25 texts a relation, 10 of which took 3 s"
    made_run(store, negatives=16)
    app = opened("relations", private=run.id)
    assert "### What moves it?" in texts(app)
    assert "[what moves it](#what-moves-it)" in texts(app)
    assert "one in **negatives k** alone, all else equal. For other options: “Train several values of" in texts(app)
    made_run(store, steps=8)
    told = next(one.value for one in opened("relations", private=run.id).markdown if "all else equal" in one.value)
    assert "**negatives k or steps T** alone" in told
    assert "learning rate" not in told, "of one learning rate alone"


# What privacy cost


def test_one_seed_of_each_says_what_privacy_cost_and_trains_what_would_show_it(
    opened: Open, store: RunStore, process: Answering, submitted: list[RunSpec]
) -> None:
    bare, private = made_pair(store)
    made_run(store, seed=2, state="queued")
    app = opened("relations")
    said = next(one.value for one in app.markdown if "the right partner comes first" in one.value)
    assert said == (
        "**At ε 4, the right partner comes first (PREC@1) for 6.0% of relations, and for 14.0% without privacy.** 1 "
        "seed of each cannot tell what privacy costs: it takes 3 of each. Training was short (each relation was read "
        "0.064 times on average): after more, the price may differ. Before any training, it is 2.0%."
    )
    assert "differ in more" not in said
    order = [one.value for one in app.markdown]
    assert order.index(said) < order.index("### Settings and training")
    assert "1 more seed is in training" in texts(app)
    assert app.button(key="train_seeds").label == "Train 3 missing seeds: about 9 s"
    app.button(key="train_seeds").click().run()
    assert not app.exception
    assert [(one.options, one.seed) for one in submitted] == [
        *((bare.spec.options, seed) for seed in (1, 2)),
        (private.spec.options, 1),
    ], "seed 2 of the private run waits"


@pytest.mark.parametrize(
    ("spread", "said", "offered"),
    [
        (0.002, "**At ε 4, privacy costs 5.0 points: the right partner comes first (PREC@1) for 15.2%", 0),
        (0.05, "may differ. The difference is 9.8", 6),
        (-0.05, "this difference may still be chance.** Before any training, it is 2.0%. Training was short", 6),
    ],
)
def test_three_seeds_of_each_say_whether_privacy_cost_anything(
    opened: Open,
    store: RunStore,
    process: Answering,
    submitted: list[RunSpec],
    spread: float,
    said: str,
    offered: int,
) -> None:
    for seed in range(3):
        made_run(store, seed=seed, metrics={"test_accuracy": 0.15 + 0.002 * seed})
        made_run(store, seed=seed, unit="none", metrics={"test_accuracy": 0.2 + spread * seed})
    app = opened("relations")
    assert said in texts(app)
    assert ("train_seeds" in {one.key for one in app.button}) == bool(offered)
    if offered:
        assert app.button(key="train_seeds").label == "Train 3 more seeds of each: about 18 s"
        app.button(key="train_seeds").click().run()
        assert sorted(one.seed for one in submitted) == [3, 3, 4, 4, 5, 5]


def test_what_differs_in_more_than_privacy_is_not_called_its_cost(
    opened: Open, store: RunStore, process: Answering
) -> None:
    for seed in range(3):
        made_run(store, seed=seed)
        made_run(store, seed=seed, unit="none", negatives=7)
    shown = texts(opened("relations"))
    assert "The difference is 0.0 points (95% confidence interval 0.0 to 0.0 points, 3 seeds of each)" in shown
    assert " The two differ in more than privacy: negatives." in shown
    assert "At ε 4, privacy costs" not in shown


def test_a_run_alone_is_told_beside_its_base(opened: Open, store: RunStore, process: Answering) -> None:
    made_run(store, unit="none")
    app = opened("relations")
    assert "**Without privacy, the right partner comes first (PREC@1) for 6.0% of relations.**" in texts(app)
    assert "train_seeds" not in {one.key for one in app.button}


@pytest.mark.parametrize(
    ("private", "bare", "said"),
    [
        (0.20, 0.15, "the private run finds 5.0 points more: the right partner comes first (PREC@1) for 20.2% of"),
        (0.15, 0.20, "privacy costs 5.0 points: the right partner comes first (PREC@1) for 15.2% of"),
    ],
)
def test_a_difference_stands_beside_its_interval_whichever_run_is_ahead(
    opened: Open, store: RunStore, process: Answering, private: float, bare: float, said: str
) -> None:
    """Welch's: 2.78 standard errors of 0.163 points."""
    for seed in range(3):
        made_run(store, seed=seed, metrics={"test_accuracy": private + 0.002 * seed})
        made_run(store, seed=seed, unit="none", metrics={"test_accuracy": bare + 0.002 * seed})
    shown = texts(opened("relations"))
    assert f"**At ε 4, {said}" in shown
    assert "95% confidence interval 4.5 to 5.5 points, 3 seeds of each" in shown


def test_promises_of_other_epsilons_stand_each_beside_its_own(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_run(store)
    shown = texts(opened("relations"))
    assert "at most: ε 0.5: 62.3% · ε 1: 73.2% · ε 2: 88.1% · ε 4: 98.3% · ε 10: over 99.99%. It holds" in shown


def test_numbers_stand_under_the_encoder_that_they_are_of(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    answer = made_answer()
    scores = {"base": (0.61, 0.51), "bare": (0.72, 0.62), "private": (0.83, 0.73)}
    near = {key: Near(score=score, usual=usual, chance=0.3, nearer=0.1) for key, (score, usual) in scores.items()}
    process.found = replace(answer, near=near)
    app = ask(opened("relations"), "rustic bench")
    told = [one.value for one in app.caption if one.value.startswith("nearest ")]
    assert told == [f"nearest {score:.3f} · usual {usual:.3f}" for score, usual in scores.values()]
    places = {(one.number, key): (one.places[key], one.scores[key]) for one in answer.entities for key in scores}
    drawn = files(app)["moved"]["rows"]
    assert {(row["number"], row["encoder"]): (row["place"], row["score"]) for row in drawn} == places
    table = next(one.value for one in app.dataframe if "text" in one.value)
    titles = {"base": "Base encoder, tiny", "bare": "Without privacy", "private": "Private, ε 4"}
    for one in answer.entities:
        (row,) = (dict(row) for _, row in table.iterrows() if row["text"] == one.text)
        for key, title in titles.items():
            assert (row[f"place, {title}"], row[f"score, {title}"]) == places[one.number, key]
