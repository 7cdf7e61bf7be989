"""The Start page: three doors, a curve of examples, a demo of half a minute, recent runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import streamlit as st

from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench import live_plot
from privgraph_workbench.figures.chart import Chart, Row
from privgraph_workbench.figures.drawing import with_plotly
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.forms import beginnings, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import beginning
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.views.parts import choosing, layout, states
from privgraph_workbench.words import meaning, naming
from privgraph_workbench.words.numbers import at_most, percent

RECENT = 8
CURVE = ("progap", "gnn", "mlp")
"""Methods that the curve shows: a private one between a network without privacy and none at all."""
MOST_DRAWN = 500
HEIGHT = 360
"""Of the curve in pixels, without its legend."""
DECODED = (
    "**Filled points**: the ε that the noise does guarantee. **Hollow points**: what the paper's formula says of the "
    "same noise."
)
"""How the curve is read."""
DEMO_OPTIONS = {"unit": "edge", "epsilon": 2.0}
DEMO_DATA = beginnings.DATA["social"]


@dataclass(frozen=True, kw_only=True)
class Door:
    """One way in: for whom, what one does there, and where it leads (page, label and address of each
    link)."""

    title: str
    text: str
    links: tuple[tuple[str, str, dict[str, str]], ...]


DOORS = (
    Door(
        title="Explore",
        text="You have a question about private graph learning. Pick a graph, a method and a privacy "
        "budget, run it, and see what accuracy is left and what is really promised.",
        links=(
            ("train", "Train a private graph network", {}),
            ("data", "Bring your own graph", {choosing.BRING: choosing.GRAPH}),
        ),
    ),
    Door(
        title="Teach",
        text="You want to show what graphs give away, and what noise costs. Six short lessons with questions, "
        "and a playground in which a class takes one person out and guesses.",
        links=(
            ("lessons", "Six lessons", {}),
            ("playground", "The playground", {}),
            ("data", "Look at a graph, and ask", {"data": "social", **widgets.address(DEMO_DATA, prefix="data.")}),
        ),
    ),
    Door(
        title="Report",
        text="You need a figure or a table that is right. Compare methods over seeds and budgets, and "
        "export each figure with its privacy statement.",
        links=(("tradeoffs", "Accuracy against privacy", {}), ("report", "Make a report", {})),
    ),
)


def page() -> None:
    """The first thing that a stranger sees."""
    queue.tick()
    st.title("Learn from graphs, give nobody away")
    st.markdown(
        "A graph network learns from connections: who is friends with whom, who resembles whom. Its "
        "predictions can betray those connections. This workbench trains graph networks with **differential "
        "privacy**, noise that is proved to hide any one connection or person, and says what each run "
        "really promises."
    )
    _curve()
    _doors()
    _recent()


def _doors() -> None:
    """Three ways in."""
    for column, door in zip(st.columns(len(DOORS)), DOORS, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"### {door.title}")
            st.markdown(door.text)
            for page_, label, query in door.links:
                st.page_link(
                    shell.page(page_), label=f"**{label}**", icon=":material/arrow_forward:", query_params=query
                )


def _curve() -> None:
    """What privacy costs on the demo's network, and the demo beside it."""
    rows = _rows(queue.examples().url)
    with st.container(border=True):
        if not rows:
            _demo()
            return
        told, drawn = layout.columns("start-curve", (2, 3))
        with told:
            st.markdown(
                "#### What does privacy cost?\n"
                "600 invented people, in three groups. A network that reads their friendships knows nearly "
                "everybody's group; one that reads none knows about half. In between, **ProGAP hides every single "
                "friendship**: a smaller privacy budget ε hides it better, and costs accuracy."
            )
            _demo()
            with st.container(horizontal=True):
                st.page_link(shell.page("playground"), label="**Play with the noise**", icon=":material/toys:")
                st.page_link(
                    shell.page("tradeoffs"),
                    label="**Compare methods**",
                    icon=":material/balance:",
                    query_params={"data": "social"},
                )
        with drawn:
            live_plot.show(with_plotly.draw(_chart(rows), layout.theme()), key=styles.CURVE)
            st.markdown(DECODED)


def _chart(rows: list[Row]) -> Chart:
    """The figure of Trade-offs for a first look: its warnings stand in the text beside it, and what the text
    does not speak of is left out."""
    whole = tradeoff.chart(rows)
    return replace(
        whole,
        panels=tuple(replace(panel, title="") for panel in whole.panels),
        flags=(),
        height=HEIGHT,
    )


@lru_cache(maxsize=8)
def _rows(_url: str) -> list[Row]:
    """The rows of the curve, which never change."""
    query = RunQuery(methods=CURVE, datasets=("social",), units=("none", "edge"), states=("done",), limit=MOST_DRAWN)
    records = queue.examples().find(query)
    here = [one for one in records if one.spec.data_options.items() >= DEMO_DATA.items()]
    # without privacy ProGAP does what the network does: one line says it
    return tradeoff.data([one for one in here if (one.spec.method, one.spec.unit) != ("progap", "none")])


def demo_spec() -> RunSpec:
    """The demo: ProGAP hides single friendships of a small invented network."""
    return make_spec("progap", "social", DEMO_OPTIONS, data_options=DEMO_DATA, seed=0)


def _demo() -> None:
    if st.button("Run the demo", type="primary", key="demo", icon=":material/play_arrow:"):
        beginning.send([demo_spec()], tags=["demo"])
    st.markdown(
        "**10 to 30 seconds.** ProGAP learns these people's groups at ε = 2. Somebody who knows everything else then "
        f"guesses right {at_most(meaning.guess(2.0, 1e-4))} of the time whether two of them are friends; a coin does "
        "50%. Nothing leaves this computer."
    )


def _recent() -> None:
    st.markdown("### Recent runs")
    records = queue.own().find(RunQuery(limit=RECENT))
    if not records:
        st.info("Nothing has run here yet. The demo above is a good first run.", icon="🕸️")
        return
    with st.container(key=styles.RECENT):
        for record in states.readable(records):
            with st.container(horizontal=True, vertical_alignment="center"):
                states.badge(record)
                st.page_link(shell.page("train"), label=naming.name(record), query_params={"run": record.id})
                if record.metrics:
                    st.caption(f"test accuracy {percent(record.metrics.get('test_accuracy'))}")
    total = queue.own().count()
    if total > len(records):
        st.page_link(shell.page("runs"), label=f"All {total:,} runs", icon=":material/list_alt:")
