"""Figures of relations: their epsilons, which runs stand in one mean, and one colour for each side."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from tests.figures import made_relations
from tests.figures.made_audits import audit as made_audit
from tests.figures.made_relations import NAMES, made_answer, made_pair, made_run

from privgraph.methods.relations.evaluation import ranks
from privgraph.privacy.serialisation import statement_to_json
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.relations import moved, relation_ranking
from privgraph_workbench.theme import NEUTRAL


def test_private_runs_have_one_colour_in_both_figures_and_those_without_privacy_another(store: RunStore) -> None:
    rows = relation_ranking.data(made_pair(store))
    base, bare, private = (row["label"] for row in rows[1:])
    drawn = [one for one in relation_ranking.chart(rows).series if one.kind == "bars"]
    bars = {str(label).split("\n")[0]: one.slot for one in drawn for label in one.y}
    marks = {one.name: one.slot for one in moved.chart(moved.data(made_answer(), NAMES)).series if one.name}
    assert bars[private] == marks[NAMES["private"]]
    assert bars[bare] == marks[NAMES["bare"]]
    assert bars[base] == marks[NAMES["base"]] == NEUTRAL
    assert len({bars[one] for one in (base, bare, private)}) == 3


def test_guessing_is_among_the_texts_that_are_there(store: RunStore) -> None:
    """Against somebody who guesses: 256 relations whose partners are 40 texts."""
    generator = torch.Generator().manual_seed(0)
    found = []
    for _ in range(20):
        asked = torch.stack([40 + torch.randint(0, 40, (256,), generator=generator), torch.arange(256) % 40])
        found.append(ranks(torch.randn(80, 16, generator=generator), asked))
    guessed = torch.cat(found)
    pair = made_pair(store)
    guessing = relation_ranking.data(pair, texts=40)[0]
    assert guessing["label"] == "guessing among 40"
    assert guessing["accuracy"] == 1 / 40 == pytest.approx(float((guessed == 1).double().mean()), rel=0.2)
    assert guessing["mrr"] == pytest.approx(float((1 / guessed).mean()), rel=0.1)
    assert relation_ranking.data(pair, texts=4000)[0]["label"] == "guessing among 256"


def test_a_gain_is_that_on_the_base_of_the_same_seed(store: RunStore) -> None:
    """The base is judged anew with each seed, by other relations: which run is chosen must not matter."""
    reached = [(0.10, 0.02), (0.14, 0.05), (0.12, 0.01)]
    runs = [
        made_run(store, seed=seed, metrics={"test_accuracy": test, "base_accuracy": base})
        for seed, (test, base) in enumerate(reached)
    ]
    for chosen in runs:
        row = relation_ranking.data([chosen], runs)[-1]
        assert row["gain"] == pytest.approx((0.08 + 0.09 + 0.11) / 3)
        assert row["gain_error"] == pytest.approx(0.0152753 / 3**0.5, rel=1e-4)


def test_the_three_epsilons_of_a_run_stand_apart(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        made_relations, "statement_to_json", lambda said: statement_to_json(replace(said, epsilon_as_published=1.5))
    )
    run = made_run(store)
    assert run.statement is not None
    store.add_audit(run.id, replace(made_audit(run.id, delta=run.statement.delta), epsilon=0.75))
    row = relation_ranking.data([store.get(run.id)])[-1]
    assert (row["epsilon_as_published"], row["epsilon_audited"]) == (1.5, 0.75)
    assert 3.96 < row["epsilon"] <= 4
