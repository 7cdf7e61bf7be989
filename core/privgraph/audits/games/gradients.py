"""Private gradients, played by `mechanisms.gradients` and `mechanisms.sampling`; DP-GNN's by its own
neighbour lists too."""

from dataclasses import dataclass, field

import numpy as np
import torch
from scipy.stats import binom
from torch import Tensor

from privgraph.audits.games.base import Array, Dice, Law, log_ratio
from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.mechanisms.sampling import poisson_batch
from privgraph.methods.gradients.dp_gnn.subgraphs import frozen_subgraphs, without_node
from privgraph.streams import Secret

LOUD = 100.0
"""Norm of a canary's gradient in clips: what clipping is for."""
COORDINATES = 17
"""Of a gradient: the first is the canaries', the others show the noise."""
AT_ONCE = 4096
"""Trials that are members of one stack."""


class Canaries:
    """A stacked network (`PerExample`) whose examples have gradients `values` (S, B) along the first axis."""

    def __init__(self, values: Tensor) -> None:
        self._values = values
        self.gradients = torch.zeros(values.shape[0], COORDINATES, dtype=values.dtype)

    def squared_norms(self) -> Tensor:
        return self._values.square()

    def forget(self, gone: Tensor) -> None:
        self._values = self._values.masked_fill(gone, 0)

    def accumulate(self, factor: Tensor | None = None) -> None:
        weighed = self._values if factor is None else self._values * factor
        self.gradients.zero_()
        self.gradients[:, 0] = weighed.sum(1)


@dataclass(frozen=True, kw_only=True)
class GradientGame:
    """`count` noisy gradients of Poisson samples; every trial is one member of a stack, with noise of its
    own.

    `present` and `absent` are the gradients (B,) of the examples that differ, in clips, loud enough to need
    clipping. In every second step all of them turn round, so that noise drawn once and kept would show in the
    differences. A step's samples of all trials come from one call of the product's sampler. The laws are
    those that the accounting claims.
    """

    clip: float
    multiplier: float
    rate: float
    present: Array
    absent: Array
    laws: tuple[Law, Law] = field(repr=False)

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        sampling, noise = dice.secret("sampling"), dice.secret("noise")
        parts = [
            self._play(present, min(AT_ONCE, trials - start), count, sampling, noise)
            for start in range(0, trials, AT_ONCE)
        ]
        return np.concatenate(parts)

    def _play(self, present: bool, trials: int, count: int, sampling: Secret, noise: Secret) -> Array:
        loud = torch.from_numpy(self.present if present else self.absent).float() * self.clip * LOUD
        mechanism = PrivateGradients(
            clip=self.clip, noise_multiplier=self.multiplier, rate=self.rate, expected_batch=1.0
        )
        scores = np.zeros((trials, 3))
        before: Array | None = None
        for step in range(count):
            turn = 1.0 if step % 2 == 0 else -1.0
            drawn = poisson_batch(trials * len(loud), self.rate, sampling)
            valid = torch.zeros(trials * len(loud), dtype=torch.bool)
            valid[drawn] = True
            net = Canaries((turn * loud).expand(trials, -1))
            PrivateGradients.release([mechanism] * trials, net, valid.view(trials, -1), [noise] * trials)
            seen = net.gradients.double().numpy() / self.clip
            seen[:, 0] *= turn
            scores[:, 0] += log_ratio(seen[:, 0], *self.laws, self.multiplier)
            scores[:, 1] += log_ratio(seen[:, 0], *self.laws, np.sqrt(np.square(seen[:, 1:]).mean(1)) + 1e-12)
            here = turn * seen[:, 0]
            if before is not None:
                scores[:, 2] += np.square(here - before)
            before = here
        return scores


def one_example(clip: float, multiplier: float, rate: float) -> GradientGame:
    """One example that joins or leaves, as DP-SGD has it: a gradient of norm `clip` where it is drawn."""
    laws = Law.of([(0.0, 1 - rate), (1.0, rate)]), Law.of([(0.0, 1.0)])
    return GradientGame(clip=clip, multiplier=multiplier, rate=rate, present=np.ones(1), absent=np.zeros(0), laws=laws)


def one_example_replaced(clip: float, multiplier: float, rate: float) -> GradientGame:
    """One example whose gradient turns round where it is drawn."""
    laws = Law.of([(0.0, 1 - rate), (1.0, rate)]), Law.of([(0.0, 1 - rate), (-1.0, rate)])
    return GradientGame(clip=clip, multiplier=multiplier, rate=rate, present=np.ones(1), absent=-np.ones(1), laws=laws)


def one_node_in_lists(clip: float, multiplier: float, rate: float, max_degree: int, seed: int = 0) -> GradientGame:
    """DP-GNN's node z, which trains and points to more roots than may read it; relation "opt-out".

    The gradient of a root that reads z turns from -C to C when z is there, and z's own comes on top. Who
    reads z is read off the lists of `frozen_subgraphs`, with z and `without_node`; roots that never read z
    have no gradient.
    """
    roots = 2 * max_degree + 3
    edges = torch.stack([torch.zeros(roots, dtype=torch.int64), torch.arange(1, roots + 1)])
    numbers, lists = frozen_subgraphs(edges, torch.ones(roots + 1, dtype=torch.bool), max_degree, seed)
    readers = set(numbers[(lists[:, 1:] == 0).any(1)].tolist())

    def gradients(who: Tensor, own: Tensor) -> Array:
        reads = (own[:, 1:] == 0).any(1).tolist()
        return np.array(
            [
                1.0 if number == 0 or sees else -1.0
                for number, sees in zip(who.tolist(), reads, strict=True)
                if number == 0 or number in readers
            ]
        )

    counts = np.arange(max_degree + 1)
    drawn = binom.pmf(counts, max_degree, rate)
    present = [
        (float(k + own), float(chance * share))
        for k, chance in zip(counts, drawn, strict=True)
        for own, share in ((0, 1 - rate), (1, rate))
    ]
    laws = Law.of(present), Law.of([(-float(k), float(chance)) for k, chance in zip(counts, drawn, strict=True)])
    return GradientGame(
        clip=clip,
        multiplier=multiplier,
        rate=rate,
        present=gradients(numbers, lists),
        absent=gradients(*without_node(numbers, lists, 0)),
        laws=laws,
    )
