"""Who is connected to whom: pairs of nodes, and what a node classifier says of both ends. NumPy only.

Two attackers. One compares the posteriors that the model gives to both ends of a pair: neighbours read each
other, and come out alike (He et al., Stealing Links from Graph Neural Networks, USENIX Security 2021, attack
0 with its eight distances). The other one changes the features of one end a little and looks whether the
answer about the other end moves (Wu et al., LinkTeller: Recovering Private Edges from Graph Neural Networks
via Influence Analysis, S&P 2022). Only what the model reads of edges shows in the second; in the first, nodes
that are alike without any edge come out alike, too.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privgraph.attacks.signals import Array, Bools
from privgraph.progress import Progress

Nodes = NDArray[np.int64]
Measure = Callable[[Array, Array], Array]

FEWEST = 10
"""Fewer pairs of a kind are not worth an attack."""
CHUNK = 1 << 16
"""Pairs whose rows are held at once."""
TRIES = 200
"""Rounds in which a pair without an edge is looked for beside each edge."""
DELTA = 0.01
"""By what share features are changed. A smaller change drowns in the rounding of 32-bit answers."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairs:
    """Pairs of nodes that an attack judges: `nodes` (P, 2), unordered and unique, each turned by a fair coin;
    and which of them are `linked` (P,) by an edge, all of those first."""

    nodes: Nodes
    linked: Bools


def draw_pairs(
    edge_index: Nodes,
    nodes: int,
    count: int,
    random: np.random.Generator,
    *,
    known: Nodes | None = None,
    labels: Nodes | None = None,
) -> Pairs:
    """Edges of a graph, drawn uniformly without repetition, and as many pairs that no edge connects.

    Args:
        edge_index: (2, |E|) edges whose presence is asked about; a direction, a second copy and a self-loop
            count for nothing.
        nodes: |V|.
        count: Edges at most; fewer where the graph has fewer edges, or fewer pairs without one.
        random: Draws all of it.
        known: (2, |E'|) edges that keep a pair out of the other side (default: `edge_index`).
        labels: (|V|,) classes. Without them the other pairs are uniform over all unordered pairs of two nodes
            without an edge. With them each edge (u, v) gets a pair (u, w): w is an end of a uniform edge
            among those of the same two classes, as v is, so that both sides have the same classes and ends
            of the same degrees. An edge for which no such pair is found is left out.

    Raises `ValueError` where either side has fewer than ten pairs.
    """
    present = _codes(edge_index, nodes)
    taken = present if known is None else np.union1d(present, _codes(known, nodes))
    free = nodes * (nodes - 1) // 2 - len(taken)
    size = min(count, len(present), free)
    if size < FEWEST:
        raise ValueError(
            f"an attack on edges needs {FEWEST} edges and {FEWEST} pairs without one (it got {min(count, len(present))}"
            f" and {free})"
        )
    one = _turned(_ends(present[random.permutation(len(present))[:size]]), random)
    if labels is None:
        ranks = random.choice(free, size, replace=False)
        # the number of edges before the gap in which the pair of that rank lies, which is in order of codes
        before = np.searchsorted(taken - np.arange(len(taken)), ranks, side="right")
        other = _turned(_ends(ranks + before), random)
    else:
        found, other = _alike(one, edge_index, nodes, taken, np.asarray(labels, dtype=np.int64), random)
        one = one[found]
        if len(one) < FEWEST:
            raise ValueError(
                f"an attack on edges needs {FEWEST} pairs without an edge, of the same classes as the edges "
                f"(it found {len(one)})"
            )
    return Pairs(nodes=np.concatenate([one, other]), linked=np.arange(len(one) + len(other)) < len(one))


