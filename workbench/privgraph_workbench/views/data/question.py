"""What neighbours give away on a graph: the question that the Data page asks, for a class to answer."""

from __future__ import annotations

import streamlit as st

from privgraph.options import Option, Parameter
from privgraph.privacy.delta import delta_rule, edge_delta_rule
from privgraph.privacy.kinds import Neighbours
from privgraph_workbench.facts.describing import Description
from privgraph_workbench.forms import widgets
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import layout
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import option, percent

METHOD = "progap"
GAIN = 0.05
"""By how much neighbours must beat the largest class, for them to tell much."""
UNITS = {"edge": ("a connection", Neighbours.UNDIRECTED_EDGE), "node": ("a person", Neighbours.FROZEN_SAMPLE)}
"""Whom the promise is about, and the relation under which ProGAP gives it."""
EPSILONS = (0.25, 1.0, 2.0, 4.0, 8.0)
"""From hardly anything learnt to hardly anything lost, on the network that the Teach door shows."""
EPSILON = Parameter(
    "ask.epsilon",
    float,
    2.0,
    Option(
        "the largest ε that the model may spend on one connection, or person", choices=EPSILONS, label="ε (epsilon)"
    ),
)


def show(address: dict[str, str], described: Description) -> None:
    """The question, the wager that an epsilon allows, and the run that shows what accuracy it leaves;
    `address` is that of the graph."""
    if described.homophily is None:
        return
    with st.container(border=True):
        st.markdown("##### What do neighbours give away?")
        st.markdown("A model sums over neighbours, so that its prediction for one node also tells of those around it.")
        left, right = layout.columns("question", 2)
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
        "of nodes have the class that is commonest among their neighbours. Naming the largest class for everybody is "
        f"right for {percent(described.largest_class)}."
    )
    if described.vote > described.largest_class + GAIN:
        said = (
            "So whoever learns a person's connections, and knows those people's classes, knows much about that person."
        )
    else:
        said = "So neighbours' classes tell little here; features, and other paths, may tell more."
    st.caption(
        f"{said} Counted from true classes, of all nodes with neighbours; a coin decides ties. No attack on a "
        "model, and no ε covers it."
    )


def _bound(address: dict[str, str], described: Description) -> None:
    """The wager that an epsilon allows, about a connection or a person, and the run that shows what accuracy
    it leaves."""
    st.markdown("###### Promised for every graph, with noise")
    st.markdown(
        "**Without noise nothing limits what a stranger learns** from a model's answers. With noise, how often may a "
        "guess be right?"
    )
    unit = st.segmented_control(
        "Protected is",
        [*UNITS],
        default="edge",
        required=True,
        key="ask.unit",
        format_func=lambda one: UNITS[one][0],
    )
    for complaint in widgets.complaints([EPSILON]):
        st.warning(complaint)
    epsilon = float(widgets.widget(EPSILON))
    rule = delta_rule if unit == "node" else edge_delta_rule
    delta, _ = rule(described.facts.nodes)
    st.markdown(meaning.risk(str(unit), epsilon, delta, UNITS[str(unit)][1]))
    st.caption("This bound is the same for every graph. What depends on the graph is the accuracy that is left.")
    st.page_link(
        shell.page("train"),
        label="**Train with this ε, and see what accuracy is left**",
        icon=":material/model_training:",
        query_params={**address, "method": METHOD, "unit": str(unit), "epsilon": option(epsilon)},
    )
