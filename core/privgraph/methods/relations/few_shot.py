"""Fine-tuning further on a few public relations of the domain that is predicted in (section 4, few-shot).

They are no part of what is protected, and nothing of it is released: it says how much is gained by a few
relations, with the private encoder and with the base.
"""

from collections.abc import Generator, Sequence

import numpy as np
import torch
from torch import Tensor

from privgraph.methods.relations.tuples import TupleSampler, in_batch
from privgraph.nn.text.adapters import trainable
from privgraph.nn.text.encoder import TextEncoder
from privgraph.nn.text.losses import TupleLoss
from privgraph.nn.text.tuple_gradients import plain_sum

EPOCHS, PATIENCE = 20, 4
"""Epochs at most, and how many may pass without a smaller loss on the relations held out."""


def learn_more(
    encoder: TextEncoder,
    ids: Sequence[Tensor],
    loss: TupleLoss,
    optimiser: torch.optim.Optimizer,
    *,
    few: Tensor,
    held: Tensor,
    entities: Tensor,
    negatives: int,
    random: np.random.Generator,
) -> Generator[float, None, None]:
    """Fine-tune, and keep the weights of the epoch at which `held` had the smallest loss; yields its loss
    before the first epoch and after each.

    Args:
        encoder: Whose trainable weights `optimiser` moves.
        ids: Tokens of each text.
        loss: Of tuples.
        optimiser: Made for the trainable weights; its step size is what it was made with.
        few: (2, n) relations that are learnt from, all in every epoch.
        held: (2, n) relations whose partners are told apart, which chooses the epoch; 0 is before the first.
        entities: (N,) numbers of the texts that may be negatives.
        negatives: k.
        random: Draws order, ends and negatives.
    """
    weights = [weight for _, weight in trainable(encoder)]
    count = few.shape[1]
    sampler = TupleSampler(relations=few, entities=entities, rate=1.0, negatives=min(negatives, len(entities)))
    batches = sampler.shuffled(random, count)
    losses = [_held_loss(encoder, ids, loss, held)]
    yield losses[-1]
    best = [weight.detach().clone() for weight in weights]
    for epoch in range(1, EPOCHS + 1):
        total = plain_sum(encoder, ids, next(batches), loss).total / count
        for weight, part in zip(weights, torch.split(total, [w.numel() for w in weights]), strict=True):
            weight.grad = part.view_as(weight).to(weight.dtype)
        optimiser.step()
        losses.append(_held_loss(encoder, ids, loss, held))
        if losses[-1] < min(losses[:-1]):
            best = [weight.detach().clone() for weight in weights]
        yield losses[-1]
        if epoch - int(np.argmin(losses)) >= PATIENCE:
            break
    for weight, kept in zip(weights, best, strict=True):
        weight.data.copy_(kept)


@torch.no_grad()
def _held_loss(encoder: TextEncoder, ids: Sequence[Tensor], loss: TupleLoss, held: Tensor) -> float:
    """The mean loss of relations whose partners are held against each other."""
    used, rows = torch.unique(held, return_inverse=True)
    vectors = encoder.encode([ids[text] for text in used.tolist()])
    return float(loss(vectors[in_batch(rows.T)]).mean())
