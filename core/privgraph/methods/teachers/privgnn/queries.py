"""Which public nodes are asked about: chosen by the public graph and the seed alone, and so for free."""

import numpy as np
from numpy.typing import NDArray

from privgraph.data.graph import Graph
from privgraph.methods.teachers.parts import random_queries
from privgraph.methods.teachers.privgnn.sampling import Edges
from privgraph.methods.teachers.privgnn.votes import PublicEncoder
from privgraph.streams import stream

Ints = NDArray[np.int64]

DAMPING = 0.85
CLUSTER_DIMENSIONS = 32
ROUNDS = 15
"""Rounds of k-means; more change little."""


def choose(public: Graph, count: int, strategy: str, seed: int) -> Ints:
    """`count` different training nodes of the public graph, by `strategy` (PrivGNN, section 5.3), in
    ascending order.

    random; degree and pagerank (the highest); clustering (the node nearest to the centre of each of `count`
    clusters of the nodes' public embeddings); coverage (each next node has the most neighbours that nobody
    covers yet). Ties are broken at random. Everything comes from the stream `split/queries` of `seed`.
    """
    candidates = public.train_mask.nonzero().squeeze(1).numpy()
    if not 0 < count <= len(candidates):
        raise ValueError(f"cannot ask about {count} of {len(candidates)} public training nodes")
    if strategy == "random":
        asked: Ints = random_queries(public, count, seed).numpy()
        return asked
    generator = stream(seed, "split/queries")
    shuffled = generator.permutation(candidates)
    if strategy in ("degree", "pagerank"):
        edges = Edges.of(public)
        score = np.diff(edges.pointers).astype(np.float64) if strategy == "degree" else pagerank(edges)
        chosen = shuffled[np.argsort(-score[shuffled], kind="stable")[:count]]
    elif strategy == "clustering":
        embedded = PublicEncoder.of(public, CLUSTER_DIMENSIONS).public(public)[shuffled]
        chosen = shuffled[medoids(embedded, count, generator)]
    elif strategy == "coverage":
        chosen = cover(Edges.of(public), shuffled, count)
    else:
        raise ValueError(f"there is no query strategy {strategy}")
    return np.sort(chosen)


def pagerank(edges: Edges, rounds: int = 60) -> NDArray[np.float64]:
    """(n,): the share of time that a random walker along edges, jumping with chance 0.15, spends at each
    node."""
    nodes = len(edges.pointers) - 1
    targets = np.repeat(np.arange(nodes), np.diff(edges.pointers))
    leaving = np.bincount(edges.sources, minlength=nodes).astype(np.float64)
    rank = np.full(nodes, 1 / nodes)
    for _ in range(rounds):
        share = np.divide(rank, leaving, out=np.zeros(nodes), where=leaving > 0)
        stuck = float(rank[leaving == 0].sum())
        arriving = np.bincount(targets, weights=share[edges.sources], minlength=nodes)
        rank = (1 - DAMPING) / nodes + DAMPING * (arriving + stuck / nodes)
    return rank


def medoids(points: NDArray[np.float64], count: int, generator: np.random.Generator) -> Ints:
    """The rows nearest to the centres of `count` clusters (k-means from random rows); all different."""
    centres = points[generator.choice(len(points), size=count, replace=False)]
    for _ in range(ROUNDS):
        own = _squares(points, centres).argmin(1)
        sums = np.zeros_like(centres)
        np.add.at(sums, own, points)
        sizes = np.bincount(own, minlength=count)[:, None]
        centres = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres)
    away = _squares(points, centres)
    free, chosen = np.ones(len(points), dtype=bool), []
    for cluster in np.argsort(away.min(0), kind="stable"):
        nearest = int(np.where(free, away[:, cluster], np.inf).argmin())
        free[nearest] = False
        chosen.append(nearest)
    return np.array(chosen, dtype=np.int64)


def _squares(points: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = (
        np.square(centres).sum(1)[None] - 2 * points @ centres.T + np.square(points).sum(1)[:, None]
    )
    return found


def cover(edges: Edges, candidates: Ints, count: int) -> Ints:
    """`count` of `candidates`, greedily: each next one has the most nodes, itself included, that none before
    has.

    Once everything is covered, everything counts anew. Earlier candidates win ties.
    """
    nodes = len(edges.pointers) - 1
    targets = np.repeat(np.arange(nodes), np.diff(edges.pointers))
    order = np.argsort(edges.sources, kind="stable")
    reach = Edges(np.concatenate([[0], np.bincount(edges.sources, minlength=nodes).cumsum()]), targets[order])
    full = np.diff(reach.pointers) + 1
    gain, covered, chosen = full.copy(), np.zeros(nodes, dtype=bool), []
    free = np.ones(len(candidates), dtype=bool)
    for _ in range(count):
        best = int(np.where(free, gain[candidates], -1).argmax())
        if gain[candidates[best]] <= 0:
            gain, covered = full.copy(), np.zeros(nodes, dtype=bool)
            best = int(np.where(free, gain[candidates], -1).argmax())
        node = int(candidates[best])
        free[best] = False
        chosen.append(node)
        for new in np.append(reach.sources[reach.pointers[node] : reach.pointers[node + 1]], node):
            if not covered[new]:
                covered[new] = True
                gain[new] -= 1
                gain[edges.sources[edges.pointers[new] : edges.pointers[new + 1]]] -= 1
    return np.array(chosen, dtype=np.int64)
