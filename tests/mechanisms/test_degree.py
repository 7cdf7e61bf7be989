"""Degree bounding: the rule's stability, proved by enumerating small graphs, and what resampling does
instead."""

import itertools

import pytest
import torch
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.mechanisms.aggregation import aggregate, unit_rows
from privgraph.mechanisms.degree import bound_out_degree, bounded_graph, pair_rank


def _random_graph(nodes: int, probability: float, seed: int, *, undirected: bool = True) -> Graph:
    generator = torch.Generator().manual_seed(seed)
    dense = torch.rand(nodes, nodes, generator=generator) < probability
    dense = (dense | dense.t()) if undirected else dense
    dense.fill_diagonal_(False)
    return _graph(dense)


def _graph(dense: Tensor) -> Graph:
    """dense[i, j]: an edge j -> i."""
    nodes = dense.shape[0]
    target, source = dense.nonzero(as_tuple=True)
    none = torch.zeros(nodes, dtype=torch.bool)
    return Graph(
        name="toy",
        x=torch.eye(nodes),
        y=torch.arange(nodes) % 2,
        edge_index=torch.stack([source, target]),
        train_mask=~none,
        val_mask=none,
        test_mask=none,
    )


def _nulled(graph: Graph, node: int) -> Graph:
    """The neighbouring graph: the node's kept edges are gone; nothing is drawn again."""
    source, target = graph.edge_index
    keep = (source != node) & (target != node)
    return Graph(
        name=graph.name,
        x=graph.x,
        y=graph.y,
        edge_index=graph.edge_index[:, keep],
        train_mask=graph.train_mask,
        val_mask=graph.val_mask,
        test_mask=graph.test_mask,
    )


def _changes(before: Graph, after: Graph, embeddings: Tensor, node: int) -> Tensor:
    """Norm by which each row of the aggregate moves, the node's own row aside."""
    spared = embeddings.clone()
    spared[node] = 0
    moved = aggregate(before.adjacency(), unit_rows(embeddings)) - aggregate(after.adjacency(), unit_rows(spared))
    norms = moved.norm(dim=1)
    norms[node] = 0
    return norms


@pytest.mark.parametrize("undirected", [True, False])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_nulling_any_node_of_a_frozen_sample_moves_at_most_d_rows_by_one(limit: int, undirected: bool) -> None:
    tight = False
    for seed in range(12):
        whole = _random_graph(9, 0.5, seed, undirected=undirected)
        sample = bounded_graph(whole, limit, seed=seed)
        embeddings = torch.randn(9, 4, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 10
        for node in range(9):
            norms = _changes(sample, _nulled(sample, node), embeddings, node)
            assert int((norms > 1e-9).sum()) <= limit
            assert float(norms.max()) <= 1
            assert float(norms.square().sum()) <= limit
            tight |= float(norms.square().sum()) > limit - 1e-4
    assert tight, "the bound is never reached: the test is too weak to notice a wrong one"


def test_graphs_of_four_nodes() -> None:
    embeddings = torch.eye(4, dtype=torch.float64)
    pairs = list(itertools.permutations(range(4), 2))
    for code in range(0, 1 << len(pairs), 41):
        dense = torch.zeros(4, 4, dtype=torch.bool)
        for bit, (i, j) in enumerate(pairs):
            dense[i, j] = bool(code >> bit & 1)
        sample = bounded_graph(_graph(dense), 2, seed=code)
        source = sample.edge_index[0]
        assert source.numel() == 0 or int(torch.bincount(source).max()) <= 2
        for node in range(4):
            norms = _changes(sample, _nulled(sample, node), embeddings, node)
            assert float(norms.square().sum()) <= 2


def test_refilling_the_lists_breaks_the_bound() -> None:
    """As the papers' code does: bound the neighbour's graph afresh. Many rows move, far more than D."""
    limit, nodes = 2, 60
    whole = _random_graph(nodes, 0.5, 0)
    embeddings = torch.randn(nodes, 4, generator=torch.Generator().manual_seed(0))
    worst = 0
    for node in range(nodes):
        before = bounded_graph(whole, limit, seed=7)
        after = bounded_graph(_nulled(whole, node), limit, seed=7)
        worst = max(worst, int((_changes(before, after, embeddings, node) > 1e-6).sum()))
    assert worst > 2 * limit
    # and with fresh ranks, as a sampler that goes through one generator draws them, nearly all rows move
    after = bounded_graph(_nulled(whole, 0), limit, seed=8)
    assert int((_changes(bounded_graph(whole, limit, seed=7), after, embeddings, 0) > 1e-6).sum()) > nodes / 2


def test_an_edges_rank_depends_on_nothing_but_its_ends_and_the_seed() -> None:
    source = torch.tensor([3, 1, 4, 1, 5])
    target = torch.tensor([9, 2, 6, 5, 3])
    ranks = pair_rank(source, target, 42)
    assert ranks.unique().numel() == 5
    for position in range(5):
        alone = pair_rank(source[position : position + 1], target[position : position + 1], 42)
        assert alone.item() == ranks[position].item()
    assert not torch.equal(ranks, pair_rank(source, target, 43))
    assert not torch.equal(ranks, pair_rank(target, source, 42))


def test_the_hash_agrees_with_plain_integers() -> None:
    mask = (1 << 64) - 1

    def mix(value: int) -> int:
        value = (value + 0x9E3779B97F4A7C15) & mask
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
        return value ^ (value >> 31)

    seed, source, target = 2**63 + 12345, 17, 2**33 + 5
    expected = mix(mix(mix(seed) ^ source) ^ target)
    found = pair_rank(torch.tensor([source]), torch.tensor([target]), seed)
    assert int(found.item()) & mask == expected


def test_kept_edges_are_the_lowest_ranked_of_their_source() -> None:
    graph = _random_graph(40, 0.4, 1)
    keep = bound_out_degree(graph.edge_index, 40, 5, seed=11)
    source, target = graph.edge_index
    ranks = [int(rank) & ((1 << 64) - 1) for rank in pair_rank(source, target, 11)]
    for node in range(40):
        mine = sorted((ranks[e], e) for e in (source == node).nonzero().squeeze(1).tolist())
        assert {e for _, e in mine[:5]} == set((keep & (source == node)).nonzero().squeeze(1).tolist())


def test_every_neighbour_is_kept_equally_often() -> None:
    """A star's centre keeps D of its leaves; over seeds, each leaf D/n of the time (chi-square)."""
    leaves, limit, rounds = 20, 5, 2000
    edges = torch.stack([torch.zeros(leaves, dtype=torch.int64), torch.arange(1, leaves + 1)])
    counts = torch.zeros(leaves)
    for seed in range(rounds):
        counts += bound_out_degree(edges, leaves + 1, limit, seed).float()
    assert counts.sum() == rounds * limit
    share = limit / leaves
    statistic = ((counts - rounds * share) ** 2 / (rounds * share * (1 - share))).sum() * (leaves - 1) / leaves
    assert 6 < statistic < 44  # chi-square of 19 degrees of freedom: 0.002 and 0.999


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        bound_out_degree(torch.zeros(2, 0, dtype=torch.int64), 3, 0, 0)
