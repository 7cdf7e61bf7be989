"""Sums of clipped gradients of tuples of texts (PvGaLM, section 3.3).

A tuple's gradient is the sum over its texts, through all their tokens. Two routes give the same sums:

- `loop`: one tuple at a time, by ordinary autograd. In floats, too, a tuple's gradient is a function of that
  tuple alone: nothing else takes part in its computation, whose shape follows from its own texts.
- `factored`: one forward and one backward pass for all texts of many tuples, sorted by length, so that
  little is padded. For each adapted weight, the inputs a and the gradients r of its outputs are kept, and
  summed as r a^T where a tuple's texts meet: never a gradient for each token, nor for each text of a tuple
  kept beside others. Products of a whole batch may be rounded otherwise in other company; by how much is
  measured in `tests/nn/text/test_tuple_gradients.py`, and `ROUNDING` bounds it.

A text that stands in two tuples has a gradient in each, of another loss: one backward pass cannot serve both,
so that a text is encoded once for each tuple that it stands in. Where nothing is clipped (`plain_sum`), it is
encoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from privgraph.nn.text.encoder import TextEncoder, buckets, trainable
from privgraph.nn.text.losses import TupleLoss

ROUTES = ("loop", "factored")
TOKENS_AT_ONCE = 8_192
"""Tokens of a forward pass with gradients: bounds the memory of the factored route."""
ROUNDING = 2.0**-14
"""By what share of its norm a tuple's gradient may hang on its company in the factored route."""

Factors = Callable[[Tensor], Tensor]
"""From squared norms (B,) to what each gradient is multiplied by, (B,): 0 for those that do not count."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TupleSum:
    """`total` (P,) float64: the sum of all tuples' gradients, each times its factor, weight after weight.
    `squared` (B,) float64: squared norms of the gradients before. `losses`: (B,)."""

    total: Tensor
    squared: Tensor
    losses: Tensor


def clipped_sum(
    encoder: TextEncoder,
    ids: Sequence[Tensor],
    tuples: Tensor,
    loss: TupleLoss,
    factors: Factors,
    *,
    route: str = "loop",
    tokens: int = TOKENS_AT_ONCE,
) -> TupleSum:
    """The sum over tuples of their gradients times `factors` of their squared norms.

    Args:
        encoder: Whose trainable weights the gradients are of; all LoRA weights.
        ids: Tokens of each text.
        tuples: (B, 2 + k) int64 rows into `ids`; B may be 0.
        loss: From the vectors of a tuple's texts to its loss.
        factors: Such as min(1, C / norm); for a squared norm that is no finite number it is not asked, and
            the tuple counts as zero.
        route: One of `ROUTES`.
        tokens: Most tokens of a forward pass in the factored route.

    Raises:
        ValueError: For another route, or where another weight than LoRA's is trained.
    """
    if route not in ROUTES:
        raise ValueError(f"route must be one of {', '.join(ROUTES)} (got {route})")
    weights = [weight for _, weight in trainable(encoder)]
    size = sum(weight.numel() for weight in weights)
    total = torch.zeros(size, dtype=torch.float64, device=encoder.device)
    squared, losses = torch.zeros(len(tuples), dtype=torch.float64), torch.zeros(len(tuples))
    pieces = (
        _one_by_one(encoder, ids, tuples, loss, weights)
        if route == "loop"
        else _factored(encoder, ids, tuples, loss, weights, tokens)
    )
    for rows, gradients, said in pieces:
        own = gradients.double().square().sum(1)
        finite = torch.isfinite(own)
        factor = torch.where(finite, factors(torch.where(finite, own, 0.0)), 0.0)
        counted = torch.where(finite.unsqueeze(1), gradients, 0.0)
        for row, share in zip(counted, factor, strict=True):
            total += row.double() * share
        squared[rows], losses[rows] = own.cpu(), said.float().cpu()
    return TupleSum(total=total, squared=squared, losses=losses)


Piece = tuple[list[int], Tensor, Tensor]


def _one_by_one(
    encoder: TextEncoder, ids: Sequence[Tensor], tuples: Tensor, loss: TupleLoss, weights: list[nn.Parameter]
) -> Iterator[Piece]:
    """Each tuple's own (1, P), from a forward and a backward pass of its own."""
    for row, one in enumerate(tuples.tolist()):
        vectors = encoder(*encoder.padded([ids[text] for text in one])).unsqueeze(0)
        said = loss(vectors)
        gradients = torch.autograd.grad(said.sum(), weights)
        yield [row], torch.cat([part.flatten() for part in gradients]).unsqueeze(0), said.detach()


