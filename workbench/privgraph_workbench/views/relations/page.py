"""The Relations page: what encoders find near a text before they learnt relations, after, and after with
privacy."""

from __future__ import annotations

import streamlit as st

from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.relations import cards, ladder, nearest, outsiders, runs, studied, training


def page() -> None:
    """Ask a private run and one without privacy; see how well they predict, and what they promise."""
    queue.tick()
    runs.name_all()
    st.title("Relations")
    st.markdown(
        "Language models learn private **relations** of texts, with **differential privacy** and without. A relation "
        "joins two texts: two products that one customer bought, or two papers of which one cites the other. Which "
        "texts are joined is private; the texts themselves count as public."
    )
    with st.container():  # always there: what is below keeps its place
        waiting = runs.under_way()
    records = runs.finished()
    runs.complain(records)
    if not records:
        if not waiting:
            runs.invitation()
        return
    form = st.container()  # above the choice of what it asks
    with st.container(key=shell.FIELDS):
        places = st.columns([0.95, 1.4, 1.4, 0.95, 0.7])
    private, bare = runs.choose(records, places[:3])
    pair = runs.paired(private, bare)
    if pair is not None:
        nearest.show(pair, form, places[3:])
    st.divider()
    if pair is not None:
        ladder.show(pair, records)
        st.divider()
    cards.show(private, bare)
    if pair is not None:
        training.show(pair)
        studied.show(pair)
        outsiders.show(pair)
    st.divider()
    st.caption(
        "The method is PvGaLM: Yin et al., Privately Learning from Graphs with Applications in Fine-tuning Large "
        "Language Models. With differential privacy, it is hard to tell from the model whether any one relation was "
        "there; how hard, its ε says."
    )
