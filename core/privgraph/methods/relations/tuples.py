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

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privgraph.mechanisms.sampling import poisson_batch
from privgraph.streams import Secret

Below = Callable[[int, int], NDArray[np.int64]]
"""So many whole numbers below a bound, uniform and independent: (bound, many) -> (many,)."""


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
        return self._tuples(drawn, sampling.below)

    def shuffled(self, random: np.random.Generator, size: int) -> Iterator[Tensor]:
        """Batches of ordinary training, without end: relations in random order, `size` at a time, each order
        used up before the next. Not private, and made by random numbers that everybody may know."""
        count = self.relations.shape[1]

        def below(bound: int, many: int) -> NDArray[np.int64]:
            return random.integers(bound, size=many)

        while True:
            order = torch.from_numpy(random.permutation(count))
            for start in range(0, max(1, count), size):
                yield self._tuples(order[start : start + size], below)

    def _tuples(self, rows: Tensor, below: Below) -> Tensor:
        """Of the relations `rows`: each turned round by a coin, and k entities for each."""
        pairs = self.relations[:, rows].T
        turned = torch.from_numpy(below(2, rows.numel())) == 1
        pairs = torch.where(turned.unsqueeze(1), pairs.flip(1), pairs)
        against = without_replacement(self.entities.numel(), self.negatives, rows.numel(), below)
        return torch.cat([pairs, self.entities[torch.from_numpy(against)]], 1)


def without_replacement(entities: int, negatives: int, tuples: int, below: Below) -> NDArray[np.int64]:
    """(tuples, negatives): each row a uniform draw of different numbers below `entities`, rows independent.

    Floyd's algorithm, all rows at once: the j-th number is drawn below entities - k + j + 1, and replaced by
    the largest of these where it was drawn before.
    """
    found = np.empty((tuples, negatives), dtype=np.int64)
    for column in range(negatives):
        largest = entities - negatives + column
        own = below(largest + 1, tuples)
        again = (found[:, :column] == own[:, None]).any(1)
        found[:, column] = np.where(again, largest, own)
    return found


def in_batch(pairs: Tensor) -> Tensor:
    """(B, 1 + B): each pair's anchor and partner, then the partners of all other pairs of the batch; of a
    pair alone, which has no negatives, no tuple.

    What Algorithm 3 must not do: every pair stands in the tuple of every other one. pairs: (B, 2).
    """
    pairs = pairs[: len(pairs) if len(pairs) > 1 else 0]
    count = len(pairs)
    partners = pairs[:, 1].expand(count, count)
    others = partners[~torch.eye(count, dtype=torch.bool)].view(count, max(0, count - 1))
    return torch.cat([pairs, others], 1)
