"""A page with one live plot whose curve grows with each tick: the smallest page that can lose a zoom."""

from dataclasses import replace

import streamlit as st

from privgraph.runs.records import StoredEvent
from privgraph_workbench.components import live_plot
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.figures.runs import curves

HEADING = "social (nodes 600, degree 16, classes 3, homophily 0.85, signal 1, features 32, hubs 4, closure 0.25)"
"""Too long for a line of a phone; a warning stands above it."""

st.title("Live")


@st.fragment(run_every=0.3)
def live() -> None:
    tick = st.session_state["tick"] = st.session_state.get("tick", 0) + 1
    events = [
        StoredEvent(
            sequence=3 * step + place,
            attempt=1,
            time=0.0,
            kind="metric",
            payload={"name": name, "value": level / (1 + step), "step": step, "stage": "", "evaluator": True},
        )
        for step in range(10 + tick)
        for place, (name, level) in enumerate(
            (("train_loss", 2.0), ("train_accuracy", 0.9), ("val_accuracy", 0.8)), start=1
        )
    ]
    theme = "dark" if st.context.theme.type == "dark" else "light"
    chart = curves.chart(curves.data(events))
    panels = (replace(chart.panels[0], title=HEADING), *chart.panels[1:])
    live_plot.show(draw(replace(chart, panels=panels), theme), key="curves")
    st.text(f"tick {tick} {theme}")


live()
