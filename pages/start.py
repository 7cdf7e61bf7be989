"""What is this, and what do I press? A curve of examples, a demo, three doors, recent runs."""

from dataclasses import replace

import plotly.graph_objects as go
import streamlit as st

from privgraph.runs.records import RunQuery
from privgraph.runs.spec import make_spec
from privgraph_workbench.components import live_plot
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.forms import beginnings
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import choosing, layout, sending, states
from privgraph_workbench.text import fill, page, texts
from privgraph_workbench.words import markup, meaning, naming
from privgraph_workbench.words.numbers import bound, percent

RECENT, MOST_DRAWN, HEIGHT = 8, 500, 360
CURVE = ("progap", "gnn", "mlp")
"""Methods that the curve shows: a private one between a network without privacy and none at all."""
words = texts("start")
DEMO_DATA = beginnings.DATA["social"]
NETWORK = {"data": "social", **beginnings.address(DEMO_DATA, prefix="data.")}
DOORS = {
    "explore": (("train", "train", {}), ("data", "data", {choosing.BRING: choosing.GRAPH})),
    "teach": (("lessons", "lessons", {}), ("playground", "playground", {}), ("data", "social", NETWORK)),
    "report": (("tradeoffs", "tradeoffs", {"data": "social"}), ("report", "report", {})),
}


@st.cache_resource(max_entries=4)
def curve(url: str, theme: str) -> go.Figure | None:
    query = RunQuery(methods=CURVE, datasets=("social",), units=("none", "edge"), states=("done",), limit=MOST_DRAWN)
    found = [one for one in queue.examples().find(query) if one.spec.data_options.items() >= DEMO_DATA.items()]
    # without privacy ProGAP does what the network does: one line says it
    rows = tradeoff.data([one for one in found if (one.spec.method, one.spec.unit) != ("progap", "none")])
    if not rows:
        return None
    whole = tradeoff.chart(rows, published=False)
    panels = tuple(replace(panel, title="") for panel in whole.panels)
    return draw(replace(whole, panels=panels, flags=(), height=HEIGHT), theme)


def demo() -> None:
    if st.button("Run the demo", type="primary", key="demo", icon=":material/play_arrow:"):
        options = {"unit": "edge", "epsilon": 2.0}
        sending.send([make_spec("progap", "social", options, data_options=DEMO_DATA)], tags=["demo"])
    st.markdown(fill(words["demo"], guess=bound(meaning.guess(2.0, 1e-4))))


def recent() -> None:
    st.markdown("### Recent runs")
    records = queue.own().find(RunQuery(limit=RECENT))
    if not records:
        st.info(words["empty"], icon="🕸️")
        return
    with st.container(key="recent-runs"):
        readable = states.readable(records)
        for record, label in zip(readable, naming.labels(readable, whole=True), strict=True):
            with st.container(horizontal=True, vertical_alignment="center"):
                states.badge(record)
                layout.link("train", markup.literal(label), run=record.id)
                if record.metrics:
                    st.caption(percent(record.metrics.get("test_accuracy")))
    if (total := queue.own().count()) > len(records):
        layout.link("runs", f"All {total:,} runs", "list_alt")


st.title("privgraph")
st.markdown(page("start")[0])
drawn = curve(queue.examples().url, layout.theme())
with st.container(border=True):
    left, right = layout.columns("start-curve", (2, 3))
    with left:
        st.markdown(words["cost"])
        demo()
        with st.container(horizontal=True, vertical_alignment="center"):
            states.badges(example=drawn is not None)
            layout.reading("start")
            layout.link("tradeoffs", "Compare methods", "balance", data="social")
    if drawn is not None:
        with right:
            live_plot.show(drawn, key="start-curve-figure")
for column, (door, links) in zip(st.columns(len(DOORS)), DOORS.items(), strict=True):
    with column, st.container(border=True, height="stretch"):
        st.markdown(f"### {words['doors'][door]['title']}")
        st.markdown(words["doors"][door]["text"])
        for name, link, query in links:
            layout.link(name, f"**{words['links'][link]}**", "arrow_forward", **query)
recent()
