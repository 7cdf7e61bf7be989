"""EdgeRand: what the network sees, what it costs, and refusals that follow no private number."""

import dataclasses
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.secrets_made_here import KEY, secret

from privgraph.data.load import load
from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.randomised_response import CountedResponse, TooManyEdges, randomise, symmetric
from privgraph.methods.baselines.edge_rand import train as module
from privgraph.methods.baselines.edge_rand.config import Config
from privgraph.methods.baselines.edge_rand.train import randomised, train
from privgraph.methods.training import Context, train_one
from privgraph.options import build
from privgraph.privacy.events import Laplace, NonPrivate, PureDP, RandomizedResponse

FACTS = PublicFacts(nodes=4425, edges=162_995, entries=325_990, features=253, classes=6, train_nodes=3317)


@pytest.mark.parametrize(
    "values", [{"epsilon": 0.01}, {"response": "symmetric", "most_edges": 10**9}, {"epsilon": 3.7}]
)
def test_epsilon_is_pure_and_no_more_than_asked(values: dict[str, object]) -> None:
    config = build(Config, values)
    statement = config.plan(FACTS).statement
    assert statement.delta == 0
    assert config.epsilon * (1 - 1e-9) <= statement.epsilon <= config.epsilon
    assert statement.epsilon_as_published == statement.epsilon


def test_what_is_paid_for() -> None:
    count, answers = Config().plan(FACTS).entries
    assert count.event == Laplace(noise_multiplier=10.0)
    assert answers.event == PureDP(epsilon=0.9 * (1 - 1e-12))
    (answers,) = Config(response="symmetric", most_edges=10**9).plan(FACTS).entries
    assert isinstance(answers.event, RandomizedResponse)
    unpaid = Config(density="public").plan(FACTS).statement
    assert [type(entry.event) for entry in unpaid.ledger] == [NonPrivate, PureDP]
    assert math.isinf(unpaid.epsilon), "the exact number of edges sets the coins"
    assert unpaid.epsilon_as_published == 1.0


def test_coins_follow_the_noisy_number_and_not_the_true_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever number the paid mechanism returns, it alone decides how many edges are reported."""
    graph = load("karate")
    for noisy in (1.0, 40.0, 300.0):
        monkeypatch.setattr(CountedResponse, "noisy_count", lambda self, edges, counted, noisy=noisy: noisy)
        reported = [randomised(graph, Config(epsilon=0.05), secret(seed), secret()).facts.edges for seed in range(40)]
        pairs = 34 * 33 // 2
        response = CountedResponse(epsilon=0.05).response(noisy, pairs)
        expected = 78 * response.one_to_one + (pairs - 78) * response.zero_to_one
        assert np.mean(reported) == pytest.approx(expected, abs=5 * math.sqrt(pairs / 4 / 40))
        assert expected == pytest.approx(noisy, rel=0.1)


def test_the_network_reads_the_randomised_graph_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training on the noisy graph gives the same events as training on the true one through EdgeRand."""
    graph = load("karate")
    config = Config(epsilon=2.0, epochs=3, hidden=8)
    noisy = randomised(graph, config, secret(5, "noise/edges"), secret(5, "noise/count"))
    assert not torch.equal(noisy.edge_index, graph.edge_index)
    honest = list(train_one(train, config, graph, Context(seed=5, noise_key=KEY)))
    empty = dataclasses.replace(graph, edge_index=graph.edge_index[:, :0], _cache={})
    monkeypatch.setattr(module, "randomised", lambda *_, **__: noisy)
    assert [
        e
        for e in train_one(train, config, empty, Context(seed=5, noise_key=KEY))
        if type(e).__name__ in ("Metric", "Result")
    ] == [e for e in honest if type(e).__name__ in ("Metric", "Result")]


def test_a_directed_graph_stays_directed() -> None:
    graph = load("karate")
    half = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]]
    directed = dataclasses.replace(graph, edge_index=half, undirected=False, _cache={})
    noisy = randomised(directed, Config(epsilon=6.0), secret(), secret())
    source, target = noisy.edge_index
    assert not noisy.undirected
    assert not torch.equal(source.sort().values, target.sort().values)
    assert not bool((source == target).any())
    assert "directed edge" in Config().plan(directed.facts).statement.relation


@pytest.mark.parametrize(("response", "density"), [("symmetric", "public"), ("asymmetric", "private")])
def test_no_refusal_hangs_on_a_private_number_of_edges(response: str, density: str) -> None:
    """A run that stops for one edge more, and goes on without it, tells that edge for certain."""
    most, nodes = 520, 60
    config = Config(response=response, density=density, epsilon=1.0, most_edges=most)
    said = set()
    for edges in (1, 249, 250, 251, 500, 1700):
        facts = replace(FACTS, nodes=nodes, edges=edges, entries=2 * edges, train_nodes=45)
        try:
            config.plan(facts)
            said.add("planned")
        except TooManyEdges as error:
            said.add(str(error))
    assert len(said) == 1
    pairs = np.stack(np.triu_indices(nodes, 1))
    stopped = set()
    for count in (1, 101, 102, 400, 1770):
        joined = np.concatenate([pairs[:, :count], pairs[::-1, :count]], 1)
        try:
            randomise(joined, nodes, symmetric(1.0), secret(), undirected=True, most_edges=most)
            stopped.add(False)
        except TooManyEdges:
            stopped.add(True)
    assert len(stopped) == 1
