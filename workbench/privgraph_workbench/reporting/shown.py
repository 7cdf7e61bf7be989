"""What the figures of a report show, a clause each, for its head: the verdict that stands on the figure's
card, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench import tables
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.reporting import other_questions, verdicts
from privgraph_workbench.reporting.asked import Drawn
from privgraph_workbench.reporting.own_setting import setting
from privgraph_workbench.words.markup import literal

ATTACKS = "attack_"
"""With what the names of figures of attacks begin."""
LESS = "seeds not paired for others, so that this tells less"
MOST, LONG = 6, 320
"""Figures that have a clause each, and letters of one of several sentences."""
_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")


def of_attacks(
    figures: Sequence[Drawn], lines: Sequence[tables.Line], others: Iterable[Sequence[AttackRecord]] = ()
) -> list[tuple[str, str]]:
    """A clause of each, behind what was asked ("": several questions, or none). One that draws attacks on
    these settings alone, of which the head speaks already, is named and no more. `others`: attacks of which
    it speaks as well."""
    told = {setting(one.record) for one in lines if one.attacks}
    chosen = [(place, one) for place, one in enumerate(figures, start=1) if one.figure.startswith(ATTACKS)]
    again = [place for place, one in chosen if one.runs and {setting(run) for run in one.runs} <= told]
    fresh = [(place, one) for place, one in chosen if place not in again]
    clauses = _clauses(fresh)
    said = [(_asks(one), clause) for (_, one), clause in zip(fresh[:MOST], clauses, strict=False)]
    said += [("", one) for one in clauses[MOST:]]
    answered = {sides(attack.attack).asks for held in (*(one.attacks for one in lines), *others) for attack in held}
    answered |= {str(row["asks"]) for one in figures for row in one.rows if "asks" in row}
    further = (other_questions.strongest(one, answered) for _, one in fresh)
    said += dict.fromkeys((one.asks, literal(one.words)) for one in further if one)
    if again:
        said.append(("", f"See Figure{'s' * (len(again) > 1)} {_numbers(again)}."))
    return said


def _asks(one: Drawn) -> str:
    """The one question that a figure is about; "" of several."""
    asks = {str(row["asks"]) for row in one.rows if "asks" in row}
    return asks.pop() if len(asks) == 1 else ""


_END = re.compile(r"\.(?= (?:Figure|See|Without|Strongest|[A-Z]))|\.$")


_BEGINS = re.compile(r"; (?:Without|See|Up to|At|No|Nothing|Of|Too)\b")


def as_one(*said: str) -> str:
    """Sentences as one, which their ends part no longer.

    >>> as_one("It is told.", "Without privacy more.")
    'It is told; without privacy more.'
    """
    first, *rest = (_END.sub(";", one).rstrip(";") for one in said)
    joined = "; ".join([first, *rest]) if not first.endswith(":") else f"{first} {'; '.join(rest)}"
    return f"{_BEGINS.sub(lambda found: found[0].lower(), joined)}."


def _numbers(places: Sequence[int]) -> str:
    """Numbers in order; of three and more that follow each other the ends.

    >>> _numbers([3, 4, 5]), _numbers([1, 2]), _numbers([1, 3, 4])
    ('3 to 5', '1 and 2', '1, 3 and 4')
    """
    if len(places) > 2 and places[-1] - places[0] == len(places) - 1:
        return f"{places[0]} to {places[-1]}"
    return both([str(place) for place in places])


def of_others(figures: Sequence[Drawn]) -> list[str]:
    """What each chosen figure finds that draws no attack, a clause each; first of those that say what to
    take."""
    chosen = [(place, one) for place, one in enumerate(figures, start=1) if not one.figure.startswith(ATTACKS)]
    chosen.sort(key=lambda one: not one[1].advice)
    return _clauses([(place, one) for place, one in chosen if verdicts.of(one)])


def _clauses(figures: Sequence[tuple[int, Drawn]], long: int = LONG) -> list[str]:
    said = [f"Figure {place}: {_clause(one, long)}" for place, one in figures[:MOST]]
    left = len(figures) - MOST
    return [*said, f"{left} more figure{'s stand' if left > 1 else ' stands'} below."] if left > 0 else said


def _clause(one: Drawn, long: int) -> str:
    """What its card says, as far as it is read at a glance, and that for others it is weaker, where it is."""
    verdict = verdicts.drawn(one)
    if not one.unpaired:
        return short(verdict, long)
    return f"{short(verdict.replace(one.unpaired, ''), long).removesuffix('.')} ({LESS})."


def short(verdict: str, long: int = LONG) -> str:
    """The first sentences of what a card says, as many as are read at a glance; one at least.

    >>> short("First. " + "Second, " * 50 + "end."), short("First. Second.")
    ('First.', 'First. Second.')
    """
    first, *rest = _SENTENCES.split(" ".join(verdict.split()))
    for sentence in rest:
        if len(first) + len(sentence) > long:
            break
        first = f"{first} {sentence}"
    return first
