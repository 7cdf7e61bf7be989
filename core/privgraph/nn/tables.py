"""Arithmetic in which what becomes of an example hangs neither on how many others there are nor on its place
among them.

A library adds up the numbers of a product in an order of its choice: another one for a table of another size,
and for a row that begins elsewhere in memory. Torch computes an activation otherwise at the end of a thread's
share than in its middle. Such differences are rounding; but where a record brings pre-activations that are
rounding alone, they decide on which side of an activation's corner these lie, and turn a whole gradient. One
example more must not do that to the others.

So all tables of examples have one size, an example is a column of it, columns lie beside each other, and
activations are computed in pieces that one thread works on. Sums whose terms are an example's own are added
up one after another (`added`), or over a whole table in such pieces (`column_sums`). That libraries treat all
places of such a table alike is not theirs to promise: `require_places_alike` asks them, on the machine at
hand, with the very computation of the training that is to begin.
"""

import math
from collections.abc import Callable, Iterable, Sequence
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
COMPANY = (1.0, 1e10, 1e20, 3e37)
"""Sizes of features beside which what is computed for an example must be the same."""


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


def in_tables(function: Callable[..., Tensor], size: int, *rows: Tensor) -> Tensor:
    """(n, ...): `function` of `rows`, each (n, ...), in tables of `size` rows; the last one is filled up with
    zeros.

    `function` keeps rows apart, and says one of nothing too; n may be 0.
    """
    count = len(rows[0])
    missing = -count % size or (size if not count else 0)
    padded = [torch.cat([one, one.new_zeros(missing, *one.shape[1:])]) if missing else one for one in rows]
    tables = zip(*(torch.split(one, size) for one in padded), strict=True)
    return torch.cat([function(*table) for table in tables])[:count]


class _Added(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor) -> Tensor:
        ctx.width = values.shape[1]
        total = torch.zeros_like(values[:, 0])
        for column in values.unbind(1):
            total += column
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0].unsqueeze(1).expand(-1, ctx.width, *gradients[0].shape[1:])


def added(values: Tensor) -> Tensor:
    """(B, ...): values (B, W, ...) added up over W, one after another; differentiable.

    Zeros among them change nothing, wherever they stand and however many they are: each number of the result
    is rounded after every term, and a zero rounds nothing.
    """
    found: Tensor = _Added.apply(values)  # type: ignore[no-untyped-call]
    return found


def column_sums(values: Tensor) -> Tensor:
    """(S, 1, N): sums over C of values (S, C, N).

    Of a table (N is `BLOCK`) in pieces that one thread works on. Where threads share a sum out, a column's
    order of addition hangs on whose share it ends.
    """
    members, rows, examples = values.shape
    if examples != BLOCK or values.numel() < PIECE:
        return values.sum(1, keepdim=True)
    if rows * examples < PIECE:
        few = (PIECE - 1) // (rows * examples)
        return torch.cat([part.sum(1, keepdim=True) for part in torch.split(values, few)])
    total = values.new_zeros(members, 1, examples)
    for one, own in zip(total, values, strict=True):
        for part in torch.split(own, (PIECE - 1) // examples):
            one += part.sum(0)
    return total


def made_up(size: int, *shape: int) -> Tensor:
    """(2 size, *shape): examples of nobody, and as many of which most are absurdly large."""
    values = torch.randn(2 * size, *shape, generator=torch.Generator().manual_seed(0))
    values[size:] *= torch.tensor(COMPANY).repeat(size)[:size].view(-1, *[1] * len(shape))
    return values


def require_places_alike(
    each: Callable[[Tensor], Sequence[Tensor]],
    size: int = BLOCK,
    *,
    moved: bool = True,
    companies: Iterable[Tensor] = (),
) -> None:
    """Raise `RuntimeError` unless this machine's library computes the same for an example, bit by bit,
    whoever stands beside it.

    each: from numbers (n,) of made-up examples below 2 `size` to what is computed for each, examples first:
        as in training, on as many and as wide tables. Those from `size` on may be absurd, and are not
        compared.
    moved: whether an example may stand in any place.
    companies: further numbers to ask about.
    """
    everyone = torch.arange(size)
    alone = [found.clone() for found in each(everyone)]
    asked = [everyone + size * (everyone % 2 == side) for side in (0, 1)]
    if moved:
        asked.append(torch.randperm(size, generator=torch.Generator().manual_seed(0)))
    for numbers in (*asked, *companies):
        own = numbers < size
        for found, before in zip(each(numbers), alone, strict=True):
            kept = own.to(found.device)
            if not torch.equal(found[kept], before[numbers[own].to(found.device)]):
                raise RuntimeError(
                    "On this machine what is computed for an example hangs on where it stands, or on which others "
                    "stand beside it. Private gradients are not trained with such a library; another number of "
                    "threads or another device may help."
                )
