"""Pieces for many small graphs in one computation: padding, neighbour means, first layers on sparse tables,
dropout.

S small graphs are laid side by side. What belongs to nodes is node-major, (S, N, C), member, node, feature,
with N the size of the largest graph; the nodes of a smaller one come first, and the rest is padding, which no
edge reaches and whose rows of the input are zero. A product that mixes nodes is one sparse product with a
block-diagonal matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

SPARSE_BELOW = 0.12
"""Share of non-zeros below which a product with a block-diagonal table beats the dense one on a CPU
(measured)."""
BLOCKS_FROM = 1 << 20
"""Multiplications a member from which a dense product is left to oneDNN, which uses wider instructions than
the BLAS on some processors (measured: 170 against 90 GFLOP/s a core), at the price of a call a member."""


@dataclass(frozen=True, eq=False)
class Operator:
    """A sparse matrix and its transpose, both CSR, so that neither direction of a pass has to turn it
    around."""

    matrix: Tensor
    transposed: Tensor

    @staticmethod
    def of(rows: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> Operator:
        """From entries (e,) in any order; entries of the same place add up."""
        return Operator(_csr(rows, columns, values, size), _csr(columns, rows, values, (size[1], size[0])))

    def forward(self, x: Tensor, out: Tensor) -> Tensor:
        """The matrix (n, m) times x (m, C), written to `out` (n, C)."""
        return torch.addmm(out, self.matrix, x, beta=0, out=out)

    def backward(self, gradient: Tensor, out: Tensor) -> Tensor:
        """The transposed matrix times the output's gradient (n, C): the input's, written to `out` (m, C)."""
        return torch.addmm(out, self.transposed, gradient, beta=0, out=out)


def _csr(rows: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> Tensor:
    order = torch.argsort(rows * size[1] + columns)
    pointers = torch.zeros(size[0] + 1, dtype=torch.int32, device=rows.device)
    pointers[1:] = torch.bincount(rows, minlength=size[0]).cumsum(0)
    # 32 bits are what the sparse kernels work with: wider numbers would be copied at every product
    return torch.sparse_csr_tensor(pointers, columns[order].int(), values[order], size=size, check_invariants=False)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """S small graphs, padded to N nodes each.

    rows: (S, N) int64, each node's row of the shared feature table (padding: 0). valid: (S, N) bool, padding
    excepted. sizes: the numbers of nodes. source, target: (e,) int64, edges between the S N places. weight:
    (e,), one over the target's number of edges, so that a sum over edges is a mean over neighbours (zero
    without any).
    """

    rows: Tensor
    valid: Tensor
    sizes: tuple[int, ...]
    source: Tensor
    target: Tensor
    weight: Tensor

    @staticmethod
    def of(
        nodes: Sequence[Tensor], edges: Sequence[Tensor], dtype: torch.dtype = torch.float32, places: int = 1
    ) -> SideBySide:
        """From each graph's rows (n,) and its edges (2, e), (source, target), numbers within the rows; N is
        at least `places`."""
        sizes = tuple(int(rows.numel()) for rows in nodes)
        members, longest, device = len(sizes), max([places, *sizes]), nodes[0].device
        rows = torch.zeros(members, longest, dtype=torch.int64, device=device)
        valid = torch.zeros(members, longest, dtype=torch.bool, device=device)
        for member, own in enumerate(nodes):
            rows[member, : own.numel()] = own
            valid[member, : own.numel()] = True
        source, target = torch.cat([own + member * longest for member, own in enumerate(edges)], 1)
        degrees = torch.bincount(target, minlength=members * longest)
        return SideBySide(rows, valid, sizes, source, target, degrees.to(dtype).reciprocal()[target])

    @property
    def padded(self) -> bool:
        """Whether the sizes differ."""
        return min(self.sizes) < self.rows.shape[1]

    def inputs(self, x: Tensor) -> Tensor:
        """[x, mean_N(x)] of every node, (S, N, 2F), from the shared table (|V|, F): no weight takes part in
        it."""
        own = x[self.rows] * self.valid.unsqueeze(2)
        places = self.rows.numel()
        matrix = _csr(self.target, self.source, self.weight, (places, places))
        return torch.cat([own, (matrix @ own.view(places, -1)).view(own.shape)], 2)

    def self_and_means(self) -> Operator:
        """(S N, 2 S N): what a node says of itself, at columns 2i, plus the mean of its neighbours, at 2j +
        1.

        Applied to (S, N, 2C), V_self h beside V_nbr h, read as (2 S N, C), it is a layer of GraphSAGE:
        weights first, means afterwards, which is the same and averages C numbers a node instead of the width
        of h.
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

    `columns[s]` are the columns that member s keeps, and K (`width`) is the largest number of them: weights
    are (S, K, H), those of a member with fewer being filled up with rows that are never read. The table is a
    block-diagonal sparse matrix where few entries are not zero, else dense, by one batched product or by
    oneDNN member by member. A column that is zero in the whole input gets no gradient: without weight decay
    (`keep_all`) its weights stay what they were.
    """

    def __init__(self, values: Tensor, hidden: int, *, keep_all: bool = False, sparse: bool | None = None) -> None:
        """`hidden` is H; `sparse` None: as the entries say."""
        members, places, _ = values.shape
        used = torch.ones_like(values[:, 0], dtype=torch.bool) if keep_all else (values != 0).any(1)
        self.columns = [own.nonzero().squeeze(1) for own in used]
        self.width = max([1, *(own.numel() for own in self.columns)])
        self._dense: Tensor | None = None
        self._blocks: list[tuple[Tensor, Tensor]] = []
        self._operator: Operator | None = None
        if sparse is None:
            share = int(values.count_nonzero()) / (members * places * self.width)
            sparse = values.device.type == "cpu" and share < SPARSE_BELOW
        if sparse:
            member, place, column = values.nonzero(as_tuple=True)
            self._operator = Operator.of(
                member * places + place,
                member * self.width + (used.cumsum(1) - 1)[member, column],
                values[member, place, column],
                (members * places, members * self.width),
            )
        else:
            self._dense = values.new_zeros(members, places, self.width)
            for packed, own, columns in zip(self._dense, values, self.columns, strict=True):
                packed[:, : columns.numel()] = own[:, columns]
            if _onednn(values) and places * self.width * hidden >= BLOCKS_FROM:
                self._blocks = [(own.to_mkldnn(), own.t().contiguous().to_mkldnn()) for own in self._dense]
                self._dense = None

    @property
    def sparse(self) -> bool:
        """Whether products are sparse ones."""
        return self._operator is not None

    def project(self, weight: Tensor, out: Tensor) -> Tensor:
        """The table times weight (S, K, H): (S, N, H), written to `out`."""
        if self._operator is not None:
            self._operator.forward(weight.view(-1, weight.shape[2]), out.view(-1, out.shape[2]))
            return out
        if self._blocks:
            for (own, _), factor, product in zip(self._blocks, weight, out, strict=True):
                product.copy_(functional.linear(own, factor.t()).to_dense())
            return out
        assert self._dense is not None
        return torch.bmm(self._dense, weight, out=out)

    def outer(self, gradient: Tensor, out: Tensor) -> Tensor:
        """The transposed table times gradient (S, N, H): (S, K, H), the gradient of `project`'s weight, to
        `out`."""
        if self._operator is not None:
            self._operator.backward(gradient.view(-1, gradient.shape[2]), out.view(-1, out.shape[2]))
            return out
        if self._blocks:
            for (_, transposed), factor, product in zip(self._blocks, gradient, out, strict=True):
                product.copy_(functional.linear(transposed, factor.t()).to_dense())
            return out
        assert self._dense is not None
        return torch.bmm(self._dense.transpose(1, 2), gradient, out=out)


def _onednn(values: Tensor) -> bool:
    """Whether oneDNN is there for products with `values`."""
    if values.device.type != "cpu" or values.dtype != torch.float32:
        return False
    return bool(torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]


class Keep:
    """Which units dropout keeps: ones and zeros (S, N, H), each member's from its own generator.

    The share of dropped units is p to within 2^-17, exactly p where p is a multiple of 1/256; `scale` is what
    the kept ones are to be multiplied by. Random bits come as whole words, an eighth or a quarter of one a
    unit: a draw a unit would take longer than all the rest of a small model's epoch. Member s draws for its
    own `sizes[s]` nodes alone, so that its units do not depend on its stack.
    """

    def __init__(self, shape: tuple[int, int, int], sizes: Sequence[int], p: float, reference: Tensor) -> None:
        bits, lane = (8, torch.int8) if (p * 256).is_integer() else (16, torch.int16)
        levels = 1 << bits
        dropped = min(round(p * levels), levels - 1)
        self._threshold = dropped - levels // 2
        self.scale = levels / (levels - dropped)
        members, places, width = shape
        self._counts = [-(-size * width * bits // 64) for size in sizes]
        words = -(-places * width * bits // 64)
        self._words = torch.zeros(members, words, dtype=torch.int64, device=reference.device)
        self._units = self._words.view(lane)[:, : places * width].view(shape)
        self._ones = torch.empty(shape, dtype=reference.dtype, device=reference.device)

    def draw(self, generators: Sequence[torch.Generator]) -> Tensor:
        """A new choice, (S, N, H)."""
        for words, count, generator in zip(self._words, self._counts, generators, strict=True):
            words[:count].random_(-(1 << 63), None, generator=generator)
        return torch.ge(self._units, self._threshold, out=self._ones)