def _factored(
    encoder: TextEncoder,
    ids: Sequence[Tensor],
    tuples: Tensor,
    loss: TupleLoss,
    weights: list[nn.Parameter],
    tokens: int,
) -> Iterator[Piece]:
    """(b, P) for as many tuples at once as fit into `tokens`."""
    modules = _linear_modules(encoder, weights)
    width = tuples.shape[1]
    sizes = [sum(len(ids[text]) for text in one) for one in tuples.tolist()]
    for rows in buckets(sizes, tokens):
        texts = tuples[rows].flatten().tolist()
        gradients = weights[0].new_zeros(len(rows), sum(weight.numel() for weight in weights))
        with _Kept(modules) as kept:
            vectors: list[Tensor] = []
            order: list[int] = []
            for piece in buckets([len(ids[text]) for text in texts], max(1, tokens // 4)):
                vectors.append(encoder(*encoder.padded([ids[texts[place]] for place in piece])))
                order += piece
                kept.next_pass(torch.tensor([place // width for place in piece], device=encoder.device))
            back = torch.empty(len(order), dtype=torch.int64)
            back[torch.tensor(order)] = torch.arange(len(order))
            said = loss(torch.cat(vectors)[back.to(encoder.device)].view(len(rows), width, -1))
            kept.backward(said, gradients)
        yield rows, gradients, said.detach()


def _linear_modules(encoder: TextEncoder, weights: list[nn.Parameter]) -> list[tuple[nn.Linear, int]]:
    """The modules of the trainable weights, and where each one's weight begins in the row of all of them."""
    starts, start = {}, 0
    for weight in weights:
        starts[id(weight)] = start
        start += weight.numel()
    found = [
        (part, starts[id(part.weight)])
        for part in encoder.modules()
        if isinstance(part, nn.Linear) and id(part.weight) in starts
    ]
    if len(found) != len(weights):
        raise ValueError("the factored route is for LoRA weights alone: other weights are trained by the route loop")
    return found


class _Kept:
    """Inputs of linear modules, from their forward passes, until the gradients of their outputs come."""

    def __init__(self, modules: list[tuple[nn.Linear, int]]) -> None:
        self._modules = modules
        self._calls: list[tuple[int, int, Tensor, Tensor]] = []  # pass, start, inputs, outputs
        self._rows: list[Tensor] = []
        self._hooks: list[torch.utils.hooks.RemovableHandle] = []

    def __enter__(self) -> _Kept:
        for module, start in self._modules:

            def keep(_module: nn.Module, given: tuple[Tensor, ...], out: Tensor, start: int = start) -> None:
                self._calls.append((len(self._rows), start, given[0].detach(), out))

            self._hooks.append(module.register_forward_hook(keep))
        return self

    def __exit__(self, *_: object) -> None:
        for hook in self._hooks:
            hook.remove()
        self._calls.clear()

    def next_pass(self, rows: Tensor) -> None:
        """The pass that has just run was of texts of the tuples `rows` (n,)."""
        self._rows.append(rows)

    def backward(self, losses: Tensor, gradients: Tensor) -> None:
        """Add each tuple's gradient to its row of `gradients` (b, P)."""
        outputs = [out for _, _, _, out in self._calls]
        found = torch.autograd.grad(losses.sum(), outputs)
        for (number, start, inputs, _), r in zip(self._calls, found, strict=True):
            # r a^T of a text is a product over its tokens; texts of a tuple are added where they meet
            each = torch.einsum("nlo,nli->noi", r, inputs).flatten(1)
            gradients[:, start : start + each.shape[1]].index_add_(0, self._rows[number], each)


def plain_sum(encoder: TextEncoder, ids: Sequence[Tensor], tuples: Tensor, loss: TupleLoss) -> TupleSum:
    """The sum of all tuples' gradients as they are, without privacy: every text is encoded once. No norms are
    computed: `squared` is empty."""
    weights = [weight for _, weight in trainable(encoder)]
    used, rows = torch.unique(tuples, return_inverse=True)
    if not len(tuples):
        size = sum(weight.numel() for weight in weights)
        return TupleSum(total=torch.zeros(size).double(), squared=torch.zeros(0), losses=torch.zeros(0))
    vectors, order = [], []
    lengths = [len(ids[text]) for text in used.tolist()]
    for piece in buckets(lengths, TOKENS_AT_ONCE // 4):
        vectors.append(encoder(*encoder.padded([ids[int(used[place])] for place in piece])))
        order += piece
    back = torch.empty(len(order), dtype=torch.int64)
    back[torch.tensor(order)] = torch.arange(len(order))
    said = loss(torch.cat(vectors)[back.to(encoder.device)][rows.view(tuples.shape).to(encoder.device)])
    gradients = torch.autograd.grad(said.sum(), weights)
    total = torch.cat([part.flatten() for part in gradients]).double()
    return TupleSum(total=total, squared=torch.zeros(0), losses=said.detach().float().cpu())
