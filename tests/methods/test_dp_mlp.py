"""The DP-MLP: no edges, bounded examples, noise of the planned scale, stacked members each with their own."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch
from tests.secrets_made_here import KEY

from privgraph.data.load import load
from privgraph.data.spec import PublicFacts
from privgraph.data.splits import with_split
from privgraph.mechanisms.gradients import clip_factors
from privgraph.methods.baselines.perceptron import network
from privgraph.methods.gradients.dp_mlp.config import Config
from privgraph.methods.gradients.dp_mlp.train import train
from privgraph.methods.training import Context, planned, train_one
from privgraph.nn.layers import Pass
from privgraph.options import OptionError
from privgraph.privacy.accountants import PRVAccountant
from privgraph.privacy.events import Composed, Repeated
from privgraph.progress import Metric, Spent

FACTS = PublicFacts(nodes=2708, edges=5278, entries=10556, features=50, classes=7, train_nodes=2031)
SOCIAL = {"nodes": 200, "degree": 8.0, "signal": 3.0}


@pytest.mark.parametrize("accounting", ["sound", "published"])
def test_calibration_is_one_sided(accounting: str) -> None:
    for epsilon in (0.5, 8.0):
        statement = Config(epsilon=epsilon, accounting=accounting).plan(FACTS).statement
        reached = statement.epsilon if accounting == "sound" else statement.epsilon_as_published
        assert reached is not None
        assert 0.99 * epsilon <= reached <= epsilon


def test_the_epsilon_agrees_with_opacus() -> None:
    """Another route: Opacus' privacy random variables on the same event."""
    statement = Config(epsilon=4.0).plan(FACTS).statement
    (entry,) = statement.ledger
    other = PRVAccountant().epsilon(Composed((Repeated(event=entry.event, count=entry.count),)), statement.delta)
    assert statement.epsilon == pytest.approx(other, abs=0.03)


def test_removing_one_example_moves_the_sum_by_at_most_the_clip() -> None:
    graph = load("social", data_options={"nodes": 60, "degree": 4.0})
    clip = 0.3
    net, inputs = network([planned(Config(hidden=8), graph, Context(noise_key=KEY))], norm="group")
    everyone = torch.arange(graph.num_nodes).unsqueeze(0)

    def clipped_sum(rows: torch.Tensor) -> torch.Tensor:
        logits = net.forward([inputs.take(rows)], Pass(training=True))
        gradient = logits.softmax(1)
        gradient[0, graph.y[rows[0]], torch.arange(rows.shape[1])] -= 1
        net.backward(gradient)
        net.accumulate(clip_factors(net.squared_norms(), torch.tensor([clip])))
        return net.gradients[0].clone()

    whole = clipped_sum(everyone)
    moved = [float((whole - clipped_sum(everyone[:, everyone[0] != node])).norm()) for node in range(graph.num_nodes)]
    assert max(moved) <= clip * (1 + 1e-4)
    assert max(moved) > 0.9 * clip, "the clip is reached"


def test_edges_are_not_read() -> None:
    graph = load("social", data_options=SOCIAL)
    bare = dataclasses.replace(graph, edge_index=graph.edge_index[:, :0], _cache={})
    config = Config(epochs=2, hidden=8, batch_size=64)
    one, other = (list(train_one(train, config, given, Context(noise_key=KEY))) for given in (graph, bare))
    assert one == other


@pytest.mark.long
def test_members_keep_their_own_noise_and_ledgers() -> None:
    """Different budgets, seeds and even training sets in one stack; each as alone."""
    graph = load("social", data_options=SOCIAL)
    fewer = with_split(graph, 2)
    fewer = dataclasses.replace(fewer, train_mask=fewer.train_mask & (torch.arange(200) < 100))
    members = [
        planned(
            config=Config(epochs=2, hidden=8, batch_size=50, epsilon=epsilon),
            graph=one,
            context=Context(seed=seed, noise_key=KEY),
        )
        for one, seed, epsilon in ((graph, 0, 1.0), (with_split(graph, 1), 1, 8.0), (fewer, 2, 8.0))
    ]
    stacked = list(train(members))
    scales = set()
    for index, member in enumerate(members):
        assert member.context.ledger.entries == member.config.plan(member.graph.facts).statement.ledger
        scales.add(member.context.ledger.entries[0].noise_std)
        alone = list(train_one(train, member.config, member.graph, Context(seed=member.context.seed, noise_key=KEY)))
        together = [event for number, event in stacked if number == index]
        assert [type(event) for event in together] == [type(event) for event in alone]
        for one, other in zip(together, alone, strict=True):
            if isinstance(one, Metric):
                assert isinstance(other, Metric)
                assert one.value == pytest.approx(other.value, abs=1e-4)
    assert len(scales) == 3


def test_whoever_stops_at_an_event_finds_in_every_ledger_what_was_drawn() -> None:
    """The members' steps are made together: when the first of them tells of an epoch, all have spent it."""
    graph = load("karate")
    config = Config(epochs=3, hidden=4, batch_size=10)
    members = [planned(config, graph, Context(seed=seed, noise_key=KEY)) for seed in range(2)]
    spent_events = 0
    for _, event in train(members):
        if isinstance(event, Spent):
            spent_events += 1
            epochs = (spent_events + 1) // 2
            for member in members:
                spent = sum(entry.count for entry in member.context.ledger.entries)
                assert spent == epochs * config.steps(graph.facts.train_nodes) // 3
    assert spent_events == 6


@pytest.mark.long
def test_less_privacy_learns_and_much_privacy_does_not() -> None:
    graph = load("social", data_options={"nodes": 600, "degree": 4.0, "signal": 4.0})

    def accuracy(epsilon: float) -> float:
        config = Config(epsilon=epsilon, epochs=20, hidden=16, batch_size=128)
        *_, result = train_one(train, config, graph)
        return result.metrics["test_accuracy"]

    assert accuracy(100.0) > 0.8
    assert accuracy(0.05) < 0.7


def test_refusals_and_words() -> None:
    with pytest.raises(OptionError, match="at least one labelled"):
        Config().plan(dataclasses.replace(FACTS, train_nodes=0))
    statement = Config(selection="validation").plan(FACTS).statement
    assert any("epoch" in gap.title.lower() for gap in statement.gaps)
    assert math.isinf(statement.epsilon)
