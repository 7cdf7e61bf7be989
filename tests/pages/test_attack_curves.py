"""Attacks laid over each other: which, by what button, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.pages.attack_pages import box, cells, unfold
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import summaries, texts

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.store import RunStore
from privgraph_workbench.views.attacks import (
    comparing,
    shown,
)
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import verdicts
from privgraph_workbench.words.numbers import percent

Open = Callable[..., AppTest]


@pytest.mark.long
def test_a_curve_leaves_with_the_statement_of_every_run_that_is_laid_over_it(
    opened: Open, store: RunStore, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8))
    for one in (run, elsewhere):
        store.add_attack(one, made_attack(one))
    left: dict[str, list[float]] = {}

    def exports(figure: str, _rows: object, statements: Mapping[str, PrivacyStatement], **_: object) -> None:
        left[figure] = sorted(statement.epsilon for statement in statements.values())

    monkeypatch.setattr(shown, "figure_exports", exports)
    app = opened("attacks", run=run)
    unfold(app)
    own, other = (store.get(one).statement for one in (run, elsewhere))
    assert own is not None
    assert other is not None
    assert left["attack_roc"] == [own.epsilon]
    assert "attack_areas" not in left, "there is nothing to compare with"
    app.multiselect(key="over").select(elsewhere).run()
    assert left["attack_roc"] == left["attack_areas"] == sorted([own.epsilon, other.epsilon])
    for alone in ("attack_scores", "attack_exposure", "attack_map"):
        assert left[alone] == [own.epsilon], "what is of one attack leaves with its own run's statement"


def compared(app: AppTest) -> str:
    app.session_state["fold.compared"] = True
    return texts(app.run())


@pytest.mark.long
def test_that_an_area_grows_as_epsilon_falls_is_said_only_where_it_does(
    opened: Open, store: RunStore, run: str
) -> None:
    near = keep(store, spec("dp-mlp", unit="node", epsilon=2.0))
    store.add_attack(run, made_attack(run, memory=1.0, sound=8.0))
    store.add_attack(near, made_attack(near, memory=0.3, sound=2.0))
    said = "Where an area grows as ε falls"
    assert said not in compared(opened("attacks", run=run, over=near))
    store.add_attack(near, made_attack(near, memory=2.0, sound=2.0))
    assert said in compared(opened("attacks", run=run, over=near))


@pytest.mark.long
def test_runs_of_one_method_at_other_budgets_are_laid_over_by_one_button(
    opened: Open, store: RunStore, run: str
) -> None:
    near = keep(store, spec("dp-mlp", unit="node", epsilon=2.0))
    bare = keep(store, spec("mlp", unit="none"))
    other = keep(store, spec("gap", unit="node", epsilon=2.0))
    for one in (run, near, bare, other):
        store.add_attack(one, made_attack(one))
    app = opened("attacks", run=run)
    next(one for one in app.button if one.label == "Compare with this method at other ε").click().run()
    assert not app.exception
    assert app.multiselect(key="over").value == [near]
    unfold(app)
    table = next(one.value for one in app.dataframe if "test / training accuracy" in one.value.columns)
    assert len(table) == 3, "what is not private is there already"
    same = keep(store, spec("dp-mlp", unit="node", epsilon=4.0, batch_size=8))
    store.add_attack(same, made_attack(same))
    app = opened("attacks", run=run)
    next(one for one in app.button if one.label == "Compare with this method at other ε").click().run()
    assert app.multiselect(key="over").value == [same], "other options would be compared, too"


def test_of_each_other_run_the_strongest_attack_that_asks_the_same_is_laid_over(
    opened: Open, store: RunStore, run: str
) -> None:
    """However new the others are, and whatever they ask."""
    near = keep(store, spec("dp-mlp", unit="node", epsilon=2.0))
    store.add_attack(run, made_attack(run))
    made = [
        made_attack(near, memory=memory, name=name) for memory, name in ((0.2, "rmia"), (2.0, "lira"), (0.1, "rmia"))
    ]
    for one in (*made, replace(made_attack(near), attack="link")):
        store.add_attack(near, one)
    app = opened("attacks", run=run)
    (offered,) = app.multiselect(key="over").options
    assert offered.endswith(attack_words.short(made[1]))
    next(one for one in app.button if one.label == "Compare with this method at other ε").click().run()
    assert app.multiselect(key="over").value == [near]


def test_the_method_without_privacy_is_compared_with_unasked(opened: Open, store: RunStore, run: str) -> None:
    bare = keep(store, spec("mlp", unit="none"))
    kept, free = made_attack(run, memory=0.2), made_attack(bare, memory=3.0)
    store.add_attack(run, kept)
    assert "Without privacy" not in texts(opened("attacks", run=run))
    store.add_attack(bare, free)
    app = opened("attacks", run=run)
    assert f" Without privacy: {percent(free.found[0])}, clearly more (" in box(app)
    numbers = zip(cells(app)["right one of two picked (a coin: 50%)"], (kept, free), strict=True)
    assert all(cell.startswith(f"**{percent(one.found[0])}** ") for cell, one in numbers)
    (link,) = [one.proto for one in app.get("page_link") if one.proto.label == "Open the run without privacy"]
    assert bare in link.query_string
    assert "the two cannot be told apart" in verdicts.privacy_tells(kept, kept)
    assert ", clearly less (" in verdicts.privacy_tells(free, kept)
    other = verdicts.privacy_tells(free, replace(kept, attack="lira"))
    assert (
        other
        == f"Not to be compared: without privacy another attack (LiRA) is right {percent(kept.found[0])} of the time."
    ), "no points between two"
    assert verdicts.more_with_privacy(kept, free, None) == ""
    more = f"That is more than without privacy ({percent(kept.found[0])})"
    assert verdicts.more_with_privacy(free, kept, (0.7, 0.6)) == f"{more}."
    by_heart = verdicts.more_with_privacy(free, kept, (0.95, 0.6))
    assert by_heart.startswith(f"{more}: noise leaves a network little to learn from neighbours")
    assert "right about 95.0% of them, and 60.0% of the test nodes" in by_heart
    assert "protects no person" in summaries(app)[0]
    assert "Compare with this method at other ε" not in [one.label for one in app.button], "there is none"


def test_only_what_asks_the_same_is_laid_over(opened: Open, store: RunStore, run: str) -> None:
    elsewhere = keep(store, spec("gnn", unit="none"))
    store.add_attack(run, made_attack(run))
    store.add_attack(elsewhere, replace(made_attack(elsewhere), attack="link"))
    app = opened("attacks", run=run)
    assert not [one for one in app.multiselect if one.key == "over"]
    assert "no other attack asks the same" in texts(app)


@pytest.mark.long
def test_what_a_perceptron_gives_away_beyond_a_network_is_explained(opened: Open, store: RunStore) -> None:
    flat, deep = keep(store, spec("mlp", unit="none")), keep(store, spec("gnn", unit="none"))
    store.add_attack(flat, made_attack(flat, memory=4.0))
    store.add_attack(deep, made_attack(deep, memory=0.3))
    why = "A model that reads no edge may give away more of who was trained on"
    assert why in texts(opened("attacks", run=deep, over=flat))
    assert why not in texts(opened("attacks", run=deep))


@pytest.mark.long
def test_of_many_attacks_the_curves_of_the_strongest_are_drawn_and_all_stand_below(
    opened: Open, store: RunStore, run: str
) -> None:
    for seed in range(9):
        store.add_attack(run, made_attack(run, memory=0.2 * seed, seed=seed))
    app = opened("attacks", run=run, found="1", over=[str(place) for place in range(2, 10)])
    curves, areas = summaries(app)
    assert curves.count(": area") == comparing.MOST_CURVES
    assert areas.count("node ε 8") == 9
    assert "6 of 9 curves are drawn: that of the attack shown here and the 5 of the others with the largest areas" in (
        texts(app)
    )
    few = opened("attacks", run=run, found="1", over=["2", "3"])
    assert "curves are drawn" not in texts(few)
    made = [comparing.Other(name=str(one), attack=made_attack(memory=one), run=store.get(run)) for one in range(8)]
    assert made[0] in comparing.drawn(made, [made[0]]), "what a curve has to be compared with stays"
