"""Splits: shares, seeds, and what may pass between parts."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from privgraph.data.build import parts
from privgraph.data.errors import DataError
from privgraph.data.load import load
from privgraph.data.splits import inductive_views, partition, random_masks, with_split


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


def test_inductive_views() -> None:
    graph = load("karate", split_seed=1)
    views = inductive_views(graph)
    assert views.whole is graph
    assert views.train.num_nodes == int(graph.train_mask.sum())
    assert bool(views.train.train_mask.all())
    assert torch.equal(views.train.x, graph.x[graph.train_mask])
    expected = graph.adjacency().to_dense()[graph.train_mask][:, graph.train_mask]
    assert torch.equal(views.train.adjacency().to_dense(), expected)


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
    from privgraph.data.build import build

    found = parts([[0.0]] * 4, [0, 1, 0, 1], [[3, 0, 0, 2, 1], [0, 3, 3, 2, 0]], undirected=True)
    assert build("toy", found).edge_index.tolist() == [[1, 3, 0, 0], [0, 0, 1, 3]]
    found = parts([[0.0]] * 4, [0, 1, 0, 1], [[3, 0, 0, 2, 1], [0, 3, 3, 2, 0]], undirected=False)
    assert build("toy", found).edge_index.tolist() == [[1, 3, 0], [0, 0, 3]]
    with pytest.raises(DataError, match="outside 0 to 3"):
        build("toy", parts([[0.0]] * 4, [0, 1, 0, 1], [[4], [0]]))
    with pytest.raises(DataError, match="not finite"):
        build("toy", parts([[float("inf")]] * 2, [0, 1], [[0], [1]]))
    with pytest.raises(DataError, match="negative labels"):
        build("toy", parts([[0.0]] * 2, [0, -2], [[0], [1]]))
