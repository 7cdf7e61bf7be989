"""Tuples of relations: which are drawn, what they are held against, and what is released of their gradients.

Mechanism (Algorithm 3, Equation 3). Unit: one relation, an unordered pair of entities. Neighbouring relation:
one relation more or less, texts and the number of texts stay. Released: in every step, the sum of clipped
gradients of a Poisson sample of tuples with Gaussian noise, once a batch. Sensitivity: C, in L2. Proof
sketch: the tuple of a relation is made of the relation, of a coin that says which end is the anchor, and of k
entities that are drawn from all entities of the domain with randomness of their own; none of it depends on
another relation. So one relation is behind exactly one tuple where it is drawn, and its gradient, over all
trainable weights together, is clipped to C; all other tuples have the same law with and without it. With
negatives from the batch each tuple would hold ends of others, and the whole sum would move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privgraph.mechanisms.sampling import poisson_batch
from privgraph.streams import Secret


@dataclass(frozen=True, kw_only=True, eq=False)
class TupleSampler:
    """Draws the tuples of one step.

    Args:
        relations: (2, |E|) int64, unordered pairs of entity numbers, each pair once.
        entities: (N,) int64, the numbers of all entities that may be negatives.
        rate: Probability with which each relation is drawn.
        negatives: k, at most N.

    Raises:
        ValueError: A pair stands twice, in whatever direction: it would be two examples of one unit.
    """

    relations: Tensor
    entities: Tensor
    rate: float
    negatives: int

    def __post_init__(self) -> None:
        if self.relations.dim() != 2 or self.relations.shape[0] != 2:
            raise ValueError(f"relations must have shape (2, |E|) (got {tuple(self.relations.shape)})")
        if not 1 <= self.negatives <= self.entities.numel():
            raise ValueError(
                f"negatives must lie between 1 and the number of entities, {self.entities.numel()} "
                f"(got {self.negatives})"
            )
        ordered = self.relations.sort(0).values
        if torch.unique(ordered, dim=1).shape[1] != ordered.shape[1]:
            raise ValueError("relations must hold each unordered pair once: a pair that stands twice is two examples")

    def draw(self, sampling: Secret) -> Tensor:
        """(B, 2 + k) int64: anchor, its partner, and k entities drawn without replacement; B may be 0.

        Coins and negatives follow the batch in the stream: each is independent of who else was drawn.
        """
        drawn = poisson_batch(self.relations.shape[1], self.rate, sampling)
        pairs = self.relations[:, drawn].T
        turned = torch.from_numpy(sampling.coins(0.5, drawn.numel()))
        pairs = torch.where(turned.unsqueeze(1), pairs.flip(1), pairs)
        rows = without_replacement(self.entities.numel(), self.negatives, drawn.numel(), sampling)
        return torch.cat([pairs, self.entities[torch.from_numpy(rows)]], 1)


def without_replacement(entities: int, negatives: int, tuples: int, sampling: Secret) -> NDArray[np.int64]:
    """(tuples, negatives): each row a uniform draw of different numbers below `entities`, rows independent.

    Floyd's algorithm, all rows at once: the j-th number is drawn below entities - k + j + 1, and replaced by
    the largest of these where it was drawn before.
    """
    found = np.empty((tuples, negatives), dtype=np.int64)
    for column in range(negatives):
        largest = entities - negatives + column
        own = sampling.below(largest + 1, tuples)
        again = (found[:, :column] == own[:, None]).any(1)
        found[:, column] = np.where(again, largest, own)
    return found
