"""The MLP: it learns from features, and its two guarantees."""

import dataclasses
import math

import pytest
import torch

from privgraph.data.load import load
from privgraph.methods.baselines.mlp.config import Config
from privgraph.methods.baselines.mlp.train import train
from privgraph.methods.training import train_one
from privgraph.progress import Metric

SOCIAL = {"nodes": 200, "degree": 8.0, "signal": 3.0}
CHANCE = ("test_nodes", "majority_class_accuracy", "test_macro_f1", "test_auc")


@pytest.mark.parametrize("layers", [1, 3])
def test_it_learns_from_features(layers: int) -> None:
    graph = load("social", data_options=SOCIAL)
    *_, result = train_one(train, Config(epochs=60, hidden=16, layers=layers, dropout=0.2), graph)
    assert result.metrics["test_accuracy"] > 0.6, "chance is a quarter"


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