def _alike(
    edges: Nodes, edge_index: Nodes, nodes: int, taken: Nodes, labels: Nodes, random: np.random.Generator
) -> tuple[Nodes, Nodes]:
    """Which edges found a pair, (n,) places, and these pairs (n, 2); see `draw_pairs`."""
    ends = _ends(_codes(edge_index, nodes))
    ways = np.concatenate([ends, ends[:, ::-1]])
    classes = int(labels.max()) + 1
    kind = labels[ways[:, 0]] * classes + labels[ways[:, 1]]
    order = np.argsort(kind, kind="stable")
    pool, kind = ways[order, 1], kind[order]
    wanted = labels[edges[:, 0]] * classes + labels[edges[:, 1]]
    first, last = np.searchsorted(kind, wanted, side="left"), np.searchsorted(kind, wanted, side="right")
    partner = np.full(len(edges), -1)
    used = taken
    for _ in range(TRIES):
        open_ = np.flatnonzero(partner < 0)
        if not len(open_):
            break
        drawn = pool[random.integers(first[open_], last[open_])]
        codes = _code(edges[open_, 0], drawn)
        fresh = (drawn != edges[open_, 0]) & ~np.isin(codes, used)
        # of two edges that draw one pair, the first has it
        kept = np.flatnonzero(fresh)[np.unique(codes[fresh], return_index=True)[1]]
        partner[open_[kept]] = drawn[kept]
        used = np.concatenate([used, codes[kept]])
    found = np.flatnonzero(partner >= 0)
    return found, np.stack([edges[found, 0], partner[found]], axis=1)


def _codes(edge_index: Nodes, nodes: int) -> Nodes:
    """The unordered pairs that have an edge, each as one number (`_code`), ascending."""
    edge_index = np.asarray(edge_index, dtype=np.int64)
    if edge_index.ndim != 2 or edge_index.shape[0] != 2:
        raise ValueError(f"edges must have shape (2, edges) (got {edge_index.shape})")
    if edge_index.size and not (edge_index.min() >= 0 and edge_index.max() < nodes):
        raise ValueError(f"edges must connect nodes 0 to {nodes - 1}")
    source, target = edge_index
    apart = source != target
    return np.unique(_code(source[apart], target[apart]))


def _code(one: Nodes, other: Nodes) -> Nodes:
    """j (j - 1)/2 + i of a pair i < j: all pairs of n nodes are the numbers below n (n - 1)/2."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    return np.asarray(high * (high - 1) // 2 + low)


def _ends(codes: Nodes) -> Nodes:
    """(n, 2): the pairs i < j of these numbers."""
    high = ((1 + np.sqrt(8.0 * codes + 1)) / 2).astype(np.int64)
    # the root of a large number may be off by one, either way
    high -= high * (high - 1) // 2 > codes
    high += high * (high + 1) // 2 <= codes
    return np.stack([codes - high * (high - 1) // 2, high], axis=1)


def _turned(pairs: Nodes, random: np.random.Generator) -> Nodes:
    return np.where(random.random(len(pairs))[:, None] < 0.5, pairs, pairs[:, ::-1])


# Distances of posteriors


def _cosine(a: Array, b: Array) -> Array:
    return np.asarray(1 - (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)))


def _correlation(a: Array, b: Array) -> Array:
    one, other = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
    length = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    flat = (np.ptp(a, axis=1) == 0) | (np.ptp(b, axis=1) == 0)
    return np.asarray(1 - np.where(flat, 0.0, (one * other).sum(1) / np.where(flat, 1.0, length)))


def _canberra(a: Array, b: Array) -> Array:
    size = np.abs(a) + np.abs(b)
    return np.asarray((np.abs(a - b) / np.where(size == 0, 1.0, size)).sum(1))


def _braycurtis(a: Array, b: Array) -> Array:
    return np.asarray(np.abs(a - b).sum(1) / np.abs(a + b).sum(1))


MEASURES: dict[str, Measure] = {
    "cosine": _cosine,
    "euclidean": lambda a, b: np.asarray(np.linalg.norm(a - b, axis=1)),
    "correlation": _correlation,
    "chebyshev": lambda a, b: np.asarray(np.abs(a - b).max(1)),
    "braycurtis": _braycurtis,
    "canberra": _canberra,
    "cityblock": lambda a, b: np.asarray(np.abs(a - b).sum(1)),
    "sqeuclidean": lambda a, b: np.asarray(((a - b) ** 2).sum(1)),
}
"""Of rows (n, C) and (n, C), as `scipy.spatial.distance` defines them. On posteriors `braycurtis` is half of
`cityblock`, and `sqeuclidean` the square of `euclidean`: each has the other's ROC curve."""


