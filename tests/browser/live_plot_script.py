"""A page with one live plot whose curve grows with each tick: the smallest page that can lose a zoom.

As on the page of a run, the browser gets the figure now and then, and in between only the points that are
new.
"""

import json

import streamlit as st

from privgraph.runs.records import StoredEvent
from privgraph_workbench import live_plot
from privgraph_workbench.figures.runs import curves

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
    known = 3 * (10 + tick // 8 * 8)
    figure = json.loads(curves.plot(curves.data(events[:known]), theme).to_json())
    live_plot.grow(f"{theme}.{known}", figure, curves.points(curves.data(events[known:])), key="curves")
    st.text(f"tick {tick} {theme}")


live()
