"""Canaries of a white-box audit: gradients of one protected unit each, and how much what was released speaks for each.

A canary (Nasr et al. 2023, Dirac canary; Xiang et al. 2024, Algorithm 5) does in every step what one protected unit may do
by the mechanism's proof at worst, along one coordinate of the gradient of its own. No torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr
from scipy.stats import binom

from privgraph.options import OptionError
from privgraph.privacy.events import (
    Atoms,
    Gaussian,
    NonPrivate,
    PoissonSampled,
    Repeated,
    RevealedMixture,
    SampledSubgraphs,
)
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.pld import PLDAccountant

Array = NDArray[np.float64]
Coins = Callable[[float], NDArray[np.bool_]]
"""One coin for each canary, each true with the given chance, independently."""

_INTERVALS, _TAIL, _LAST = 2000, 9.0, 30.0
_ROUNDED = 1e-3


@dataclass(frozen=True, kw_only=True)
class Shifts:
    """How far one protected unit moves the sum of a step, in multiples of the clip C, at the worst.

    Its own gradient comes in with chance `rate`: C. It is read by `others` gradients, each of which is in the step with the same
    chance and may turn from -C to C: 2C. `exclusive`: where its own comes in, no other reads it.

    Proofs may reveal some of these draws, and then bound epsilon from above. A bound from below must not: the auditor sees none.
    """

    rate: float
    others: int = 0
    exclusive: bool = False

    def draw(self, coins: Coins) -> Array:
        """(m,): the shift of each canary in one step."""
        own = coins(self.rate)
        read = np.zeros(own.shape)
        for _ in range(self.others):
            read += coins(self.rate)
        return self._total(own, read)

    def _total(self, own: NDArray[np.bool_], read: Array) -> Array:
        return np.where(own, 1.0, 2 * read) if self.exclusive else own + 2.0 * read

    @cached_property
    def law(self) -> tuple[Array, Array]:
        """The values that the shift may have, ascending, and their chances."""
        read = np.arange(self.others + 1)
        chances = binom.pmf(read, self.others, self.rate)
        own = np.array([[False], [True]])
        totals = np.broadcast_to(self._total(own, read[None, :].astype(np.float64)), (2, read.size))
        weights = np.array([[1 - self.rate], [self.rate]]) * chances
        values, places = np.unique(totals, return_inverse=True)
        mass: Array = np.bincount(places.ravel(), weights=weights.ravel()).astype(np.float64)
        return values[mass > 0], mass[mass > 0]

    def log_ratio(self, x: Array, scale: float) -> Array:
        """(m,): log of the density with a canary over that without it at x (m,), for Gaussian noise of deviation `scale`.

        In multiples of the clip: without the canary x is N(0, scale^2), with it that law, shifted as `law` says.
        """
        values, mass = self.law
        exponents = (values * x[:, None] - values**2 / 2) / scale**2
        return np.asarray(logsumexp(exponents, b=mass, axis=1))

    def least_epsilon(self, noise: float, steps: int, delta: float) -> float:
        """A lower bound on epsilon at `delta` of `steps` such steps with Gaussian noise of `noise` clips, in both directions.

        The mixture and N(0, noise^2) are compared on intervals, which can only hide something (data processing). What the
        accountant rounds up (a ten-thousandth, by its own aim) is taken off ten times over.
        """
        values, mass = self.law
        # beyond 30 deviations the densities are smaller than doubles can say: one interval for all of it
        last = min(float(values[-1]) / noise + _TAIL, _LAST)
        cuts = np.concatenate([[-np.inf], np.linspace(-_TAIL, last, _INTERVALS), [np.inf]])
        with_canary = mass @ _chances(cuts[None, :] - values[:, None] / noise)
        pair = Atoms(upper=tuple(with_canary.tolist()), lower=tuple(_chances(cuts[None, :])[0].tolist()))
        return (1 - _ROUNDED) * PLDAccountant().epsilon(Repeated(event=pair, count=steps), delta)


def _chances(cuts: Array) -> Array:
    """(..., n - 1): chances of a standard Gaussian between neighbouring cuts (..., n), exact in both tails."""
    low, high = cuts[..., :-1], cuts[..., 1:]
    return np.asarray(np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low)))


def shifts_of(entry: LedgerEntry, config: Any) -> Shifts:
    """What a ledger entry allows one unit, in a run with this configuration. Raises `OptionError` for another mechanism.

    Where nothing is proved of the noise (spherical Laplace), the sampling is still known: `config` says which.
    """
    event, rate = entry.event, entry.sampling_rate
    if isinstance(event, PoissonSampled) and isinstance(event.event, Gaussian):
        return Shifts(rate=event.rate)
    if isinstance(event, RevealedMixture) and rate is not None:
        return Shifts(rate=rate, others=config.max_degree)
    if isinstance(event, SampledSubgraphs):
        # with at most M out-neighbours, each of them keeps the unit for certain
        others = min(event.neighbours, event.largest_degree)
        return Shifts(rate=event.rate, others=others, exclusive=event.exclusive)
    if isinstance(event, NonPrivate) and entry.noise_std and rate is not None and hasattr(config, "exclusive"):
        return Shifts(rate=rate, others=config.neighbours, exclusive=config.exclusive)
    raise OptionError(f"no canary is known for {entry.mechanism} with the event {type(event).__name__}")
