"""The line that a run's sound epsilon draws beside the curve of an attack, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privgraph.attacks.exchange import group_delta
from privgraph.attacks.record import AttackRecord
from privgraph.audits.bounds import at_most
from privgraph.registry import sides
from privgraph_workbench.figures.audits.audit_roc import frontier
from privgraph_workbench.figures.chart import Row

Caveat = tuple[str, str]
"""What must be known of an attacked model, in sentences and in short (`words.caveats`)."""
NAMED = 3
"""Attacks of which one sentence tells are named one by one up to this many."""
POINTS = 120
BY_CHANCE = 0.025


def no_line(attack: AttackRecord, unit: str) -> str:
    """Why no line, and no bound, follows from the run's sound epsilon; "" where one does. `unit` is what the
    run protects."""
    if sides(attack.attack).caution:
        return "which pairs are connected was not drawn by us"
    if math.isinf(attack.sound):
        return "nothing is promised"
    if unit == "edge" and sides(attack.attack).unit != "edge":
        return "that ε hides edges, and limits nothing of who was trained on"
    if attack.steps is None:
        return (
            "that ε is for a node that leaves the graph with its edges, and in the attack a node stays there and only "
            "stops training"
        )
    return "" if attack.drawn else "who trains was not drawn by our own split"


def without_line(rows: Sequence[Row]) -> list[str]:
    """One sentence for each reason why attacks among the rows (attack, no_line) have no line."""
    reasons: dict[str, list[str]] = {}
    for name, reason in {row["attack"]: row.get("no_line") for row in rows}.items():
        if reason:
            reasons.setdefault(reason, []).append(name)
    every = len({row["attack"] for row in rows})
    told = {
        reason: "; ".join(held) if len(held) <= NAMED else f"{len(held)} of the {every} curves"
        for reason, held in reasons.items()
    }
    return [f"No line of a sound ε for {held}: {reason}." for reason, held in told.items()]


def caveats_of(rows: Sequence[Row]) -> list[str]:
    """What must be known of the attacked models among the rows (attack, caveat), each once with the attacks
    that it is said of; nothing of rows of an earlier version, which lack the column."""
    said: dict[str, list[str]] = {}
    for name, caveat in {row["attack"]: row.get("caveat") for row in rows}.items():
        if caveat:
            said.setdefault(caveat, []).append(name)
    return [f"{'; '.join(held)}: {caveat}" for caveat, held in said.items()]


def claim_rows(record: AttackRecord, steps: int, shared: Row) -> list[Row]:
    """The most that a sound epsilon allows, as rows of a curve; `shared`: what stands in each of them."""
    epsilon, delta = steps * record.sound, group_delta(record.sound, record.delta, steps)
    places = np.geomspace(1e-4, 1, POINTS) if shared["scale"] == "log" else np.linspace(0, 1, POINTS)
    corner = (1 - delta) / (1 + math.exp(min(epsilon, 700.0)))
    members, others = record.outcome.members, record.outcome.others
    return [
        {
            "curve": "sound",
            "false": false,
            "true": _with_chance(frontier(_with_chance(false, others), epsilon, delta), members),
            "low": None,
            "high": None,
            **shared,
        }
        for false in sorted({*places.tolist(), corner})
    ]


def _with_chance(rate: float, of: int) -> float:
    """The largest rate behind one that is observed among so many, at `BY_CHANCE` (Clopper and Pearson)."""
    return float(at_most(math.floor(rate * of + 1e-9), of, BY_CHANCE))
