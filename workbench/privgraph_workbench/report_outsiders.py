"""What attacks on the runs of a setting found, as a section of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph.runs.records import RunRecord
from privgraph_workbench.blocks import Section, Table
from privgraph_workbench.words import rates
from privgraph_workbench.words.numbers import lower

OUTSIDERS = (
    "Each attack was made on models that were trained again like this run. An area of 0.5 is guessing; an attack that "
    "finds nothing proves nothing. Intervals are at the confidence that the attack was asked for."
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
            "does not follow" if one.bound is None else f"at least {lower(one.bound)}",
        )
        for name, attacks in attacked
        for one in attacks
    )
    head = ("Attack", "Asks", "Area under the curve", "Found where false positives are rare", "Bound on ε")
    return Section("What outsiders can tell", [Table(head, rows), OUTSIDERS])
