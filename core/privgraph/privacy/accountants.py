"""Accountants: how much epsilon an event costs at a delta. They know events, and never mechanisms.

An unknown event is refused (`UnsupportedEvent`), a non-private one is infinite, nothing costs nothing.
What they return is an upper bound, so that what they say is guaranteed does hold (but see `PRVAccountant`).
"""

import importlib
import importlib.util
import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.special import ndtr

from privgraph.privacy.composition import UnsupportedEvent, check_delta, flatten
from privgraph.privacy.events import BoundedRange, Gaussian, Laplace, NonPrivate, PoissonSampled, PrivacyEvent
from privgraph.privacy.pld import PLDAccountant
from privgraph.privacy.renyi import RenyiAccountant

__all__ = [
    "Accountant",
    "PLDAccountant",
    "PRVAccountant",
    "RenyiAccountant",
    "TightAccountant",
    "UnsupportedEvent",
    "tight",
]


class Accountant(Protocol):
    """Upper bounds on epsilon for the events that it supports."""

    @property
    def name(self) -> str: ...
    def supports(self, event: PrivacyEvent) -> bool: ...
    def epsilon(self, event: PrivacyEvent, delta: float) -> float: ...


class PRVAccountant:
    """Opacus' privacy random variables (Gopi et al. 2021), the upper end of its error band.

    For Gaussians, Poisson-sampled or not. Opacus composes the removal of a unit alone; that addition is
    never worse is not proved for compositions, so that `tight` leaves this one out: it is a second opinion
    and the published accountant of some papers. Opacus, and with it torch, is imported at the first use.
    """

    name = "privacy random variables (Opacus)"

    def __init__(self, epsilon_error: float = 0.01) -> None:
        if importlib.util.find_spec("opacus") is None:
            raise ModuleNotFoundError("PRVAccountant needs the package opacus, which is not installed")
        self.epsilon_error = epsilon_error

    def supports(self, event: PrivacyEvent) -> bool:
        """Compositions of plain and Poisson-sampled Gaussians (and what is free or not private)."""
        return all(
            isinstance(mechanism, Gaussian | NonPrivate)
            or (isinstance(mechanism, PoissonSampled) and isinstance(mechanism.event, Gaussian))
            for mechanism, _ in flatten(event)
        )

    def epsilon(self, event: PrivacyEvent, delta: float) -> float:
        """An upper bound on epsilon at `delta` in [0, 1). Raises `UnsupportedEvent`."""
        check_delta(delta)
        if not self.supports(event):
            raise UnsupportedEvent("PRVAccountant knows plain and Poisson-sampled Gaussians only")
        parts = flatten(event)
        if not parts:
            return 0.0
        if delta == 0 or any(isinstance(mechanism, NonPrivate) for mechanism, _ in parts):
            return math.inf
        accountant = importlib.import_module("opacus.accountants").PRVAccountant()
        for mechanism, count in parts:
            rate, base = (
                (mechanism.rate, mechanism.event) if isinstance(mechanism, PoissonSampled) else (1.0, mechanism)
            )
            if isinstance(base, Gaussian):
                accountant.history.append((base.noise_multiplier, rate, count))
        with np.errstate(divide="ignore"):  # it takes the logarithm of 1 - rate, which is 0 for a plain Gaussian
            return float(accountant.get_epsilon(delta=delta, eps_error=self.epsilon_error))


TAILS = 2.0**-60
"""The part of delta that is kept for noise as it is drawn: exact on its lattice, but for tails that end at 64
standard deviations and comparisons that are settled by 200 binary digits (`privgraph.lattice`, which has the
proof)."""

LEAST_NOISE = 1 / 50
"""Of Gaussian noise, in units of the sensitivity: up to shifts of 50 standard deviations `TAILS` is proved,
and beyond them the end of the noise can be seen."""


def tails(event: PrivacyEvent) -> float:
    """The part of delta that an event needs for noise as it is drawn: `TAILS`, and less for plain Gaussians
    alone.

    Plain Gaussians: 2^40 numbers are drawn at most. Each is shifted by s at most, one over the least noise
    multiplier, and ends at 64 standard deviations. Let B be the outputs that neither dataset's ends exclude.
    On B both laws as drawn are the exact ones over one normaliser Z, with 1 - Z < 2^-2000. So delta as drawn
    is at most delta/Z plus the chance that a number leaves B. The union bound gives 2^40 times 2 Phi(s - 64)
    for that chance.
    """
    parts = flatten(event)
    if not parts or not all(isinstance(one, Gaussian) for one, _ in parts):
        return TAILS
    return min(TAILS, 2.0**41 * float(ndtr(1 / least_noise(event) - 64)))


class TightAccountant:
    """The smallest bound of several accountants, each of them sound; `best` says whose it was.

    It is asked for a delta, and accounts for a little less: `tails` of it is for the noise as drawn, and not
    for the mechanism.
    """

    def __init__(self, accountants: Sequence[Accountant]) -> None:
        if not accountants:
            raise ValueError("TightAccountant needs at least one accountant")
        self.accountants = tuple(accountants)

    @property
    def name(self) -> str:
        return "smallest of: " + ", ".join(one.name for one in self.accountants)

    def supports(self, event: PrivacyEvent) -> bool:
        return any(one.supports(event) for one in self.accountants)

    def epsilon(self, event: PrivacyEvent, delta: float) -> float:
        """An upper bound on epsilon at `delta` in [0, 1). Raises `UnsupportedEvent`."""
        return self.best(event, delta)[0]

    def best(self, event: PrivacyEvent, delta: float) -> tuple[float, str]:
        """The smallest bound, and the name of the accountant that gave it (the first of equals)."""
        check_delta(delta)
        parts = flatten(event)
        lost = tails(event)
        if delta < lost and any(isinstance(mechanism, BoundedRange) for mechanism, _ in parts):
            return math.inf, "none"  # Gumbel noise as drawn ends, and what lies beyond has no share of delta
        delta = max(delta - lost, 0.0)
        if not parts:
            return 0.0, "nothing to account"
        if any(isinstance(mechanism, NonPrivate) for mechanism, _ in parts) or least_noise(event) < LEAST_NOISE:
            return math.inf, "none"
        if all(isinstance(mechanism, Gaussian) for mechanism, _ in parts):
            return PLDAccountant().epsilon(event, delta), "exact Gaussian composition"
        found = [(one.epsilon(event, delta), one.name) for one in self.accountants if one.supports(event)]
        if not found:
            raise UnsupportedEvent("none of the accountants knows this event")
        return min(found, key=lambda pair: pair[0])


def least_noise(event: PrivacyEvent) -> float:
    """The smallest noise multiplier of any Gaussian noise in an event, however it is sampled or composed."""
    inside = [getattr(event, "event", None), *getattr(event, "events", ())]
    own = float(getattr(event, "noise_multiplier", math.inf)) if not isinstance(event, Laplace) else math.inf
    return min([own, *(least_noise(one) for one in inside if one is not None)])


def tight() -> TightAccountant:
    """The default: privacy-loss distributions, and Renyi bounds where those cannot resolve the answer."""
    return TightAccountant([PLDAccountant(), RenyiAccountant()])
