"""The Relations page: what encoders find near a text before they learnt relations, after, and after with
privacy."""

from __future__ import annotations

import streamlit as st

from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import styles
from privgraph_workbench.views.relations import cards, cost, nearest, outsiders, runs, training, watched
from privgraph_workbench.words import markup

SECTIONS = ("What does privacy cost?", "What it protects", "Settings and training")


def _jumps() -> str:
    """Links to the sections: Markdown."""
    titles = [title.rstrip("?").lower() for title in SECTIONS]
    return "Below: " + " · ".join(f"[{title}](#{title.replace(' ', '-')})" for title in titles)


def _told(learnt: str = "", predicted: str = "") -> str:
    """What this page is about, with the names of the two domains: Markdown."""
    return (
        "Which texts belong together? A **relation** joins two texts: two products that one customer bought, or two "
        "papers of which one cites the other. Which texts are joined is private; the texts count as public. A small "
        f"public language model, the **base encoder**, learns the relations of one domain{learnt} and "
        f"predicts those of another{predicted}: with differential privacy (**PvGaLM**, the method of "
        "Yin et al.), and without."
    )


def page() -> None:
    """Ask a private run and one without privacy; see how well they predict, and what they promise."""
    queue.tick()
    runs.name_all()
    st.title("Relations")
    told = st.empty()  # domains are known when runs are chosen
    told.markdown(_told())
    with st.container():  # always there: what is below keeps its place
        waiting = watched.under_way()
    records = runs.finished()
    runs.complain(records)
    if not records:
        if not waiting:
            runs.invitation()
        return
    jumps, form = st.container(), st.container()  # above the choice of what is asked
    with st.expander("Choose runs, data and domain", key="fold.asked", icon=":material/tune:"):
        places = st.columns([1, 1.7, 1.7])
        with st.container(key=styles.FIELDS):
            places += st.columns([3, 1])
    private, bare = runs.choose(records, places[:3])
    pair = runs.paired(private, bare)
    if pair is not None:
        told.markdown(_told(f" (here {markup.literal(pair.learnt)})", f" ({markup.literal(pair.predicted)})"))
        jumps.markdown(_jumps())  # a caption is faint, and links in it are too pale
        nearest.show(pair, form, places[3:])
    st.divider()
    if pair is not None:
        cost.show(pair, records)
        outsiders.show(pair)
        st.divider()
    cards.show(private, bare)
    if pair is not None:
        training.show(pair)
    st.divider()
    st.caption(
        "PvGaLM: Yin et al., Privately Learning from Graphs with Applications in Fine-tuning Large Language Models. "
        "With differential privacy, it is hard to tell from the model whether any one relation was there; how hard, "
        "its ε says."
    )
