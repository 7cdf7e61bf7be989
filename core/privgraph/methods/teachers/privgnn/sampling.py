"""Who answers a query: Poisson coins, the nearest of a sample, and the edges among them. NumPy alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privgraph.data.graph import Graph
from privgraph.streams import Secret

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

CELLS = 4_000_000
"""Entries of a (queries, private nodes) table held at once: what bounds the memory of a query's sampling."""


DIGITS = 6
"""Decimal places of a distance."""


def coins(queries: int, nodes: int, rate: float, secret: Secret) -> Bools:
    """(queries, nodes): whether each node is in each query's sample, all independently with chance `rate`.

    Drawn row by row: two chunks of queries get what they would have got in one.
    """
    if not 0 < rate <= 1:
        raise ValueError(f"rate must lie in (0, 1] (got {rate})")
    return secret.coins(rate, queries * nodes).reshape(queries, nodes)


def groups(queries: int, nodes: int, count: int, secret: Secret) -> Ints:
    """(queries, nodes): the group in [0, count) that each node would join for each query.

    Each node draws its own, whether it is sampled or not: when one leaves, nobody else changes groups.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1 (got {count})")
    return secret.below(count, queries * nodes).reshape(queries, nodes)


def chunks(queries: int, nodes: int) -> list[slice]:
    """Consecutive ranges of queries whose tables over `nodes` nodes stay within `CELLS` entries."""
    size = max(1, CELLS // max(1, nodes))
    return [slice(start, min(start + size, queries)) for start in range(0, queries, size)]


def distances(queries: NDArray[np.float32], nodes: NDArray[np.float32], kind: str) -> Floats:
    """(q, n) from features (q, F) and (n, F): `euclidean`, or `cosine` (1 less the cosine; a row of zeros is
    1 away).

    In double precision and then to `DIGITS` places: the last digits of a product depend on how many nodes
    there are, and who is nearest must not depend on who else was there to be compared.
    """
    asked, them = queries.astype(np.float64), nodes.astype(np.float64)
    if kind == "cosine":
        away: Floats = 1 - _unit(asked) @ _unit(them).T
    elif kind == "euclidean":
        squares = np.square(asked).sum(1)[:, None] + np.square(them).sum(1)[None] - 2 * (asked @ them.T)
        away = np.sqrt(np.maximum(squares, 0))
    else:
        raise ValueError(f"distance must be euclidean or cosine (got {kind})")
    rounded: Floats = np.round(away, DIGITS)
    return rounded


def _unit(rows: Floats) -> Floats:
    scaled: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return scaled


def nearest(away: Floats, sampled: Bools, group: Ints | None, count: int, most: int) -> list[Ints]:
    """For one query, the members of each of `count` groups of its sample, nearest first, at most `most` (0:
    all).

    away, sampled and group: (n,). Equally near nodes come in the order of their numbers. What one group holds
    depends on its own members alone.
    """
    members = np.flatnonzero(sampled)
    joined = np.zeros(len(members), dtype=np.int64) if group is None else group[members]
    order = np.lexsort((members, away[members], joined))
    members, joined = members[order], joined[order]
    starts = np.searchsorted(joined, np.arange(count + 1))
    ends = np.minimum(starts[1:], starts[:-1] + most) if most else starts[1:]
    return [members[start:end] for start, end in zip(starts[:-1], ends, strict=True)]


@dataclass(frozen=True, eq=False)
class Edges:
    """A graph's edges by target: those into node i come from sources[pointers[i]:pointers[i+1]]."""

    pointers: Ints
    sources: Ints

    @staticmethod
    def of(graph: Graph) -> Edges:
        adjacency = graph.adjacency()
        return Edges(adjacency.crow_indices().numpy(), adjacency.col_indices().numpy())

    def among(self, nodes: Ints) -> Ints:
        """(2, e): the edges (source, target) inside `nodes` (n,), all different, as positions in it."""
        number = np.full(len(self.pointers) - 1, -1, dtype=np.int64)
        number[nodes] = np.arange(len(nodes))
        starts = self.pointers[nodes]
        degrees = self.pointers[nodes + 1] - starts
        # entry k of the concatenated lists is entry k minus the start of its list, of that list
        offsets = np.repeat(starts - (np.cumsum(degrees) - degrees), degrees)
        sources = number[self.sources[np.arange(len(offsets)) + offsets]]
        targets = np.repeat(np.arange(len(nodes)), degrees)
        inside = sources >= 0
        return np.stack([sources[inside], targets[inside]])
