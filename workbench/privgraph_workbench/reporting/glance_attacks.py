"""What the head of a report says that attacks showed, question by question: of what the report is of, of the
same with other noise, and of what figures draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import ATTACKS, sides
from privgraph_workbench import tables
from privgraph_workbench.reporting import shown
from privgraph_workbench.reporting.asked import Drawn, Told
from privgraph_workbench.reporting.other_questions import NOT_THIS
from privgraph_workbench.reporting.own_setting import noise_of
from privgraph_workbench.words import caveats, naming, strongest, verdicts
from privgraph_workbench.words import statements as words
from privgraph_workbench.words.attacks import called
from privgraph_workbench.words.markup import capital, literal
from privgraph_workbench.words.naming import reads_no_edge, unit_of
from privgraph_workbench.words.numbers import number

SHOWED = "What attacks showed"
UNATTACKED = "No attack was made on these settings: what outsiders can tell is not known."
ELSEWHERE = "On the settings named above none was made; on those of figures:"
NO_PROOF = "guessing has 0.5, and finding little proves nothing"
OF_EDGES = {sides(name).asks for name in ATTACKS if sides(name).unit == "edge"}
"""Questions that come first: what closes all of it is about a guess, with which edges are not compared."""
Clauses = dict[str, list[str]]
"""What was found, in Markdown, by what was asked; by "" what is of several questions or of none."""


def answers(
    lines: Sequence[tables.Line], named: Mapping[int, str], figures: Sequence[Drawn], beside: Sequence[Told]
) -> dict[str, str]:
    """A sentence in Markdown for each question that was asked, where there are several, by its title.
    `lines`: the settings that the report is of; `beside`: those that stand in figures alone."""
    held = [one for one in lines if one.attacks or one.averaged]
    hidden = sum(one.untold and not one.averaged for one in lines)
    elsewhere = _of_other_noise(lines, named, beside)
    for asks, told in shown.of_attacks(figures, lines):
        elsewhere.setdefault(asks, []).append(told)
    closing = elsewhere.pop("", [])
    if not held and not hidden:
        if not elsewhere and not closing:
            return {SHOWED: literal(UNATTACKED)}
        if len(elsewhere) < 2:
            return {SHOWED: shown.as_one(literal(ELSEWHERE), *_named(elsewhere), *closing)}
    found = _strongest(lines, named)
    order = sorted({**found, **elsewhere}, key=lambda asks: asks not in OF_EDGES)
    said: Clauses = {asks: [*found.get(asks, []), *elsewhere.get(asks, [])] for asks in order}
    general = [literal(f"{named[id(one)]}: {one.averaged[0].words}") for one in lines if one.averaged][:1]
    if held and len(held) + hidden < len(lines):
        general.append(_of(len(held), lines))
    if hidden:
        general.append(f"{_of(hidden, lines)}, and what was found is {words.LEFT_OUT}")
    if not held and not hidden:
        general.append("none of the settings named above was attacked itself")
    general += [NO_PROOF] * bool(held)
    if len(said) < 2:
        return {SHOWED: capital(shown.as_one(*_named(said), *general, *closing))}
    said[list(said)[-1]] += [*general, *closing]
    return {f"{SHOWED}: {asks}": capital(shown.as_one(*clauses)) for asks, clauses in said.items()}


def _named(said: Clauses) -> list[str]:
    """Clauses with what was asked before the first of it."""
    return [f"{asks}: {one}" if at == 0 else one for asks, held in said.items() for at, one in enumerate(held)]


def _strongest(lines: Sequence[tables.Line], named: Mapping[int, str]) -> Clauses:
    """The strongest attack of each question on the settings themselves, on which of them, and what was
    attacked in its place."""
    best: dict[str, tuple[float, str]] = {}
    for one in sorted(lines, key=lambda one: reads_no_edge(one.record.spec.method)):
        for attack in strongest.strongest(one.attacks):
            asks, area = sides(attack.attack).asks, attack.found[0]
            similar = attack.by_classes is not None and reads_no_edge(one.record.spec.method)  # tells no edge it read
            if asks not in best or (area > best[asks][0] and not similar):
                caveat = f"{caveats.in_short(attack, one.record.statement)}{_uncovered(attack, unit_of(one.record))}"
                found = f"AUC {number(area)}{_alone(attack)}, by {called(attack.attack)}"
                best[asks] = area, literal(f"{found} on {named[id(one)]} ({caveat})")
    return {asks: [told] for asks, (_, told) in best.items()}


def _of_other_noise(lines: Sequence[tables.Line], named: Mapping[int, str], beside: Sequence[Told]) -> Clauses:
    """What attacks found of the same setting with noise of the other kind, of the first setting on whose own
    runs none was made."""
    for line in lines:
        if line.attacks or line.untold:
            continue
        alike = [
            one
            for one in beside
            if noise_of(one.record) and naming.setting(one.record) == naming.setting(line.record) and one.every_attack
        ]
        if alike:
            record = alike[0].record
            name = f"{named[id(line)]} with {noise_of(record)}"
            return {
                sides(one.attack).asks: [
                    literal(
                        f"{name}: AUC {number(one.found[0])}{_alone(one)}, by {called(one.attack)}"
                        f"{_uncovered(one, unit_of(record))}"
                    )
                ]
                for one in strongest.strongest([attack for held in alike for attack in held.every_attack])
            }
    return {}


def _uncovered(attack: AttackRecord, unit: str) -> str:
    """That the promise of a private model is not about what was asked; "" where it is."""
    return f"; {NOT_THIS}" * (unit != "none" and not verdicts.covered(attack, unit))


def _alone(attack: AttackRecord) -> str:
    """How that is beside what the true classes alone tell, in brackets; "" where nobody asked."""
    if attack.by_classes is None:
        return ""
    _, low, high = attack.found
    more = "more" if low > attack.by_classes else "no more" if high <= attack.by_classes else "perhaps no more"
    return f" ({more} than true classes alone tell: {number(attack.by_classes)})"


def _of(count: int, lines: Sequence[tables.Line]) -> str:
    return f"{count} of these {len(lines)} settings {'was' if count == 1 else 'were'} attacked"
