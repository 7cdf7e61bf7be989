"""Ego-graphs of one fixed shape: what a frozen network reads of a node, and nobody's record but the node's
own.

Every node is seen through a small graph of m = 1 + near + far places: the node itself (the centre), at most
`near` of its neighbours, and at most `far` nodes two hops away. Only `readable` nodes may stand in a place
other than the centre's. Where the readable nodes are the public ones, the ego-graph of a private node is a
function of its own record (its edges to public nodes) and of what is public; no other private node's
presence, features or edges can change it, since an edge between two private nodes is in no ego-graph. Tested
by taking out every private node of a small graph.

The shape is the same for everybody, so that a computation over many ego-graphs does not depend on how large
they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

NEAR, FAR = 8, 23
CHUNK = 2048
"""Centres at a time: the memory beyond the result is that of so many ego-graphs (about 100 MB)."""

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class EgoGraphs:
    """G ego-graphs of m places.

    nodes: (G, m) int64 numbers of the whole graph; place 0 the centre, places 1 to `near` its neighbours, the
    others two hops away, -1 an empty place. adjacency: (G, m, m) bool, symmetric, without loops and without
    an edge at an empty place; the centre has no edge beyond place `near`.
    """

    nodes: Tensor
    adjacency: Tensor
    near: int

    def __post_init__(self) -> None:
        graphs, places = self.nodes.shape
        if self.adjacency.shape != (graphs, places, places) or not 0 <= self.near < places:
            raise ValueError(
                f"{graphs:,} ego-graphs of {places} places do not go with an adjacency of "
                f"{tuple(self.adjacency.shape)} and {self.near} near places"
            )

    def __len__(self) -> int:
        return int(self.nodes.shape[0])

    @property
    def present(self) -> Tensor:
        """(G, m) bool: the places that are taken."""
        return self.nodes >= 0

    def take(self, rows: Tensor | slice) -> EgoGraphs:
        """Those of `rows` (int64 numbers, a bool mask, or a slice)."""
        return EgoGraphs(nodes=self.nodes[rows], adjacency=self.adjacency[rows], near=self.near)

    def to(self, device: torch.device) -> EgoGraphs:
        return EgoGraphs(nodes=self.nodes.to(device), adjacency=self.adjacency.to(device), near=self.near)


def ego_graphs(
    centres: Tensor, edge_index: Tensor, readable: Tensor, priority: Tensor, *, near: int = NEAR, far: int = FAR
) -> EgoGraphs:
    """The ego-graph of each of `centres` (G,) int64; a centre of -1 gives an empty one.

    edge_index: (2, |E|) int64; an edge joins in both directions. readable: (|V|,) bool. priority: (|V|,)
    int64, a permutation of 0 to |V| - 1 that does not depend on anything private: where there are too many,
    those with the smallest are kept. Two hops away is whoever a kept neighbour has among its first m, and is
    not a neighbour of the centre itself. An edge stands between any two places whose nodes are joined.
    """
    if min(near, far) < 0:
        raise ValueError(f"near and far must be at least 0 (got {near} and {far})")
    lists = _Lists.of(edge_index.cpu().numpy(), readable.cpu().numpy(), priority.cpu().numpy())
    asked = centres.cpu().numpy().astype(np.int64)
    places = 1 + near + far
    nodes = np.full((len(asked), places), -1, dtype=np.int64)
    adjacency = np.zeros((len(asked), places, places), dtype=bool)
    for start in range(0, len(asked), CHUNK):
        part = slice(start, start + CHUNK)
        nodes[part] = _places(lists, asked[part], near, far)
        adjacency[part] = _joined(lists, nodes[part])
    return EgoGraphs(nodes=torch.from_numpy(nodes), adjacency=torch.from_numpy(adjacency), near=near)


@dataclass(frozen=True, eq=False)
class _Lists:
    """Each node's readable neighbours, the smallest priority first, and all such pairs as sorted numbers.

    neighbours: (e,) of node v from pointers[v] to pointers[v + 1]; pairs: (e,) v |V| + neighbour, ascending.
    """

    neighbours: Ints
    pointers: Ints
    pairs: Ints
    priority: Ints

    @classmethod
    def of(cls, edges: Ints, readable: Bools, priority: Ints) -> _Lists:
        count = len(readable)
        source, target = np.concatenate([edges, edges[::-1]], axis=1)
        kept = readable[source] & (source != target)
        pairs = np.unique(target[kept] * count + source[kept])
        target, source = pairs // max(count, 1), pairs % max(count, 1)
        order = np.lexsort((priority[source], target))
        pointers = np.searchsorted(target, np.arange(count + 1))
        return cls(source[order], pointers, pairs, priority)

    def first(self, nodes: Ints, most: int) -> Ints:
        """(..., most) int64: the first neighbours of each of `nodes` (-1: nobody's), then -1."""
        known = np.maximum(nodes, 0)
        place = self.pointers[known][..., None] + np.arange(most)
        exists = (place < self.pointers[known + 1][..., None]) & (nodes >= 0)[..., None]
        found = np.full(place.shape, -1, dtype=np.int64)
        found[exists] = self.neighbours[place[exists]]
        return found

    def has(self, of: Ints, neighbour: Ints) -> Bools:
        """Whether `neighbour` is a readable neighbour of `of`, elementwise."""
        pair = of * len(self.priority) + neighbour
        place = np.searchsorted(self.pairs, pair)
        inside = place < len(self.pairs)
        inside[inside] = self.pairs[place[inside]] == pair[inside]
        return inside


def _places(lists: _Lists, centres: Ints, near: int, far: int) -> Ints:
    """(g, 1 + near + far): who stands where."""
    count = len(lists.priority)
    neighbours = lists.first(centres, near)
    offered = lists.first(neighbours, 1 + near + far).reshape(len(centres), near * (1 + near + far))
    row, column = (offered >= 0).nonzero()
    centre, other = centres[row], offered[row, column]
    fit = (other != centre) & ~lists.has(centre, other)
    # by priority, everybody once: the same node is offered by several neighbours
    rank = np.full(offered.shape, count, dtype=np.int64)
    rank[row[fit], column[fit]] = lists.priority[other[fit]]
    rank.sort(axis=1)
    rank[:, 1:][rank[:, 1:] == rank[:, :-1]] = count
    rank.sort(axis=1)
    of_rank = np.full(count + 1, -1, dtype=np.int64)
    of_rank[lists.priority] = np.arange(count)
    second = np.full((len(centres), far), -1, dtype=np.int64)
    kept = of_rank[rank[:, :far]]
    second[:, : kept.shape[1]] = kept
    return np.concatenate([centres[:, None], neighbours, second], axis=1)


def _joined(lists: _Lists, nodes: Ints) -> Bools:
    """(g, m, m): which places are joined. Every place but the first is readable, so half of the pairs say it
    all."""
    graphs, places = nodes.shape
    adjacency = np.zeros((graphs, places, places), dtype=bool)
    first, second = np.triu_indices(places, 1)
    graph, pair = ((nodes[:, first] >= 0) & (nodes[:, second] >= 0)).nonzero()
    i, j = first[pair], second[pair]
    joined = lists.has(nodes[graph, i], nodes[graph, j])
    graph, i, j = graph[joined], i[joined], j[joined]
    adjacency[graph, i, j] = adjacency[graph, j, i] = True
    return adjacency
