"""One slot for one method, in every figure that tells methods apart by colour."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from itertools import count

from privgraph_workbench.theme import DASHES, LIGHT, MARKERS, NEUTRAL

SLOTS: Mapping[str, int] = {
    "progap": 0,
    "gap": 1,
    "gnn": 62,
    "mlp": 3,
    "dp-mlp": 4,
    "edge-rand": 5,
    "dp-gnn": 63,
    "heter-poisson": 82,
    "privgnn": 107,
    "pate": 109,
    "prompt": 55,
    "fine-tune": 14,
    "prompt-dpsgd": 105,
    "dp-gpl": 115,
    "relational": 18,
    "relation-rand": 13,
}
"""The slot of each method: its colour, mark and dash by the lengths of these tables. Each private method has
a colour that no other has, but for those of prompts, which share no axis with EdgeRand and have its colour,
and randomised relations, which have that of DP-GNN and share an axis with PvGaLM alone; where colours are
equal marks and dashes differ. HeterPoisson has the colour of a graph network and DP-GNN that of a model that
reads no edge, which are grey levels where they stand beside private methods."""
COLOURS = len(LIGHT.lines)
EVERY = math.lcm(COLOURS, len(MARKERS), len(DASHES))
"""Slots that differ in colour, mark or dash."""


def slots(curves: Mapping[str, str], *, alike: bool = False) -> dict[str, int]:
    """The slot of each curve (its name -> its method): that of its method, which is the same in every figure.
    Of a further curve of one method one that no method has: a colour that no curve of the figure has, while
    there is one; `alike`: the colour of its method, with another mark and dash.

    >>> slots({"ProGAP, edge-level": "progap", "GAP, edge-level": "gap"})
    {'ProGAP, edge-level': 0, 'GAP, edge-level': 1}
    >>> both = {"GAP, edge-level": "gap", "GAP, node-level": "gap"}
    >>> [[slot % COLOURS for slot in slots(both, alike=alike).values()] for alike in (False, True)]
    [[1, 2], [1, 1]]
    """
    found: dict[str, int] = {}
    for curve, method in curves.items():  # those that can have their own slot, before the others take one
        if (slot := SLOTS.get(method)) is not None and slot not in found.values():
            found[curve] = slot
    for curve, method in curves.items():
        if curve not in found:
            taken = {*SLOTS.values(), *found.values()}
            own = SLOTS.get(method) if alike else None
            found[curve] = next(slot for slot in _further(own, found.values()) if slot not in taken)
    return {curve: found[curve] for curve in curves}


def _further(own: int | None, drawn: Collection[int]) -> Iterator[int]:
    """Slots for a further curve, the best first, and none that is grey: those of the colour of `own`, those
    of colours that are not drawn, and any."""
    if own is not None:
        yield from ((own + COLOURS * turn) % EVERY for turn in range(1, EVERY // COLOURS))
    seen = {slot % COLOURS for slot in drawn} | {NEUTRAL}
    yield from (slot for slot in range(EVERY) if slot % COLOURS not in seen)
    yield from (slot for slot in count() if slot % COLOURS != NEUTRAL)
