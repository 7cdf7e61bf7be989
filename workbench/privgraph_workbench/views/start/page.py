"""The Start page: three doors, a demo of ten seconds, recent runs."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import beginning, states
from privgraph_workbench.words import meaning, naming
from privgraph_workbench.words.numbers import at_most, percent

RECENT = 8
DEMO_OPTIONS = {"unit": "edge", "epsilon": 2.0}
DEMO_DATA = {"nodes": 600, "degree": 16.0, "classes": 3, "homophily": 0.85, "signal": 1.0}


@dataclass(frozen=True, kw_only=True)
class Door:
    """One way in: for whom, what one does there, and where it leads."""

    title: str
    text: str
    page: str
    label: str
    query: dict[str, str]


DOORS = (
    Door(
        title="Explore",
        text="You have a question about private graph learning. Pick a graph, a method and a privacy "
        "budget, run it, and see what accuracy is left and what is really promised.",
        page="train",
        label="Train a private graph network",
        query={},
    ),
    Door(
        title="Teach",
        text="You want to show what graphs give away. Look at a small network of invented friends, who are "
        "alike, and ask what a stranger could learn from a prediction.",
        page="data",
        label="Look at a graph, and ask",
        query={"data": "social", **widgets.address(DEMO_DATA, prefix="data.")},
    ),
    Door(
        title="Report",
        text="You need a figure or a table that is right. Compare methods over seeds and budgets, and "
        "export each figure with its privacy statement.",
        page="tradeoffs",
        label="Accuracy against privacy",
        query={},
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
    for column, door in zip(st.columns(len(DOORS)), DOORS, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"### {door.title}")
            st.markdown(door.text)
            st.page_link(
                shell.page(door.page),
                label=f"**{door.label}**",
                icon=":material/arrow_forward:",
                query_params=door.query,
            )
    _demo()
    _recent()


def demo_spec() -> RunSpec:
    """The demo: ProGAP hides single friendships of a small invented network."""
    return make_spec("progap", "social", DEMO_OPTIONS, data_options=DEMO_DATA, seed=0)


def _demo() -> None:
    with st.container(border=True):
        text, button = st.columns([4, 1], vertical_alignment="center")
        text.markdown(
            "**A demo of about ten seconds.** ProGAP learns the groups of 600 invented people. At ε = 2, "
            "somebody who knows everything else, but not whether two of them are friends, and takes both for equally "
            f"likely, then guesses right {at_most(meaning.guess(2.0, 1e-4))} of the time; a coin does 50% of it. "
            "Nothing leaves this computer."
        )
        if button.button("Run the demo", type="primary", key="demo", icon=":material/play_arrow:", width="stretch"):
            beginning.send([demo_spec()], tags=["demo"])


def _recent() -> None:
    st.markdown("### Recent runs")
    records = queue.store().find(RunQuery(limit=RECENT))
    if not records:
        st.info("Nothing has run here yet. The demo above is a good first run.", icon="🕸️")
        return
    for record in states.readable(records):
        with st.container(horizontal=True, vertical_alignment="center"):
            states.badge(record)
            st.page_link(shell.page("train"), label=naming.name(record), query_params={"run": record.id})
            if record.metrics:
                st.caption(f"test accuracy {percent(record.metrics.get('test_accuracy'))}")
    total = queue.store().count()
    if total > len(records):
        st.page_link(shell.page("runs"), label=f"All {total:,} runs", icon=":material/list_alt:")
