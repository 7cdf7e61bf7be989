"""What is known of each query before noise, and the record of it that a page shows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privgraph.methods.teachers.answers import Answers
from privgraph.methods.teachers.parts import Parts
from privgraph.methods.teachers.privgnn.sampling import Edges

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHOWN = 60
"""Neighbours of a query that the record keeps."""


@dataclass(frozen=True, eq=False)
class Raw:
    """Private: `before` (Q, C), votes, counts or posteriors without noise; `seconds` (Q,); of each query the
    private nodes `near` that count most, as numbers in the private graph, most first, and their `weights`.
    `public`: the encoder's embedding of all public nodes (|V-public|, d), where votes were asked for, or a
    table; `table` (d, C): the sums of the private nodes of each class, where `before` follows from them. One
    teacher's `before` are logarithms."""

    before: Floats
    seconds: Floats
    near: list[Ints]
    weights: list[NDArray[np.float32]]
    public: Floats | None = None
    table: Floats | None = None


def record(
    parts: Parts,
    raw: Raw,
    *,
    kind: str,
    queries: Ints,
    after: Floats,
    noise_std: float,
    released: Ints,
) -> Answers:
    """The `Answers` of a run; `queries` are numbers in the public graph, `released` is -1 where a gate
    refused."""
    edges = Edges.of(parts.private)
    private, public = parts.private_nodes.numpy(), parts.public_nodes.numpy()
    joined = [near[edges.among(near)] for near in raw.near]
    return Answers(
        kind=kind,
        queries=public[queries],
        before=raw.before.astype(np.float32),
        after=after.astype(np.float32),
        noise_std=noise_std,
        released=released,
        truth=parts.public.y.numpy()[queries],
        seconds=raw.seconds,
        pointers=_pointers([len(near) for near in raw.near]),
        neighbours=private[np.concatenate(raw.near)],
        weights=np.concatenate(raw.weights).astype(np.float32),
        edge_pointers=_pointers([ends.shape[1] for ends in joined]),
        edges=private[np.concatenate(joined, axis=1)],
        classes=parts.private.y.numpy()[np.concatenate(raw.near)],
    )


def _pointers(lengths: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
