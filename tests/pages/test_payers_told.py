"""Who pays what, in words: the one number for all, what is public, and what is of the votes alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import streamlit as st
from tests.figures.made_ensembles import ensemble
from tests.pages.ensemble_pages import PAYERS, Open, keep_run
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import texts

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.teachers import by_weight, payers
from privgraph_workbench.words.numbers import proved_epsilon, upper

SOUND = EPSILONS["sound"].title
pytestmark = pytest.mark.usefixtures("unread")


def test_the_number_for_all_is_what_the_heaviest_pay(opened: Open, store: RunStore) -> None:
    found = ensemble(gate_sigma=0.0)
    app = opened("teachers", data="karate", run=keep_run(store, found), tab=PAYERS)
    assert f"give for all is **{SOUND} {upper(float(found.sound.max()))}**: no node pays more." in texts(app)
    app.session_state["fold.teachers"] = True
    table = next(one.value for one in app.run().dataframe if "right by itself" in one.value)
    order = table["teacher"].to_numpy()
    assert table["right by itself"].to_numpy() == pytest.approx(100 * found.accuracy[order]), "in percent"


def test_what_is_public_is_not_called_private() -> None:
    assert payers.PUBLIC.endswith("how many, and how central they are is **private**.")
    assert "what nodes pay by weight is **public**." in payers.PUBLIC
    labels = {name: (label, said) for name, label, said in payers.ACCURACIES}
    assert len(labels) == len(payers.ACCURACIES), "no number stands under two names"
    assert labels["lower_bound"][0] == "Before tuning"
    assert "lower bound" in labels["lower_bound"][1]
    assert labels["upper_bound"][0] == "Best teacher"
    assert "upper bound" in labels["upper_bound"][1]


def test_all_pay_alike_where_votes_weigh_the_same_and_not_where_a_limit_makes_them() -> None:
    """Under a limit that all reach, unequal weights pay the same, and not because they weigh the same."""
    found = ensemble()
    assert not payers.alike(replace(found, sound=np.full_like(found.sound, 1.0)))
    assert payers.alike(ensemble(weights=(1.0,)))


def test_a_guess_is_held_against_a_coin() -> None:
    assert by_weight.GUESSES.endswith("A coin is right in 50%.")


def test_a_group_of_weights_pays_what_its_heaviest_pays() -> None:
    found = ensemble(gate_sigma=0.0, weights=tuple(float(one) for one in np.linspace(0.5, 1.5, 40)))
    lines = by_weight.lines(found)
    assert len(lines) < len(set(found.weights.tolist())), "groups of weights"
    column = f"{SOUND}, all {len(found.queries)}"
    assert lines[-1][column] == upper(float(found.sound.max()))
    assert lines[0][column] != upper(float(found.sound.min()))


def test_through_a_gate_no_guess_is_told_of_the_noise_itself() -> None:
    assert by_weight.exactly(ensemble(gate_sigma=0.0))
    gated = ensemble(gate_sigma=30.0)
    assert by_weight.exactly(gated) == ""
    assert all(by_weight.GUESS in line for line in by_weight.lines(gated))


def test_a_run_is_told_by_its_sound_epsilon(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    record = store.get(keep(store, spec("privgnn", lam=0.4)))
    assert record.statement is not None
    said = replace(record.statement, epsilon=4.0, epsilon_as_published=0.5)
    monkeypatch.setattr(RunRecord, "statement", property(lambda _: said))
    assert by_weight.whose(record, None) == f"Each private node: **{SOUND} {proved_epsilon(4.0)}**."


def test_no_epsilon_but_the_sound_one_may_be_published(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, str]] = []
    monkeypatch.setattr(st, "table", lambda rows, **_: shown.extend(rows))
    by_weight.kinds("1 – 2", 0.5, "0.1 – 0.2")
    may = [(one["value"], one["may it be published?"]) for one in shown]
    assert [value for value, _ in may] == ["1 – 2", "0.5", "0.1 – 0.2"]
    assert [said.startswith("yes") for _, said in may] == [True, False, False]
    assert may[1][1].endswith("it is no promise")
    assert may[2][1].startswith("no: ")
