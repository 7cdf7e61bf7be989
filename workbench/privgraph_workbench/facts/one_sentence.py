"""What to take, in one short sentence above its table, and what holds at the other budgets. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from privgraph_workbench.facts.advising import ACCURACY, Verdict
from privgraph_workbench.facts.row_words import both, counted
from privgraph_workbench.facts.stretches import CLEAR, FEW_SEEDS, MOST_NAMED, OPEN, Stretch
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import percent

SETTLED, UNSETTLED = ("clear", "tie"), ("open", "perhaps")
"""How budgets at which a method is taken are told, the surest first."""


def told(said: Verdict) -> str:
    """What is taken at one budget, what that costs and protects, and how sure it is; "" where nothing can be
    said yet. It begins with a small letter, for it goes on after what is to be hidden. Nothing is said that
    the table does not say.

    It is a budget at which the choice is settled: of those whose protection is at least moderate the one of
    the best accuracy, else the smallest one of weak protection. One of next to none is never told first, but
    that edges are better left out, or that nothing is found."""
    lead = said.lead.strip()
    if said.thin or not said.stretches or (all(one.kind == "nothing" for one in said.stretches) and lead):
        return _ended(lead) if lead else ""
    first = _first(said)
    if first is not None:
        return _ended(_taken(first, said))
    if blind := _blind(said):
        return _ended(_left_out(blind, said))
    parts = [part for _, part in _parts(_unled(said))]
    every = both([one.budgets for one in said.stretches])
    return _ended(parts[0] if parts else f"no ε compared protects by more than next to nothing ({every})")


def further(said: Verdict) -> list[str]:
    """What is said of the other budgets, from small ones on, and what holds at every budget
    (`Verdict.lead`), a sentence each."""
    lead = said.lead.strip()
    if said.thin or not said.stretches or (all(one.kind == "nothing" for one in said.stretches) and lead):
        return []
    first = _first(said)
    left = _blind(said) or next((held for held, _ in _parts(_unled(said))), [])
    above = left if first is None else [first]
    rest = [one for one in said.stretches if one not in above]
    network = "" if first is not None and first.candidates[0].cost else said.counted_from
    lines: list[str] = []
    for taken, held in groupby(rest, key=lambda one: _group(one) in (*SETTLED, *UNSETTLED, "blind")):
        if not taken:
            lines += [f"ε {part}" for _, part in _parts(list(held), leading=True)]
            continue
        for one in held:
            lines.append(_line(one, network))
            network = "" if one.candidates[0].cost else network  # named once, where costs are first told
    return [_ended(one[:1].upper() + one[1:] if one is lead else one) for one in (*lines, lead) if one]


def _first(said: Verdict) -> Stretch | None:
    """The budget that is told first; None where at none a method is taken that protects more than next to
    nothing, or where edges are better left out than anything that is not settled."""
    strengths = [word for _, word in meaning.STRENGTHS]
    for groups in (SETTLED, UNSETTLED if not _blind(said) else ()):
        held = [one for one in said.stretches if _group(one) in groups]
        for words in (strengths[:2], strengths[2:-1]):
            for group in groups:
                found = [one for one in held if _group(one) == group and _strength(one) in words]
                if found and words == strengths[:2] and groups == SETTLED:
                    return max(found, key=lambda one: (one.candidates[0].mean, -one.epsilons[0]))
                if found:
                    return min(found, key=lambda one: one.epsilons[0])
    return None


def _strength(one: Stretch) -> str:
    return meaning.strength(one.epsilons[-1], one.delta)


def _blind(said: Verdict) -> list[Stretch]:
    return [one for one in said.stretches if one.kind == "blind"]


def _unled(said: Verdict) -> list[Stretch]:
    """The budgets at which no method is taken."""
    return [one for one in said.stretches if _group(one) not in (*SETTLED, *UNSETTLED)]


def _taken(one: Stretch, said: Verdict) -> str:
    """What is taken there, what it reaches, costs and protects, and how sure that is."""
    first, take = one.candidates[0], "perhaps" if _group(one) == "perhaps" else "take"
    facts = [_reached(one, said)]
    if first.cost:
        facts.append(f"{_cost(first.cost, unclear=first.unclear)} {said.counted_from}")
    worth, _, most = one.protection.partition(": ")
    sure = f"on {_sure(one)}" if take == "perhaps" else _sure(one)
    return f"at ε {one.budgets} {take} {first.short} ({', '.join(facts)}; {worth} protection: {most}), {sure}"


def _left_out(blind: Sequence[Stretch], said: Verdict) -> str:
    """That edges are better left out: at all budgets, or up to one, or at some."""
    first = blind[0]
    if len(blind) == len(said.stretches):
        return (
            f"leave them out. An {first.candidates[0].short} has {_reached(first, said)} and hides every edge without "
            "noise; at no ε compared is anything clearly better"
        )
    from_small = len(blind) == 1 and first is said.stretches[0] and len(first.epsilons) > 1
    where = f"up to ε {first.epsilons[-1]:g}" if from_small else f"at ε {both([one.budgets for one in blind])}"
    named = f"{first.candidates[0].short}, {_reached(first, said)}"
    return f"{where} no method clearly beats leaving them out ({named}), which hides every edge without noise"


def _line(one: Stretch, network: str) -> str:
    """The same of another budget, in short. network: what costs are counted from, if not said yet."""
    first = one.candidates[0]
    if one.kind == "blind":
        return f"ε {one.budgets}: leave the edges out ({first.short}, {percent(first.mean)}); {_sure(one)}"
    words = [f"{'perhaps ' * (_group(one) == 'perhaps')}{first.short}", percent(first.mean)]
    if first.cost:
        words.append(" ".join(filter(None, (_cost(first.cost, unclear=first.unclear), network))))
    words.append(meaning.strengths(one.epsilons[0], one.epsilons[-1], one.delta))
    return f"ε {one.budgets}: {', '.join(words)}; {_sure(one)}"


def _sure(one: Stretch) -> str:
    """How sure it is, by the word of the table."""
    names = [name.partition(" (")[0] for name in one.against[:MOST_NAMED]]
    names += ["others"] if len(one.against) > MOST_NAMED or not names else []
    if one.word == CLEAR:
        return "clearly the best"
    if one.word == FEW_SEEDS:
        return f"{FEW_SEEDS} to be sure"
    return f"{OPEN if one.word == OPEN else 'in a tie'} {'from' if one.word == OPEN else 'with'} {both(names)}"


def _reached(one: Stretch, said: Verdict) -> str:
    return percent(one.candidates[0].mean) + (" accuracy" if said.score == ACCURACY else f" {said.score}")


def _ended(text: str) -> str:
    return text.removesuffix(".") + "."


def _cost(cost: str, *, unclear: bool) -> str:
    """How far below a network without privacy it is, in words.

    >>> _cost("22", unclear=False), _cost("−1", unclear=False), _cost("1", unclear=True)
    ('22 points below', '1 point above', 'not clearly below')
    """
    if unclear or cost == "0":
        return "not clearly below"
    points = cost.removeprefix("−")
    return f"{counted(points, 'point')} {'above' if points != cost else 'below'}"


def _parts(stretches: Sequence[Stretch], *, leading: bool = False) -> Iterator[tuple[list[Stretch], str]]:
    """Budgets at which no method is taken, and what is said of them, neighbours of which the same is said in
    one. leading: their epsilons come first."""
    for (group, before), found in groupby(stretches, key=lambda one: (_group(one), one.before)):
        held = list(found)
        budgets = both([one.budgets for one in held])
        match group:
            case "before":
                words, end = "no more", f" than at ε {before:g}"
            case "nothing":
                words, end = "nothing is shown to beat a guess", ""
            case _:
                words, end = f"{FEW_SEEDS} to say", ""
        yield held, f"{budgets}: {words}{end}" if leading else f"{words} at ε {budgets}{end}"


def _group(one: Stretch) -> str:
    """How one is told: as `SETTLED` or `UNSETTLED`, or by its kind."""
    if one.kind in ("one", "several"):
        return {CLEAR: "clear", FEW_SEEDS: "perhaps", OPEN: "open"}.get(one.verdict, "tie")
    return one.kind if one.answers else "unsure"
