"""Pieces for many small graphs in one computation: padding, neighbour means, first layers on sparse tables, dropout.

S small graphs are laid side by side. What belongs to nodes is node-major, (S, N, C), member, node, feature, with N the
size of the largest graph; the nodes of a smaller one come first, and the rest is padding, which no edge reaches and
whose rows of the input are zero. A product that mixes nodes is one sparse product with a block-diagonal matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

SPARSE_BELOW = 0.2
"""Share of non-zeros below which a product with a block-diagonal table beats the dense one on a CPU (measured)."""


@dataclass(frozen=True, eq=False)
class Operator:
    """A sparse matrix and its transpose, both CSR, so that neither direction of a pass has to turn it around."""

    forward: Tensor
    backward: Tensor

    @staticmethod
    def of(rows: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> Operator:
        """From entries (e,) in any order; entries of the same place add up."""
        return Operator(_csr(rows, columns, values, size), _csr(columns, rows, values, (size[1], size[0])))

    @property
    def entries(self) -> int:
        return int(self.forward.values().numel())


def _csr(rows: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> Tensor:
    order = torch.argsort(rows * size[1] + columns)
    pointers = torch.zeros(size[0] + 1, dtype=torch.int32, device=rows.device)
    pointers[1:] = torch.bincount(rows, minlength=size[0]).cumsum(0)
    return torch.sparse_csr_tensor(pointers, columns[order].int(), values[order], size=size, check_invariants=False)


@dataclass(frozen=True, eq=False)
class Graphs:
    """S small graphs side by side.

    rows: (S, N) int64, each node's row of the shared feature table (padding: 0); valid: (S, N) bool;
    sizes: the numbers of nodes; source, target: (e,) int64, edges between the S N places; weight: (e,), one over the
    target's number of edges, so that a sum over edges is a mean over neighbours (none: zero).
    """

    rows: Tensor
    valid: Tensor
    sizes: tuple[int, ...]
    source: Tensor
    target: Tensor
    weight: Tensor

    @staticmethod
    def of(nodes: Sequence[Tensor], edges: Sequence[Tensor], dtype: torch.dtype = torch.float32) -> Graphs:
        """From each graph's rows (n,) and its edges (2, e), (source, target), numbers within the rows."""
        sizes = tuple(int(rows.numel()) for rows in nodes)
        members, longest, device = len(sizes), max(1, *sizes, 1), nodes[0].device
        rows = torch.zeros(members, longest, dtype=torch.int64, device=device)
        valid = torch.zeros(members, longest, dtype=torch.bool, device=device)
        for member, own in enumerate(nodes):
            rows[member, : own.numel()] = own
            valid[member, : own.numel()] = True
        source, target = torch.cat([own + member * longest for member, own in enumerate(edges)], 1)
        degrees = torch.bincount(target, minlength=members * longest)
        return Graphs(rows, valid, sizes, source, target, degrees.to(dtype).reciprocal()[target])

    @property
    def padded(self) -> bool:
        return min(self.sizes) < self.rows.shape[1]

    def means(self, x: Tensor) -> Tensor:
        """Mean of x (S, N, F) over each node's neighbours, (S, N, F)."""
        places = self.rows.numel()
        matrix = _csr(self.target, self.source, self.weight.to(x.dtype), (places, places))
        return (matrix @ x.reshape(places, -1)).view(x.shape)

    def self_and_means(self) -> Operator:
        """(S N, 2 S N): what a node says of itself, at columns 2i, plus the mean of its neighbours, at 2j + 1.

        Applied to projections (S, N, 2C), V_self h beside V_nbr h, as (2 S N, C), it is GraphSAGE's second half.
        """
        places = self.rows.numel()
        everyone = torch.arange(places, device=self.rows.device)
        return Operator.of(
            torch.cat([everyone, self.target]),
            torch.cat([2 * everyone, 2 * self.source + 1]),
            torch.cat([torch.ones_like(everyone, dtype=self.weight.dtype), self.weight]),
            (places, 2 * places),
        )


