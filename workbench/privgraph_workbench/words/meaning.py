"""What a guarantee means, in words for somebody who has not read a paper."""

import math
from statistics import NormalDist

from privgraph.privacy.composition import gaussian_epsilon, gaussian_mu
from privgraph.privacy.events import Gaussian, Nothing
from privgraph.privacy.kinds import MechanismKind, Neighbours
from privgraph.privacy.statement import PrivacyStatement

PERSON = "one person (node) with everything about them"
UNITS = {"edge": "one connection (edge)", "node": PERSON, "none": "nothing"}
WHO = {"none": "nobody", "edge": "connections (edge)", "node": "people (node)"}
"""Who is protected, as a choice."""
_OPT_OUT = (Neighbours.FROZEN_ROSTER, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES)


def protected(unit: str, neighbours: Neighbours) -> str:
    """What one guarantee protects, by unit and kind of neighbouring relation."""
    opts_out = unit == "node" and neighbours in _OPT_OUT
    return f"{PERSON}, who takes part or opts out while what was drawn stays" if opts_out else UNITS[unit]


def guess(epsilon: float, delta: float) -> float:
    """The best chance, in [0.5, 1], of guessing between two equally likely neighbouring graphs.

    For every (epsilon, delta)-private release: (e^epsilon + delta) / (1 + e^epsilon) (Kairouz, Oh and
    Viswanath, The Composition Theorem for Differential Privacy, 2015).

    >>> round(guess(1.0, 0.0), 3), guess(float("inf"), 0.0)
    (0.731, 1.0)
    """
    less = math.exp(-epsilon)
    return min(1.0, (1 + delta * less) / (1 + less))


def guess_at(mu: float) -> float:
    """The same, exactly, where all noise is Gaussian and one unit moves it by `mu` standard deviations in
    all: Phi(mu / 2) (Dong, Roth and Su, Gaussian Differential Privacy, 2022)."""
    return NormalDist().cdf(mu / 2) if math.isfinite(mu) else 1.0


def guess_of(statement: PrivacyStatement) -> float | None:
    """`guess_at` the noise of a run; None where some of it is of another kind or drawn on a sample, where a
    gate chooses what is paid for, where its epsilon is not that of this noise, and where it has known
    faults."""
    events = [(entry.event, entry.count) for entry in statement.ledger if not isinstance(entry.event, Nothing)]
    noise = tuple((event, count) for event, count in events if isinstance(event, Gaussian))
    gated = any(entry.kind is MechanismKind.GATE or entry.worst.gate_std for entry in statement.ledger)
    if len(noise) < len(events) or not noise or gated or statement.known_faults or math.isinf(statement.epsilon):
        return None
    mu = gaussian_mu(noise)
    held = math.isclose(gaussian_epsilon(mu, statement.delta), statement.epsilon, rel_tol=1e-4)
    return guess_at(mu) if held else None
