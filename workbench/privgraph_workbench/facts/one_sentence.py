"""What to take, in one short sentence above its table, and what holds at the other budgets. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from privgraph_workbench.facts.advising import ACCURACY, Verdict
from privgraph_workbench.facts.row_words import both, counted
from privgraph_workbench.facts.stretches import CLEAR, FEW_SEEDS, MOST_NAMED, OPEN, Stretch
from privgraph_workbench.words.numbers import percent

SUREST = ("clear", "tie", "open", "perhaps")
"""What is told first of budgets at which something is taken; of several alike the smallest one."""


def told(said: Verdict) -> str:
    """What is taken at the budget of which most is known, what that costs, how sure it is, and where edges
    are better left out; "" where nothing can be said yet. Nothing is said that the table does not."""
    lead = said.lead.strip()
    if said.thin or not said.stretches or (all(one.kind == "nothing" for one in said.stretches) and lead):
        return _sentence(lead) if lead else ""
    first, blind = _first(said), [one for one in said.stretches if one.kind == "blind"]
    if blind and len(blind) == len(said.stretches):
        return (
            f"Leave the edges out: {_mlp(blind[0])} has {_reached(blind[0], said)} and hides every edge "
            "without noise, and at no ε compared is anything clearly better."
        )
    parts = [] if first is None else [_taken(first, said)]
    parts += [f"at ε {both([one.budgets for one in blind])} leave the edges out (MLP)"] if blind else []
    parts = parts or [next(_parts(said.stretches))]
    return _sentence("; ".join(parts))


def further(said: Verdict) -> list[str]:
    """What is said of the other budgets, from small ones on, and what holds at every budget
    (`Verdict.lead`), a sentence each."""
    lead = said.lead.strip()
    if said.thin or not said.stretches or (all(one.kind == "nothing" for one in said.stretches) and lead):
        return []
    first = _first(said)
    rest = [one for one in said.stretches if one is not first and one.kind != "blind"]
    parts = list(_parts(rest))
    if first is None and not any(one.kind == "blind" for one in said.stretches):
        parts = parts[1:]  # the first stands above
    return [_sentence(one) for one in (*parts, lead) if one]


def _first(said: Verdict) -> Stretch | None:
    """The stretch that is told first; None where at no budget a method is taken."""
    taken = [one for one in said.stretches if _group(one) in SUREST]
    return min(taken, key=lambda one: (SUREST.index(_group(one)), one.epsilons[0]), default=None)


def _taken(one: Stretch, said: Verdict) -> str:
    """What is taken there, what it reaches and costs, and how sure that is."""
    group, first = _group(one), one.candidates[0]
    words = [first.short, _reached(one, said)]
    if first.cost:
        words.append(_cost(first.cost, said.counted_from, unclear=bool(first.between)))
    names = [name.partition(" (")[0] for name in one.against[:MOST_NAMED]]
    names += ["others"] if len(one.against) > MOST_NAMED or not names else []
    match group:
        case "clear":
            words.append("clearly the best")
        case "tie":
            words.append(f"in a tie with {both(names)}")
        case "open":
            words.append(f"not told apart from {both(names)}")
        case _:
            words = [f"perhaps {first.short}", *words[1:], "on too few seeds to be sure"]
    return f"at ε {one.budgets}: {', '.join(words)}"


def _reached(one: Stretch, said: Verdict) -> str:
    return percent(one.candidates[0].mean) + (" accuracy" if said.score == ACCURACY else f" {said.score}")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].removesuffix(".") + "."


def _cost(cost: str, network: str, *, unclear: bool) -> str:
    """How far below a network without privacy it is, in words.

    >>> _cost("22", "a network", unclear=False), _cost("−1", "a network", unclear=False)
    ('22 points below a network', '1 point above a network')
    >>> _cost("1", "a network", unclear=True)
    'not clearly below a network'
    """
    if unclear or cost == "0":
        return f"not clearly below {network}"
    points = cost.removeprefix("−")
    return f"{counted(points, 'point')} {'above' if points != cost else 'below'} {network}"


def _parts(stretches: Sequence[Stretch]) -> Iterator[str]:
    for (group, name, before), held in groupby(stretches, key=_alike):
        same = list(held)
        where = _at(same)
        match group:
            case "clear":
                yield f"{name}{where}, clearly the best"
            case "tie":
                yield f"{name}{where}, in a tie"
            case "open":
                yield f"{name}{where}, not told apart from others"
            case "perhaps":
                yield f"perhaps {name}{where} (too few seeds)"
            case "before":
                yield f"no more{where} than at ε {before:g}"
            case "nothing":
                yield f"nothing is shown to beat a guess{where}"
            case _:
                yield f"too few seeds to say{where}"


def _alike(one: Stretch) -> tuple[str, str, float | None]:
    """How it is told, by which name, and after which budget: neighbours that agree in these go together."""
    group = _group(one)
    return group, one.candidates[0].short if group in SUREST else "", one.before


def _mlp(one: Stretch) -> str:
    return f"an {one.candidates[0].short}"


def _group(one: Stretch) -> str:
    """How one is told: one of `SUREST`, or by its kind."""
    if one.kind in ("one", "several"):
        return {CLEAR: "clear", FEW_SEEDS: "perhaps", OPEN: "open"}.get(one.verdict, "tie")
    return one.kind if one.answers else "unsure"


def _at(held: Iterable[Stretch]) -> str:
    """At which budgets these are."""
    return f" at ε {both([one.budgets for one in held])}"
