"""The Relations page: what encoders find near a text before they learnt relations, after, and after with
privacy."""

from __future__ import annotations

import streamlit as st

from privgraph_workbench.figures.relations import relation_ranking
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.relations import nearest, outsiders, runs, studied
from privgraph_workbench.views.relations.runs import Pair
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of


def page() -> None:
    """Choose a private run and one without privacy; ask both; see how well they predict."""
    queue.tick()
    st.title("Relations")
    st.markdown(
        "Who bought what together, who cites whom: **relations** between texts can be private, though the texts are "
        "not. A language model is fine-tuned on them, so that it brings related texts together. With **differential "
        "privacy**, it is hard to tell from it whether any one relation was there; how hard, its ε says. Here you can "
        "ask what such a model has learnt. (PvGaLM: Yin et al., Privately Learning from Graphs with Applications in "
        "Fine-tuning Large Language Models.)"
    )
    with st.container():  # always there: what is below keeps its place
        waiting = runs.under_way()
    records = runs.finished()
    runs.complain(records)
    if not records:
        if not waiting:
            runs.invitation()
        return
    pair = runs.choose(records)
    if pair is not None:
        nearest.show(pair)
        _ranking(pair)
        studied.show(pair)
        outsiders.show(pair)


def _ranking(pair: Pair) -> None:
    """How well the chosen runs predict relations, beside what they began with and guessing."""
    st.divider()
    st.markdown("### How well do they predict relations?")
    st.markdown(
        f"Each run was asked about relations of **{markup.literal(pair.predicted)}**, of which it had read none: given "
        "one text, which of 256 candidates (fewer where there are not so many) is its partner? **PREC@1** is the share "
        "of partners that came first; **MRR** is the mean of one over the partner's rank, 1 if it always came first."
    )
    drawn_figure("relation_ranking", relation_ranking.data(pair.records), statements_of(pair.records), pair.first)
    st.caption(
        "The base encoder has read no relation. What the run without privacy gains on it is what relations teach; how "
        "much of it the private run keeps is the price of privacy. One run of each says little: below, options are "
        "moved and seeds repeated."
    )
    st.page_link(
        shell.page("tradeoffs"),
        label="Accuracy against privacy, on these data",
        icon=":material/balance:",
        query_params={"data": pair.first.spec.dataset},
    )
