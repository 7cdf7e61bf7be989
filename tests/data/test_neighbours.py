"""Neighbouring graphs differ in exactly what they should."""

from dataclasses import replace

import pytest
import torch

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.neighbours import (
    edge_neighbours,
    has_edge,
    node_neighbours,
    with_edge,
    with_node_nulled,
    without_edge,
)
from privgraph.data.splits import partition, subgraph, with_split, with_training


@pytest.fixture
def toy() -> Graph:
    return subgraph(load("karate", split_seed=1), torch.arange(8))


def directed(graph: Graph) -> Graph:
    source, target = graph.edge_index
    return replace(graph, edge_index=graph.edge_index[:, source < target].contiguous(), undirected=False, _cache={})


@pytest.mark.parametrize("make", [lambda graph: graph, directed], ids=["undirected", "directed"])
def test_every_edge_neighbour_once(toy: Graph, make) -> None:
    graph = make(toy)
    dense = graph.adjacency().to_dense()
    changes = set()
    for neighbour in edge_neighbours(graph):
        changed = (neighbour.adjacency().to_dense() - dense).nonzero().tolist()
        assert len(changed) == (2 if graph.undirected else 1)
        changes.add(tuple(map(tuple, sorted(changed))))
        assert neighbour.x is graph.x
        key = neighbour.edge_index[1] * graph.num_nodes + neighbour.edge_index[0]
        assert bool((key[1:] > key[:-1]).all())
    assert len(changes) == 8 * 7 // (2 if graph.undirected else 1)


def test_there_and_back(toy: Graph) -> None:
    source, target = toy.edge_index[:, 0].tolist()
    less = without_edge(toy, source, target)
    assert not has_edge(less, source, target)
    assert torch.equal(with_edge(less, target, source).edge_index, toy.edge_index)
    with pytest.raises(ValueError, match="there is no edge"):
        without_edge(less, source, target)
    with pytest.raises(ValueError, match="already"):
        with_edge(toy, source, target)
    with pytest.raises(ValueError, match="cannot be added"):
        with_edge(toy, 3, 3)
    with pytest.raises(ValueError, match="cannot be added"):
        with_edge(toy, 3, 8)


def test_a_nulled_node_leaves_nothing_behind(toy: Graph) -> None:
    for node, neighbour in enumerate(node_neighbours(toy)):
        assert neighbour.num_nodes == toy.num_nodes
        assert neighbour.num_classes == toy.num_classes
        assert not bool(neighbour.x[node].any())
        assert not bool((neighbour.edge_index == node).any())
        assert not bool(neighbour.train_mask[node] | neighbour.val_mask[node] | neighbour.test_mask[node])
        others = torch.arange(toy.num_nodes) != node
        assert torch.equal(neighbour.x[others], toy.x[others])
        assert torch.equal(neighbour.y[others], toy.y[others])
        dense = toy.adjacency().to_dense()
        dense[node], dense[:, node] = 0, 0
        assert torch.equal(neighbour.adjacency().to_dense(), dense)


@pytest.mark.parametrize("split", ["random", "inductive"])
def test_the_roster_keeps_its_roles_whoever_opts_out(split: str) -> None:
    """A split that is drawn before somebody leaves, or after, agrees on everybody else and on the counts."""
    whole = load("karate")
    drawn = with_split(whole, 3, split)
    for node in range(whole.num_nodes):
        before, after = with_split(with_node_nulled(whole, node), 3, split), with_node_nulled(drawn, node)
        others = torch.arange(whole.num_nodes) != node
        for neighbour in (before, after):
            assert neighbour.absent == (node,)
            assert neighbour.present.tolist() == others.tolist()
            assert neighbour.facts.train_nodes == drawn.facts.train_nodes == int(drawn.train_mask.sum())
            for mask in ("train_mask", "val_mask", "test_mask"):
                assert torch.equal(getattr(neighbour, mask), getattr(drawn, mask) & others)
        assert torch.equal(before.edge_index, after.edge_index)
        parts = [partition(one.num_nodes, (0.5, 0.3), 1, "private") for one in (whole, before)]
        assert all(torch.equal(mine, theirs) for mine, theirs in zip(*parts, strict=True))


def test_who_opted_out_stays_absent_in_parts_and_other_trainings(toy: Graph) -> None:
    left = with_node_nulled(toy, 2)
    assert subgraph(left, torch.tensor([1, 2, 5])).absent == (1,)
    assert subgraph(left, torch.tensor([1, 5])).absent == ()
    free = replace(left, val_mask=torch.zeros(8, dtype=torch.bool))
    again = with_training(free, torch.tensor([2, 3]), torch.tensor([4]))
    assert (again.train_mask.nonzero().flatten().tolist(), again.facts.train_nodes) == ([3], 2)
    for node in (8, -1):
        with pytest.raises(ValueError, match=f"there is no node {node}"):
            with_node_nulled(toy, node)
    with pytest.raises(ValueError, match="there is no node 2"):
        with_node_nulled(left, 2)
