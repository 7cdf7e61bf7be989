"""The dense forward pass on ego-graphs equals PyTorch Geometric's layers on each ego-graph by itself."""

import warnings

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from privgraph.nn.backbones import KINDS, Backbone, network
from privgraph.nn.ego_graphs import EgoGraphs, ego_graphs

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch_geometric.nn import GATConv, GCNConv, TransformerConv

FEATURES, HIDDEN, READINGS, EXTRA = 7, 16, 2, 3


def peer(kind: str, backbone: Backbone) -> list[nn.Module]:
    """PyTorch Geometric's layers as they come, with a backbone's weights."""
    layers = nn.ModuleList(
        {
            "gcn": lambda features: GCNConv(features, HIDDEN),
            "gat": lambda features: GATConv(features, HIDDEN // 4, heads=4),
            "gt": lambda features: TransformerConv(features, HIDDEN // 4, heads=4),
        }[kind](features)
        for features in (FEATURES, HIDDEN, HIDDEN)
    ).double()
    layers.load_state_dict({name.removeprefix("layers."): value for name, value in backbone.weights.items()})
    return list(layers)


def through(layers: list[nn.Module], x: Tensor, edge_index: Tensor) -> Tensor:
    for number, layer in enumerate(layers):
        x = layer(leaky_relu(x) if number else x, edge_index)
    return x


def backbone(kind: str) -> Backbone:
    net = network(kind, FEATURES, HIDDEN, torch.Generator().manual_seed(0))
    draws = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in net.parameters():  # biases too must matter
            parameter += 0.2 * torch.randn(parameter.shape, generator=draws)
    return Backbone.of(net).to(torch.float64)


@pytest.fixture(scope="module")
def egos() -> EgoGraphs:
    """Twelve ego-graphs, two of them empty, and one of a node without edges."""
    draws = torch.Generator().manual_seed(2)
    edge_index = torch.randint(39, (2, 120), generator=draws)
    readable, priority = torch.rand(40, generator=draws) < 0.7, torch.randperm(40, generator=draws)
    return ego_graphs(torch.tensor([-1, *range(9), 39, -1]), edge_index, readable, priority, near=3, far=5)


def with_tokens(egos: EgoGraphs, own: bool) -> tuple[Tensor, Tensor]:
    """Places for tokens at the end, joined at random; each reading its `own`, or all one."""
    members, graphs, places = READINGS if own else 1, len(egos), egos.nodes.shape[1]
    draws = torch.Generator().manual_seed(3)
    adjacency = torch.zeros(members, graphs, places + EXTRA, places + EXTRA, dtype=torch.bool)
    adjacency[:, :, :places, :places] = egos.adjacency
    joined = torch.rand(adjacency.shape, generator=draws) < 0.4
    joined = (joined | joined.mT) & ~torch.eye(places + EXTRA, dtype=torch.bool)
    joined[:, :, :places, :places] = False
    present = torch.cat([egos.present, torch.ones(graphs, EXTRA, dtype=torch.bool)], 1)
    return adjacency | joined, present.expand(members, -1, -1)


def features(places: int) -> Tensor:
    return torch.randn(READINGS, 12, places, FEATURES, generator=torch.Generator().manual_seed(4), dtype=torch.float64)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("extra", [0, EXTRA])
@pytest.mark.parametrize("own", [False, True], ids=["common", "own"])
def test_the_dense_pass_is_the_layers_on_each_ego_graph(kind: str, extra: int, own: bool, egos: EgoGraphs) -> None:
    adjacency, present = (
        with_tokens(egos, own)
        if extra
        else (egos.adjacency.expand(1 + own, -1, -1, -1), egos.present.expand(1 + own, -1, -1))
    )
    x, net = features(9 + extra), backbone(kind)
    layers = peer(kind, net)
    embedding = net.embed(x, adjacency, present, egos.near, extra)
    assert embedding.shape == (READINGS, 12, HIDDEN)
    for reading in range(READINGS):
        for row in range(12):
            taken = present[reading % len(present), row]
            edges = adjacency[reading % len(adjacency), row] & taken.unsqueeze(0) & taken.unsqueeze(1)
            expected = through(layers, x[reading, row], edges.nonzero().t().flip(0))[0]
            assert torch.allclose(embedding[reading, row], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_in_an_empty_place_is_not_read(kind: str, egos: EgoGraphs) -> None:
    net, x = backbone(kind), features(9)
    loud = torch.where(egos.present.unsqueeze(-1), x, 1e6)
    arguments = (egos.adjacency.unsqueeze(0), egos.present.unsqueeze(0), egos.near)
    quiet, noisy = net.embed(x, *arguments), net.embed(loud, *arguments)
    there = egos.present[:, 0]
    assert torch.equal(quiet[:, there], noisy[:, there])
    assert net.embed(torch.zeros_like(x), *arguments).isfinite().all(), "of an ego-graph without places too"
    everything = torch.ones_like(egos.adjacency).unsqueeze(0)
    assert torch.equal(
        net.embed(x, everything, egos.present.unsqueeze(0), egos.near)[:, ~there],
        net.embed(x, everything & False, egos.present.unsqueeze(0), egos.near)[:, ~there],
    ), "edges at an empty place are none"


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_product_may_be_made_apart(kind: str, egos: EgoGraphs) -> None:
    """Of a table once, and of what a prompt adds by itself."""
    net, x, added = backbone(kind), features(9), features(9).flip(1)
    wiring = net.wiring(egos.adjacency.unsqueeze(0), egos.present.unsqueeze(0), egos.near)
    whole = net.embed(x + added, egos.adjacency.unsqueeze(0), egos.present.unsqueeze(0), egos.near)
    assert torch.allclose(net.read(net.project(x) + net.project(added), wiring), whole, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_graph_goes_through_the_same_weights(kind: str) -> None:
    draws = torch.Generator().manual_seed(5)
    x = torch.randn(20, FEATURES, generator=draws, dtype=torch.float64)
    pairs = torch.triu(torch.rand(20, 20, generator=draws) < 0.15, 1)
    edge_index = (pairs | pairs.t()).nonzero().t()
    net = backbone(kind)
    assert torch.allclose(net.whole(x, edge_index), through(peer(kind, net), x, edge_index), atol=1e-12)
    alone = net.whole(x, edge_index[:, :0])
    assert torch.allclose(alone, through(peer(kind, net), x, edge_index[:, :0]), atol=1e-12)
