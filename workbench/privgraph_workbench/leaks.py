"""What an attack has found, decided in one place. No Streamlit."""

from __future__ import annotations

from enum import StrEnum

from privgraph.attacks.outcome import difference, mean_interval
from privgraph.attacks.record import FEW, AttackRecord
from privgraph.registry import sides

FAR = 0.65
"""A clear leak: all of the interval of the area lies from here on."""
NO_MEMORY = 0.02
"""A training accuracy that exceeds the test accuracy by less says that a run remembers nobody."""
LITTLE = 0.1
"""Of edges, an area that exceeds that of similarity by less is a small leak."""


class Leak(StrEnum):
    """What an attack has found."""

    NONE = "none"
    """No better than guessing; of edges told by distance, no more than similarity tells."""
    SOME = "some"
    """Better than guessing."""
    CLEAR = "clear"
    """All of the interval of the area lies from 0.65 on, or epsilon is refuted."""
    UNDECIDED = "undecided"
    """Better than guessing, perhaps by similarity or by a difference that training did not make."""


def leak(attack: AttackRecord, without: AttackRecord | None = None, learnt: tuple[float, float] | None = None) -> Leak:
    """Decide what an attack has found.

    Args:
        attack: The attack.
        without: The same attack on a model that reads no edge, where there is one.
        learnt: The run's accuracy on training nodes and on test nodes, where both are known.
    """
    if guessing(attack):
        return Leak.SOME if better_rival(attack) and not by_similarity(attack) else Leak.NONE
    if by_similarity(attack):
        return _of_edges(attack, without)
    by_node = sides(attack.attack).unit == "node"
    if not attack.drawn and by_node and learnt is not None and learnt[0] - learnt[1] < NO_MEMORY:
        return Leak.UNDECIDED
    far = _on_own(attack) and attack.found[1] >= FAR
    return Leak.CLEAR if attack.refutes_sound or far else Leak.SOME


def _of_edges(attack: AttackRecord, without: AttackRecord | None) -> Leak:
    """Nodes that are alike are often connected: what a model tells that reads no edge is no leak."""
    if without is None:
        return Leak.UNDECIDED
    classes = attack.by_classes or 0.0
    _, low, high = difference(attack.found, without.found)
    if without.run == attack.run or min(high, attack.found[2] - classes) <= 0:
        return Leak.NONE
    more = min(low, attack.found[1] - classes)
    if more <= 0:
        return Leak.UNDECIDED
    if attack.refutes_sound:
        return Leak.CLEAR
    return Leak.SOME if more < LITTLE or not (_on_own(attack) and attack.found[1] >= FAR) else Leak.CLEAR


def by_similarity(attack: AttackRecord) -> bool:
    """Whether the attack tells edges by how alike two answers are."""
    return attack.options.by == "distance" and bool(sides(attack.attack).caution)


def guessing(attack: AttackRecord) -> bool:
    """Whether neither the area nor a rate at few false alarms is better than guessing."""
    strict = (1 - attack.confidence) / (1 + len(attack.ahead_at))
    few = any(one.p <= strict for one in attack.ahead_at.values())
    return not (_on_own(attack) or round(attack.found[1], 3) > 0.5 or few)


def better_rival(attack: AttackRecord) -> str:
    """Name the attack whose score of the same answers finds more, and more than guessing.

    All scores share one confidence. "" where there is none, or too few models for a mean.
    """
    if len(attack.areas) < FEW:
        return ""
    each = 1 - (1 - attack.confidence) / (1 + len(attack.rivals))
    found = {one.attack: mean_interval(one.areas, each) for one in attack.rivals}
    better = [name for name, (mean, low, _) in found.items() if mean > attack.found[0] and round(low, 3) > 0.5]
    return max(better, key=lambda name: found[name][0], default="")


def _on_own(attack: AttackRecord) -> bool:
    """Whether the model on the run's own draw is attacked better than by guessing."""
    return round(attack.outcome.area_low, 3) > 0.5 or bool(attack.bound)
