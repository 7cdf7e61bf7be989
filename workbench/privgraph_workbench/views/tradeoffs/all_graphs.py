"""What to take on each graph that has runs, beside what graphs differ in, those first that are most like
one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import advising
from privgraph_workbench.facts.stretches import BLIND
from privgraph_workbench.facts.traits import Traits, traits, unlike
from privgraph_workbench.views.parts import carded
from privgraph_workbench.views.tradeoffs.known import Known, known
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import percent

WHY = (
    "Noise costs less where nodes and degrees are large. Edges are worth noise where homophily (the share of edges "
    "within a class) is high and an MLP, which reads none, reaches little. Of a private graph homophily is private."
)
One = tuple[DatasetSpec, Traits, Known]


def show(drawn: Mapping[DatasetSpec, RunRecord], units: Sequence[str], chosen: DatasetSpec) -> None:
    """Of each unit a table of the graphs of which two methods have run, each with a run of it that is drawn.
    chosen: the graph that the parts below the figure are about."""
    told = {unit: list(_told(drawn, unit)) for unit in units}
    told = {unit: ones for unit, ones in told.items() if ones}
    here = f"The parts below the figure are about {markup.literal(chosen.title)}."
    if not told:
        st.caption(here)
        return
    left, middle, _ = st.columns([2, 2, 3])
    nodes = left.number_input("Nodes of your graph", min_value=1, value=None, step=1, key="like_nodes")
    degree = middle.number_input("Its mean degree", min_value=0.1, value=None, step=1.0, key="like_degree")
    if nodes or degree:
        for ones in told.values():
            ones.sort(key=lambda one: unlike(one[1], nodes, degree))
        nearest = next(iter(told.values()))[0][0]
        st.markdown(f"Nearest to yours in size: **{markup.literal(nearest.title)}**. Nearer graphs stand first.")
    for unit, ones in told.items():
        st.markdown(f"**To hide {advising.HIDES[unit]}**")
        budgets = sorted({epsilon for _, _, found in ones for one in found.said.stretches for epsilon in one.epsilons})
        head = ["Graph", "MLP, no edges", *(f"ε {one:g}" for one in budgets)]
        carded.show(head, [[_line(*one, budgets)] for one in ones], label=f"What hides {advising.HIDES[unit]}")
    st.caption(
        f"Mean accuracies; *or*: no clear winner. {WHY} {advising.CHOOSING} Turn All graphs off for intervals, costs "
        f"and reasons. {here}"
    )


def _told(drawn: Mapping[DatasetSpec, RunRecord], unit: str) -> Iterator[One]:
    for spec, run in drawn.items():
        found = known(spec, run, unit)
        if found is not None and found.said.methods > 1:
            yield spec, traits(spec, run.spec.data_options), found


def _line(spec: DatasetSpec, own: Traits, found: Known, budgets: Sequence[float]) -> list[str]:
    """A graph, what a model that reads no edge has, and what to take at each budget."""
    homophily = "private" if spec.kind == "upload" else None if own.homophily is None else f"{own.homophily:.2f}"
    facts = [
        "" if own.nodes is None else f"{own.nodes:,} nodes",
        "" if own.degree is None else f"mean degree {own.degree:.1f}",
        "" if homophily is None else f"homophily {homophily}",
        "" if found.said.score == advising.ACCURACY else found.said.score,
    ]
    blind = next((percent(row["mean"]) for row in found.table if row["method"] == BLIND), "–")
    said = {epsilon: one.short for one in found.said.stretches for epsilon in one.epsilons}
    cells = ["too little has run" if found.said.thin else said.get(one, "–") for one in budgets]
    return [f"{spec.title}\n{', '.join(filter(None, facts))}", blind, *cells]
