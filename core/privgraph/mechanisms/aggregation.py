"""NAP: normalise rows, sum over neighbours, perturb (ProGAP, Eq. 7; GAP's aggregation perturbation)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from privgraph.mechanisms.entries import (
    aggregation_entry,
    aggregation_sensitivity,
    replaced_aggregation_entry,
    replaced_aggregation_sensitivity,
)
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.privacy.ledger import LedgerEntry
from privgraph.streams import Secret

_CHUNK_ENTRIES = 1 << 23
"""Adjacency entries a chunk of rows: bounds the copies that the sparse product makes of its indices."""

_GRAINS = 2.0**13
"""Steps of a unit: numbers of rows are multiples of one over it."""

_MOST_TERMS = 2**24 // 2**13
"""Numbers of size 1 at most whose multiples of 2^-13 have an exact sum in single precision."""


@dataclass(frozen=True, kw_only=True)
class AggregationPerturbation:
    """NAP(A, X; sigma) = [sum_j A_ji X_j/|X_j| + N(0, sigma^2 I_d)] for every node i.

    Released: the whole noisy matrix, once; it is cached by the caller and never asked for again.

    unit "edge", relation: one edge added or removed. Sensitivity (L2, of the |V| x d matrix): 1 where edges
    are directed: entry (j, i) moves row i by X_j/|X_j|, of norm at most 1. sqrt 2 where they are undirected:
    a friendship is the two entries (j, i) and (i, j), which move two different rows (there are no self-loops)
    by at most 1 each. The paper counts 1 in both cases.

    unit "node", relation: opt-out. The roster of nodes and the bounded edge sample (`mechanisms.degree`) are
    fixed; in the neighbouring graph one node z is nulled: its features, label, own row and all its kept edges
    are gone. Sensitivity sqrt(D), D = `max_degree`: z has at most D kept out-edges, each moves a different
    row by at most 1; its in-edges touch z's own row alone, which is z's record and reaches others only
    through z's clipped gradient and, again normalised, through z's out-edges. Proved for a frozen sample
    only: where lists are drawn again when z leaves, any number of rows may change, and no bound of this form
    holds.

    unit "node" with `own_rows`, relation: one node's record replaced by another. Sensitivity 2 sqrt(D (D +
    1)), proved in `entries.replaced_aggregation_sensitivity`, where a node keeps at most D in-edges as well;
    its own row is covered.

    In floats: rows are cut off (towards zero) to multiples of 2^-13, so that no row is longer than 1 and
    their sums are exact, whatever their order (`aggregate`). A row that is not finite counts as zeros, by a
    look at that row alone.

    Whatever is fed in as X must itself be public or already released with respect to the unit.
    std = 0 is no protection, and the event says so.
    """

    unit: str
    std: float
    undirected: bool = True
    max_degree: int = 0
    own_rows: bool = False

    def __post_init__(self) -> None:
        if self.unit not in ("none", "edge", "node"):
            raise ValueError(f"AggregationPerturbation.unit must be none, edge or node (got {self.unit})")
        if not (self.std >= 0 and math.isfinite(self.std)):
            raise ValueError(f"AggregationPerturbation.std must not be negative (got {self.std})")
        if self.own_rows and self.unit != "node":
            raise ValueError(f"AggregationPerturbation.own_rows is for unit node (got {self.unit})")
        if self.unit == "node" and self.max_degree < 1:
            raise ValueError(f"AggregationPerturbation.max_degree must be at least 1 (got {self.max_degree})")

    @property
    def sensitivity(self) -> float:
        """L2, proved as above."""
        if self.own_rows:
            return replaced_aggregation_sensitivity(self.max_degree)
        return aggregation_sensitivity(self.unit, self.undirected, self.max_degree)

    def entry(self, stage: str) -> LedgerEntry:
        """The ledger entry of one application."""
        if self.own_rows:
            return replaced_aggregation_entry(self.max_degree, self.std, stage)
        return aggregation_entry(self.unit, self.undirected, self.max_degree, self.std, stage)

    def release(self, adjacency: Tensor, embeddings: Tensor, secret: Secret) -> Tensor:
        """The noisy aggregates (|V|, d) of `embeddings` (|V|, d); adjacency (|V|, |V|) CSR, row i its
        in-neighbours."""
        return self.perturb_(aggregate(adjacency, unit_rows(embeddings)), secret).to(embeddings.dtype)

    def perturb_(self, aggregates: Tensor, secret: Secret) -> Tensor:
        """Add the noise, in place, to sums of rows of norm at most 1."""
        return GaussianNoise(std=self.std, sensitivity=self.sensitivity).add_(aggregates, secret)


def release_stack(
    mechanisms: Sequence[AggregationPerturbation],
    adjacencies: Sequence[Tensor],
    embeddings: Tensor,
    secrets: Sequence[Secret],
) -> Tensor:
    """Each member's noisy aggregates, (S, d, |V|), of `embeddings` (S, d, |V|), each from its own secret
    stream.

    Members with one and the same adjacency object share one sparse product, which reads the edges once.
    """
    members, width, nodes = embeddings.shape
    rows = torch.empty(nodes, members * width, dtype=embeddings.dtype, device=embeddings.device)
    for member in range(members):
        rows[:, member * width : (member + 1) * width] = unit_rows(embeddings[member].t())
    if all(adjacency is adjacencies[0] for adjacency in adjacencies):
        rows = aggregate(adjacencies[0], rows)
    else:
        parts = rows.split(width, dim=1)  # type: ignore[no-untyped-call]
        sums = [aggregate(one, part.contiguous()) for one, part in zip(adjacencies, parts, strict=True)]
        # a sum in double precision keeps it until it has its noise
        rows = torch.cat([part.to(max(sums, key=lambda each: each.element_size()).dtype) for part in sums], dim=1)
    out = rows.t().reshape(members, width, nodes)
    for member, (mechanism, secret) in enumerate(zip(mechanisms, secrets, strict=True)):
        mechanism.perturb_(out[member], secret)
    return out.to(embeddings.dtype)


def unit_rows(rows: Tensor) -> Tensor:
    """Rows (n, d) divided by their L2 norms, each number cut off towards zero to a multiple of 2^-13; zero
    rows stay zero.

    A total function of each row by itself. The norm is enlarged by more than it can have been rounded, so
    that no row is longer than 1: that is what sensitivity rests on. A row with a number that is not finite is
    a row of zeros.
    """
    norms: Tensor = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    # Squares overflow beyond 1e19 and vanish below 1e-19: such rows are first divided by their largest
    # number.
    extreme = (norms < 1e-15) | ~torch.isfinite(norms)
    factors = _GRAINS / (norms * (1 + (rows.shape[1] + 8) * 2.0**-23))
    units = (rows * factors).trunc_()
    if bool(extreme.any()):
        # all rows, as how many are extreme is private, and must not shape a sum
        some = rows.nan_to_num(math.inf, math.inf, math.inf)
        largest = some.abs().amax(1, keepdim=True)
        fine = (largest > 0) & torch.isfinite(largest)
        some = torch.where(fine, some / largest, 0)
        norms = torch.linalg.vector_norm(some, dim=1, keepdim=True) * (1 + (rows.shape[1] + 8) * 2.0**-23)
        units = torch.where(extreme, torch.where(fine, some * (_GRAINS / norms), 0).trunc_(), units)
    return units.mul_(1 / _GRAINS)


def aggregate(adjacency: Tensor, rows: Tensor) -> Tensor:
    """The sparse product adjacency (|V|, |V|) @ rows (|V|, d), in chunks of rows of bounded size.

    Exact for entries of 1 and rows of `unit_rows`: their multiples of 2^-13 have exact sums in single
    precision as long as no node has more than 2,048 in-neighbours; where one has, the product is made, and
    returned, in double precision.
    """
    pointers, sources, values = adjacency.crow_indices(), adjacency.col_indices(), adjacency.values()
    if sources.numel() and int(pointers.diff().max()) > _MOST_TERMS:
        rows = rows.double()
    if sources.numel() <= _CHUNK_ENTRIES:
        return torch.mm(adjacency.to(rows.dtype), rows)
    nodes = adjacency.shape[0]
    out = torch.empty(nodes, rows.shape[1], dtype=rows.dtype, device=rows.device)
    for start, stop in _row_chunks(pointers):
        first, last = int(pointers[start]), int(pointers[stop])
        block = torch.sparse_csr_tensor(
            pointers[start : stop + 1] - first,
            sources[first:last],
            values[first:last].to(rows.dtype),
            size=(stop - start, nodes),
            check_invariants=False,
        )
        torch.mm(block, rows, out=out[start:stop])
    return out


def _row_chunks(pointers: Tensor) -> list[tuple[int, int]]:
    """Consecutive ranges of rows of about `_CHUNK_ENTRIES` entries (a single fuller row is a chunk of its
    own)."""
    nodes, entries = pointers.numel() - 1, int(pointers[-1])
    wanted = torch.arange(_CHUNK_ENTRIES, entries, _CHUNK_ENTRIES, device=pointers.device)
    cuts = sorted({0, nodes, *torch.searchsorted(pointers, wanted).clamp_max(nodes).tolist()})
    return list(pairwise(cuts))
