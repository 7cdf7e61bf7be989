"""Canaries of a white-box audit: gradients of one protected unit each, and how much what was released speaks
for each.

A canary (Nasr et al. 2023, Dirac canary; Xiang et al. 2024, Algorithm 5) does in every step what one
protected unit may do by the mechanism's proof at worst, along one coordinate of the gradient of its own. No
torch.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr
from scipy.stats import binom

from privgraph.options import OptionError
from privgraph.privacy.composition import gaussian_epsilon
from privgraph.privacy.events import Atoms, NonPrivate, Repeated
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.pld import PLDAccountant, epsilon_from_below

Array = NDArray[np.float64]
Coins = Callable[[float], NDArray[np.bool_]]
"""One coin for each canary, each true with the given chance, independently."""

_INTERVALS, _TAIL, _LAST = 2000, 9.0, 30.0
_DIGITS = 1e-9
_LARGEST_SHIFT = 40.0
"""Of a Gaussian, in its standard deviations: beyond it epsilon is in the hundreds, and lost in floats."""
_LEAST_NOISE, _MORE_NOISE = 1e-3, 1.25
"""In clips: less has no epsilon that the accountant can resolve; and the factor to the next noise tried."""
_LEAST_DELTA = 1e-10


Law = tuple[Array, Array]
"""Values, ascending, and their chances."""


@dataclass(frozen=True, kw_only=True)
class Shifts:
    """What one protected unit may do to the sum of a step at the worst, in multiples of the clip C.

    Its `own` gradient comes in with chance `rate`: C where the unit is there, nothing where it is not.
    `others` gradients read it, each of which is in the step with the same chance: C where the unit is there,
    -C where it is not. `exclusive`: where the unit's own gradient comes in, the others do not read it, and
    stay at -C. A unit that is replaced, and not removed, is one of these others and has no gradient of its
    own.

    Proofs may reveal some of these draws, and bound epsilon from above. A bound from below must not: the
    auditor sees none.
    """

    rate: float
    own: bool = True
    others: int = 0
    exclusive: bool = False

    def draw(self, coins: Coins) -> tuple[Array, Array]:
        """(m,) and (m,): what each unit does to one step if it is there, and if it is not, for the same
        draws."""
        own = coins(self.rate).astype(np.float64)
        read = np.zeros(own.shape)
        if not self.own:
            own = read
        for _ in range(self.others):
            read = read + coins(self.rate)
        return self._present(own, read), -read

    def _present(self, own: Array, read: Array) -> Array:
        return np.where(own == 1, 1 - read, read) if self.exclusive else own + read

    @cached_property
    def table(self) -> tuple[Array, Array, Array]:
        """All draws: the unit's doing where it is there, where it is not, and the chance of the draw."""
        read = np.arange(self.others + 1, dtype=np.float64)[None, :]
        own = np.array([[0.0], [1.0]])
        chances = binom.pmf(read, self.others, self.rate) * binom.pmf(own, int(self.own), self.rate)
        kept = chances > 0
        present = np.broadcast_to(self._present(own, read), chances.shape)
        return present[kept], np.broadcast_to(-read, chances.shape)[kept], chances[kept]

    @cached_property
    def laws(self) -> tuple[Law, Law]:
        """Of the unit's doing where it is there, and where it is not."""
        present, absent, chances = self.table
        return _law(present, chances), _law(absent, chances)

    def log_ratio(self, x: Array, scale: float) -> Array:
        """(m,): log of the density with the unit over that without it at x (m,), for Gaussian noise of
        deviation `scale`."""
        present, absent = (
            logsumexp(-(((x[:, None] - values) / scale) ** 2) / 2, b=chances, axis=1) for values, chances in self.laws
        )
        return np.asarray(present - absent)

    def least_epsilon(self, noise: float, steps: int, delta: float) -> float:
        """A lower bound on epsilon at `delta` of `steps` such steps with Gaussian noise of `noise` clips, in
        both directions; always finite.

        Where a unit does the same in every step, steps are one Gaussian, whose epsilon has a closed form.
        Elsewhere the two mixtures are compared on intervals, which can only hide something (data processing),
        and their privacy loss is composed from below (`pld.epsilon_from_below`).

        Above an epsilon of some hundreds the accountant gives up and calls it infinite: that is right of a
        bound from above, and shows nothing from below. There the noise counts as larger, by a quarter again
        and again, until there is a number: more noise is noise of one's own on top of what was released, and
        shows less (data processing once more).
        """
        (ups, _), (downs, _) = self.laws
        counted = max(noise, _LEAST_NOISE)
        if len(ups) == len(downs) == 1:
            apart = abs(float(ups[0] - downs[0])) * math.sqrt(steps)
            while apart / counted > _LARGEST_SHIFT:
                counted *= _MORE_NOISE
            return gaussian_epsilon(apart / counted, delta) * (1 - _DIGITS) if delta > 0 else 0.0
        told, guess = max(delta, _LEAST_DELTA), math.inf
        while math.isinf(guess):
            pair = self._pair(counted)
            guess = PLDAccountant().epsilon(Repeated(event=pair, count=steps), told)
            counted *= _MORE_NOISE
        return min(guess, epsilon_from_below(pair, steps, told, guess))

    def _pair(self, noise: float) -> Atoms:
        """Chances of the intervals into which one step falls, with the unit and without it."""
        (ups, _), (downs, _) = self.laws
        # beyond 30 deviations densities are smaller than doubles can say: one interval for all of it
        first, last = (max(-_LAST, float(downs[0]) / noise - _TAIL), min(_LAST, float(ups[-1]) / noise + _TAIL))
        cuts = np.concatenate([[-np.inf], np.linspace(first, last, _INTERVALS), [np.inf]])
        upper, lower = (chances @ _chances(cuts[None, :] - values[:, None] / noise) for values, chances in self.laws)
        return Atoms(upper=tuple(upper.tolist()), lower=tuple(lower.tolist()))


def _law(values: Array, chances: Array) -> Law:
    distinct, places = np.unique(values, return_inverse=True)
    return distinct, np.bincount(places.ravel(), weights=chances).astype(np.float64)


def _chances(cuts: Array) -> Array:
    """(..., n - 1): chances of a standard Gaussian between neighbouring cuts (..., n), exact in both
    tails."""
    low, high = cuts[..., :-1], cuts[..., 1:]
    return np.asarray(np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low)))


def shifts_of(entry: LedgerEntry) -> Shifts:
    """What a ledger entry allows one unit. Raises `OptionError` for a mechanism without canaries.

    By its kind and its worst case: where nothing is proved of the noise (spherical Laplace), the sampling is
    still known.
    """
    rate, worst = entry.sampling_rate, entry.worst
    if rate is not None and (entry.noise_std or not isinstance(entry.event, NonPrivate)):
        match entry.kind:
            case MechanismKind.GRADIENTS:
                return Shifts(rate=rate)
            case MechanismKind.REPLACED_GRADIENTS:
                return Shifts(rate=rate, own=False, others=1)
            case MechanismKind.LISTED_GRADIENTS if worst.max_degree is not None:
                return Shifts(rate=rate, others=worst.max_degree)
            case MechanismKind.SUBGRAPH_GRADIENTS:
                if worst.neighbours is not None and worst.largest_degree is not None and worst.exclusive is not None:
                    # with at most M out-neighbours, each of them keeps the unit for certain
                    others = min(worst.neighbours, worst.largest_degree)
                    return Shifts(rate=rate, others=others, exclusive=worst.exclusive)
    raise OptionError(f"no canary is known for {entry.mechanism} with the event {type(entry.event).__name__}")