def distances(posteriors: Array, pairs: Nodes, name: str) -> Array:
    """(P,) distances between what a model says of both ends of each pair.

    Args:
        posteriors: (|V|, C), non-negative rows of sum 1, C at least 2.
        pairs: (P, 2) nodes.
        name: One of `options.DISTANCES`. The correlation of a row that is the same for all classes, which has
            no definition, is taken for 0 and the distance for 1.

    Raises `ValueError` for another name, for rows that are no posteriors and for nodes that have none.
    """
    if name not in MEASURES:
        raise ValueError(f"the distance must be one of {', '.join(MEASURES)} (got {name})")
    posteriors, pairs = _checked(posteriors), np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"pairs must have shape (pairs, 2) (got {pairs.shape})")
    if pairs.size and not (pairs.min() >= 0 and pairs.max() < len(posteriors)):
        raise ValueError(f"pairs must be of nodes 0 to {len(posteriors) - 1}, which have posteriors")
    parts = [pairs[start : start + CHUNK] for start in range(0, len(pairs), CHUNK)]
    found = [MEASURES[name](posteriors[part[:, 0]], posteriors[part[:, 1]]) for part in parts]
    return np.concatenate([np.zeros(0), *found])


def closeness(posteriors: Array, pairs: Nodes, name: str) -> Array:
    """(P,) scores of the attack by `distances`: a higher one speaks for an edge."""
    return -distances(posteriors, pairs, name)


def _checked(posteriors: Array) -> Array:
    rows = np.asarray(posteriors, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise ValueError(f"posteriors must have shape (nodes, classes), two classes or more (got {rows.shape})")
    if not (np.isfinite(rows).all() and (rows >= 0).all() and (np.abs(rows.sum(1) - 1) <= 1e-4).all()):
        raise ValueError("posteriors must be non-negative rows of sum 1")
    return rows


# Influence


def influences(
    ask: Callable[[int], Array], posteriors: Array, pairs: Nodes, *, delta: float = DELTA
) -> Iterator[Progress | Array]:
    """Tell how far it is, and end with (P,) scores: how much the second end of a pair moves the first.

    |P'_u - P_u| / delta (Euclidean), where P' are the answers with the features of node v times 1 + delta,
    for the pair (u, v): LinkTeller's influence of v on u. A node without features moves nobody. One query
    serves all pairs with the same second end.

    Args:
        ask: Gives the posteriors (|V|, C) with the features of this node times 1 + `delta`.
        posteriors: (|V|, C) as they are without any change.
        pairs: (P, 2) nodes.
        delta: The change, not 0.

    Raises `ValueError` where `delta` is 0 or no number, and for rows that are no posteriors.
    """
    if not (np.isfinite(delta) and delta != 0):
        raise ValueError(f"delta must be a number other than 0 (got {delta})")
    posteriors, found = _checked(posteriors), np.zeros(len(pairs))
    changed = np.unique(pairs[:, 1])
    for step, node in enumerate(changed):
        yield Progress(step=step, total=len(changed), stage="asking with changed features")
        places = np.flatnonzero(pairs[:, 1] == node)
        near = pairs[places, 0]
        moved = _checked(ask(int(node)))[near] - posteriors[near]
        found[places] = np.linalg.norm(moved, axis=1) / abs(delta)
    yield found
