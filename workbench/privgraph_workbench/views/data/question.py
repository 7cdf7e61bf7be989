"""What a stranger could learn from predictions on a graph: the question that the Data page asks, for a class
to answer."""

from __future__ import annotations

import streamlit as st

from privgraph.options import Option, Parameter
from privgraph.privacy.delta import delta_rule
from privgraph.privacy.kinds import Neighbours
from privgraph_workbench.facts.describing import Description
from privgraph_workbench.forms import widgets
from privgraph_workbench.serving import shell
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import option, percent

METHOD = "progap"
GAIN = 0.05
"""By how much neighbours must beat the largest class, for them to tell much."""
EPSILONS = (0.25, 1.0, 2.0, 4.0, 8.0)
"""From hardly anything learnt to hardly anything lost, on the network that the Teach door shows."""
EPSILON = Parameter(
    "ask.epsilon",
    float,
    2.0,
    Option("the largest ε that the model may spend on one connection", choices=EPSILONS, label="ε (epsilon)"),
)


def show(address: dict[str, str], described: Description) -> None:
    """The question, the wager that an epsilon allows, and the run that shows what accuracy it leaves;
    `address` is that of the graph."""
    if described.homophily is None:
        return
    with st.container(border=True):
        st.markdown("##### What could a stranger learn from a prediction?")
        st.markdown(
            "A model is trained on this graph, and its predictions are handed out. It sums over "
            "neighbours, so that a "
            "prediction for one node also tells of those around it."
        )
        left, right = st.columns(2, gap="large")
        with left:
            _measured(described)
        with right:
            _bound(address, described)


def _measured(described: Description) -> None:
    """What neighbours tell of a node of this very graph, counted without noise."""
    st.markdown("###### Measured on this graph, without noise")
    if described.vote is None:
        return
    st.markdown(
        f"### {percent(described.vote)}\n"
        "of guesses are right, if somebody's class is guessed to be the commonest class among their "
        "neighbours. Always guessing the largest class, which needs no neighbours, is right "
        f"{percent(described.largest_class)} of the time."
    )
    if described.vote > described.largest_class + GAIN:
        said = (
            "So whoever learns a person's connections, and knows those people's classes, knows much about that person."
        )
    else:
        said = "So neighbours' classes tell little here; features, and other paths, may tell more."
    st.caption(
        f"{said} Counted over all nodes with neighbours, with their true classes; where classes tie, a "
        "coin decides. "
        f"{described.homophily:.0%} of the edges join two nodes of one class. This is no attack on a "
        "model and no "
        "bound: a model may betray more or less. It is counted from the data, for whoever holds them, "
        "and no ε covers it."
    )


def _bound(address: dict[str, str], described: Description) -> None:
    """The wager that an epsilon allows, and the run that shows what accuracy it leaves."""
    st.markdown("###### Promised for every graph, with noise")
    st.markdown(
        "Somebody who knows everything but one connection looks at the predictions and guesses whether "
        "it is there. "
        "**Without noise nothing limits what they learn:** they can work out what is predicted with the "
        "connection and "
        "what without it, compare, and be right every time. Noise on the sums makes guesses wrong. "
        "**How often may they be "
        "right, and what does it cost to keep them so unsure?**"
    )
    for complaint in widgets.complaints([EPSILON]):
        st.warning(complaint)
    epsilon = float(widgets.widget(EPSILON))
    delta, _ = delta_rule(described.facts.entries)
    st.markdown(meaning.risk("edge", epsilon, delta, Neighbours.UNDIRECTED_EDGE))
    st.caption(
        "This bound is the same for every graph: it follows from ε, and from δ, which the number of "
        "edges sets. What "
        "depends on the graph is the accuracy that is left."
    )
    st.page_link(
        shell.page("train"),
        label="**Train with this ε, and see what accuracy is left**",
        icon=":material/model_training:",
        query_params={**address, "method": METHOD, "unit": "edge", "epsilon": option(epsilon)},
    )
