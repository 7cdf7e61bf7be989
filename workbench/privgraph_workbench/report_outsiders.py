"""What attacks on the runs of a setting found, as a section of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.blocks import Block, Section, Table
from privgraph_workbench.words import rates
from privgraph_workbench.words.numbers import lower

OUTSIDERS = (
    "Each attack was made on models that were trained again like this run. An area of 0.5 is guessing; an attack that "
    "finds nothing proves nothing. Intervals are at the confidence that the attack was asked for."
)

NOT_FOLLOWS = "does not follow"
NO_BOUND = (
    f"A bound on ε that “{NOT_FOLLOWS}”: the attack may succeed or fail, but its game is not the one that ε speaks of, "
    "so that its result neither confirms nor refutes a guarantee."
)


@dataclass(frozen=True, kw_only=True)
class Other:
    """A run of the same setting that is not told by itself, and the attacks on it."""

    name: str
    record: RunRecord
    attacks: Sequence[AttackRecord] = ()


def outsiders(attacked: Sequence[tuple[str, Sequence[AttackRecord]]]) -> Section:
    """What each attack found, by the name of its run, the oldest first; whom it exposes stays with whoever
    evaluates the run."""
    rows = tuple(
        (
            ": ".join(filter(None, (name, one.title))),
            sides(one.attack).asks,
            f"{one.found[0]:.3f} ({one.found[1]:.3f} to {one.found[2]:.3f})",
            rates.rare(one),
            NOT_FOLLOWS if one.bound is None else f"at least {lower(one.bound)}",
        )
        for name, attacks in attacked
        for one in attacks
    )
    head = ("Attack", "Asks", "Area under the curve", "Found where false positives are rare", "Bound on ε")
    blocks: list[Block] = [Table(head, rows), OUTSIDERS]
    unbound = [one for _, attacks in attacked for one in attacks if one.bound is None]
    if unbound:
        reasons = dict.fromkeys(note.partition(": ")[2] for one in unbound for note in one.notes if _is_reason(note))
        blocks.append(" ".join([NO_BOUND, *(f"Here: {one}." for one in reasons if one)]))
    return Section("What outsiders can tell", blocks)


def _is_reason(note: str) -> bool:
    """Whether a note of an attack says why it bounds no epsilon."""
    return "no bound on epsilon follows" in note
