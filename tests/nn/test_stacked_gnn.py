"""Stacked graph networks against their slow twin: PyTorch Geometric's layers, autograd and torch's Adam."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats
from tests.methods.toy_graphs import toy_graph
from torch import Tensor
from torch.nn import functional

from privgraph.data.graph import Graph, without_edges
from privgraph.nn.fixed_products import FixedDense, FixedSparse
from privgraph.nn.gnn import CONVOLUTIONS, GraphNetwork, initialise, kept_by_dropout, kept_share
from privgraph.nn.stacked_gnn import Architecture, MemberNetwork, Surroundings, Workspace

STEPS = 4


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def directed(sparse: bool) -> Graph:
    """Every third edge turns one way only, and node 0 hears nobody."""
    graph = toy_graph(nodes=40)
    kept = (torch.arange(graph.edge_index.shape[1]) % 3 > 0) & (graph.edge_index[1] != 0)
    x = graph.x.double()
    if sparse:
        # a node without features would stand where SELU has a corner, and two slopes are right
        some = torch.where(torch.rand(x.shape, generator=seeded(7)) < 0.2, x, 0.0)
        x = torch.cat([some, torch.eye(len(x), dtype=x.dtype)], 1)
    return replace(graph, x=x, edge_index=graph.edge_index[:, kept], undirected=False, _cache={})


def twin(graph: Graph, shape: Architecture) -> Iterator[tuple[float, Tensor, Tensor]]:
    """Loss, logits and logits without edges of each step, layer by layer."""
    network = GraphNetwork(
        graph.x.shape[1],
        graph.num_classes,
        conv=shape.conv,
        layers=shape.layers,
        hidden=shape.hidden,
        dropout=shape.dropout,
        jump=shape.jump,
        generator=seeded(2),
    ).double()
    initialise(network, seeded(1))
    adam = torch.optim.Adam(network.parameters(), lr=shape.learning_rate, weight_decay=shape.weight_decay)
    adjacency, unlinked = (
        network.prepare(given.to(torch.float64)) for given in (graph.adjacency(), without_edges(graph.num_nodes))
    )
    for _ in range(STEPS):
        network.train()
        adam.zero_grad()
        loss = functional.cross_entropy(network(graph.x, adjacency)[graph.train_mask], graph.y[graph.train_mask])
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
        network.eval()
        with torch.no_grad():
            yield loss.item(), network(graph.x, adjacency), network(graph.x, unlinked)


def stacked(graph: Graph, shape: Architecture) -> tuple[Surroundings, MemberNetwork]:
    around = Surroundings(graph.x, graph.y, graph.num_classes, graph.adjacency(), shape)
    return around, MemberNetwork(around, graph.train_mask, seeded(1), seeded(2))


def architecture(conv: str = "sage", **given: object) -> Architecture:
    usual = {"layers": 2, "hidden": 8, "dropout": 0.4, "jump": True, "learning_rate": 0.05, "weight_decay": 0.01}
    return Architecture(conv=conv, **{**usual, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize("conv", CONVOLUTIONS)
@pytest.mark.parametrize(
    ("given", "sparse"),
    [({}, True), ({"layers": 3, "jump": False}, False), ({"layers": 1, "dropout": 0.0, "weight_decay": 0.0}, False)],
)
def test_losses_and_answers_are_the_twins(conv: str, given: dict[str, object], sparse: bool) -> None:
    """Gradients by hand, running statistics, Adam and dropout: in doubles, step by step."""
    graph, shape = directed(sparse), architecture(conv, **given)
    around, member = stacked(graph, shape)
    assert isinstance(around.table, FixedSparse if sparse else FixedDense)
    work = Workspace(around)
    expected = list(twin(graph, shape))
    with torch.inference_mode():
        alone = around.convolution_on(without_edges(graph.num_nodes))
        for loss, linked, unlinked in expected:
            assert float(member.step(work)) == pytest.approx(loss, rel=1e-6)
            assert torch.allclose(member.evaluate().t(), linked, rtol=1e-5, atol=1e-6)
            assert torch.allclose(member.evaluate(alone).t(), unlinked, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("conv", CONVOLUTIONS)
def test_the_same_nodes_with_other_edges(conv: str) -> None:
    graph = directed(sparse=True)
    fewer = replace(graph, edge_index=graph.edge_index[:, ::2].contiguous(), _cache={})
    around, _ = stacked(graph, architecture(conv))
    shared = around.with_edges(fewer.adjacency())
    assert shared.table is around.table
    answers = []
    for given in (shared, stacked(fewer, architecture(conv))[0], around):
        member, work = MemberNetwork(given, graph.train_mask, seeded(1), seeded(2)), Workspace(around)
        with torch.inference_mode():
            member.step(work)
            member.step(work)
            answers.append(member.evaluate())
    assert torch.equal(answers[0], answers[1])
    assert not torch.equal(answers[0], answers[2])


@pytest.mark.parametrize("dropout", [0.1, 0.5, 0.95])
def test_dropout_keeps_its_share_of_values_apart_from_each_other(dropout: float) -> None:
    """Four values share a random number: each is kept as often as the others, and whatever the others are."""
    kept = kept_by_dropout(torch.empty(50_001, 4), dropout, seeded(3))
    assert kept_share(dropout) == pytest.approx(1 - dropout, abs=1e-5)
    assert set(kept.unique().tolist()) == {0.0, 1.0}
    counts = kept.sum(0).numpy()
    assert stats.binomtest(int(counts.sum()), kept.numel(), 1 - dropout).pvalue > 1e-4
    assert stats.chisquare(counts).pvalue > 1e-4
    places = np.ravel_multi_index(tuple(kept.long().t().numpy()), (2, 2, 2, 2))
    chances = [(1 - dropout) ** row.bit_count() * dropout ** (4 - row.bit_count()) for row in range(16)]
    seen, expected = np.bincount(places, minlength=16), 50_001 * np.array(chances)
    rare = expected < 10  # patterns that are too rare for the test's law are one
    if rare.any():
        seen, expected = (np.append(values[~rare], values[rare].sum()) for values in (seen, expected))
    assert stats.chisquare(seen, expected).pvalue > 1e-4
    assert not torch.equal(kept, kept_by_dropout(torch.empty(50_001, 4), dropout, seeded(4)))
