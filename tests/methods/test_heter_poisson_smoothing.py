"""Smoothed predictions: what they average, what they never read, and that they cost nothing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from tests.secrets_made_here import KEY

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.neighbours import edge_neighbours, with_node_nulled
from privgraph.data.splits import subgraph, with_split
from privgraph.methods import predictions
from privgraph.methods.gradients.heter_poisson.config import Config
from privgraph.methods.gradients.heter_poisson.smoothing import smoothed
from privgraph.methods.gradients.heter_poisson.train import train
from privgraph.methods.training import Context, train_one


def toy() -> Graph:
    return with_split(subgraph(load("karate"), torch.arange(12)), 2)


def some_logs(nodes: int) -> torch.Tensor:
    return torch.randn(nodes, 3, generator=torch.Generator().manual_seed(0)).log_softmax(1)


def test_each_round_is_half_ones_own_and_half_the_mean_of_neighbours_that_do_not_train() -> None:
    graph = toy()
    free, own = ~graph.train_mask, some_logs(12).double()
    dense = graph.adjacency().to_dense().double() * free.double().unsqueeze(1) * free.double()
    mean = dense / dense.sum(1, keepdim=True).clamp_min(1)
    expected = own
    for rounds in range(4):
        assert torch.allclose(smoothed(own, graph.edge_index, graph.train_mask, rounds), expected)
        expected = torch.where(dense.sum(1, keepdim=True) > 0, (own + mean @ expected) / 2, own)
    assert not torch.equal(smoothed(own, graph.edge_index, graph.train_mask, 1), own)


def test_no_record_and_no_edge_of_a_training_node_is_read() -> None:
    """Every training node of a small graph leaves, and every edge of one comes or goes: to the last bit."""
    graph, own = toy(), some_logs(12)
    whole = smoothed(own, graph.edge_index, graph.train_mask, 3)
    assert torch.equal(whole[graph.train_mask], own[graph.train_mask])
    for node in graph.train_mask.nonzero().flatten().tolist():
        left, moved = with_node_nulled(graph, node), own.clone()
        moved[node] = torch.tensor([1.0, 0.0, 0.0])
        others = torch.arange(12) != node
        roster = left.training_roster
        assert torch.equal(smoothed(moved, left.edge_index, roster, 3)[others], whole[others])
    dense = graph.adjacency().to_dense()
    for other in edge_neighbours(graph):
        ends = (other.adjacency().to_dense() != dense).nonzero()[0]
        same = torch.equal(smoothed(own, other.edge_index, graph.train_mask, 3), whole)
        assert same or not bool(graph.train_mask[ends].any())


def test_it_changes_predictions_and_neither_noise_nor_price(tmp_path: Path) -> None:
    graph = load("social", data_options={"nodes": 120, "degree": 8.0, "features": 12})
    said = {}
    for rounds in (0, 2):
        config = Config(neighbours=0, epochs=3, hidden=8, smoothing=rounds)
        folder = tmp_path / str(rounds)
        folder.mkdir()
        context = Context(noise_key=KEY, folder=folder)
        for _ in train_one(train, config, graph, context):
            pass
        with np.load(folder / predictions.NAME, allow_pickle=False) as held:
            said[rounds] = config.plan(graph.facts).statement, context.ledger.entries, held["probabilities"]
    (plain, ledger, before), (smooth, paid, after) = said[0], said[2]
    assert (plain.epsilon, ledger) == (smooth.epsilon, paid)
    assert replace(smooth, released=plain.released) == plain
    assert smooth.released != plain.released
    trains = graph.train_mask.numpy()
    assert np.allclose(before[trains], after[trains], atol=1e-6)
    assert not np.allclose(before[~trains], after[~trains], atol=1e-2)
