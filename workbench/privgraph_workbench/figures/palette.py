"""One slot for one method, in every figure that tells methods apart by colour."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count, islice

from privgraph.registry import METHODS
from privgraph_workbench.theme import LIGHT, NEUTRAL

COLOURS = len(LIGHT.lines)
"""Slots that are so far apart have one colour, and another dash and marker."""


def slots(curves: Mapping[str, str]) -> dict[str, int]:
    """The slot of each curve (its name -> its method): that of its method, which is the same in every figure.
    Further curves of a method have its colour, with a dash and a marker that are free; none is grey.

    >>> slots({"ProGAP, edge-level": "progap", "GAP, edge-level": "gap"})
    {'ProGAP, edge-level': 0, 'GAP, edge-level': 1}
    >>> slots({"GAP, edge-level": "gap", "GAP, node-level": "gap"})
    {'GAP, edge-level': 1, 'GAP, node-level': 22}
    """
    coloured = (slot for slot in count() if slot % COLOURS != NEUTRAL)
    own = dict(zip(METHODS, islice(coloured, len(METHODS)), strict=True))
    found: dict[str, int] = {}
    taken = set(own.values())
    for curve, method in curves.items():
        slot = own.get(method, 0)
        if method not in own or slot in found.values():
            slot = next(one for one in count(slot, COLOURS) if one not in taken)
        found[curve] = slot
        taken.add(slot)
    return found
