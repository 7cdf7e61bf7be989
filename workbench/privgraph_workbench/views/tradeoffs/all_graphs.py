"""What to take on each graph that has runs, beside what graphs differ in, those first that are most like
one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import advising
from privgraph_workbench.facts.traits import Traits, traits, unlike
from privgraph_workbench.views.tradeoffs.known import Known, known
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import percent

HEAD = "| Graph | Nodes | Mean degree | Homophily | MLP | To hide | What to take |"
WHY = (
    "Noise costs less where nodes and degrees are large. Edges are worth noise where homophily (the share of edges "
    "within a class) is high and an MLP, which reads none, reaches little. Of a private graph homophily is private."
)


def show(drawn: Mapping[DatasetSpec, RunRecord], units: Sequence[str]) -> None:
    """A table of the graphs of which two methods have run, each with a run of it that is drawn."""
    told = [
        (spec, traits(spec, run.spec.data_options), unit, found)
        for unit in units
        for spec, run in drawn.items()
        if (found := known(spec, run, unit)) is not None and found.said.methods > 1
    ]
    if not told:
        return
    left, middle, _ = st.columns([2, 2, 3])
    nodes = left.number_input("Nodes of your graph", min_value=1, value=None, step=1, key="like_nodes")
    degree = middle.number_input("Its mean degree", min_value=0.1, value=None, step=1.0, key="like_degree")
    if nodes or degree:
        told.sort(key=lambda one: unlike(one[1], nodes, degree))
        st.markdown(f"Nearest to yours in size: **{markup.literal(told[0][0].title)}**. Nearer graphs stand first.")
    st.markdown("\n".join([HEAD, "|---|--:|--:|--:|--:|---|---|", *(_line(*one) for one in told)]))
    st.caption(WHY)


def _line(spec: DatasetSpec, own: Traits, unit: str, found: Known) -> str:
    cells = (
        markup.literal(spec.title),
        "–" if own.nodes is None else f"{own.nodes:,}",
        "–" if own.degree is None else f"{own.degree:.1f}",
        "private" if spec.kind == "upload" else "–" if own.homophily is None else f"{own.homophily:.2f}",
        next((percent(row["mean"]) for row in found.table if row["method"] == advising.BLIND), "–"),
        advising.HIDES[unit],
        _in_short(found.said),
    )
    return f"| {' | '.join(cells)} |"


def _in_short(said: advising.Verdict) -> str:
    if said.thin:
        return "too little has run"
    score = "" if said.score == advising.ACCURACY else f" ({said.score})"
    return "; ".join(f"{one.span}: {markup.literal(one.told)}" for one in said.stretches) + score
