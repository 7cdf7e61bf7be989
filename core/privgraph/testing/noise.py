"""What a training draws, held against what its ledger says that it drew.

All noise of `privgraph.mechanisms` on numbers comes from `lattice.draw`; while a recorder stands there, each
drawing is noted. The mechanisms draw slightly more than they are asked for, to pay for rounding, and never
less.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from privgraph import lattice
from privgraph.privacy.events import Gaussian, Laplace, NonPrivate, Nothing, PoissonSampled, PrivacyEvent
from privgraph.privacy.ledger import LedgerEntry
from privgraph.streams import Secret

WIDER = 1.02
"""How much more than the ledger's noise a mechanism draws at most (sums in single precision: 1 + 2^-8)."""
ROUNDED = 1e-9
_STD = {"gaussian": 1.0, "laplace": math.sqrt(2)}
"""Standard deviation of the laws whose scale is not their deviation, for a scale of 1."""


@dataclass(frozen=True)
class Drawn:
    """So many `numbers` of the law `kind`, with this standard deviation."""

    kind: str
    std: float
    numbers: int


@contextmanager
def recorded() -> Iterator[list[Drawn]]:
    """A list of what is drawn inside, by every module that is loaded by now."""
    noted: list[Drawn] = []
    own = lattice.draw

    def noting(kind: str, scale: float, secret: Secret, count: int) -> lattice.Ints:
        if kind in _STD and count:
            noted.append(Drawn(kind, scale * _STD[kind], count))
        return own(kind, scale, secret, count)

    holders = [module for module in list(sys.modules.values()) if getattr(module, "draw", None) is own]
    for module in holders:
        module.draw = noting  # type: ignore[attr-defined]
    try:
        yield noted
    finally:
        for module in holders:
            module.draw = own  # type: ignore[attr-defined]


def fault_of_noise(drawn: Sequence[Drawn], entries: Sequence[LedgerEntry]) -> str:
    """Where the noise that was drawn is not that of the ledger, in one sentence; "" where it is.

    Every entry with noise on numbers must have been drawn, at least one number each time, and nothing may be
    drawn that no entry has: noise of another deviation is noise that nobody has accounted for.
    """
    counted = [one for one in entries if not isinstance(one.event, Nothing | NonPrivate)]
    for entry in counted:
        if isinstance(_played(entry), Gaussian | Laplace) and not entry.noise_std:
            return (
                f"the ledger has {entry.mechanism} without its noise: give the entry the noise_std that is drawn, its "
                "sensitivity and norm"
            )
    paid = [one for one in counted if one.noise_std]
    for entry in paid:
        found = [one for one in drawn if _is_of(one, entry)]
        if not found:
            seen = ", ".join(sorted({f"{one.std:.6g} ({one.kind})" for one in drawn})) or "none"
            return (
                f"the ledger has {entry.mechanism} with noise of standard deviation {entry.noise_std:.6g}, and what "
                f"was drawn by privgraph.mechanisms has {seen}: draw the noise of the plan, plan.scale"
            )
        if (numbers := sum(one.numbers for one in found)) < entry.count:
            return (
                f"the ledger has {entry.mechanism} {entry.count} times, and {numbers} numbers of its noise were drawn: "
                "draw noise anew for each release"
            )
    for one in drawn:
        if counted and not any(_is_of(one, entry) for entry in paid):
            return (
                f"{one.kind} noise of standard deviation {one.std:.6g} was drawn, and no entry of the ledger has it: "
                "add the plan's entry to context.ledger, with the noise_std that is drawn"
            )
    return ""


def _played(entry: LedgerEntry) -> PrivacyEvent:
    """The event of one release, without the sampling before it."""
    return entry.event.event if isinstance(entry.event, PoissonSampled) else entry.event


def _is_of(one: Drawn, entry: LedgerEntry) -> bool:
    """Whether these numbers can be the noise of that entry."""
    if isinstance(entry.event, Laplace) and one.kind != "laplace":
        return False
    std = entry.noise_std or 0.0
    return std * (1 - ROUNDED) <= one.std <= std * WIDER
