"""Runs that are sent from the Trade-offs page: how far they are, and what came of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

import streamlit as st

from privgraph.options import OptionError, listed
from privgraph.runs.graph_id import GraphId, People
from privgraph.runs.queueing import LOCAL
from privgraph.runs.records import FINISHED, PENDING, RunQuery, StoreError
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts import changed
from privgraph_workbench.facts.finished import Finished
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import in_sight
from privgraph_workbench.views.runs.page import MOST_CHOSEN
from privgraph_workbench.views.tradeoffs import known, one_graph
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.numbers import duration

POLL_SECONDS = 2.0
_SENT = "sweep.sent"
"""When runs were sent last, and how many of them were over then."""
AGAIN = ("stopped", "lost")
"""The states of runs that did not fail: asked for again, they are trained."""
BOX = "sent-from-here"
"""The container of how far they are."""
_BEFORE = "sweep.before"
"""The graph and unit of these, and what was known there before."""


def send(
    specs: Sequence[RunSpec],
    unit: str,
    tag: str,
    *,
    engine: str = LOCAL,
    varied: bool = False,
) -> bool:
    """Train these, show their curves and how far they are; whether they could be sent."""
    graph = one_graph.of_run(specs[0])
    before = _seen(graph, unit)  # the gallery's runs among them go when one's own are done
    try:
        sent = queue.submit(specs, tags=[tag], engine=engine)
        for row in queue.store().find_rows(RunQuery(ids=tuple(sent), states=AGAIN)):
            queue.retry(str(row["id"]))  # whoever asks for a run that was stopped wants it trained
    except (StoreError, OptionError, OSError) as error:
        st.error(markup.sentence(error))
        return False
    going = pending()
    ids = tuple(dict.fromkeys([*going, *sent]))
    over = queue.store().count(RunQuery(ids=ids, states=FINISHED))
    st.session_state["sweep"], st.session_state[_SENT] = ids, (time.monotonic(), over)
    if not going or st.session_state.get(_BEFORE, (None,))[:2] != (graph, unit):
        st.session_state[_BEFORE] = (graph, unit, before)
    st.session_state["sent"] = (tuple({one.method: None for one in specs}), unit, varied, graph.address)
    return True


def sent() -> frozenset[str]:
    """The runs that were sent last."""
    return frozenset(st.session_state.get("sweep", ()))


def _seen(graph: OneGraph, unit: str) -> changed.Seen:
    """What is known of a graph now, where that unit is protected."""
    rows = known.rows_of(RunQuery(units=("none", unit), states=("done",)), graph)
    records = Finished.of(queue.store(), rows).read(queue.store())
    told = known.known(graph, unit)
    return changed.seen(records, None if told is None else told.said)


def _changed(ids: Sequence[str]) -> str:
    """What the runs changed that were sent last, and what one's own reach alone; "" where it is not known
    what there was before."""
    if _BEFORE not in st.session_state:
        return ""
    graph, unit, before = st.session_state[_BEFORE]
    after = _seen(graph, unit)
    return "\n\n".join(filter(None, (changed.words(before, after, ids), changed.yours(after, ids))))


def progress(graph: OneGraph, *, everywhere: bool) -> None:
    """How far the runs are that were sent last; nothing where none were. The figure below is of this graph,
    or of all (`everywhere`)."""
    under_way = bool(pending())
    told = shell.fragment(_progress, run_every=POLL_SECONDS if under_way else None)
    with st.container(key=BOX):
        told(under_way, None if everywhere else graph.people)
    if _SENT in st.session_state:  # the forms that send runs stand far below
        in_sight.bring(BOX, f"{st.session_state[_SENT][0]}")


def pending() -> tuple[str, ...]:
    """The runs that were sent from here and are under way."""
    ids: tuple[str, ...] = st.session_state.get("sweep", ())
    return tuple(str(row["id"]) for row in queue.store().find_rows(RunQuery(ids=ids, states=PENDING))) if ids else ()


def _time_left(over: int, left: int) -> str:
    """About how long the rest takes, at the pace of those that have ended since they were sent; "" before one
    has."""
    began, before = st.session_state.get(_SENT, (0.0, over))
    ended = over - before
    return f", about {duration(left * (time.monotonic() - began) / ended)} left" if ended > 0 else ""


def _progress(was_under_way: bool, drawn: People | None) -> None:
    """How far the runs are that were sent last, with a way to stop them, or what came of them; on which
    graph, where another one is `drawn` below (None: all are)."""
    ids: tuple[str, ...] = st.session_state.get("sweep", ())
    if not ids:
        return
    queue.tick()
    rows = queue.store().find_rows(RunQuery(ids=ids), graphs=True)
    states = Counter(row["state"] for row in rows)
    graphs = dict.fromkeys(row["people"] for row in rows)
    below = drawn is None or drawn in graphs
    names = [GraphId(people[0], people[1], "random").words(naming.data_title(people[0])) for people in graphs]
    on = "" if below else f", on {listed([markup.literal(name) for name in names])}"
    grows, stands = ("; the figure below grows as they end", ", and stand in the figure below") if below else ("", "")
    said = f"**Sent from here{on}:** {states['done']} of {len(ids)} runs finished"
    failed = sum(count for state, count in states.items() if state in FINISHED and state != "done")
    said += f", {failed} did not get to their end" if failed else ""
    left = sum(states.values()) - states["done"] - failed
    if was_under_way and not left:
        st.rerun()
    if left:
        stopping = states["stopping"] == left
        st.button(
            "Stopping…" if stopping else "Stop them",
            key="sweep_stop",
            icon=":material/stop:",
            disabled=stopping,
            on_click=_stop,
            args=(ids,),
        )
        st.progress(
            (states["done"] + failed) / len(ids),
            text=f"{said}{_time_left(states['done'] + failed, left)}{grows}.",
        )
    elif states["done"]:
        st.success(f"{said}{stands}. {_changed(ids)}".strip(), icon=":material/check_circle:")
        st.page_link(
            shell.page("runs"),
            label="These runs, side by side",
            icon=":material/arrow_forward:",
            query_params={"chosen": ",".join(ids[:MOST_CHOSEN])},
        )
    else:
        st.warning(f"{said}.")


def _stop(ids: tuple[str, ...]) -> None:
    """Ask every run of the sweep to stop that is not over."""
    for row in queue.store().find_rows(RunQuery(ids=ids, states=PENDING)):
        queue.store().request_stop(str(row["id"]))
