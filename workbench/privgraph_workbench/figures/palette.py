"""One slot for one method, in every figure that tells methods apart by colour."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from privgraph.registry import METHODS
from privgraph_workbench.theme import NEUTRAL


def slots(curves: Mapping[str, str]) -> dict[str, int]:
    """The slot of each curve (its name -> its method): that of its method, which is the same in every figure,
    or the first that is free where another curve of the figure has it.

    >>> slots({"ProGAP, edge-level": "progap", "GAP, edge-level": "gap"})
    {'ProGAP, edge-level': 0, 'GAP, edge-level': 1}
    >>> slots({"GAP, edge-level": "gap", "GAP, node-level": "gap"})
    {'GAP, edge-level': 1, 'GAP, node-level': 0}
    """
    wished = {name: place % NEUTRAL for place, name in enumerate(METHODS)}
    found: dict[str, int] = {}
    for curve, method in curves.items():  # those that can have their own slot, before the others take one
        if (slot := wished.get(method)) is not None and slot not in found.values():
            found[curve] = slot
    for curve in curves:
        if curve not in found:
            found[curve] = next(slot for slot in count() if slot not in found.values())
    return {curve: found[curve] for curve in curves}
