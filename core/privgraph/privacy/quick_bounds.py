"""Rough epsilons: quick, and no guarantee."""

import math
from functools import lru_cache
from typing import Any

from privgraph.privacy import subgraphs
from privgraph.privacy.composition import flatten
from privgraph.privacy.events import Composed, PrivacyEvent, Repeated, SampledSubgraphs
from privgraph.privacy.pld import LARGEST_EPSILON, both_ways, guessed_epsilon
from privgraph.privacy.renyi import RenyiAccountant


class RoughAccountant:
    """Where an epsilon lies, quickly: for the start of searches. Never a guarantee.

    Renyi bounds, whose orders say nothing of sampled subgraphs: those are composed at one out-degree, on a
    coarse grid.
    """

    name = "rough guess"

    def supports(self, event: PrivacyEvent) -> bool:
        """Every event of `privacy.events`."""
        flatten(event)
        return True

    def epsilon(self, event: PrivacyEvent, delta: float) -> float:
        """About the epsilon of `event` at `delta` in (0, 1)."""
        parts = flatten(event)
        sampled = tuple((one, count) for one, count in parts if isinstance(one, SampledSubgraphs))
        others = tuple(
            Repeated(event=one, count=count) for one, count in parts if not isinstance(one, SampledSubgraphs)
        )
        epsilon = RenyiAccountant().epsilon(Composed(others), delta)
        if sampled and math.isfinite(epsilon) and delta > 1e-11:
            guess = guessed_epsilon(sampled, delta)
            if guess > LARGEST_EPSILON:
                return math.inf
            interval = math.sqrt(0.002 * max(guess, 1e-3) / sum(count for _, count in sampled))
            epsilon += _typical(sampled, interval, delta)
        return epsilon


@lru_cache(maxsize=256)
def _typical(sampled: tuple[tuple[SampledSubgraphs, int], ...], interval: float, delta: float) -> float:
    total: Any = None
    for event, count in sampled:
        part = both_ways(event, subgraphs.typical, interval, 1e-9 / count).self_compose(count)
        total = part if total is None else total.compose(part)
    return float(total.get_epsilon_for_delta(delta))
