"""Pre-training: every objective learns, and embeddings tell groups apart."""

import math

import pytest
import torch
from torch import Tensor

from privgraph.data.load import load
from privgraph.nn.backbones import Backbone, network
from privgraph.nn.pretraining import OBJECTIVES, Epoch, PretrainRecipe, pretrain

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def social() -> tuple[Tensor, Tensor, Tensor]:
    """A network of 120 people in groups: unit rows, edges, labels."""
    graph = load("social", data_options={"nodes": 120, "degree": 10, "homophily": 0.95, "signal": 3})
    x = graph.x - graph.x.mean(0)
    return torch.nn.functional.normalize(x, dim=1), graph.edge_index, graph.y


def run(x: Tensor, edge_index: Tensor, recipe: PretrainRecipe) -> tuple[list[float], Backbone]:
    *epochs, backbone = pretrain(x, edge_index, recipe, CPU)
    assert isinstance(backbone, Backbone)
    assert all(isinstance(epoch, Epoch) for epoch in epochs)
    assert [epoch.number for epoch in epochs] == list(range(1, recipe.epochs + 1))
    return [epoch.loss for epoch in epochs], backbone


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", ["gcn", "gt"])
def test_every_objective_learns(kind: str, objective: str, social: tuple[Tensor, Tensor, Tensor]) -> None:
    x, edge_index, _ = social
    recipe = PretrainRecipe(kind=kind, objective=objective, hidden=16, epochs=40, learning_rate=0.01)
    losses, backbone = run(x, edge_index, recipe)
    assert sum(losses[-5:]) < 0.95 * sum(losses[:5])
    first = network(kind, x.shape[1], 16, torch.Generator().manual_seed(0)).state_dict()
    moved = [name for name, value in backbone.weights.items() if not torch.equal(value, first[name])]
    # of two lines that differ in a constant, a softmax tells nothing
    assert set(first) - set(moved) <= {f"layers.{number}.lin_key.bias" for number in range(3)}


def separation(embedded: Tensor, y: Tensor) -> float:
    """How many nodes the nearest class mean of the others' halves gets right."""
    even = torch.arange(len(y)) % 2 == 0
    means = torch.stack([embedded[even & (y == label)].mean(0) for label in range(int(y.max()) + 1)])
    return float((torch.cdist(embedded[~even], means).argmin(1) == y[~even]).double().mean())


@pytest.mark.parametrize("objective", ["dgi", "edge-pred"])
def test_embeddings_tell_groups_apart_that_nobody_told_them(
    objective: str, social: tuple[Tensor, Tensor, Tensor]
) -> None:
    _, edge_index, y = social
    x = torch.nn.functional.normalize(torch.randn(120, 20, generator=torch.Generator().manual_seed(1)), dim=1)
    recipe = PretrainRecipe(kind="gcn", objective=objective, hidden=32, epochs=100, learning_rate=0.005)
    _, backbone = run(x, edge_index, recipe)
    chance = float(torch.bincount(y).max()) / len(y)
    assert separation(x, y) < chance + 0.15, "features say nothing here: all comes from edges"
    assert separation(backbone.whole(x, edge_index), y) > chance + 0.25


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_graph_without_edges_gives_finite_numbers(objective: str, social: tuple[Tensor, Tensor, Tensor]) -> None:
    x, edge_index, _ = social
    recipe = PretrainRecipe(kind="gt", objective=objective, hidden=8, epochs=3)
    losses, backbone = run(x[:5], edge_index[:, :0], recipe)
    assert all(map(math.isfinite, losses))
    assert all(value.isfinite().all() for value in backbone.weights.values())
