"""Epsilons in rows and on axes."""

from __future__ import annotations

import math
from collections.abc import Mapping

from privgraph_workbench.theme import Epsilon

COLUMNS: Mapping[Epsilon, str] = {"sound": "epsilon", "published": "epsilon_as_published", "audited": "epsilon_audited"}
"""The columns of rows in which the three epsilons stand."""


def placed(epsilon: float | None) -> bool:
    """Whether an epsilon has a place on a logarithmic axis: there is one, and it is neither zero nor
    infinite."""
    return epsilon is not None and 0 < epsilon < math.inf


def spans(low: float, high: float) -> tuple[float, float]:
    """Bounds of a logarithmic axis with some room on both sides."""
    return low / 1.4, high * 1.4
