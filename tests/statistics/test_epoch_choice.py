"""Choosing the epoch by private labels: an attack on what goes out, and what the statements say of it."""

import math

import numpy as np
import pytest
import torch
from tests.secrets_made_here import KEY

from privgraph.audits.bounds import at_least, at_most
from privgraph.data.graph import Graph
from privgraph.data.spec import PublicFacts
from privgraph.methods.gradients.dp_mlp.config import Config
from privgraph.methods.gradients.dp_mlp.train import train
from privgraph.methods.training import Context, planned
from privgraph.options import build
from privgraph.privacy.events import NonPrivate
from privgraph.progress import Result
from privgraph.registry import METHODS

FACTS = PublicFacts(nodes=2708, edges=5278, entries=10556, features=50, classes=7, train_nodes=2031)
CHOOSING = ("dp-mlp", "dp-gnn", "gap", "progap")
LEVEL = 0.001
"""What either limit of the attack may be wrong with."""


def _graph(validates: bool) -> Graph:
    """Twenty nodes that train; z, who validates or has left; and z's features again, which anybody may ask
    about."""
    torch.manual_seed(0)
    x = torch.randn(22, 4)
    x[21] = x[20]
    place = torch.arange(22)
    return Graph(
        name="one validates",
        x=x,
        y=torch.cat([place[:20] % 2, torch.tensor([1, 1])]),
        edge_index=torch.zeros(2, 0, dtype=torch.int64),
        train_mask=place < 20,
        val_mask=(place == 20) & validates,
        test_mask=place == 21,
    )


def _misses(config: Config, validates: bool, runs: int) -> int:
    """In how many of the runs the released weights give z's features another label than z's."""
    graph = _graph(validates)
    members = [planned(config, graph, Context(seed=seed, noise_key=KEY)) for seed in range(runs)]
    results = [event for _, event in train(members) if isinstance(event, Result)]
    assert len(results) == runs
    return sum(1 - round(result.metrics["test_accuracy"]) for result in results)


def claimed_and_shown(runs: int) -> tuple[float, float]:
    """The sound epsilon of DP-MLP with noise for 0.1, and what z's label shows: whether z validates decides
    what goes out."""
    config = Config(
        epsilon=0.1, epochs=60, batch_size=20, hidden=8, layers=2, learning_rate=0.3, selection="validation"
    )
    statement = config.plan(_graph(True).facts).statement
    likely = at_least(_misses(config, False, runs), runs, LEVEL)
    unlikely = at_most(_misses(config, True, runs), runs, LEVEL)
    return statement.epsilon, float(np.log((likely - statement.delta) / unlikely))


@pytest.mark.long
def test_no_shown_epsilon_is_below_what_an_attack_shows() -> None:
    claimed, shown = claimed_and_shown(runs=200)
    assert shown > 0.5
    assert claimed > shown


@pytest.mark.long
@pytest.mark.parametrize("name", CHOOSING)
def test_the_sound_epsilon_is_infinite_and_the_noise_stays(name: str) -> None:
    kind = METHODS[name].load_config()
    last, chosen = (build(kind, {"unit": "node", "epsilon": 4.0, "selection": one}) for one in ("last", "validation"))
    kept, open_ = last.plan(FACTS), chosen.plan(FACTS)
    assert kept.statement.epsilon <= 4.0
    assert math.isinf(open_.statement.epsilon)
    assert open_.noise == kept.noise, "the training is calibrated as if its last epoch went out"
    assert open_.statement.epsilon_as_published == kept.statement.epsilon_as_published
    assert any(isinstance(entry.event, NonPrivate) for entry in open_.statement.ledger)
    assert any("nothing is guaranteed" in note for note in open_.notes)
    assert not any("last epoch" in assumption for assumption in open_.statement.assumptions)


@pytest.mark.parametrize("name", ["gap", "progap"])
def test_the_choice_is_free_at_edge_level(name: str) -> None:
    """Validation labels are public with respect to an edge."""
    config = build(METHODS[name].load_config(), {"unit": "edge", "epsilon": 1.0, "selection": "validation"})
    assert config.plan(FACTS).statement.epsilon <= 1.0
