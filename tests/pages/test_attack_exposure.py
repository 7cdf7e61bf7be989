"""Whom an attack exposes: groups of nodes, and single ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
from tests.pages.attack_pages import ahead, unfold
from tests.pages.reading import summaries, texts

from privgraph.attacks.record import Group
from privgraph.audits.bounds import mean_of_shares
from privgraph.runs.store import RunStore
from privgraph_workbench.views.attacks import exposure
from privgraph_workbench.words.numbers import exact_percent, number

Open = Callable[..., AppTest]


@pytest.mark.long
def test_nobody_is_listed_as_exposed_by_a_guess(opened: Open, store: RunStore, run: str) -> None:
    for memory, listed in ((0.0, False), (3.0, True)):
        store.add_attack(run, made_attack(run, memory=memory, seed=5))
        app = opened("attacks", run=run)
        unfold(app)
        text = texts(app)
        assert ("The most exposed nodes" in text) == listed
        assert ("No single node can be named: the attack is no better than guessing." in text) != listed


@pytest.mark.long
def test_how_many_of_the_exposed_chance_would_list_stands_beside_them(opened: Open, store: RunStore, run: str) -> None:
    made = made_attack(run, memory=3.0)
    assert made.ahead.found >= sum(one.exposure == 1 for one in made.exposed) > 3
    store.add_attack(run, ahead(made, 40))
    app = opened("attacks", run=run)
    unfold(app)
    text = texts(app)
    seen = made.ahead
    assert (
        f"Of {seen.members} nodes trained on, about {number(seen.by_chance, 2)} would stand before all {seen.others} "
        "others by chance; 40 do. Which of them are there by chance cannot be told."
    ) in text
    assert "listed by" not in text, "there is no other attack"
    other = replace(ahead(made, 40), exposed=made.exposed[:7], attack="lira", title="LiRA")
    store.add_attack(run, other)
    store.add_attack(run, replace(ahead(made, 1), attack="rmia"))
    app = opened("attacks", run=run, found="1")
    unfold(app)
    assert "Of the 20 listed here, 7 are listed by another attack on this run, too." in texts(app)
    table = next(one.value for one in app.dataframe if "other attacks that list it" in one.value.columns)
    assert table["other attacks that list it"].tolist() == [1] * 7 + [0] * 13


def test_nobody_is_listed_where_chance_explains_who_stands_in_front(opened: Open, store: RunStore, run: str) -> None:
    store.add_attack(run, ahead(made_attack(run, memory=3.0), 6))
    app = opened("attacks", run=run)
    unfold(app)
    text = texts(app)
    seen = ahead(made_attack(run, memory=3.0), 6).ahead
    assert (
        f"No single node can be named: of the run's own training nodes, 6 of {seen.members:,} stand before all "
        f"{seen.others:,} others, about "
        f"{number(seen.by_chance, 2)} would by chance, where so many or more do in {exact_percent(seen.p, 2)} of cases."
    ) in text
    assert not [one.label for one in app.expander if "the most exposed nodes" in one.label], "no title promises them"
    assert not [one for one in app.dataframe if "degree" in one.value.columns]
    assert not [one for one in summaries(app) if "The most exposed" in one], "nor is there a map of them"
    none = exposure.nobody(ahead(made_attack(run, memory=3.0), 0))
    assert none.endswith(f"none of {seen.members:,} stands before all {seen.others:,} others.")


def test_a_group_stands_out_only_where_its_widened_interval_lies_above_all() -> None:
    def told(*classes: tuple[str, int, float]) -> str:
        held = tuple(Group(name=name, nodes=nodes, exposure=mean) for name, nodes, mean in classes)
        return exposure.groups(replace(made_attack(memory=memory), by_degree=(), by_class=held))

    memory = 0.0

    assert told(("a", 500, 0.5), ("b", 500, 0.5)).startswith(
        "**Nobody in particular: no group by degree or by class stands out.** The largest difference, between class b "
        "(0.5) and class a (0.5), may be chance. Over the 1,000 nodes trained on in any of 3 attacked models, exposure"
    )
    assert told(("a", 900, 0.5), ("b", 4, 0.9)).startswith("**Nobody in particular: "), "four nodes tell nothing"
    assert told(("a", 900, 0.5), ("b", 900, 0.7)) == (
        "**One group stands out: class b (0.7)**. Over the 1,800 nodes trained on in any of 3 attacked models, "
        "exposure is 0.6 on average."
    )
    two = told(("a", 900, 0.4), ("b", 900, 0.7), ("c", 900, 0.8))
    assert two.startswith("**2 groups stand out: class c (0.8), class b (0.7)**"), "the most exposed first"
    # one of 20 groups lies beyond a 95% interval by chance alone: what is told is corrected for that
    few = [(str(place), 100, 0.5) for place in range(19)]
    alone = next(mean / 1000 for mean in range(500, 1000) if mean_of_shares(mean / 1000, 100, 0.025)[0] > 0.51)
    assert told(*few, ("last", 100, alone)).startswith("**Nobody in particular: ")
    assert told(("a", 900, 0.5), ("b", 4, 0.9)).endswith(" Too small to say: class b.")
    assert told() == ""
    memory = 3.0
    assert told(("a", 500, 0.9), ("b", 500, 0.9)).startswith(
        "**All groups are exposed: 0.9 on average, where a guess has 0.5.** The largest difference"
    ), "that nobody is exposed would be read of anything less"
    near = told(("a", 2000, 0.70), *((str(place), 2000, 0.745) for place in range(6)), ("b", 2000, 0.77))
    assert "Clearly apart: class b (0.77) and class a (0.7)." in near, "each too near to the average to stand out"
