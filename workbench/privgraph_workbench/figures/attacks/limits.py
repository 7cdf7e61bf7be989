"""The line that a run's sound epsilon draws beside the curve of an attack."""

from __future__ import annotations

import math

import numpy as np

from privgraph.attacks.exchange import group_delta
from privgraph.attacks.record import AttackRecord
from privgraph.audits.bounds import at_most
from privgraph_workbench.figures.audits.audit_roc import frontier
from privgraph_workbench.figures.chart import Row

POINTS = 120
BY_CHANCE = 0.025


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
