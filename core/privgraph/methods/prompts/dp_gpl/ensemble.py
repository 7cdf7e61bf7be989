"""What a page shows of an ensemble of weighted teachers: the file `ensemble.npz`, written by a method, read
without torch.

It holds private data (votes before noise, centralities, sizes) and is for study on the machine that trains;
nothing of it is released.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.methods import kept_arrays

NAME = "ensemble.npz"
ABSTAINS = -1


@dataclass(frozen=True, kw_only=True, eq=False)
class Ensemble:
    """N teachers and Q queries, in the order in which they were asked; C classes.

    votes (N, Q) int64: each teacher's class, or `ABSTAINS`; weights (N,) float64; sizes (N,) int64: labelled
    private nodes that a teacher was tuned on; centrality (N,) float64: their average. queries (Q,) int64:
    node numbers of the whole data set; truth (Q,) int64: known to an evaluator alone. voting (N, Q) bool:
    whether the teacher took part, or had reached its limit. passed (Q,) bool: the gate's answer, true where
    there is no gate. released (Q,) int64: the label, -1 where none went out. accuracy (N,) float64: of each
    teacher on test nodes, evaluator only. gate_sigma 0: no gate. `limit` is the epsilon that no teacher may
    pass (infinite: none), at `delta`. `sound` (N,) and `dependent` (N,): epsilon that each teacher's nodes
    are guaranteed, and the data-dependent cost as the paper reports it (not private, no guarantee).
    per_teacher: whether a node's leaving moves the vote of its own teacher alone; where it may move all, each
    node is charged the sum of all weights.
    """

    votes: NDArray[np.int64]
    weights: NDArray[np.float64]
    sizes: NDArray[np.int64]
    centrality: NDArray[np.float64]
    queries: NDArray[np.int64]
    truth: NDArray[np.int64]
    voting: NDArray[np.bool_]
    passed: NDArray[np.bool_]
    released: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    sound: NDArray[np.float64]
    dependent: NDArray[np.float64]
    classes: int
    vote_sigma: float
    gate_sigma: float
    threshold: float
    limit: float
    delta: float
    per_teacher: bool

    def __post_init__(self) -> None:
        teachers, queries = self.votes.shape
        for name in ("weights", "sizes", "centrality", "accuracy", "sound", "dependent"):
            if getattr(self, name).shape != (teachers,):
                raise ValueError(f"ensemble: {name} must have one entry for each of {teachers} teachers")
        for name in ("queries", "truth", "passed", "released"):
            if getattr(self, name).shape != (queries,):
                raise ValueError(f"ensemble: {name} must have one entry for each of {queries} queries")
        if self.voting.shape != self.votes.shape:
            raise ValueError("ensemble: voting must have the shape of votes")
        if self.votes.min(initial=0) < ABSTAINS or self.votes.max(initial=0) >= self.classes:
            raise ValueError(f"ensemble: votes must be classes below {self.classes}, or {ABSTAINS}")

    def counts(self, *, weighted: bool = True) -> NDArray[np.float64]:
        """(Q, C): the votes for each class of those who took part, by weight or by head."""
        share = np.where(self.voting, self.weights[:, None] if weighted else 1.0, 0.0)
        return np.stack([np.where(self.votes == label, share, 0).sum(0) for label in range(self.classes)], axis=1)

    def save(self, folder: Path) -> None:
        """Write `ensemble.npz` into a run's folder."""
        kept_arrays.write(self, folder / NAME)

    @staticmethod
    def load(folder: Path) -> Ensemble:
        """Read it back; nothing is unpickled. Raises `ValueError` where the file is not such a one, or
        `OSError`."""
        arrays = kept_arrays.read(Ensemble, folder / NAME)
        numbers: dict[str, Any] = {
            name: float(arrays[name]) for name in ("vote_sigma", "gate_sigma", "threshold", "limit", "delta")
        }
        whole = {"classes": int(arrays["classes"]), "per_teacher": bool(arrays["per_teacher"])}
        return Ensemble(**{**arrays, **numbers, **whole})
