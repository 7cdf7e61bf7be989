"""Class histograms: every neighbour of small graphs moves them by 1 at most, and sums are exact."""

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from tests.secrets_made_here import secret
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.data.neighbours import edge_neighbours, node_neighbours
from privgraph.mechanisms import histograms
from privgraph.mechanisms.histograms import ClassHistogram, centred

CLASSES = 4


def graphs(undirected: bool) -> Iterator[Graph]:
    """Of eight nodes each, with other edges, labels and roles; in one of them all train but two."""
    for seed in range(4):
        dice = torch.Generator().manual_seed(seed)
        dense = torch.rand(8, 8, generator=dice) < 0.5
        dense = torch.triu(dense, 1)
        dense = dense | dense.t() if undirected else dense | (torch.rand(8, 8, generator=dice) < 0.3)
        dense.fill_diagonal_(fill_value=False)
        roles = torch.randperm(8, generator=dice)
        masks = torch.zeros(3, 8, dtype=torch.bool)
        for mask, part in zip(
            masks, torch.split(roles, [6 if seed == 0 else 4, 1, 1 if seed == 0 else 3]), strict=True
        ):
            mask[part] = True
        target, source = dense.nonzero(as_tuple=True)
        yield Graph(
            name="eight",
            x=torch.randn(8, 2, generator=dice),
            y=torch.randint(CLASSES, (8,), generator=dice),
            edge_index=torch.stack([source, target]),
            train_mask=masks[0],
            val_mask=masks[1],
            test_mask=masks[2],
            undirected=undirected,
            class_names=tuple("abcd"),
        )


def beliefs_of(graph: Graph) -> Tensor:
    """One class for training nodes, and some certain and some uncertain answers for the others."""
    said = torch.softmax(torch.randn(8, CLASSES, generator=torch.Generator().manual_seed(9)) * 3, 1).double()
    certain = torch.nn.functional.one_hot(graph.y, CLASSES).double()
    return torch.where((graph.training_roster | (torch.arange(8) % 2 == 0)).unsqueeze(1), certain, said)


def sums(graph: Graph, unit: str, beliefs: Tensor) -> Tensor:
    return ClassHistogram(unit=unit, std=1.0, undirected=graph.undirected).sums(
        graph.edge_index, graph.training_roster, beliefs
    )


@pytest.mark.parametrize("undirected", [True, False])
def test_no_edge_moves_the_histograms_by_more_than_one(undirected: bool) -> None:
    moves = []
    for graph in graphs(undirected):
        beliefs = beliefs_of(graph)
        here = sums(graph, "edge", beliefs)
        moves += [float((sums(other, "edge", beliefs) - here).norm()) for other in edge_neighbours(graph)]
    assert max(moves) <= 1
    assert max(moves) > 1 - 1e-6, "and some edge does"
    assert (min(moves) == 0) is (not undirected), "a directed edge from who does not train to who trains is unread"


@pytest.mark.parametrize("undirected", [True, False])
def test_no_training_node_moves_the_others_histograms_by_more_than_one(undirected: bool) -> None:
    """Whoever opts out has another label, too, and edges that no other graph shows."""
    moves = []
    for graph in graphs(undirected):
        here = sums(graph, "node", beliefs_of(graph))
        for node, other in enumerate(node_neighbours(graph)):
            if graph.train_mask[node]:
                moved = sums(other, "node", beliefs_of(other)) - here
                assert moved.shape == (int((~graph.training_roster).sum()), CLASSES)
                moves.append(float(moved.norm()))
    assert max(moves) <= 1
    assert max(moves) > 1 - 1e-6, "a vote is spread whole"


def test_a_node_that_does_not_train_is_another_matter() -> None:
    """The relation speaks of training nodes: who else leaves changes among how many a vote is spread."""
    graph = next(graphs(undirected=True))
    here = sums(graph, "node", beliefs_of(graph))
    moves = [
        float((sums(other, "node", beliefs_of(graph)) - here).norm())
        for node, other in enumerate(node_neighbours(graph))
        if not graph.train_mask[node]
    ]
    assert max(moves) > 1.2


@pytest.mark.parametrize("unit", ["edge", "node"])
def test_sums_are_the_same_to_the_bit_in_every_order_and_in_pieces(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = next(graphs(undirected=True))
    whole = sums(graph, unit, beliefs_of(graph))
    order = torch.randperm(graph.edge_index.shape[1], generator=torch.Generator().manual_seed(1))
    monkeypatch.setattr(histograms, "_CHUNK", 3)
    assert torch.equal(sums(replace(graph, edge_index=graph.edge_index[:, order]), unit, beliefs_of(graph)), whole)


def test_histograms_count_neighbours() -> None:
    """Three training neighbours of class 0 and one of class 2, and one who does not train and is unsure."""
    edges = torch.tensor([[1, 2, 3, 4, 5], [0, 0, 0, 0, 0]])
    training = torch.tensor([False, True, True, True, True, False])
    beliefs = torch.nn.functional.one_hot(torch.tensor([0, 0, 0, 0, 2, 1]), CLASSES).double()
    beliefs[5] = 1 / CLASSES
    found = ClassHistogram(unit="edge", std=1.0).sums(edges, training, beliefs)[0] * math.sqrt(1 - 1 / CLASSES)
    assert found.tolist() == pytest.approx([3 - 1, -1, 1 - 1, -1], abs=1e-6)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e300, -5.0])
def test_no_row_is_longer_than_one_whatever_is_believed(wrong: float) -> None:
    beliefs = torch.tensor([[0.2, 0.8], [wrong, 0.1], [0.0, 1.0]])
    rows = centred(beliefs)
    assert float(rows.norm(dim=1).max()) <= 1 + 1e-12
    assert torch.equal(rows[[0, 2]], centred(beliefs[[0, 2]])), "each by itself"


@pytest.mark.parametrize("factor", [2 / 3, 1.0, 3 / 2])
def test_noise_has_the_deviation_that_its_entry_says(factor: float) -> None:
    """Of 12,000 numbers; two thirds and three halves of it are seen."""
    mechanism = ClassHistogram(unit="edge", std=2.0)
    nodes, training = 3000, torch.arange(3000) % 2 == 0
    drawn = replace(mechanism, std=mechanism.std * factor).release(
        torch.zeros(2, 0, dtype=torch.int64), training, torch.full((nodes, CLASSES), 1 / CLASSES), secret("noise/h")
    )
    entry = mechanism.entry()
    assert entry.noise_std is not None
    assert (abs(float(drawn.std()) / entry.noise_std - 1) < 0.05) is (factor == 1.0)
