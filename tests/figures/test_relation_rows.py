"""Figures of relations: their epsilons, which runs stand in one mean, and one colour for each side."""

from __future__ import annotations

import pytest
import torch
from tests.figures.made_relations import made_pair, made_run

from privgraph.methods.relations.evaluation import ranks
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.relations import relation_ranking


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
