"""Sums of clipped gradients of tuples of texts (PvGaLM, section 3.3).

A tuple's gradient is the sum over its texts, through all their tokens. Two routes give the same sums:

- `loop`: one tuple at a time, by ordinary autograd, and a tuple for each thread at once. In floats, too, a
  tuple's gradient is a function of that tuple alone: nothing else takes part in its computation, whose shape
  follows from its own texts, and which has no threads inside. Gradients are summed in the order of tuples.
- `factored`: one forward and one backward pass for all texts of many tuples, sorted by length, so that
  little is padded. Each weight's part of a tuple's gradient comes from what its layer took and what came back
  to it (`factors`): never a gradient for each token, nor for each text of a tuple beside others. Products of
  a whole batch may be rounded otherwise in other company, and nothing bounds what becomes of a last bit (a
  hinge jumps): the sum's sensitivity is the clip in real numbers, and in floats it is not. So no private
  training takes it.

A text that stands in two tuples has a gradient in each, of another loss, and a norm is not linear: one
backward pass cannot serve both. A text is encoded once for each tuple that it stands in (twice in one tuple:
once), and where nothing is clipped (`plain_sum`), once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from privgraph.nn.chunks import in_order
from privgraph.nn.text.adapters import trainable
from privgraph.nn.text.encoder import TextEncoder, buckets
from privgraph.nn.text.factors import Call, Formed, Gradient, Recorder, gradients_of
from privgraph.nn.text.losses import TupleLoss

ROUTES = ("loop", "factored")
TOKENS_AT_ONCE = 8_192
"""Tokens of a forward pass with gradients: bounds the memory of the factored route."""
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
        encoder: Whose trainable weights the gradients are of.
        ids: Tokens of each text.
        tuples: (B, 2 + k) int64 rows into `ids`; B may be 0.
        loss: From the vectors of a tuple's texts to its loss.
        factors: Such as min(1, C / norm); for a squared norm that is no finite number it is not asked, and
            the tuple counts as zero.
        route: One of `ROUTES`.
        tokens: Most tokens of a forward pass in the factored route.

    Raises:
        ValueError: For another route, or a trained weight of a layer that `factors` has no rule for.
    """
    if route not in ROUTES:
        raise ValueError(f"route must be one of {', '.join(ROUTES)} (got {route})")
    weights = [weight for _, weight in trainable(encoder)]
    totals = [torch.zeros_like(weight, dtype=torch.float64) for weight in weights]
    squared, losses = torch.zeros(len(tuples), dtype=torch.float64), torch.zeros(len(tuples))
    pieces = (
        _one_by_one(encoder, ids, tuples, loss, weights)
        if route == "loop"
        else _factored(encoder, ids, tuples, loss, tokens)
    )
    for piece in pieces:
        own = torch.stack([gradient.squared() for gradient in piece.gradients.values()]).sum(0)
        finite = torch.isfinite(own)
        factor = torch.where(finite, factors(torch.where(finite, own, 0.0)), 0.0)
        for weight, total in zip(weights, totals, strict=True):
            if weight in piece.gradients:
                total += piece.gradients[weight].summed(factor)
        squared[piece.rows], losses[piece.rows] = own.cpu(), piece.losses.float().cpu()
    return TupleSum(total=torch.cat([total.flatten() for total in totals]), squared=squared, losses=losses)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some tuples `rows` of a batch: their gradients for each weight that has any, and their losses."""

    rows: list[int]
    gradients: dict[nn.Parameter, Gradient]
    losses: Tensor


def _one_by_one(
    encoder: TextEncoder, ids: Sequence[Tensor], tuples: Tensor, loss: TupleLoss, weights: list[nn.Parameter]
) -> Iterator[Piece]:
    """Each tuple by itself, from a forward and a backward pass of its own, in a thread where there are
    several."""

    def gradient(numbered: tuple[int, list[int]]) -> Piece:
        row, one = numbered
        vectors = encoder(*encoder.padded([ids[text] for text in one])).unsqueeze(0)
        said = loss(vectors)
        found = torch.autograd.grad(said.sum(), weights)
        gradients: dict[nn.Parameter, Gradient] = {
            weight: Formed(part.unsqueeze(0)) for weight, part in zip(weights, found, strict=True)
        }
        return Piece([row], gradients, said.detach())

    workers = torch.get_num_threads() if encoder.device.type == "cpu" else 1
    yield from in_order(enumerate(tuples.tolist()), gradient, workers=workers)


def _factored(
    encoder: TextEncoder, ids: Sequence[Tensor], tuples: Tensor, loss: TupleLoss, tokens: int
) -> Iterator[Piece]:
    """As many tuples at once as fit into `tokens`, shortest first."""
    sizes = [sum(len(ids[text]) for text in one) for one in tuples.tolist()]
    for rows in buckets(sizes, tokens):
        numbers = torch.arange(len(rows)).unsqueeze(1)
        keys, place = torch.unique(numbers * len(ids) + tuples[rows], return_inverse=True)
        owner, texts = (keys // len(ids)).to(encoder.device), (keys % len(ids)).tolist()
        recorder, order = Recorder(encoder), []
        with recorder.recording():
            vectors = []
            for piece in buckets([len(ids[text]) for text in texts], max(1, tokens // 4)):
                recorder.owner = owner[torch.tensor(piece, device=encoder.device)]
                vectors.append(encoder(*encoder.padded([ids[texts[one]] for one in piece])))
                order += piece
        back = torch.tensor(order).argsort().to(encoder.device)
        said = loss(torch.cat(vectors)[back][place.to(encoder.device)])
        # of the layers' outputs alone: no weight's gradient over all tuples is computed beside
        found = torch.autograd.grad(said.sum(), [call.given for call in recorder.calls])
        layers: dict[nn.Module, list[tuple[Call, Tensor]]] = {}
        for call, part in zip(recorder.calls, found, strict=True):
            layers.setdefault(call.layer, []).append((call, part))
        gradients: dict[nn.Parameter, Gradient] = {}
        for calls in layers.values():
            gradients |= gradients_of(calls, len(rows))
        yield Piece(rows, gradients, said.detach())


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
