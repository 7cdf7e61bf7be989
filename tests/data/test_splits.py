"""Splits: shares, seeds, and what may pass between parts."""

import dataclasses
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from privgraph.data.build import build
from privgraph.data.digest import graph_digest, tensors_digest
from privgraph.data.errors import DataError
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
from privgraph.data.parts import Parts
from privgraph.data.spec import LARGEST_FEATURE
from privgraph.data.splits import partition, random_masks, subgraph, with_split, with_training


@given(nodes=st.integers(10, 5000), seed=st.integers(0, 2**31 - 1))
def test_shares_of_a_random_split(nodes: int, seed: int) -> None:
    train, validation, test = random_masks(nodes, seed)
    assert torch.equal(train.long() + validation.long() + test.long(), torch.ones(nodes, dtype=torch.int64))
    assert int(validation.sum()) == round(0.1 * nodes)
    assert int(test.sum()) == round(0.15 * nodes)


def test_a_split_depends_on_its_own_seed_alone() -> None:
    torch.manual_seed(0)
    first = load("social", split_seed=5, data_options={"nodes": 200, "degree": 4})
    torch.manual_seed(1)
    other = load("social", split_seed=5, data_options={"nodes": 200, "degree": 8, "seed": 9, "classes": 2})
    assert torch.equal(first.train_mask, other.train_mask)
    assert torch.equal(first.test_mask, random_masks(200, 5)[2])
    assert torch.equal(first.x, load("social", split_seed=6, data_options={"nodes": 200, "degree": 4}).x)
    assert not torch.equal(first.train_mask, random_masks(200, 6)[0])
    assert torch.equal(with_split(first, 6).train_mask, random_masks(200, 6)[0])


def test_an_inductive_split_lets_nothing_pass_between_parts() -> None:
    graph = load("patients", split_seed=2)
    cut = load("patients", split="inductive", split_seed=2)
    assert torch.equal(graph.train_mask, cut.train_mask)
    assert 0 < cut.facts.entries < graph.facts.entries
    source, target = cut.edge_index
    for mask in (cut.train_mask, cut.val_mask, cut.test_mask):
        assert torch.equal(mask[source], mask[target])
    ends = graph.edge_index
    within = sum(
        int((mask[ends[0]] & mask[ends[1]]).sum()) for mask in (graph.train_mask, graph.val_mask, graph.test_mask)
    )
    assert cut.facts.entries == within
    dense = cut.adjacency().to_dense()
    assert torch.equal(dense, dense.T)
    with pytest.raises(DataError, match="load the graph again"):
        with_split(cut, 3)


def test_the_subgraph_of_training_nodes() -> None:
    graph = load("karate", split_seed=1)
    train = subgraph(graph, graph.train_mask.nonzero().squeeze(1))
    assert bool(train.train_mask.all())
    assert torch.equal(train.x, graph.x[graph.train_mask])
    expected = graph.adjacency().to_dense()[graph.train_mask][:, graph.train_mask]
    assert torch.equal(train.adjacency().to_dense(), expected)


def test_splits_that_do_not_exist_are_refused() -> None:
    with pytest.raises(DataError, match="did you mean random"):
        load("karate", split="randm")
    with pytest.raises(DataError, match="no public split"):
        load("karate", split="public")
    with pytest.raises(DataError, match="must be random or inductive"):
        with_split(load("karate"), 0, "public")


def test_partitions() -> None:
    private, public = partition(1000, (0.6, 0.25), seed=3)
    assert int(private.sum()) == 600
    assert int(public.sum()) == 250
    assert not bool((private & public).any())
    again, _ = partition(1000, (0.6, 0.25), seed=3)
    assert torch.equal(private, again)
    other, _ = partition(1000, (0.6, 0.25), seed=4)
    assert not torch.equal(private, other)
    named, _ = partition(1000, (0.6, 0.25), seed=3, name="teachers")
    assert not torch.equal(private, named)
    assert [int(mask.sum()) for mask in partition(10, (3, 7), seed=0)] == [3, 7]
    assert [int(mask.sum()) for mask in partition(10, (0.1, 0.2, 0.7), seed=0)] == [1, 2, 7]
    for shares in ((0.7, 0.7), (-1, 2), (8, 8), (float("nan"),)):
        with pytest.raises(DataError, match="do not fit"):
            partition(10, shares, seed=0)


