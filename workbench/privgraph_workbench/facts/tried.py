"""Of the attacks that ask the same of a run, which can be made, and which were. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.attacks.options import Attacked
from privgraph.attacks.record import AttackRecord
from privgraph.registry import ATTACKS, sides


def possible(subject: Attacked, attack: AttackRecord) -> list[str]:
    """The attacks that ask what this one asks, and can be made on the run."""
    asked = sides(attack.attack).asks
    return [name for name, one in ATTACKS.items() if one.sides.asks == asked and one.refuses(subject) is None]


def made(attack: AttackRecord, attacks: Sequence[AttackRecord]) -> set[str]:
    """Which attacks that ask the same were made, or told by their areas beside another one."""
    asked = sides(attack.attack).asks
    same = [one for one in attacks if sides(one.attack).asks == asked]
    return {one.attack for one in same} | {other.attack for one in same for other in one.rivals}
