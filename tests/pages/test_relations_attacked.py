"""The Relations page: what it tells of attacks, and of the runs that they were made on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
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

from privgraph.registry import ATTACKS
from privgraph.runs.store import RunStore
from privgraph_workbench import leaks

Open = Callable[..., AppTest]
__all__ = ["described", "process", "submitted"]  # fixtures
pytestmark = pytest.mark.usefixtures("described")


def tables(app: AppTest) -> list[pd.DataFrame]:
    return [one.value for one in app.dataframe if "outcome" in one.value]


def test_each_attack_has_a_badge_and_a_row_in_the_order_of_their_figure(
    opened: Open, store: RunStore, process: Answering
) -> None:
    for run, memory in zip(made_pair(store), (0.0, 3.0), strict=True):
        sound = run.statement.epsilon if run.statement else math.inf
        for seed in range(2):
            made = made_attack(run.id, name="relations", memory=memory, seed=seed)
            store.add_attack(run.id, replace(made, sound=sound))
    app = opened("relations")
    (table,) = tables(app)
    outcomes = [one.outcome for one in leaks.table(store).itertuples() if one.record.options.seed == 0]
    assert sorted(table.outcome) == sorted(set(outcomes))
    drawn = [row["run"] for row in files(app)["attack_areas"]["rows"]]
    assert list(table.run) == drawn
    for outcome in table.outcome:
        assert any(f"-badge[{outcome}]" in one.value for one in app.markdown)


def test_attacks_with_and_without_shadow_models_stand_side_by_side(
    opened: Open, store: RunStore, process: Answering
) -> None:
    run = made_run(store)
    for name in ("relations", "relations-bavaria", "bavaria"):
        store.add_attack(run.id, made_attack(run.id, name=name))
    (table,) = tables(opened("relations"))
    assert sorted(table.attack) == sorted(ATTACKS[name].title for name in ("relations", "relations-bavaria"))


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
