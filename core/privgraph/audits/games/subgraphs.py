"""HeterPoisson's gradients, played by its own sampler and by `mechanisms.subgraph_gradients`."""

from dataclasses import dataclass

import numpy as np
import torch
from scipy.stats import binom
from torch import Tensor

from privgraph.audits.games.base import Array, Dice, Law, log_ratio
from privgraph.mechanisms.subgraph_entries import GAUSSIAN
from privgraph.mechanisms.subgraph_gradients import SubgraphGradients
from privgraph.methods.gradients.heter_poisson.sampling import HeterPoisson

LOUD = 100.0
"""Norm of a gradient in clips: what clipping is for."""
COORDINATES = {True: 17, False: 257}
"""Of a gradient, whether its noise is Gaussian or not: the first is the star's, the others show the noise."""


class Loud:
    """Subgraphs (`PerSubgraph`) whose gradients are `values` (B,) along the first axis."""

    def __init__(self, values: Tensor) -> None:
        self._values = values

    def squared_norms(self) -> Tensor:
        return self._values.square()

    def add_to(self, total: Tensor, factors: Tensor) -> None:
        total[0] += (self._values * factors).sum()


@dataclass(frozen=True, kw_only=True)
class StarGame:
    """`count` noisy sums of gradients of sampled subgraphs, on a star: node z points to M others, and takes
    part or not.

    M out-edges is the out-degree at which a node's readers keep it always: the most costly there is. The
    gradient of a reader's subgraph is C where it holds z and -C where it does not; z's own is C. All of them
    turn round in every second step. The stars of all trials are one graph, from which the product's sampler
    draws once a step; each trial's noise is its own. The likelihoods are those of the claimed law: n central
    readers, k of them hold z, and z central or not; with the rule, none holds a central z.
    """

    clip: float
    noise: str
    multiplier: float
    rate: float
    neighbours: int
    largest_degree: int
    exclusive: bool

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        sampling, noise = dice.secret("sampling"), dice.secret("noise")
        mechanism = SubgraphGradients(
            clip=self.clip,
            noise=self.noise,
            noise_multiplier=self.multiplier,
            rate=self.rate,
            neighbours=self.neighbours,
            largest_degree=self.largest_degree,
            exclusive=self.exclusive,
            expected_batch=1.0,
        )
        size, sampler = self.degree + 1, self._sampler(present, trials)
        laws = self.laws()
        total = torch.zeros(trials, COORDINATES[self.noise == GAUSSIAN])
        scores, before = np.zeros((trials, 3)), None
        for step in range(count):
            turn = 1.0 if step % 2 == 0 else -1.0
            drawn = sampler.draw(sampling)
            holds = torch.zeros(len(drawn), dtype=torch.bool)
            holds[drawn.owner[drawn.nodes % size == 0]] = True  # z is the first of its star; its own subgraph holds it
            values = torch.where(holds, turn, -turn) * (LOUD * self.clip)
            star = drawn.centres // size
            ends = torch.searchsorted(star, torch.arange(trials + 1)).tolist()
            for trial in range(trials):
                mechanism.release([Loud(values[ends[trial] : ends[trial + 1]])], total[trial], noise)
            seen = total.double().numpy() / self.clip
            along = turn * seen[:, 0]
            scores[:, 0] += log_ratio(along, *laws, self.multiplier)
            scores[:, 1] += log_ratio(along, *laws, np.sqrt(np.square(seen[:, 1:]).mean(1)) + 1e-12)
            if before is not None:
                scores[:, 2] += np.square(seen[:, 0] - before)
            before = seen[:, 0].copy()
        return scores

    @property
    def degree(self) -> int:
        """Out-edges of z."""
        return min(self.neighbours, self.largest_degree)

    def laws(self) -> tuple[Law, Law]:
        """The claimed laws of a star's sum in clips, with z and without."""
        central = binom.pmf(np.arange(self.degree + 1), self.degree, self.rate)
        present = []
        for n, chance in enumerate(central):
            # with as many out-edges as M, every central reader keeps z, unless the rule hides it
            hidden = 1.0 - n if self.exclusive else 1.0 + n
            present += [(float(n), float(chance) * (1 - self.rate)), (hidden, float(chance) * self.rate)]
        return Law.of(present), Law.of([(-float(n), float(chance)) for n, chance in enumerate(central)])

    def _sampler(self, present: bool, trials: int) -> HeterPoisson:
        size = self.degree + 1
        first = torch.arange(trials).repeat_interleave(self.degree) * size
        target = first + 1 + torch.arange(self.degree).repeat(trials)
        edges = torch.stack([first, target])
        training = torch.ones(trials * size, dtype=torch.bool)
        training[::size] = present
        return HeterPoisson(
            edges,
            training,
            rate=self.rate,
            neighbours=self.neighbours,
            exclusive=self.exclusive,
            frozen=torch.bincount(first, minlength=trials * size),
        )
