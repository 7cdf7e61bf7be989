"""What to take at every budget, in one sentence above its table. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.facts.stretches import CLEAR, FEW_SEEDS, Stretch


def told(said: Verdict) -> str:
    """What is taken at which budgets, the surest first, and then what holds at every budget
    (`Verdict.lead`), without a full stop; "" where nothing can be said yet."""
    if said.thin or not said.stretches:
        return said.lead.strip()
    lead = said.lead.strip()
    if all(one.kind == "nothing" for one in said.stretches) and lead:
        return lead
    return ". ".join(filter(None, ("; ".join(_parts(said.stretches)), f"{lead[:1].upper()}{lead[1:]}")))


def _parts(stretches: Sequence[Stretch]) -> Iterator[str]:
    held: dict[str, list[Stretch]] = {}
    for one in stretches:
        held.setdefault(_group(one), []).append(one)
    if taken := held.get("clear"):
        yield f"take {_named(taken)}"
    if taken := held.get("tie"):
        yield f"the highest of a tie: {_named(taken)}"
    if taken := held.get("perhaps"):
        yield f"perhaps {_named(taken)}, from too few seeds"
    smaller: dict[float | None, list[Stretch]] = {}
    for one in held.get("before", []):
        smaller.setdefault(one.before, []).append(one)
    yield from (f"no more is shown{_at(those)} than at ε {before:g}" for before, those in smaller.items())
    if taken := held.get("blind"):
        blind = f"{taken[0].candidates[0].short}, which reads no edge and needs no noise"
        yield (
            f"take an {blind}: at no ε tried is anything clearly better"
            if len(taken) == len(stretches)
            else f"nothing is clearly better than an {blind},{_at(taken)}"
        )
    if taken := held.get("nothing"):
        yield f"nothing is shown to beat a guess{_at(taken)}"
    if taken := held.get("unsure"):
        yield f"too few seeds to say{_at(taken)}"


def _group(one: Stretch) -> str:
    """How one is told: `clear`, `tie`, `perhaps`, or by its kind."""
    if one.kind in ("one", "several"):
        return {CLEAR: "clear", FEW_SEEDS: "perhaps"}.get(one.verdict, "tie")
    return "unsure" if one.kind == "nothing" and one.wide else one.kind


def _named(taken: Iterable[Stretch]) -> str:
    """The first method of each, with its budgets."""
    names: dict[str, list[Stretch]] = {}
    for one in taken:
        names.setdefault(one.candidates[0].short, []).append(one)
    return both([f"{name}{_at(those)}" for name, those in names.items()])


def _at(held: Iterable[Stretch]) -> str:
    """At which budgets these are."""
    return f" at ε {both([one.budgets for one in held])}"
