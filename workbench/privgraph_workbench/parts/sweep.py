"""Runs that a page has sent together: how far they are, and the button that stops them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from privgraph.options import OptionError
from privgraph.runs.records import FINISHED, PENDING, RunQuery, StoreError
from privgraph.runs.spec import RunSpec
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.words import markup


def send(page: str, specs: Sequence[RunSpec], engine: str) -> bool:
    """Train these; whether they could be sent."""
    try:
        sent = queue.submit(specs, tags=["sweep"], engine=engine)
        for row in queue.own().find_rows(RunQuery(ids=tuple(sent), states=("stopped", "lost"))):
            queue.retry(str(row["id"]))
    except (StoreError, OptionError, OSError) as error:
        st.error(markup.sentence(error))
        return False
    st.session_state[f"sent.{page}"] = tuple(dict.fromkeys(sent))
    st.query_params["store"] = shell.MINE
    return True


def pending(page: str) -> bool:
    """Whether runs that were sent from that page are under way."""
    ids = st.session_state.get(f"sent.{page}", ())
    return bool(ids) and bool(queue.own().count(RunQuery(ids=ids, states=PENDING)))


def progress(page: str) -> None:
    """How far the runs are that were sent last from that page; the way to them once they are over."""
    ids: tuple[str, ...] = st.session_state.get(f"sent.{page}", ())
    if not ids:
        return
    queue.tick()
    states = Counter(queue.own().states(ids).values())
    over = sum(count for state, count in states.items() if state in FINISHED)
    st.progress(over / len(ids), text=", ".join(f"{state}: {count}" for state, count in states.items()))
    if over == len(ids):
        address = {"store": shell.MINE, "chosen": ",".join(ids[:20])}
        st.page_link(shell.page("runs"), label="Open these runs", query_params=address)
    elif st.button("Stop", key="sweep_stop", icon=":material/stop:"):
        for row in queue.own().find_rows(RunQuery(ids=ids, states=PENDING)):
            queue.own().request_stop(str(row["id"]))
