"""Arithmetic in which what becomes of an example hangs neither on how many others there are nor on its place
among them.

A library adds up the numbers of a product in an order of its choice: another one for a table of another size,
and for a row that begins elsewhere in memory. Torch computes an activation otherwise at the end of a thread's
share than in its middle. Such differences are rounding; but where a record brings pre-activations that are
rounding alone, they decide on which side of an activation's corner these lie, and turn a whole gradient. One
example more must not do that to the others.

So all tables of examples have one size, an example is a column of it, columns lie beside each other, and
activations are computed in pieces that one thread works on. That libraries treat all columns of such a table
alike is not theirs to promise: `require_places_alike` asks them, on the machine at hand.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

BLOCK = 128
"""Examples in a table, where nothing else is said; the last one is filled up."""
LARGEST = 4096
"""Examples in a table at most: more at once are not faster."""

PIECE = 1 << 15
"""Numbers from which on torch splits an operation among threads."""
_VECTOR = 64
"""Numbers that a processor works on at once divide this: nothing is left over for another way of
computing."""


class _Columns(torch.autograd.Function):
    """weight (O, I) times columns (I, n), plus bias (O, 1): (O, n), and backwards in the same layout."""

    @staticmethod
    def forward(ctx: Any, columns: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.weight = weight
        return weight @ columns if bias is None else torch.addmm(bias, weight, columns)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return ctx.weight.t() @ gradients[0].contiguous(), None, None


def size_for(expected: float) -> int:
    """A size of tables for so many examples on average, a public number: two to four tables a batch.

    >>> [size_for(expected) for expected in (0.5, 300, 3000, 1e6)]
    [128, 128, 1024, 4096]
    """
    return min(LARGEST, max(BLOCK, 1 << max(0, math.floor(math.log2(expected)) - 1)))


def linear(rows: Tensor, weight: Tensor, bias: Tensor | None = None, size: int = BLOCK) -> Tensor:
    """(n, O): rows (n, I) times the transposed weight (O, I), plus bias (O,), in tables of `size` rows;
    differentiable in the rows."""
    found, own = [rows.new_zeros(0, len(weight))], None if bias is None else bias.unsqueeze(1)
    for table in torch.split(rows, size):
        columns = table.t() if len(table) == size else functional.pad(table.t(), (0, size - len(table)))
        found.append(_Columns.apply(columns.contiguous(), weight, own).t()[: len(table)])  # type: ignore[no-untyped-call]
    return torch.cat(found)


def activation(function: Callable[[Tensor], Tensor], values: Tensor) -> Tensor:
    """`function`, which treats every number by itself, of `values`, in their shape."""
    pieces = []
    for piece in torch.split(values.reshape(-1), PIECE):
        missing = -len(piece) % _VECTOR
        pieces.append(function(functional.pad(piece, (0, missing)) if missing else piece)[: len(piece)])
    return torch.cat([values.new_zeros(0), *pieces]).view(values.shape)


def require_places_alike(
    shapes: Iterable[tuple[int, ...]], device: torch.device, members: int = 1, size: int = BLOCK
) -> None:
    """Raise `RuntimeError` unless this machine's library treats all columns of a table alike.

    shapes: (O, I) of each matrix through which examples go, `members` of them at once; others are left out.
    size: examples in a table.
    """
    for shape in shapes:
        if len(shape) == 2 and not _places_alike(size, members, *shape, device, torch.get_num_threads()):
            raise RuntimeError(
                f"On this machine a product of {shape[0]} x {shape[1]} numbers with a table of examples "
                "hangs on where in the table an example stands. Private gradients are not trained with such "
                "a library; another number of threads or another device may help."
            )


@functools.lru_cache(maxsize=256)
def _places_alike(size: int, members: int, outputs: int, inputs: int, device: torch.device, threads: int) -> bool:
    """Whether columns keep their results when they are put in another order: forwards and backwards, bit by
    bit."""
    generator = torch.Generator().manual_seed(0)

    def drawn(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator).to(device)

    weight = drawn(members, outputs, inputs)
    order = torch.randperm(size, generator=generator).to(device)
    pairs = [(weight, drawn(members, inputs, size)), (weight.transpose(1, 2), drawn(members, outputs, size))]
    ways: list[Callable[[Tensor, Tensor], Tensor]] = [torch.bmm]
    if members == 1:
        ways += [
            lambda matrix, table: matrix[0] @ table[0],
            lambda matrix, table: torch.addmm(matrix[0, :, :1], matrix[0], table[0]),  # with a bias
        ]
    return all(
        torch.equal(way(matrix, table)[..., order], way(matrix, table[..., order].contiguous()))
        for matrix, table in pairs
        for way in ways
    )
