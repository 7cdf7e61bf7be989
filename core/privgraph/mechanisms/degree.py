"""Bounding degrees: every node keeps at most D out-edges, chosen by ranks that nobody else influences."""

from dataclasses import replace

import torch
from torch import Tensor

from privgraph.data.graph import Graph


def bounded_graph(graph: Graph, max_degree: int, seed: int, both_ways: bool = False) -> Graph:
    """The graph with at most `max_degree` out-edges a node: the frozen sample (a directed graph).

    With `both_ways` a node keeps at most as many in-edges too, of those that are left, by the same rule.
    """
    edges = graph.edge_index[:, bound_out_degree(graph.edge_index, graph.num_nodes, max_degree, seed)]
    if both_ways:
        edges = edges[:, bound_out_degree(edges.flip(0), graph.num_nodes, max_degree, seed)]
    return replace(graph, edge_index=edges, undirected=False, _cache={})


def bound_out_degree(edge_index: Tensor, nodes: int, max_degree: int, seed: int) -> Tensor:
    """(|E|,) bool: which of the edges (source j, target i) are kept.

    Rule: the ordered pair (j, i) has the rank hash(seed, j, i); source j keeps its D lowest-ranked out-edges.

    What is proved, and for whom. Relation "opt-out": the sample is fixed once, from the whole graph, before
    anybody leaves; a neighbour nulls one node z and removes the kept edges at z, and nothing is drawn again.
    Then the kept out-edges of z are at most D, so that at most D other rows of an aggregation change. Under
    full add/remove, where the lists would be filled again, none is proved: a source that had kept z takes its
    next edge instead, and each of z's in-neighbours, however many, may change one more row. `edge_index` is
    (2, |E|) int64; an edge's rank depends on its own ends and the seed alone.
    """
    if max_degree < 1:
        raise ValueError(f"max_degree must be at least 1 (got {max_degree})")
    source = edge_index[0]
    degrees = torch.bincount(source, minlength=nodes)
    keep = torch.ones(source.numel(), dtype=torch.bool, device=source.device)
    crowded = (degrees[source] > max_degree).nonzero().squeeze(1)
    if crowded.numel() == 0:
        return keep
    source, target = edge_index[0, crowded], edge_index[1, crowded]
    # one sort by (source, rank): as many high bits of the rank as fit beside the source's number
    bits = 63 - max(1, (nodes - 1).bit_length())
    key = (source << bits) | _logical_shift(pair_rank(source, target, seed), 64 - bits)
    order = torch.argsort(key, stable=True)
    ordered = source[order]
    starts = torch.searchsorted(ordered, ordered)
    position = torch.arange(ordered.numel(), device=ordered.device) - starts
    keep[crowded[order[position >= max_degree]]] = False
    return keep


def pair_rank(source: Tensor, target: Tensor, seed: int) -> Tensor:
    """A 64-bit hash (int64 bit pattern) of (seed, source, target): splitmix64 over the three, one after
    another."""
    state = _splitmix(torch.full_like(source, _signed(seed)))
    return _splitmix(_splitmix(state ^ source) ^ target)


def _splitmix(value: Tensor) -> Tensor:
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014) on int64 bit patterns, wrapping around."""
    value = value + _signed(0x9E3779B97F4A7C15)
    value = (value ^ _logical_shift(value, 30)) * _signed(0xBF58476D1CE4E5B9)
    value = (value ^ _logical_shift(value, 27)) * _signed(0x94D049BB133111EB)
    return value ^ _logical_shift(value, 31)


def _logical_shift(value: Tensor, by: int) -> Tensor:
    """Right shift of the unsigned 64-bit pattern; torch shifts int64 arithmetically."""
    return (value >> by) & ((1 << (64 - by)) - 1)


def _signed(value: int) -> int:
    """The int64 with the same 64 bits."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >= 1 << 63 else value
