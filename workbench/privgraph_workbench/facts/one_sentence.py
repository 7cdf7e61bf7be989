"""What to take at every budget, in one sentence above its table. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.facts.stretches import CLEAR, FEW_SEEDS, Stretch


def told(said: Verdict) -> str:
    """What is taken at which budgets, from small ones on, and then what holds at every budget
    (`Verdict.lead`), without a full stop; "" where nothing can be said yet."""
    if said.thin or not said.stretches:
        return said.lead.strip()
    lead = said.lead.strip()
    if all(one.kind == "nothing" for one in said.stretches) and lead:
        return lead
    return ". ".join(filter(None, ("; ".join(_parts(said.stretches)), f"{lead[:1].upper()}{lead[1:]}")))


def _parts(stretches: Sequence[Stretch]) -> Iterator[str]:
    if all(one.kind == "blind" for one in stretches):
        yield f"take {_blind(stretches[0])}: at no ε compared is anything clearly better"
        return
    for (group, name, before), held in groupby(stretches, key=_alike):
        same = list(held)
        where = _at(same)
        match group:
            case "clear":
                yield f"{name}{where}, clearly the best"
            case "tie":
                yield f"{name}{where}, in a tie"
            case "perhaps":
                yield f"perhaps {name}{where} (too few seeds)"
            case "before":
                yield f"no more{where} than at ε {before:g}"
            case "blind":
                yield f"{_blind(same[0])},{where}"
            case "nothing":
                yield f"nothing is shown to beat a guess{where}"
            case _:
                yield f"too few seeds to say{where}"


def _alike(one: Stretch) -> tuple[str, str, float | None]:
    """How it is told, by which name, and after which budget: neighbours that agree in these go together."""
    group = _group(one)
    return group, one.candidates[0].short if group in ("clear", "tie", "perhaps") else "", one.before


def _blind(one: Stretch) -> str:
    return f"an {one.candidates[0].short}, which reads no edge and needs no noise"


def _group(one: Stretch) -> str:
    """How one is told: `clear`, `tie`, `perhaps`, or by its kind."""
    if one.kind in ("one", "several"):
        return {CLEAR: "clear", FEW_SEEDS: "perhaps"}.get(one.verdict, "tie")
    return "unsure" if one.kind == "nothing" and one.wide else one.kind


def _at(held: Iterable[Stretch]) -> str:
    """At which budgets these are."""
    return f" at ε {both([one.budgets for one in held])}"
