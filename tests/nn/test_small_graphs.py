"""Small models in a stack against a plain one: PyTorch Geometric's layers, autograd and torch's Adam, one at
a time."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
import torch
from tests.torch_threads import threads
from torch import Tensor, nn

from privgraph.nn import message_passing
from privgraph.nn.gnn import SAGEConv
from privgraph.nn.small_graphs import Answer, Frame, Recipe, SmallGraph, train_small_graphs

NODES, FEATURES, CLASSES, PUBLIC = 80, 12, 3, 30


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Operations are small here; tests that are about workers take two."""
    with threads(1):
        yield


def edges(nodes: int, share: float, generator: torch.Generator) -> Tensor:
    """A directed random graph; some nodes have no neighbour."""
    there = torch.rand(nodes, nodes, generator=generator) < share
    return there.fill_diagonal_(False).nonzero().t()


class Problem:
    """A shared table with an unused column, tasks of several sizes, and a graph to be asked about."""

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
        self,
        recipe: Recipe,
        chosen: Sequence[int] | None = None,
        classes: int = CLASSES,
        memory_mb: float = 1024,
        frame: Frame | None = None,
    ) -> list[Answer]:
        chosen = range(len(self.tasks)) if chosen is None else chosen
        events = train_small_graphs(
            self.x,
            [self.tasks[task] for task in chosen],
            classes=classes,
            recipe=recipe,
            evaluation_x=self.public,
            evaluation_adjacency=self.adjacency,
            generators=lambda position: streams(chosen[position]),
            memory_mb=memory_mb,
            frame=frame,
        )
        return sorted((event for event in events if isinstance(event, Answer)), key=lambda answer: answer.index)


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
        # batch normalisation takes b out again: its gradient is rounding alone, which Adam would blow up to
        # whole steps
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


def assert_equal_to_plain(problem: Problem, recipe: Recipe, atol: float, classes: int = CLASSES) -> None:
    answers = problem.answers(recipe, classes=classes)
    assert [answer.index for answer in answers] == list(range(len(problem.tasks)))
    for position, (task, answer) in enumerate(zip(problem.tasks, answers, strict=True)):
        plain = Plain(FEATURES, recipe, classes, position, problem.x.dtype)
        losses = plain.fit(problem.x, task, recipe)
        expected = plain.eval()(problem.public, problem.links)[task.queries].detach()
        assert answer.log_posterior.shape == (position + 1, classes)
        assert torch.allclose(answer.log_posterior.to(expected), expected, atol=max(atol, 2e-6), rtol=0)
        assert answer.loss == pytest.approx(losses[-1], abs=atol)
        assert answer.epochs == len(losses)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_a_model_trains_as_a_plain_one(weight_decay: float, sparse: bool) -> None:
    recipe = Recipe(hidden=16, dropout=0.0, epochs=12, weight_decay=weight_decay)
    assert_equal_to_plain(Problem((40, 7, 23, 2), sparse=sparse), recipe, 1e-9)


@pytest.mark.parametrize(("patience", "rate"), [(1, 0.3), (3, 0.5)])
def test_a_model_stops_early_and_keeps_its_weights(patience: int, rate: float) -> None:
    recipe = Recipe(hidden=8, dropout=0.0, epochs=60, learning_rate=rate, patience=patience)
    problem = Problem((40, 7, 23, 12))
    assert_equal_to_plain(problem, recipe, 1e-6)
    epochs = {answer.epochs for answer in problem.answers(recipe)}
    assert len(epochs) > 1
    assert min(epochs) < 60


def test_a_node_alone_no_edges_and_one_class() -> None:
    problem = Problem((9, 1, 0))
    loose = torch.empty(2, 0, dtype=torch.int64)
    problem.tasks[0] = replace(problem.tasks[0], edge_index=loose)
    assert_equal_to_plain(Problem((9,)), Recipe(hidden=8, dropout=0.0, epochs=5), 1e-9)
    recipe = Recipe(hidden=8, dropout=0.0, epochs=5)
    plain = Plain(FEATURES, recipe, CLASSES, 0, torch.float64)
    plain.fit(problem.x, problem.tasks[0], recipe)
    edgeless, single, empty = problem.answers(recipe)
    expected = plain.eval()(problem.public, problem.links)[problem.tasks[0].queries].detach()
    assert torch.allclose(edgeless.log_posterior.double(), expected, atol=2e-6)
    assert torch.isfinite(single.log_posterior).all()
    assert math.isfinite(single.loss)
    assert torch.isfinite(empty.log_posterior).all()
    assert math.isnan(empty.loss)  # nothing was trained: the model is the one that was drawn
    for task in problem.tasks:
        task.labels.zero_()
    for answer in problem.answers(recipe, classes=1):
        assert torch.equal(answer.log_posterior, torch.zeros_like(answer.log_posterior))


def test_little_memory_makes_smaller_chunks_and_the_same_models() -> None:
    problem, recipe = Problem((30, 12, 25, 30, 8, 19) * 3), Recipe(hidden=8, epochs=4)
    plenty = problem.answers(recipe)
    torch.set_num_threads(2)
    tight = problem.answers(recipe, memory_mb=0.06 * (torch.get_num_threads() + 1))
    for one, other in zip(plenty, tight, strict=True):
        assert torch.allclose(one.log_posterior, other.log_posterior, atol=1e-6)


def test_a_model_beyond_the_memory_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a model of 30 nodes needs .* MB"):
        Problem((30,)).answers(Recipe(epochs=1), memory_mb=0.01)


@pytest.mark.parametrize("hidden", [10, 64])
@pytest.mark.parametrize(("sparse", "blocks_from"), [(False, 0), (False, 10**9), (True, 0)])
def test_in_a_frame_a_leaving_node_changes_no_other_model_to_the_last_digit(
    sparse: bool, blocks_from: int, hidden: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_passing, "BLOCKS_FROM", blocks_from)
    torch.set_num_threads(2)
    problem, recipe = (
        Problem((60, 40, 23, 30, 0, 33, 40), dtype=torch.float32, sparse=sparse),
        Recipe(hidden=hidden, epochs=30),
    )

    def posteriors(first: SmallGraph) -> list[Tensor]:
        problem.tasks[0] = first
        return [one.log_posterior for one in problem.answers(recipe, frame=Frame(places=60, sparse=sparse))]

    whole = problem.tasks[0]
    before = posteriors(whole)
    for left in (59, 20, 0):
        inside = whole.edge_index[:, (whole.edge_index < left).all(0)]
        after = posteriors(replace(whole, nodes=whole.nodes[:left], edge_index=inside, labels=whole.labels[:left]))
        assert not torch.equal(before[0], after[0])
        for one, other in zip(before[1:], after[1:], strict=True):
            assert torch.equal(one, other)


@pytest.mark.parametrize("sparse", [False, True])
def test_in_a_frame_models_are_the_same_but_for_rounding(sparse: bool) -> None:
    problem, recipe = Problem((40, 7, 23), sparse=sparse), Recipe(hidden=16, dropout=0.5, epochs=12)
    framed = problem.answers(recipe, frame=Frame(places=50, sparse=sparse))
    for one, other in zip(problem.answers(recipe), framed, strict=True):
        assert torch.allclose(one.log_posterior, other.log_posterior, atol=1e-6)
    with pytest.raises(ValueError, match="the frame has 39 places; a task has 40 nodes"):
        problem.answers(recipe, frame=Frame(places=39, sparse=sparse))
