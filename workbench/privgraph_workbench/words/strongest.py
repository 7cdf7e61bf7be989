"""The strongest attack on a setting, of each question, in words: what a reader looks for first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.words.attacks import called
from privgraph_workbench.words.numbers import exact_percent, number, percent
from privgraph_workbench.words.verdicts import caution

NONE = "none made"
GUESS = 0.5
"""The area of a guess."""


def strongest(attacks: Sequence[AttackRecord]) -> list[AttackRecord]:
    """The attack of the largest area of each question, the larger first."""
    best: dict[str, AttackRecord] = {}
    for one in attacks:
        asked = sides(one.attack).asks
        if asked not in best or one.found[0] > best[asked].found[0]:
            best[asked] = one
    return sorted(best.values(), key=lambda one: -one.found[0])


def baseline(attack: AttackRecord) -> float | None:
    """The area that its own has to be compared with: of edges told by distance what the true classes alone
    have (None: nobody measured it), else that of a guess."""
    return attack.by_classes if caution(attack) else GUESS


def furthest(attacks: Sequence[AttackRecord]) -> AttackRecord | None:
    """The attack whose area exceeds its `baseline` the most, whatever it asks: areas of different questions
    say nothing of each other. None of none."""
    return max(strongest(attacks), key=lambda one: one.found[0] - (baseline(one) or GUESS), default=None)


def words(attacks: Sequence[AttackRecord], seed_of: Callable[[str], str] = lambda run: "") -> str:
    """Each with its area, the rate at few false positives and what it asked, and on which of several seeds
    (`seed_of` a run, by its id); of edges with what is to be compared: edges join nodes alike."""
    told = ((_words(one), seed_of(one.run)) for one in strongest(attacks))
    return "; ".join(f"{said}, on {seed}" if seed else said for said, seed in told) or NONE


def cells(attack: AttackRecord, seed_of: Callable[[str], str] = lambda run: "") -> tuple[str, str, str, str]:
    """The same of one attack in cells: what it asks, which it is, its area, and the rate at few false
    positives."""
    area, classes, rate = _measured(attack)
    return (
        sides(attack.attack).asks,
        ", on ".join(filter(None, (called(attack.attack), seed_of(attack.run)))),
        "; ".join(filter(None, (area, classes))),
        rate,
    )


def _words(attack: AttackRecord) -> str:
    area, classes, rate = _measured(attack)
    told = ", ".join(filter(None, (area, classes, f"TPR {rate} FPR" if rate else "", f"by {called(attack.attack)}")))
    return f"{sides(attack.attack).asks}: AUC {told}"


def _measured(attack: AttackRecord) -> tuple[str, str, str]:
    """Its area with the interval, what the true classes alone have, and the rate at few false positives; ""
    of what is not there."""
    area, low, high = map(number, attack.found)
    alone = attack.by_classes if attack.options.by == "distance" else None
    rare = attack.rare_found
    return (
        f"{area} ({low} to {high})",
        "" if alone is None else f"true classes alone {number(alone)}",
        "" if rare is None else f"{percent(rare.true)} at {exact_percent(rare.false)}",
    )
