"""One slot for one method, in every figure that tells methods apart by colour."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from privgraph_workbench.theme import LIGHT, NEUTRAL

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
    return {curve: found[curve] for curve in curves}
