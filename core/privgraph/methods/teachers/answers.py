"""What a page shows of the teachers of a run: the file `answers.npz`, written by a method and read without
torch.

It holds private data (posteriors and votes before noise, which private nodes were read) and truth that only
an evaluator knows: it is for study, on the machine that trains, and no part of what is released.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.methods import kept_arrays

NAME = "answers.npz"
KINDS = ("posterior", "log-posterior", "table", "votes", "counts")

Array = NDArray[np.generic]


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """Q queries in the order in which they were asked; node numbers are those of the whole data set.

    kind: what `before` and `after` hold: posterior (chances of each class), log-posterior, votes (weighted
    votes of private nodes), table (such votes of all private nodes, made of one table without and with noise:
    one noise for all queries) or counts (votes of teachers). queries (Q,) int64; before, after (Q, C)
    float32, without and with noise; noise_std: its standard deviation; released (Q,) int64 the labels that
    went to the student, -1 where a gate refused; truth (Q,) int64, known to an evaluator alone; seconds (Q,)
    float64, the teacher's share of the time. Of the private nodes that answered query i, those nearest or
    heaviest (at most 60) are neighbours[pointers[i]:pointers[i+1]], with `weights` (their votes' weights, or
    similarities); `edges` (2, .) are the pairs of node numbers joined among them,
    edge_pointers[i]:edge_pointers[i+1] for query i. `classes` are the neighbours' own classes, one for each,
    or empty where they are not told.
    """

    kind: str
    queries: NDArray[np.int64]
    before: NDArray[np.float32]
    after: NDArray[np.float32]
    noise_std: float
    released: NDArray[np.int64]
    truth: NDArray[np.int64]
    seconds: NDArray[np.float64]
    pointers: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    weights: NDArray[np.float32]
    edge_pointers: NDArray[np.int64]
    edges: NDArray[np.int64]
    classes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        count = len(self.queries)
        rows = {name: len(getattr(self, name)) for name in ("before", "after", "released", "truth", "seconds")}
        if self.kind not in KINDS:
            raise ValueError(f"answers: kind must be one of {', '.join(KINDS)} (got {self.kind})")
        if any(length != count for length in rows.values()) or self.before.shape != self.after.shape:
            raise ValueError(f"answers: every array must have a row for each of {count} queries")
        for name, pointers, length in (
            ("neighbours", self.pointers, len(self.neighbours)),
            ("edges", self.edge_pointers, self.edges.shape[1]),
        ):
            if (
                len(pointers) != count + 1
                or pointers[0] != 0
                or pointers[-1] != length
                or (np.diff(pointers) < 0).any()
            ):
                raise ValueError(f"answers: the pointers into {name} do not cover them")
        if len(self.weights) != len(self.neighbours):
            raise ValueError("answers: each neighbour needs a weight")
        if len(self.classes) not in (0, len(self.neighbours)):
            raise ValueError("answers: each neighbour needs a class, or none has one")

    def save(self, folder: Path) -> None:
        """Write `answers.npz` into a run's folder."""
        kept_arrays.write(self, folder / NAME)

    @staticmethod
    def load(folder: Path) -> Answers:
        """Read it back; nothing is unpickled. Raises `ValueError` where the file is not such a one, or
        `OSError`."""
        found = kept_arrays.read(Answers, folder / NAME)
        words: dict[str, Any] = {"kind": str(found["kind"]), "noise_std": float(found["noise_std"])}
        return Answers(**{**found, **words})
