"""One slot for one method, in every figure that tells methods apart by colour."""

from collections.abc import Mapping
from itertools import count

from privgraph_workbench.theme import LIGHT, NEUTRAL, SLOTS

COLOURS = len(LIGHT.lines)


def slots(curves: Mapping[str, str]) -> dict[str, int]:
    """The slot of each curve (its name -> its method): that of its method, which is the same in every figure.
    A further curve of one method has one that no method has: of a colour that the figure does not show, while
    there is one, and never grey.

    >>> slots({"ProGAP, edge-level": "progap", "GAP, edge-level": "gap"})
    {'ProGAP, edge-level': 0, 'GAP, edge-level': 1}
    >>> [slot % COLOURS for slot in slots({"GAP, edge-level": "gap", "GAP, node-level": "gap"}).values()]
    [1, 2]
    """
    found: dict[str, int] = {}
    for curve, method in curves.items():  # those that can have their own slot, before the others take one
        if (slot := SLOTS.get(method)) is not None and slot not in found.values():
            found[curve] = slot
    for curve in curves:
        if curve not in found:
            seen = {slot % COLOURS for slot in found.values()} | {NEUTRAL}
            seen = {NEUTRAL} if len(seen) == COLOURS else seen
            taken = {*SLOTS.values(), *found.values()}
            found[curve] = next(slot for slot in count() if slot not in taken and slot % COLOURS not in seen)
    return found
