"""An attack of the same kind that does find relations: on other runs, whose training read each more often."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.relations import price
from privgraph_workbench.views.relations.names import PRIVATE
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.numbers import percent

METHOD, ATTACK = "relational", "relations"
GUESSING = 0.5
"""The area of a coin."""
UNSHARED = ("unit", "epsilon", "delta", "accounting", "shots", *PRIVATE)
"""What a run with privacy may differ in from the same without."""
Attacked = tuple[RunRecord, AttackRecord]


def show(shown: Sequence[RunRecord]) -> None:
    """Of an attack that finds nothing in `shown`: the run without privacy in which it finds most, with its
    private ones."""
    found = _most({one.id for one in shown})
    if found is None:
        return
    (bare, _), private = found[0], found[1:]
    read = price.reads(bare)
    often = "" if read is None else f", where training reads each {read:.2g} times,"
    named = ["without privacy", *(naming.budget(run) for run, _ in private)]
    each = "; ".join(f"{name}: {_right(attack)}" for name, (_, attack) in zip(named, found, strict=True))
    tells = [name for name, (_, attack) in zip(named[1:], private, strict=True) if attack.found[1] > GUESSING]
    rest = (
        f" It finds some at {' and '.join(tells)} too." if tells else " It finds nothing with privacy." * bool(private)
    )
    st.markdown(
        "**Where relations are read more often, the same attack finds them.** On "
        f"{markup.literal(naming.graph_of(bare))}{often} it picks the right one of two: {each}.{rest}"
    )
    st.page_link(
        shell.page("attacks"),
        label="See the attack that finds relations",
        icon=":material/gavel:",
        query_params={"run": bare.id, "attack": ATTACK},
    )


def _right(attack: AttackRecord) -> str:
    area, low, high = attack.found
    return f"**{percent(area)}** ({percent(low)} to {percent(high)})"


def _most(shown: set[str]) -> list[Attacked] | None:
    """The run without privacy of which the attack tells most, then the private ones of its setting that were
    attacked, by falling epsilon."""
    store = queue.store()
    attacked = [
        (run, newest[-1])
        for run in store.find(RunQuery(methods=(METHOD,), states=("done",)))
        if run.id not in shown
        if (newest := [one for one in store.attacks(run.id) if one.attack == ATTACK])
    ]
    bare = [one for one in attacked if one[0].spec.unit == "none" and one[1].found[1] > GUESSING]
    if not bare:
        return None
    first = max(bare, key=lambda one: one[1].found[0])
    beside = [one for one in attacked if one[0].spec.unit != "none" and _shared(one[0]) == _shared(first[0])]
    beside.sort(key=lambda one: -one[1].sound)
    return [first, *beside]


def _shared(run: RunRecord) -> tuple[object, ...]:
    kept = {name: value for name, value in naming.options_read(run).items() if name not in UNSHARED}
    return naming.graph_of(run), sorted(kept.items(), key=str)
