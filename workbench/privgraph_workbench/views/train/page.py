"""The Train page: a graph, a method and a promise are chosen, and what will come of it is said before it
runs; and the run that comes of it."""

from __future__ import annotations

import streamlit as st

from privgraph_workbench.parts import one_run
from privgraph_workbench.serving import styles
from privgraph_workbench.views.train import before, cards, controls
from privgraph_workbench.words import markup


def page() -> None:
    """The run that the address names, or the form."""
    wanted = st.query_params.get("run")
    if wanted is not None and one_run.known(wanted):
        one_run.show(wanted)
        return
    st.title("Train")
    if wanted is not None:
        st.warning(
            f"There is no run {markup.literal(wanted[:80])}; it may have been deleted. The form below starts a new one."
        )
    form()


def form() -> None:
    """Graph and method as cards, one row of controls; Run and what decides stay in sight above them."""
    bar = st.container(key=styles.BAR, gap=None)
    left, right = st.columns(2, gap="medium")
    with left:
        spec = cards.choose_data()
    with right:
        chosen = cards.choose_method(spec)
    asked = controls.controls(spec, chosen)
    before.preview(bar, spec, chosen, asked)
