"""The MLP that ignores edges: it does ignore them, and costs them nothing."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch
from tests.secrets_made_here import KEY

from privgraph.data.load import load
from privgraph.data.splits import with_split
from privgraph.methods.baselines.mlp.config import Config
from privgraph.methods.baselines.mlp.train import train
from privgraph.methods.training import Context, planned, train_one
from privgraph.progress import Metric, Result

SOCIAL = {"nodes": 200, "degree": 8.0, "signal": 3.0}
CHANCE = ("test_nodes", "majority_class_accuracy")


def test_other_edges_give_the_same_run() -> None:
    graph = load("social", data_options=SOCIAL)
    bare = dataclasses.replace(graph, edge_index=graph.edge_index[:, :0], _cache={})
    config = Config(epochs=5, hidden=8)
    assert list(train_one(train, config, graph)) == list(train_one(train, config, bare))


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_it_learns_from_features(layers: int) -> None:
    graph = load("social", data_options=SOCIAL)
    *_, result = train_one(train, Config(epochs=60, hidden=16, layers=layers, dropout=0.2), graph)
    assert isinstance(result, Result)
    assert result.metrics["test_accuracy"] > 0.6, "chance is a quarter"


def test_a_stack_of_seeds_and_rates_is_each_alone() -> None:
    graph = load("social", data_options=SOCIAL)
    members = [
        planned(
            config=Config(epochs=4, hidden=8, learning_rate=rate, epsilon=epsilon),
            graph=with_split(graph, seed),
            context=Context(seed=seed, noise_key=KEY),
        )
        for seed, rate, epsilon in ((0, 0.01, 1.0), (1, 0.05, 2.0), (2, 0.01, 1.0))
    ]
    assert len({member.config.stack_key() for member in members}) == 1
    stacked = list(train(members))
    for index, member in enumerate(members):
        alone = list(train_one(train, member.config, member.graph, Context(seed=member.context.seed, noise_key=KEY)))
        together = [event for number, event in stacked if number == index]
        assert [type(event) for event in together] == [type(event) for event in alone]
        for one, other in zip(together, alone, strict=True):
            if isinstance(one, Metric):
                assert isinstance(other, Metric)
                assert one.value == pytest.approx(other.value, abs=1e-4)


def test_the_statements_of_both_units() -> None:
    facts = load("karate").facts
    edge = Config(epsilon=0.3).plan(facts).statement
    assert edge.epsilon == 0.0
    assert edge.epsilon_as_published == 0.0
    assert any("never read" in text for text in edge.assumptions)
    none = Config(unit="none").plan(facts).statement
    assert math.isinf(none.epsilon)


def test_without_validation_nodes_the_last_epoch_is_kept() -> None:
    graph = load("social", data_options=SOCIAL)
    unvalidated = dataclasses.replace(graph, val_mask=torch.zeros_like(graph.val_mask))
    events = list(train_one(train, Config(epochs=30, hidden=16, dropout=0.0), unvalidated))
    assert set(events[-1].metrics) == {"train_accuracy", "test_accuracy", *CHANCE}
    assert events[-1].metrics["train_accuracy"] > 0.6
    assert not any(isinstance(event, Metric) and event.name == "val_accuracy" for event in events)
