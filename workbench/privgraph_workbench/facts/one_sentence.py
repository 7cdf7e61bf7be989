"""What to take at every budget, in one sentence above its table. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterable

from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.facts.stretches import CLEAR, FEW_SEEDS, Stretch


def told(said: Verdict) -> str:
    """What is taken at which budgets, the surest first, without a full stop; "" where nothing can be said
    yet. What holds at every budget (`Verdict.lead`) says it already."""
    if said.lead:
        return said.lead.strip()
    if said.thin or not said.stretches:
        return ""
    clear: dict[str, list[Stretch]] = {}
    groups: dict[str, list[Stretch]] = {}
    for one in said.stretches:
        if one.kind == "one" and one.verdict == CLEAR:
            clear.setdefault(one.short_names, []).append(one)
        else:
            groups.setdefault(FEW_SEEDS if one.verdict == FEW_SEEDS else one.kind, []).append(one)
    taken = ", ".join(f"{name}{_at(held)}" for name, held in clear.items())
    parts = [f"take {taken}"] if taken else []
    if held := groups.get("several"):
        first = both(list(dict.fromkeys(one.candidates[0].short for one in held)))
        parts.append(f"{first} {'have' if ' and ' in first else 'has'} the highest mean{_at(held)}, in a tie")
    parts += [f"ε {one.budgets} gives no more than ε {one.before:g}" for one in groups.get("before", [])]
    if held := groups.get("blind"):
        blind = f"{held[0].candidates[0].short}, which reads no edge and needs no noise"
        parts.append(
            f"take an {blind}: at no ε tried is anything clearly better"
            if len(held) == len(said.stretches)
            else f"nothing is clearly better than an {blind},{_at(held)}"
        )
    if held := groups.get("nothing"):
        parts.append(f"nothing is shown to beat a guess{_at(held)}")
    if held := groups.get(FEW_SEEDS):
        parts.append(f"too few seeds to say{_at(held)}")
    return "; ".join(parts)


def _at(held: Iterable[Stretch]) -> str:
    """At which budgets these are."""
    return f" at ε {both([one.budgets for one in held])}"
