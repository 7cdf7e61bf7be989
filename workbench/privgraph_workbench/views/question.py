"""What a stranger could learn from predictions on a graph: the question that the Data page asks, for a class to answer."""

from __future__ import annotations

import streamlit as st

from privgraph.options import Option, Parameter
from privgraph.privacy.delta import delta_rule
from privgraph_workbench import forms, shell, words
from privgraph_workbench.describing import Description

METHOD = "progap"
EPSILONS = (0.25, 1.0, 2.0, 4.0, 8.0)
"""From hardly anything learnt to hardly anything lost, on the network that the Teach door shows."""
EPSILON = Parameter(
    "ask.epsilon",
    float,
    2.0,
    Option("the largest ε that the model may spend on one connection", choices=EPSILONS, label="ε (epsilon)"),
)


def show(address: dict[str, str], described: Description) -> None:
    """The question, the wager that an epsilon allows, and the run that shows what accuracy it leaves; `address` is
    that of the graph."""
    if described.homophily is None:
        return
    with st.container(border=True):
        st.markdown("##### What could a stranger learn from a prediction?")
        st.markdown(
            "A model is trained on this graph, and its predictions are handed out. It sums over neighbours, so that a prediction for one "
            f"node also tells of those around it; {described.homophily:.0%} of the edges join two nodes of one class. Somebody who "
            "knows everything but one connection looks at the predictions and guesses whether it is there. "
            "**How often may they be right, and what does it cost to keep them so unsure?**"
        )
        for complaint in forms.complaints([EPSILON]):
            st.warning(complaint)
        epsilon = float(forms.widget(EPSILON))
        delta, _ = delta_rule(described.facts.entries)
        st.markdown(words.risk("edge", epsilon, delta))
        st.page_link(
            shell.page("train"),
            label="**Train with this ε, and see what accuracy is left**",
            icon=":material/model_training:",
            query_params={**address, "method": METHOD, "unit": "edge", "epsilon": words.option(epsilon)},
        )