def test_edges_are_put_in_order() -> None:
    def made(x: list[list[float]], y: list[int], edges: list[list[int]], undirected: bool = True) -> Graph:
        return build("toy", Parts(x=np.array(x), y=np.array(y), edges=np.array(edges), undirected=undirected))

    listed = [[3, 0, 0, 2, 1], [0, 3, 3, 2, 0]]
    assert made([[0.0]] * 4, [0, 1, 0, 1], listed).edge_index.tolist() == [[1, 3, 0, 0], [0, 0, 1, 3]]
    assert made([[0.0]] * 4, [0, 1, 0, 1], listed, undirected=False).edge_index.tolist() == [[1, 3, 0], [0, 0, 3]]
    with pytest.raises(DataError, match="outside 0 to 3"):
        made([[0.0]] * 4, [0, 1, 0, 1], [[4], [0]])
    with pytest.raises(DataError, match="not finite"):
        made([[float("inf")]] * 2, [0, 1], [[0], [1]])
    with pytest.raises(DataError, match="negative labels"):
        made([[0.0]] * 2, [0, -2], [[0], [1]])


def graph(x: torch.Tensor) -> Graph:
    none = torch.zeros(len(x), dtype=torch.bool)
    return Graph(
        name="made here",
        x=x,
        y=torch.arange(len(x)) % 2,
        edge_index=torch.zeros(2, 0, dtype=torch.int64),
        train_mask=~none,
        val_mask=none,
        test_mask=none,
    )


@pytest.mark.parametrize(
    ("given", "read"),
    [(math.nan, 0.0), (math.inf, LARGEST_FEATURE), (-1.01e6, -LARGEST_FEATURE), (-1e6, -1e6), (1e-40, 1e-40)],
)
def test_a_feature_is_cut_off_and_nobody_else_is_touched(given: float, read: float) -> None:
    """Alone of its kind in a graph, it is cut off all the same."""
    x = torch.tensor([[1.5, -2.0], [3.0, 4.0]])
    x[0, 1] = given
    found = graph(x).x
    assert torch.equal(found, torch.tensor([[1.5, read], [3.0, 4.0]]))
    assert torch.equal(graph(found).x, found)


def test_classes_are_those_that_are_named_whoever_is_there() -> None:
    """How many there are is public: it must not hang on the one node of a class."""
    named = dataclasses.replace(graph(torch.zeros(4, 2)), class_names=("red", "green", "blue"))
    assert named.num_classes == named.facts.classes == 3
    assert graph(torch.zeros(4, 2)).num_classes == 2


KEY = b"k" * 32


def changed(graph: Graph, name: str) -> Any:
    """Another value of a field, as little different as there is."""
    value = getattr(graph, name)
    if isinstance(value, torch.Tensor):
        if not value.numel():
            return torch.zeros(1, dtype=value.dtype)
        flat = value.clone().flatten()
        flat[-1] = ~flat[-1] if flat.dtype == torch.bool else flat[-1] + 1
        return flat.reshape(value.shape)
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + "'"
    return (*value, "other") if isinstance(value, tuple) else 17


@pytest.mark.parametrize("name", [item.name for item in dataclasses.fields(Graph) if item.name != "_cache"])
def test_every_field_counts(name: str) -> None:
    graph = load("karate", split_seed=3)
    other = dataclasses.replace(graph, **{name: changed(graph, name)})
    assert graph_digest(other, KEY) != graph_digest(graph, KEY)


def test_equal_graphs_are_equal_however_they_came_and_keys_part_them() -> None:
    one, two = load("karate", split_seed=3), load("karate", split_seed=3)
    one.adjacency()  # what is cached is a function of the rest
    assert graph_digest(one, KEY) == graph_digest(two, KEY)
    assert graph_digest(one, KEY) != graph_digest(one, b"j" * 32)
    turned = dataclasses.replace(two, x=two.x.t().contiguous().t())
    assert graph_digest(turned, KEY) == graph_digest(one, KEY), "memory order is no content"


def test_shapes_types_and_empty_tensors_count() -> None:
    zeros = [
        torch.zeros(2, 6),
        torch.zeros(3, 4),
        torch.zeros(12),
        torch.zeros(2, 6, dtype=torch.int32),
        torch.zeros(0, 2),
    ]
    zeros += [torch.zeros(2, 0), torch.zeros(2, 0, dtype=torch.int64)]
    assert len({tensors_digest({"a": value}, KEY) for value in zeros}) == len(zeros)
    assert tensors_digest({"a": zeros[0], "b": zeros[2]}, KEY) != tensors_digest({"a": zeros[2], "b": zeros[0]}, KEY)


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
