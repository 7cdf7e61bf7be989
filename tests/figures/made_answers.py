"""Answers of teachers on a small random graph, made through the record that methods write, with real
noise."""

import numpy as np

from privgraph.methods.teachers.answers import Answers

NODES, CLASSES, PRIVATE = 60, 4, 40


def answers(kind: str = "posterior", queries: int = 20, seed: int = 0, noise: float = 0.4, refuse: int = 0) -> Answers:
    """`queries` public nodes of a random graph of 60; the last `refuse` of them are refused by a gate.

    The truth is likeliest before noise, Laplace noise of scale `noise` follows. Votes and posteriors tell the
    private nodes that answered and the edges among them; counts (votes of 20 teachers) tell nobody.
    """
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, CLASSES, size=NODES)
    adjacency = np.triu(draw.random((NODES, NODES)) < 0.15, 1)
    asked = PRIVATE + draw.permutation(NODES - PRIVATE)[:queries]
    logits = draw.normal(size=(queries, CLASSES)) + 1.5 * np.eye(CLASSES)[truth[asked]]
    before = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    if kind == "log-posterior":
        before = np.log(before)
    if kind == "counts":
        before = np.stack([draw.multinomial(20, row) for row in before]).astype(np.float64)
    after = before + draw.laplace(scale=noise, size=before.shape)
    released = after.argmax(axis=1)
    released[queries - refuse :] = -1
    members = [] if kind == "counts" else [np.sort(draw.permutation(PRIVATE)[:8]) for _ in range(queries)]
    pairs = [[(a, b) for a in own for b in own if adjacency[a, b]] for own in members]
    edges = np.array([pair for own in pairs for pair in own], dtype=np.int64).reshape(-1, 2).T
    neighbours = np.concatenate(members) if members else np.zeros(0, dtype=np.int64)
    return Answers(
        kind=kind,
        queries=asked.astype(np.int64),
        before=before.astype(np.float32),
        after=after.astype(np.float32),
        noise_std=float(np.sqrt(2) * noise),
        released=released.astype(np.int64),
        truth=truth[asked].astype(np.int64),
        seconds=draw.uniform(0.01, 0.02, size=queries),
        pointers=_pointers([len(own) for own in members], queries),
        neighbours=neighbours.astype(np.int64),
        weights=draw.uniform(-0.2 if kind in ("table", "votes") else 0.1, 1, size=len(neighbours)).astype(np.float32),
        edge_pointers=_pointers([len(own) for own in pairs], queries),
        edges=edges,
        classes=truth[neighbours].astype(np.int64),
    )


def _pointers(lengths: list[int], queries: int) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths or [0] * queries)]).astype(np.int64)
