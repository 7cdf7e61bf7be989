"""The Relations page: what encoders find near a text before they learnt relations, after, and after with
privacy."""

from __future__ import annotations

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.relations import cards, ladder, nearest, outsiders, runs, studied, training, watched

FOLD, ASKED = "fold.asked", "relations.asked"
"""In the session: whether the choice of runs is open, and whether a text was asked about."""
JUMPS = (
    "Below: [what privacy costs](#what-does-privacy-cost) · [settings and training](#settings-and-training) · [what "
    "moves it](#what-moves-it) · [what an outsider can tell](#can-an-outsider-tell-which-relations-it-learnt-from)"
)


def _chooser() -> ExpanderContainer:
    """A fold for what is asked, which closes when a text is: answers are wanted then."""
    now = nearest.asked()
    if st.session_state.get(ASKED) != now:
        st.session_state[FOLD] = not now
    st.session_state[ASKED] = now
    return st.expander("Runs, data and domain that are asked", key=FOLD, icon=":material/tune:", on_change="rerun")


def page() -> None:
    """Ask a private run and one without privacy; see how well they predict, and what they promise."""
    queue.tick()
    runs.name_all()
    st.title("Relations")
    st.markdown(
        "Which texts belong together? A **relation** joins two texts: two products that one customer bought, or two "
        "papers of which one cites the other. Which texts are joined is private; the texts count as public. A small "
        "public language model, the **base encoder**, learns the relations of one domain and predicts those of "
        "another: with differential privacy (**PvGaLM**, the method of Yin et al.), and without."
    )
    with st.container():  # always there: what is below keeps its place
        waiting = watched.under_way()
    records = runs.finished()
    runs.complain(records)
    if not records:
        if not waiting:
            runs.invitation()
        return
    st.markdown(JUMPS)  # a caption is faint, and links in it are too pale
    form = st.container()  # above the choice of what it asks
    with _chooser():
        places = st.columns([1, 1.7, 1.7])
        with st.container(key=shell.FIELDS):
            places += st.columns([3, 1])
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
        "PvGaLM: Yin et al., Privately Learning from Graphs with Applications in Fine-tuning Large Language Models. "
        "With differential privacy, it is hard to tell from the model whether any one relation was there; how hard, "
        "its ε says."
    )
