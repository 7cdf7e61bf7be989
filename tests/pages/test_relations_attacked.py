"""The Relations page: what it tells of attacks, and of the runs that they were made on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_relations import made_pair, made_run
from tests.pages.reading import texts
from tests.pages.relation_pages import (
    Answering,
    described,
    files,
    link_labels,
    process,
    submitted,
)

from privgraph.attacks.outcome import Rate
from privgraph.runs.store import RunStore

Open = Callable[..., AppTest]
__all__ = ["described", "process", "submitted"]  # fixtures
pytestmark = pytest.mark.usefixtures("described")


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