class Table:
    """The inputs of S first layers, (S, N, F), without the columns that are zero in a member's whole input.

    `columns[s]` are the columns that member s keeps, and K is the largest number of them: weights are (S, K, H), the
    rows of a member with fewer being never read. Kept as a block-diagonal sparse matrix where few entries are not zero,
    else dense. A column that is zero in the whole input gets no gradient, so that its weights stay what they were.
    """

    def __init__(self, values: Tensor, *, keep_all: bool = False, sparse: bool | None = None) -> None:
        members, places, _ = values.shape
        used = torch.ones_like(values[:, 0], dtype=torch.bool) if keep_all else (values != 0).any(1)
        self.columns = [own.nonzero().squeeze(1) for own in used]
        self.width = max(1, *(own.numel() for own in self.columns), 1)
        entries = int(values.count_nonzero())
        if sparse is None:
            sparse = values.device.type == "cpu" and entries < SPARSE_BELOW * members * places * self.width
        self._operator: Operator | None = None
        self._dense: Tensor | None = None
        if sparse:
            member, place, column = values.nonzero(as_tuple=True)
            packed = used.cumsum(1) - 1
            self._operator = Operator.of(
                member * places + place,
                member * self.width + packed[member, column],
                values[member, place, column],
                (members * places, members * self.width),
            )
        else:
            self._dense = values.new_zeros(members, places, self.width)
            for own, columns, target in zip(values, self.columns, self._dense, strict=True):
                target[:, : columns.numel()] = own[:, columns]

    @property
    def sparse(self) -> bool:
        return self._operator is not None

    def project(self, weight: Tensor, out: Tensor) -> Tensor:
        """The table times weight (S, K, H): (S, N, H), written to `out`."""
        if self._dense is not None:
            return torch.bmm(self._dense, weight, out=out)
        assert self._operator is not None
        apply(self._operator.forward, weight.flatten(0, 1), out.flatten(0, 1))
        return out

    def outer(self, gradient: Tensor, out: Tensor) -> Tensor:
        """The transposed table times gradient (S, N, H): (S, K, H), the gradient of `project`'s weight."""
        if self._dense is not None:
            return torch.bmm(self._dense.transpose(1, 2), gradient, out=out)
        assert self._operator is not None
        apply(self._operator.backward, gradient.flatten(0, 1), out.flatten(0, 1))
        return out


def apply(matrix: Tensor, x: Tensor, out: Tensor) -> Tensor:
    """`matrix` (n, m) CSR times x (m, C), written to `out` (n, C)."""
    return torch.addmm(out, matrix, x, beta=0, out=out)


class Keep:
    """Which units dropout keeps: ones and zeros (S, N, H), each member's from its own generator.

    A unit is kept with probability 1 - p to within 2^-17; `scale` is what the kept ones are to be multiplied by. Random
    bits come as whole words, an eighth or a quarter of a word a unit, for a draw a unit would take longer than all the
    rest of a small model's epoch. Member s draws for its own nodes alone, so that its units do not depend on its stack.
    """

    def __init__(self, shape: tuple[int, int, int], sizes: Sequence[int], p: float, reference: Tensor) -> None:
        lanes = 8 if (p * 256).is_integer() else 16
        levels = 1 << lanes
        dropped = round(p * levels)
        self._threshold = dropped - levels // 2
        self.scale = levels / (levels - dropped)
        self._counts = [-(-size * shape[2] * lanes // 64) for size in sizes]
        words = -(-shape[1] * shape[2] * lanes // 64)
        self._words = torch.zeros(shape[0], words, dtype=torch.int64, device=reference.device)
        view = self._words.view(torch.int8 if lanes == 8 else torch.int16)
        self._units = view[:, : shape[1] * shape[2]].view(shape)
        self.ones = torch.empty(shape, dtype=reference.dtype, device=reference.device)

    def draw(self, generators: Sequence[torch.Generator]) -> Tensor:
        """A new choice, (S, N, H)."""
        for words, count, generator in zip(self._words, self._counts, generators, strict=True):
            words[:count].random_(-(1 << 63), None, generator=generator)
        return torch.ge(self._units, self._threshold, out=self.ones)
