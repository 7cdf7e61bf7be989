"""Runs that are under way: how far each is, and the button that stops it."""

from __future__ import annotations

import streamlit as st

from privgraph.runs.records import PENDING, RunQuery, RunRecord, StoreError
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import states
from privgraph_workbench.views.relations.runs import METHODS, MOST_RUNS, POLL_SECONDS, called
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import duration


def under_way() -> bool:
    """Runs that will be ready soon, looked at once a second, and whether there are any; else one that failed
    last."""
    store = queue.store()
    waiting = tuple(one.id for one in store.find(RunQuery(methods=METHODS, states=PENDING, limit=MOST_RUNS)))
    if waiting:
        shell.fragment(_watch, run_every=POLL_SECONDS)(waiting)
        return True
    newest = states.readable(store.find(RunQuery(methods=METHODS, limit=1)))
    if newest and newest[0].state in ("failed", "lost"):
        st.error(f"The last run did not end well. {markup.sentence(newest[0].error or 'Its worker died.')}")
        st.page_link(
            shell.page("train"), label="Open it", icon=":material/open_in_new:", query_params={"run": newest[0].id}
        )
    return False


def _watch(waiting: tuple[str, ...]) -> None:
    queue.tick()
    going = [one for one in queue.store().find(RunQuery(ids=waiting)) if one.pending]
    if len(going) < len(waiting):
        st.rerun()
    with st.container(border=True):
        one = len(going) == 1
        many = f"{len(going):,} runs.** They appear here when they are done."
        st.markdown(f"**Training {'1 run.** It appears here when it is done.' if one else many}")
        for record in going:
            if not record.unreadable:
                bar(record)


def bar(record: RunRecord, place: str = "") -> None:
    """How far one run is, and the button that stops it; `place` tells this bar from others of the run."""
    soon = record.eta_seconds is None or record.eta_seconds < 1
    left = "" if soon else f", about {duration(record.eta_seconds)} left"
    stage = (
        record.stage or "starting, which takes some seconds"
        if record.state == "running"
        else states.state_word(record.state)
    )
    stopping = record.state == "stopping"
    st.progress(record.progress, text=f"{called(record)}: {markup.literal(stage)}{'' if stopping else left}")
    st.button(
        "Stopping…" if stopping else "Stop this run",
        key=f"stop_run.{place}{record.id}",
        icon=":material/hourglass_bottom:" if stopping else ":material/stop:",
        disabled=stopping,
        on_click=_stop,
        args=(record.id,),
        help=states.STATES["stopping"][2] if stopping else None,
    )


def _stop(run: str) -> None:
    try:
        queue.store().request_stop(run)
    except StoreError as error:
        st.error(markup.sentence(error))
