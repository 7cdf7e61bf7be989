"""What to take, in one short sentence above its table, of which row of it that is, and why of that one. No
Streamlit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from privgraph_workbench.facts.advising import ACCURACY, Verdict
from privgraph_workbench.facts.candidates import Candidate
from privgraph_workbench.facts.row_words import both, counted
from privgraph_workbench.facts.stretches import CLEAR, FEW_SEEDS, MOST_NAMED, OPEN, Stretch
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import percent

SETTLED, UNSETTLED = ("clear", "tie"), ("open", "perhaps")
"""How budgets at which a method is taken are told, the surest first."""
NONE_SETTLED = (
    "leaving edges out hides all of them, and at no ε that protects at least moderately is it settled which method is "
    "clearly better"
)
"""Why a model that reads no edge is told first."""


def margin(said: Verdict) -> str:
    """How far apart methods in a tie may be.

    >>> margin(Verdict(unit="edge")), margin(Verdict(unit="edge", margin=0.0105))
    ('5 points', '1.1 points')
    """
    return f"{100 * said.margin:.2g} points"


def told(said: Verdict) -> str:
    """What is taken at one budget, what that costs and protects, and how sure it is; "" where nothing can be
    said yet. It begins with a small letter, for it goes on after what is to be hidden. Nothing is said that
    the table does not say.

    It is a budget at which the choice is settled: of those whose protection is at least moderate the smallest
    that comes within a tie's margin of the best accuracy; else that edges are better left out; else that no
    choice is good, with the smallest one of weak protection. One of next to none is never told first."""
    lead = said.lead.strip()
    if said.thin or not said.stretches or (all(one.kind == "nothing" for one in said.stretches) and lead):
        return _ended(lead) if lead else ""
    first = _first(said)
    if first is not None:
        return _ended(_taken(first, said))
    if blind := _blind(said):
        return _ended(_left_out(blind, said))
    parts = list(_parts(_unled(said)))
    every = both([one.budgets for one in said.stretches])
    return _ended("; ".join(parts) or f"no good choice: no ε compared protects by more than next to nothing ({every})")


def general(said: Verdict) -> str:
    """What holds at every budget (`Verdict.lead`), in a sentence; "" where that or nothing is told first."""
    lead = said.lead.strip()
    if said.thin or not said.stretches or all(one.kind == "nothing" for one in said.stretches) or not lead:
        return ""
    return _ended(lead[:1].upper() + lead[1:])


def first(said: Verdict) -> str:
    """Which choice is told first (`told`), in a few words; "" where nothing can be said yet."""
    if said.thin or not said.stretches:
        return ""
    found = _first(said)
    if found is None:
        return "leave edges out" if _blind(said) else "no good choice"
    take = "take" if _group(found) in SETTLED else "perhaps"
    weak = "no good choice, " * _weak(found)
    return f"{weak}at ε {found.budgets} {take} {found.candidates[0].short} ({found.word})"


@dataclass(frozen=True)
class Marked:
    """The stretches of the table of which the sentence is (none: of no single row), by their places, and why
    these are first ("": there is nothing to say)."""

    places: tuple[int, ...] = ()
    why: str = ""


def marked(said: Verdict) -> Marked:
    """What is told first, to be marked in the table."""
    if said.thin or not said.stretches:
        return Marked()
    found = _first(said)
    held, why = (_blind(said), NONE_SETTLED) if found is None else ([found], _why(found, said))
    return Marked(tuple(place for place, one in enumerate(said.stretches) if one in held), why) if held else Marked()


def _why(first: Stretch, said: Verdict) -> str:
    """By which rule a choice is the first (`_first`)."""
    protects, group = "weak" if _weak(first) else "at least moderate", _group(first)
    if group == "clear":
        return (
            f"the smallest ε within {margin(said)} of the most accurate clear choice of at least moderate protection"
            if protects != "weak"
            else "no choice of at least moderate protection is clear or a tie: the smallest ε of a clear one of weak "
            "protection"
        )
    if group == "tie":
        return (
            "no choice of at least moderate protection is clear: the smallest ε within "
            f"{margin(said)} of the most accurate that ties"
            if protects != "weak"
            else "no choice of at least weak protection is clear, nor one of moderate a tie: the smallest ε of a tie"
        )
    return (
        "no choice of at least weak protection is clear or a tie: the smallest ε of "
        f"{protects} protection with the verdict “{first.word}”"
    )


def _first(said: Verdict) -> Stretch | None:
    """The budget that is told first (`_why` says by which rule); None where at none a method is taken that
    protects more than next to nothing, or where edges are better left out than anything not settled."""
    strengths = _strengths()
    for groups in (SETTLED, UNSETTLED if not _blind(said) else ()):
        held = [one for one in said.stretches if _group(one) in groups]
        for words in (strengths[:2], *([] if _blind(said) else [strengths[2:-1]])):
            for group in groups:
                found = [one for one in held if _group(one) == group and _strength(one) in words]
                if found and words == strengths[:2] and groups == SETTLED:
                    best = max(one.candidates[0].mean for one in found)
                    return min(
                        (one for one in found if one.candidates[0].mean >= best - said.margin),
                        key=lambda one: one.epsilons[0],
                    )
                if found:
                    return min(found, key=lambda one: one.epsilons[0])
    return None


def _strengths() -> list[str]:
    return [word for _, word in meaning.STRENGTHS]


def _strength(one: Stretch) -> str:
    return meaning.strength(one.epsilons[-1], one.delta)


def _weak(one: Stretch) -> bool:
    """Whether it protects less than moderately."""
    return _strength(one) not in _strengths()[:2]


def _blind(said: Verdict) -> list[Stretch]:
    return [one for one in said.stretches if one.kind == "blind"]


def _unled(said: Verdict) -> list[Stretch]:
    """The budgets at which no method is taken."""
    return [one for one in said.stretches if _group(one) not in (*SETTLED, *UNSETTLED)]


def _taken(one: Stretch, said: Verdict) -> str:
    """What is taken there, what it reaches, costs and protects, and how sure that is."""
    first, settled = one.candidates[0], _group(one) in SETTLED
    facts = [_reached(one, said)]
    if first.cost:
        facts[0] += f", {_cost(first)} {said.counted_from}"
    worth, _, most = one.protection.partition(": ")
    weak = _weak(one)
    facts.append(_right(most) if weak else f"{worth} protection: {_right(most)}")
    facts += [first.promise] if first.promise else []
    sure = f"on {_sure(one)}" if one.word == FEW_SEEDS else _sure(one)
    if weak:
        lead = f"no good choice. Of {worth} protection, at ε {one.budgets}:"
    else:
        lead = f"at ε {one.budgets} take" if settled else f"no clear choice. At ε {one.budgets} perhaps"
    return f"{lead} {first.short} ({'; '.join(facts)}), {sure}{_or_left_out(first.mean, said, weak=weak)}"


def _or_left_out(mean: float, said: Verdict, *, weak: bool) -> str:
    """What leaving edges out reaches, where that is hardly less, or what else there is protects weakly; ""
    elsewhere."""
    if said.blind is None or not (weak or said.blind["mean"] >= mean - said.margin):
        return ""
    return f"; or leave them out: {_hides(percent(said.blind['mean']), said)}"


def _hides(reached: str, said: Verdict, cost: str = "") -> str:
    accuracy = " accuracy" if said.score == ACCURACY else f" {said.score}"
    return f"an MLP has {reached}{accuracy}{cost} and hides every edge without noise"


def _right(most: str) -> str:
    """The bound of a protection as a sentence, for a number has no noun.

    >>> _right("≤ 88.1%"), _right("may be > 99.99%")
    ('an attacker is right at most 88.1% of the time', 'an attacker may be right > 99.99% of the time')
    """
    number = most.removeprefix("≤ ")
    if number != most:
        return f"an attacker is right at most {number} of the time"
    return f"an attacker may be right {most.removeprefix('may be ')} of the time"


def _left_out(blind: Sequence[Stretch], said: Verdict) -> str:
    """That edges are better left out, and what that costs; where no method is clearly better, where one may
    be with more seeds, and the smallest budget at which one is."""
    first = blind[0].candidates[0]
    cost = f", {_cost(first)} {said.counted_from}," if first.cost else ""
    few = [one for one in blind if one.word == FEW_SEEDS]
    told = [_budgets(blind, said)]
    told += [f"at {one.span} {one.against[0] if one.against else 'one'} may be ({_may(one)})" for one in few]
    better = next((one for one in said.stretches if one.kind in ("one", "several")), None)
    if better is not None:
        best = better.candidates[0]
        told.append(f"at ε {better.budgets} {best.short} is ({percent(best.mean)}), with {better.worth}")
    if said.unjudged:
        told.append(f"{both(said.unjudged)} ran alone at that ε, and is not compared")
    said_so = "; ".join(told)
    return f"leave them out: {_hides(percent(first.mean), said, cost)}. {said_so[:1].upper()}{said_so[1:]}"


def _may(one: Stretch) -> str:
    """With how many seeds it may be told."""
    return f"about {counted(one.seeds, 'seed')}{' of each' * (len(one.needed) > 1)} may tell"


def _budgets(blind: Sequence[Stretch], said: Verdict) -> str:
    """Where no method is clearly better than what reads no edge: nowhere, up to a budget, or at some."""
    if len(blind) == len(said.stretches):
        return "at no ε compared is a method clearly better"
    from_small = tuple(blind) == tuple(said.stretches[: len(blind)]) and blind[0].epsilons[0] < blind[-1].epsilons[-1]
    where = f"up to ε {blind[-1].epsilons[-1]:g}" if from_small else f"at ε {both([one.budgets for one in blind])}"
    return f"{where} no method is clearly better"


def _sure(one: Stretch) -> str:
    """How sure it is, by the word of the table."""
    names = [name.partition(" (")[0] for name in one.against[:MOST_NAMED]]
    names += ["others"] if len(one.against) > MOST_NAMED or not names else []
    if one.word == CLEAR:
        return "clearly the best"
    if one.word == FEW_SEEDS:
        return f"{FEW_SEEDS} to be sure"
    stronger = f", {one.stronger}" if one.stronger else ""
    open_ = f"{OPEN} from" if one.word == OPEN else "in a tie with"
    return f"{open_} {both(names)}{stronger}"


def _reached(one: Stretch, said: Verdict) -> str:
    return percent(one.candidates[0].mean) + (" accuracy" if said.score == ACCURACY else f" {said.score}")


def _ended(text: str) -> str:
    return text.removesuffix(".") + "."


def _cost(first: Candidate) -> str:
    """How far below a network without privacy it is, in words; with its interval where that includes 0, for
    few seeds are no evidence that nothing is lost.

    >>> [_cost(Candidate(title="", mean=0.6, reached="", cost=one)) for one in ("22", "−1")]
    ['22 points below', '1 point above']
    >>> few = Candidate(title="", mean=0.6, reached="", cost="8", between="−5 to 21", unclear=True, seeds="3")
    >>> _cost(few)
    '8 points (−5 to 21; 3 seeds) below'
    """
    points = first.cost.removeprefix("−")
    above = points != first.cost
    if not (first.unclear and first.between):
        return f"{counted(points, 'point')} {'above' if above else 'below'}"
    return f"{counted(first.cost, 'point')} ({first.between}; {counted(first.seeds, 'seed')}) below"


def _parts(stretches: Sequence[Stretch]) -> Iterator[str]:
    """Budgets at which no method is taken, and what is said of them, neighbours of which the same is said in
    one."""
    for (group, before), same in groupby(stretches, key=lambda one: (_group(one), one.before)):
        found = list(same)
        budgets = both([one.budgets for one in found])
        match group:
            case "before":
                yield f"no more at ε {budgets} than at ε {before:g}"
            case "nothing":
                yield f"nothing is shown to beat a guess at ε {budgets}"
            case _:
                yield f"{FEW_SEEDS} to say at ε {budgets}"


def _group(one: Stretch) -> str:
    """How one is told: as `SETTLED` or `UNSETTLED`, or by its kind."""
    if one.kind in ("one", "several"):
        return {CLEAR: "clear", FEW_SEEDS: "perhaps", OPEN: "open"}.get(one.verdict, "tie")
    return one.kind if one.answers else "unsure"
