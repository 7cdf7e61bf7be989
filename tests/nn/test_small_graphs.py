"""Small models in a stack against a plain one: PyTorch Geometric's layers, autograd and torch's Adam, one at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn

from privgraph.nn.gnn import SAGEConv
from privgraph.nn.small_graphs import Answer, Recipe, SmallGraph, train_small_graphs

NODES, FEATURES, CLASSES, PUBLIC = 80, 12, 3, 30


def edges(nodes: int, share: float, generator: torch.Generator) -> Tensor:
    """A directed random graph; some nodes have no neighbour."""
    there = torch.rand(nodes, nodes, generator=generator) < share
    return there.fill_diagonal_(False).nonzero().t()


class World:
    """A shared table with a column that nobody uses, tasks of several sizes, and a graph to be asked about."""

    def __init__(self, sizes: Sequence[int], *, dtype: torch.dtype = torch.float64, sparse: bool = False) -> None:
        g = torch.Generator().manual_seed(5)
        self.x = torch.randn(NODES, FEATURES, generator=g, dtype=torch.float64)
        if sparse:
            self.x *= torch.rand(NODES, FEATURES, generator=g) < 0.15
        self.x[:, 3] = 0
        self.x = self.x.to(dtype)
        self.public = torch.randn(PUBLIC, FEATURES, generator=g, dtype=torch.float64).to(dtype)
        links = edges(PUBLIC, 0.1, g)
        dense = torch.zeros(PUBLIC, PUBLIC, dtype=dtype)
        dense[links[1], links[0]] = 1
        self.adjacency, self.links = dense.to_sparse_csr(), links
        self.tasks = [
            SmallGraph(
                nodes=torch.randperm(NODES, generator=g)[:size],
                edge_index=edges(size, 0.15, g),
                labels=torch.randint(CLASSES, (size,), generator=g),
                queries=torch.randperm(PUBLIC, generator=g)[: 1 + position],
            )
            for position, size in enumerate(sizes)
        ]

    def answers(
        self, recipe: Recipe, chosen: Sequence[int] | None = None, classes: int = CLASSES, memory_mb: float = 1024
    ) -> list[Answer]:
        chosen = range(len(self.tasks)) if chosen is None else chosen
        told = train_small_graphs(
            self.x,
            [self.tasks[task] for task in chosen],
            classes=classes,
            recipe=recipe,
            evaluation_x=self.public,
            evaluation_adjacency=self.adjacency,
            generators=lambda position: streams(chosen[position]),
            memory_mb=memory_mb,
        )
        return sorted((event for event in told if isinstance(event, Answer)), key=lambda answer: answer.index)


def streams(task: int) -> tuple[torch.Generator, torch.Generator]:
    return torch.Generator().manual_seed(2 * task), torch.Generator().manual_seed(2 * task + 1)


class Plain(nn.Module):
    """The slow twin."""

    def __init__(self, features: int, recipe: Recipe, classes: int, task: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.first = SAGEConv(features, recipe.hidden, aggr="mean")
        self.norm = nn.BatchNorm1d(recipe.hidden)
        self.second = SAGEConv(recipe.hidden, classes, aggr="mean")
        init, _ = streams(task)
        for conv, inputs, outputs in ((self.first, features, recipe.hidden), (self.second, recipe.hidden, classes)):
            bound = 1 / math.sqrt(inputs)
            shape = (2 * inputs, outputs) if conv is self.first else (2 * outputs, inputs)
            own, theirs = torch.empty(shape).uniform_(-bound, bound, generator=init).chunk(2)
            if conv is self.first:
                own, theirs = own.t(), theirs.t()
            conv.lin_r.weight.data, conv.lin_l.weight.data = own.clone(), theirs.clone()
            conv.lin_l.bias.data = torch.empty(outputs).uniform_(-bound, bound, generator=init)
        # batch normalisation takes b out again: its gradient is rounding alone, which Adam would blow up to whole steps
        self.first.lin_l.bias.requires_grad_(dtype == torch.float64)
        self.to(dtype)

    def forward(self, x: Tensor, links: Tensor) -> Tensor:
        return self.second(torch.relu(self.norm(self.first(x, links))), links).log_softmax(1)  # type: ignore[no-any-return]

    def fit(self, x: Tensor, task: SmallGraph, recipe: Recipe) -> list[float]:
        optimiser = torch.optim.Adam(self.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay)
        losses: list[float] = []
        best, since = math.inf, 0
        for _ in range(recipe.epochs):
            optimiser.zero_grad()
            loss = nn.functional.nll_loss(self(x[task.nodes], task.edge_index), task.labels)
            loss.backward()
            optimiser.step()
            losses.append(float(loss.detach()))
            best, since = (losses[-1], 0) if losses[-1] < best else (best, since + 1)
            if recipe.patience and since >= recipe.patience:
                break
        return losses


def assert_equal_to_plain(world: World, recipe: Recipe, atol: float, classes: int = CLASSES) -> None:
    answers = world.answers(recipe, classes=classes)
    assert [answer.index for answer in answers] == list(range(len(world.tasks)))
    for position, (task, answer) in enumerate(zip(world.tasks, answers, strict=True)):
        plain = Plain(FEATURES, recipe, classes, position, world.x.dtype)
        losses = plain.fit(world.x, task, recipe)
        expected = plain.eval()(world.public, world.links)[task.queries].detach()
        assert answer.log_posterior.shape == (position + 1, classes)
        assert torch.allclose(answer.log_posterior.to(expected), expected, atol=max(atol, 2e-6), rtol=0)
        assert answer.loss == pytest.approx(losses[-1], abs=atol)
        assert answer.epochs == len(losses)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("sizes", [(40, 40, 40), (40, 7, 23, 2)])
def test_a_model_trains_as_a_plain_one(sizes: tuple[int, ...], weight_decay: float, sparse: bool) -> None:
    recipe = Recipe(hidden=16, dropout=0.0, epochs=12, weight_decay=weight_decay)
    assert_equal_to_plain(World(sizes, sparse=sparse), recipe, 1e-9)


def test_single_precision_is_near() -> None:
    assert_equal_to_plain(World((40, 25), dtype=torch.float32), Recipe(hidden=16, dropout=0.0, epochs=12), 2e-3)


@pytest.mark.parametrize(("patience", "rate"), [(1, 0.3), (2, 0.3), (3, 0.5)])
def test_a_model_stops_early_and_keeps_its_weights(patience: int, rate: float) -> None:
    recipe = Recipe(hidden=8, dropout=0.0, epochs=60, learning_rate=rate, patience=patience)
    world = World((40, 7, 23, 12))
    assert_equal_to_plain(world, recipe, 1e-6)
    epochs = {answer.epochs for answer in world.answers(recipe)}
    assert len(epochs) > 1
    assert min(epochs) < 60


@pytest.mark.parametrize("sparse", [False, True])
def test_a_model_in_a_stack_is_the_model_alone(sparse: bool) -> None:
    world, recipe = World((40, 7, 0, 23, 1), sparse=sparse), Recipe(hidden=16, dropout=0.5, epochs=15, patience=3)
    together = world.answers(recipe)
    for task in range(5):
        (alone,) = world.answers(recipe, [task])
        assert torch.allclose(alone.log_posterior, together[task].log_posterior, atol=1e-6)
        assert alone.epochs == together[task].epochs
        assert alone.loss == pytest.approx(together[task].loss, abs=1e-9, nan_ok=True)
