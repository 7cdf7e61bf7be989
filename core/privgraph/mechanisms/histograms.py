"""Noisy class histograms: for every node one number a class, of what its neighbours are, released once."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.histogram_entries import SENSITIVITY, histogram_entry
from privgraph.privacy.ledger import LedgerEntry
from privgraph.streams import Secret

GRID = 2.0**-26
"""Every number that is summed is a whole multiple of it, so that sums below 2^27 are exact in any order."""
INSIDE = 1 - 2.0**-40
"""Rows are shorter than their bound by more than a few roundings in double precision."""
_CHUNK = 1 << 22
"""Edges that are gathered at once: bounds the memory that it takes."""


@dataclass(frozen=True, kw_only=True)
class ClassHistogram:
    """H_v = sum over neighbours u of w(u, v) m_u + N(0, std^2 I_C), where m_u = (p_u - 1/C) / sqrt(1 - 1/C).

    p_u (C,) is a distribution over classes: of all distributions those of one class are farthest from their
    centre 1/C, by sqrt(1 - 1/C), so that |m_u| <= 1. Roles are public: who trains, and who does not. Released
    once, all rows that there are together. L2 sensitivity 1 for both units, by the choice of w.

    unit "edge", relation: one edge added or removed; every p is public. Where edges are undirected, w is 1
    from a training node to another node, 1/sqrt 2 among training nodes and 1/sqrt 2 among the others, and 0
    from a node that does not train to one that does. Proof: a friendship of two alike moves two rows by at
    most 1/sqrt 2 each, and one of two unlike moves the row of one by at most 1, and the other's not at all.
    Where edges are directed an edge is one entry and moves one row: all w are 1, but for the 0.

    unit "node", relation: one training node opts out of the roster, with its label and all its edges. Rows
    are those of the nodes that do not train, and w(u, v) = 1/sqrt(d_u) from a training node u to its d_u
    neighbours that do not train; all other w are 0. Proof: u's label and list of neighbours weigh in its own
    d_u terms alone, in d_u different rows, of norm at most 1/sqrt(d_u) each: 1 together, whatever d_u is. No
    other term reads u: no other training node counts u among those that do not train. So nothing is sampled,
    cut off or frozen but the roster.

    In floats: each term is cut off towards zero to a multiple of 2^-26 after it was made shorter than its
    bound by 2^-40 of it, and sums of these are exact, whatever their order. A row with a number that is not
    finite counts as zeros.
    """

    unit: str
    std: float
    undirected: bool = True

    def __post_init__(self) -> None:
        if self.unit not in ("none", "edge", "node"):
            raise ValueError(f"ClassHistogram.unit must be none, edge or node (got {self.unit})")

    def entry(self) -> LedgerEntry:
        """The ledger entry of the release."""
        return histogram_entry(self.unit, self.std)

    def release(self, edge_index: Tensor, training: Tensor, beliefs: Tensor, secret: Secret) -> Tensor:
        """The noisy histograms, double precision: (|V|, C) at edge level, and (n, C) of the n nodes that do
        not train, in their order, at node level.

        Args:
            edge_index: (2, |E|) rows (source, target).
            training: (|V|,) bool, the roster of training nodes.
            beliefs: p (|V|, C); at node level rows of nodes that do not train are not read.
            secret: The stream of the noise.
        """
        sums = self.sums(edge_index, training, beliefs)
        return GaussianNoise(std=self.std, sensitivity=SENSITIVITY).add_(sums, secret)

    def sums(self, edge_index: Tensor, training: Tensor, beliefs: Tensor) -> Tensor:
        """What gets the noise: see `release`."""
        rows = centred(beliefs)
        nodes, classes = rows.shape
        found = torch.zeros(nodes, classes, dtype=torch.float64, device=rows.device)
        if self.unit == "node":
            degrees = torch.zeros(nodes, dtype=torch.float64, device=rows.device)
            for source, target in _pieces(edge_index):
                heard = training[source] & ~training[target]
                degrees += torch.bincount(source[heard], minlength=nodes)
            rows = rows / degrees.clamp_min(1).sqrt().unsqueeze(1)
        rows = _cut(rows)
        alike = _cut(rows * math.sqrt(0.5)) if self.undirected else rows
        for source, target in _pieces(edge_index):
            teaches, trains = training[source], training[target]
            heard = teaches & ~trains
            found.index_add_(0, target[heard], rows[source[heard]])
            if self.unit != "node":
                heard = teaches == trains
                found.index_add_(0, target[heard], alike[source[heard]])
        return found[~training].contiguous() if self.unit == "node" else found


def centred(beliefs: Tensor) -> Tensor:
    """m (n, C) in double precision, no row longer than 1, from distributions p (n, C); each by itself."""
    classes = beliefs.shape[1]
    rows = (beliefs.double() - 1 / classes) / math.sqrt(1 - 1 / max(classes, 2))
    rows = torch.where(torch.isfinite(rows).all(1, keepdim=True), rows, 0.0)
    lengths: Tensor = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    return rows / lengths.clamp_min(1)


def _cut(rows: Tensor) -> Tensor:
    return (rows * (INSIDE / GRID)).trunc_().mul_(GRID)


def _pieces(edge_index: Tensor) -> list[tuple[Tensor, Tensor]]:
    return [(piece[0], piece[1]) for piece in torch.split(edge_index, _CHUNK, dim=1)]
