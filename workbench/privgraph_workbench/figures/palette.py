"""One slot for one method, in every figure that tells methods apart by colour."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from privgraph.registry import METHODS

ORDER = (0, 1, 2, 3, 4, 5, 10, 23, 7, 8, 12, 11, 9, 19, 14, 15)
"""The slots of the methods, in the order of their table. Curves of methods that are compared have colours and
marks of their own: HeterPoisson has the colour of a graph network and DP-GNN that of a model that reads no
edge, which are grey levels where they stand beside private methods."""


def slots(curves: Mapping[str, str]) -> dict[str, int]:
    """The slot of each curve (its name -> its method): that of its method, which is the same in every figure,
    or the first that is free where another curve of the figure has it.

    >>> slots({"ProGAP, edge-level": "progap", "GAP, edge-level": "gap"})
    {'ProGAP, edge-level': 0, 'GAP, edge-level': 1}
    >>> slots({"GAP, edge-level": "gap", "GAP, node-level": "gap"})
    {'GAP, edge-level': 1, 'GAP, node-level': 0}
    """
    own = dict(zip(METHODS, ORDER, strict=False))
    found: dict[str, int] = {}
    for curve, method in curves.items():  # those that can have their own slot, before the others take one
        if (slot := own.get(method)) is not None and slot not in found.values():
            found[curve] = slot
    for curve in curves:
        if curve not in found:
            found[curve] = next(slot for slot in count() if slot not in found.values())
    return {curve: found[curve] for curve in curves}
