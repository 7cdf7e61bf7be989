"""One colour for each setting, whatever it is drawn beside."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph_workbench.theme import NEUTRAL

BARE = 1
"""The slot of what is not private."""


def slots(epsilons: Sequence[float]) -> list[int]:
    """The slot of each curve by its run's sound epsilon: neighbours among 1, 2, 4, 8 and 16 differ, and what
    is not private (infinite) has its own. Of those with one slot the first has it, and others the next free
    one; where none is free, they share.

    >>> slots([1.0, 8.0, float("inf")]), slots([8.0, float("inf")]), slots([7.9, 8.0])
    ([3, 0, 1], [0, 1], [0, 2])
    """
    private = [slot for slot in range(NEUTRAL) if slot != BARE]
    wanted = [
        BARE if math.isinf(one) else private[(round(math.log2(max(one, 1e-9))) - 3) % len(private)] for one in epsilons
    ]
    free = [slot for slot in (*private, BARE) if slot not in wanted]
    return [free.pop(0) if slot in wanted[:place] and free else slot for place, slot in enumerate(wanted)]
