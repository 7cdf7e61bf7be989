"""What a stacked network reads: one table shared by all members, or one table a member.

S members are trained as one computation. Activations are feature-major, (S, C, N), so that statistics of a
feature are sums along contiguous memory. The first layer of every member reads the same features in the first
stage of training, and then all S first layers are one product with a (F, N) table instead of S products with
copies of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from privgraph.nn.tables import column_sums

_SPARSE_BELOW = 0.10
"""Share of non-zeros below which a sparse product is faster than a dense one (measured on bags of words)."""


@dataclass(frozen=True, eq=False)
class Shared:
    """One table for all members. `rows`: (N, F), row-major, as in `Graph.x`.

    `columns` is its transpose made contiguous; for a table with few non-zeros (`sparse`), the products go
    through CSR copies of the table and of its transpose instead.
    """

    rows: Tensor
    columns: Tensor | None = None
    sparse: tuple[Tensor, Tensor] | None = None

    @staticmethod
    def of(rows: Tensor) -> Shared:
        """Choose the representation by the share of non-zeros of `rows`, (N, F)."""
        if int(rows.count_nonzero()) < _SPARSE_BELOW * rows.numel():
            return Shared(rows=rows, sparse=(_csr(rows), _csr(rows.t())))
        return Shared(rows=rows, columns=rows.t().contiguous())

    @property
    def features(self) -> int:
        return int(self.rows.shape[1])

    @property
    def examples(self) -> int:
        return int(self.rows.shape[0])

    def project(self, weight: Tensor, out: Tensor) -> Tensor:
        """weight (S, O, F) times the table: (S, O, N), written to `out`."""
        members, outputs, features = weight.shape
        stacked = weight.reshape(members * outputs, features)
        if self.sparse is not None:
            out.view(members * outputs, -1).copy_((self.sparse[0] @ stacked.t()).t())
        else:
            assert self.columns is not None
            torch.mm(stacked, self.columns, out=out.view(members * outputs, -1))
        return out

    def outer(self, gradient: Tensor) -> Tensor:
        """gradient (S, O, N) times the table's transpose: (S, O, F), the gradient of `project`'s weight."""
        members, outputs, examples = gradient.shape
        stacked = gradient.reshape(members * outputs, examples)
        if self.sparse is None:
            return (stacked @ self.rows).view(members, outputs, -1)
        return (self.sparse[1] @ stacked.t().contiguous()).t().reshape(members, outputs, -1)

    def part(self, start: int, stop: int) -> Shared:
        """The table of some of the members: the same."""
        return self

    def take(self, index: Tensor) -> PerMember:
        """The rows that `index`, (S, B) int64, names for each member: (S, F, B).

        Contiguous, as the tables are that `nn.tables.require_places_alike` asks about: a library may multiply
        a transposed view in another way.
        """
        return PerMember(self.rows[index].transpose(1, 2).contiguous())


@dataclass(frozen=True, eq=False)
class PerMember:
    """A table for each member: `values` is (S, F, N)."""

    values: Tensor
    _norms: list[Tensor] = field(default_factory=list, repr=False)

    @property
    def features(self) -> int:
        return int(self.values.shape[1])

    @property
    def examples(self) -> int:
        return int(self.values.shape[2])

    def project(self, weight: Tensor, out: Tensor) -> Tensor:
        """weight (S, O, F) times each member's table: (S, O, N), written to `out`."""
        return torch.bmm(weight, self.values, out=out)

    def outer(self, gradient: Tensor) -> Tensor:
        """gradient (S, O, N) times each member's transposed table: (S, O, F)."""
        return torch.bmm(gradient, self.values.transpose(1, 2))

    def part(self, start: int, stop: int) -> PerMember:
        """The tables of some of the members."""
        return PerMember(self.values[start:stop])

    def take(self, index: Tensor) -> PerMember:
        """The columns that `index`, (S, B) int64, names for each member: (S, F, B)."""
        expanded = index.unsqueeze(1).expand(-1, self.features, -1)
        return PerMember(self.values.gather(2, expanded))

    def squared_norms(self) -> Tensor:
        """(S, N): squared L2 norm of each example."""
        if not self._norms:
            self._norms.append(column_sums(self.values.square()).squeeze(1))
        return self._norms[0]


@dataclass(eq=False)
class Chosen:
    """Rows of a shared table, others for each member: `index` (S, n) int64, `valid` (S, n) bool (the rest is
    padding).

    The product with the whole table is made once for all members, and each takes its columns of it. Two
    selections of one table may share even that (`follow`): the second takes its columns of the first's latest
    product, which is right as long as the first was asked with the same weights just before.
    """

    table: Shared
    index: Tensor
    valid: Tensor
    follow: Chosen | None = None
    _whole: Tensor | None = field(default=None, repr=False)
    _spread: Tensor | None = field(default=None, repr=False)

    @property
    def features(self) -> int:
        return self.table.features

    @property
    def examples(self) -> int:
        return int(self.index.shape[1])

    def project(self, weight: Tensor, out: Tensor) -> Tensor:
        """weight (S, O, F) times each member's rows: (S, O, n), written to `out`."""
        if self.follow is None:
            shape = (weight.shape[0], weight.shape[1], self.table.examples)
            if self._whole is None or self._whole.shape != shape:
                self._whole = torch.empty(shape, dtype=weight.dtype, device=weight.device)
            whole = self.table.project(weight, self._whole)
        else:
            assert self.follow._whole is not None
            whole = self.follow._whole
        return torch.gather(whole, 2, self._columns(weight.shape[1]), out=out)

    def outer(self, gradient: Tensor) -> Tensor:
        """gradient (S, O, n) times each member's rows: (S, O, F); the gradient of padding must be zero."""
        shape = (gradient.shape[0], gradient.shape[1], self.table.examples)
        if self._spread is None or self._spread.shape != shape:
            self._spread = torch.zeros(shape, dtype=gradient.dtype, device=gradient.device)
        if bool(self.valid.all()):  # every column is written: the rest stays zero from the first time on
            self._spread.scatter_(2, self._columns(shape[1]), gradient)
        else:
            self._spread.zero_().scatter_add_(2, self._columns(shape[1]), gradient)
        return self.table.outer(self._spread)

    def part(self, start: int, stop: int) -> Chosen:
        """The selections of some of the members."""
        return Chosen(table=self.table, index=self.index[start:stop], valid=self.valid[start:stop])

    def take(self, index: Tensor) -> PerMember:
        """The rows of the selection that `index`, (S, B) int64, names for each member: (S, F, B)."""
        return self.table.take(self.index.gather(1, index))

    def _columns(self, outputs: int) -> Tensor:
        return self.index.unsqueeze(1).expand(-1, outputs, -1)


Inputs = Shared | PerMember | Chosen


def _csr(table: Tensor) -> Tensor:
    rows, columns = table.nonzero(as_tuple=True)
    pointers = torch.zeros(table.shape[0] + 1, dtype=torch.int64, device=table.device)
    pointers[1:] = torch.bincount(rows, minlength=table.shape[0]).cumsum(0)
    return torch.sparse_csr_tensor(
        pointers, columns, table[rows, columns], size=tuple(table.shape), check_invariants=False
    )
