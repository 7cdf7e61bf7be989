"""What the head of a report says that attacks showed, question by question: of what the report is of, of the
same with other noise, and of what figures draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import ATTACKS, sides
from privgraph_workbench import tables
from privgraph_workbench.reporting import shown
from privgraph_workbench.reporting.asked import Drawn
from privgraph_workbench.reporting.other_questions import NOT_THIS
from privgraph_workbench.reporting.own_setting import PUBLIC, setting
from privgraph_workbench.reporting.twins import Twins
from privgraph_workbench.words import caveats, strongest, verdicts
from privgraph_workbench.words import statements as words
from privgraph_workbench.words.attacks import called
from privgraph_workbench.words.markup import capital, literal
from privgraph_workbench.words.naming import reads_no_edge, unit_of
from privgraph_workbench.words.numbers import number
from privgraph_workbench.words.verdicts import on_average

SHOWED = "What attacks showed"
UNATTACKED = "No attack was made on these settings: what outsiders can tell is not known."
ELSEWHERE = "On the settings named above none was made; on those of figures:"
GUESSING = "guessing has 0.5"
NO_PROOF = f"{GUESSING}, and finding little proves nothing"
OF_EDGES = {sides(name).asks for name in ATTACKS if sides(name).unit == "edge"}
"""Questions that come first: what closes all of it is about a guess, with which edges are not compared."""
Clauses = dict[str, list[str]]
"""What was found, in Markdown, by what was asked; by "" what is of several questions or of none."""


def answers(
    lines: Sequence[tables.Line], named: Mapping[int, str], figures: Sequence[Drawn], alike: Mapping[str, Twins]
) -> dict[str, str]:
    """A sentence in Markdown for each question that was asked, where there are several, by its title.
    `lines`: the settings that the report is of; `alike`: the gallery's runs of these settings, by
    `own_setting.setting`."""
    held = [one for one in lines if one.attacks or one.averaged]
    hidden = sum(one.untold and not one.averaged for one in lines)
    elsewhere: Clauses = {}
    for asks, told in shown.of_attacks(figures, lines, [one.attacks for one in alike.values()]):
        elsewhere.setdefault(asks, []).append(told)
    closing = elsewhere.pop("", [])
    found = _strongest(lines, named, alike)
    if not held and not hidden and not found:
        if not elsewhere and not closing:
            return {SHOWED: literal(UNATTACKED)}
        if len(elsewhere) < 2:
            return {SHOWED: shown.as_one(literal(ELSEWHERE), *_named(elsewhere), *closing)}
    order = sorted({**found, **elsewhere}, key=lambda asks: asks not in OF_EDGES)
    said: Clauses = {asks: [*found.get(asks, []), *elsewhere.get(asks, [])] for asks in order}
    general = [literal(f"{named[id(one)]}: {one.averaged[0].words}") for one in lines if one.averaged][:1]
    if held and len(held) + hidden < len(lines):
        general.append(_of(len(held), lines))
    if hidden:
        general.append(f"{_of(hidden, lines)}, and what was found is {words.LEFT_OUT}")
    if not held and not hidden:
        general.append("none of the settings named above was attacked itself")
    if held or found:
        attacks = [one for line in lines for one in line.attacks]
        attacks += [one for twins in alike.values() for one in twins.attacks]
        found_more = any(on_average(one) for one in attacks if one.by_classes is None)
        general.append(GUESSING if found_more else NO_PROOF)
    if len(said) < 2:
        return {SHOWED: capital(shown.as_one(*_named(said), *general, *closing))}
    said[list(said)[-1]] += [*general, *closing]
    return {f"{SHOWED}: {asks}": capital(shown.as_one(*clauses)) for asks, clauses in said.items()}


def _named(said: Clauses) -> list[str]:
    """Clauses with what was asked before the first of it."""
    return [f"{asks}: {one}" if at == 0 else one for asks, held in said.items() for at, one in enumerate(held)]


def _strongest(lines: Sequence[tables.Line], named: Mapping[int, str], alike: Mapping[str, Twins]) -> Clauses:
    """Of each question the strongest attack on a private setting, and on one without privacy where that is
    stronger, or stands alone; on which setting it was, and what was attacked in its place. What nobody asked
    of a setting itself is that of the gallery's runs of it."""
    found: dict[str, dict[bool, tuple[bool, float, str]]] = {}
    for one in lines:
        own, record = strongest.strongest(one.attacks), one.record
        asked = {sides(attack.attack).asks for attack in one.attacks}
        twins = alike.get(setting(record)) if not one.untold else None
        others = [attack for attack in (twins.attacks if twins else ()) if sides(attack.attack).asks not in asked]
        private = unit_of(record) != "none"
        for attack in (*own, *strongest.strongest(others)):
            name = named[id(one)] + f" with {PUBLIC}, not tried with its own" * (attack not in own)
            # of a model that reads no edge it tells what similarity does, and no edge that it read
            read = attack.by_classes is None or not reads_no_edge(record.spec.method)
            caveat = f"{caveats.in_short(attack, record.statement)}{_uncovered(attack, unit_of(record))}"
            area = attack.found[0]
            told = literal(f"AUC {number(area)}{_alone(attack)}, by {called(attack.attack)} on {name} ({caveat})")
            best = found.setdefault(sides(attack.attack).asks, {})
            best[private] = max(best.get(private, (False, 0.0, "")), (read, area, told))
    clauses: Clauses = {}
    for asks, best in found.items():
        hidden, bare = best.get(True), best.get(False)
        clauses[asks] = [hidden[2]] if hidden else []
        if bare and (hidden is None or (bare[0] and bare[1] > hidden[1])):
            clauses[asks].append(bare[2])
    return clauses


def _uncovered(attack: AttackRecord, unit: str) -> str:
    """That the promise of a private model is not about what was asked; "" where it is."""
    return f"; {NOT_THIS}" * (unit != "none" and not verdicts.covered(attack, unit))


def _alone(attack: AttackRecord) -> str:
    """How that is beside what the true classes alone tell, in brackets; "" where nobody asked."""
    if attack.by_classes is None:
        return ""
    _, low, high = attack.found
    more = verdicts.than_classes(low, high, attack.by_classes)
    return f" ({more} than true classes alone tell: {number(attack.by_classes)})"


def _of(count: int, lines: Sequence[tables.Line]) -> str:
    return f"{count} of these {len(lines)} settings {'was' if count == 1 else 'were'} attacked"
