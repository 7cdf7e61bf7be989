"""Products with matrices that training does not change: sums over neighbours, and tables of features.

A sparse product is a sum of rows for each row of its output, which is what `embedding_bag` computes, with the
processor's widest instructions (measured: a third of the time of the sparse product behind `torch.addmm`).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.nn.message_passing import SPARSE_BELOW


def times_transposed(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x (n, K) times the transpose of `weight` (M, K), plus `bias` (M,): (n, M).

    By oneDNN where it is there and numbers have 32 bits: it is up to twice as fast as the BLAS on some
    processors (see `message_passing.BLOCKS_FROM`), operands of any strides included.
    """
    if x.dtype == torch.float32 and x.device.type == "cpu" and torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        product: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
        return product
    return functional.linear(x, weight, bias)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a sparse matrix: row i has `values` at `columns` from pointers[i] up to pointers[i + 1]."""

    pointers: Tensor
    columns: Tensor
    values: Tensor

    @staticmethod
    def of(rows: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> _Rows:
        order = torch.argsort(rows * size[1] + columns)
        pointers = torch.zeros(size[0] + 1, dtype=torch.int64)
        pointers[1:] = torch.bincount(rows, minlength=size[0]).cumsum(0)
        return _Rows(pointers, columns[order], values[order])

    def times(self, x: Tensor) -> Tensor:
        return functional.embedding_bag(
            self.columns, x, self.pointers, mode="sum", per_sample_weights=self.values, include_last_offset=True
        )


@dataclass(frozen=True, eq=False)
class FixedSparse:
    """A sparse matrix (n, m) and its transpose, both by rows, on the CPU."""

    matrix: _Rows
    transposed: _Rows

    @staticmethod
    def of(rows: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> FixedSparse:
        """From entries (e,) in any order; entries of the same place add up."""
        return FixedSparse(_Rows.of(rows, columns, values, size), _Rows.of(columns, rows, values, (size[1], size[0])))

    @staticmethod
    def of_csr(matrix: Tensor, values: Tensor) -> FixedSparse:
        """The places of a sparse CSR matrix, with other `values` (e,)."""
        pointers = matrix.crow_indices()
        rows = torch.arange(len(pointers) - 1).repeat_interleave(pointers.diff())
        return FixedSparse.of(rows, matrix.col_indices(), values, (matrix.shape[0], matrix.shape[1]))

    def times(self, x: Tensor) -> Tensor:
        """The matrix times x (m, C): (n, C)."""
        return self.matrix.times(x)

    def transposed_times(self, x: Tensor) -> Tensor:
        """The transposed matrix times x (n, C): (m, C)."""
        return self.transposed.times(x)


@dataclass(frozen=True, eq=False)
class FixedDense:
    """A dense matrix (n, m)."""

    matrix: Tensor

    def times(self, x: Tensor) -> Tensor:
        """The matrix times x (m, C): (n, C)."""
        return times_transposed(self.matrix, x.t())

    def transposed_times(self, x: Tensor) -> Tensor:
        """The transposed matrix times x (n, C): (m, C)."""
        return times_transposed(self.matrix.t(), x.t())


def table(x: Tensor) -> FixedSparse | FixedDense:
    """Features (N, F), as a sparse matrix where few entries are not zero."""
    if int(x.count_nonzero()) >= SPARSE_BELOW * x.numel():
        return FixedDense(x)
    rows, columns = x.nonzero(as_tuple=True)
    return FixedSparse.of(rows, columns, x[rows, columns], (x.shape[0], x.shape[1]))
