"""What an attack of another question found on the settings of a figure of attacks: edges of which no more is
told than true classes tell, on a model that tells who was trained on, are half of what a reader must know."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.reporting.asked import Drawn, Told
from privgraph_workbench.reporting.own_setting import PUBLIC
from privgraph_workbench.words import verdicts
from privgraph_workbench.words.attacks import called
from privgraph_workbench.words.markup import capital
from privgraph_workbench.words.naming import reads_no_edge, run_labels, unit_of
from privgraph_workbench.words.numbers import number

NOT_THIS = "its ε hides edges, not this"


@dataclass(frozen=True)
class Found:
    """What an attack found on the setting of that label; `means`: how much that is; `hides`: what its promise
    is about, where that is not what was asked."""

    asks: str
    label: str
    attack: AttackRecord
    means: str
    hides: str

    @property
    def words(self) -> str:
        """`GAP, edge ε 1: AUC 0.924, by BaVarIA; its ε hides edges, not this`."""
        hides = f"; {self.hides}" * bool(self.hides)
        return f"{self.label}: AUC {number(self.attack.found[0])}, by {called(self.attack.attack)}{hides}"


def of(one: Drawn) -> str:
    """The strongest of them, as a sentence; "" where all that found anything were asked what is drawn."""
    if (found := strongest(one)) is None:
        return ""
    return f"{capital(found.asks)}, not drawn here, is told {found.means}: {found.words}."


def strongest(one: Drawn, told: Container[str] = ()) -> Found | None:
    """The strongest of those that found anything, of private models if there is one. `told`: questions that
    are answered elsewhere."""
    drawn = {str(row["asks"]) for row in one.rows if "asks" in row}
    if not drawn:
        return None
    labels = run_labels([known.record for known in one.beside], privacy_too=True, seeds=False)
    held: list[tuple[str, Told, Sequence[AttackRecord]]] = []
    for label, known in zip(labels, one.beside, strict=True):
        held.append((label, known, known.every_attack))
        held += [(f"{label} with {PUBLIC}", known, known.twins.attacks)] if known.twins else []
    found = [
        (unit_of(known.record) != "none", attack.found[0], label, known, attack)
        for label, known, attacks in held
        for attack in attacks
        if (asks := sides(attack.attack).asks) not in drawn and asks not in told and _finds(attack, known)
    ]
    if not found:
        return None
    private, _, label, known, attack = max(found, key=lambda held: held[:3])
    hides = NOT_THIS if private and not verdicts.covered(attack, unit_of(known.record)) else ""
    return Found(sides(attack.attack).asks, label, attack, _how(attack), hides)


def _finds(attack: AttackRecord, known: Told) -> bool:
    """Whether it found more than a guess or, of edges, than true classes tell of a model that reads any."""
    if attack.by_classes is not None:
        return attack.found[1] > attack.by_classes and not reads_no_edge(known.record.spec.method)
    return not verdicts.guessing(attack)


def _how(attack: AttackRecord) -> str:
    if attack.by_classes is not None:
        return f"better than by true classes alone ({number(attack.by_classes)})"
    area, low, _ = attack.found
    return f"{verdicts.than_guessing(area, low)} than by guessing"
