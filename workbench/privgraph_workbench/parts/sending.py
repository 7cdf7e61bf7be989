"""Send runs from a page: open the first, or watch how far all of them are."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from privgraph.data.spec import PublicFacts
from privgraph.runs.launch import capacity
from privgraph.runs.queueing import LOCAL
from privgraph.runs.records import PENDING, RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec
from privgraph_workbench import sweeps
from privgraph_workbench.facts import expecting
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import layout
from privgraph_workbench.serving import shell
from privgraph_workbench.text import texts


def send(specs: Sequence[RunSpec], tags: Sequence[str] = ()) -> None:
    """Submit the runs, and open the first."""
    before = queue.own().find(RunQuery(ids=(specs[0].id,)))
    with layout.refusals():
        ids = queue.submit(specs, tags=tags)
        st.session_state["earlier"] = ids[0] if before and not before[0].pending else ""
        st.switch_page(shell.page("train"), query_params={"run": ids[0]})


def earlier(record: RunRecord) -> None:
    """Say that the run that was asked for had ended before, and offer another seed."""
    if st.session_state.get("earlier") != record.id:
        return
    another = replace(record.spec, trial="")
    while queue.own().count(RunQuery(ids=(another.id,))):
        another = replace(another, seed=another.seed + 1)
    st.info(texts("runs")["earlier"], icon="🕰️")
    if st.button(f"Run again with seed {another.seed}", key="another", type="primary", icon=":material/play_arrow:"):
        send([another], tags=record.tags)


def seconds(specs: Sequence[RunSpec], facts: PublicFacts) -> float | None:
    """About how long these runs take on this machine; None where nothing tells of one of their methods."""
    known, _ = expecting.known(queue.own(), dict.fromkeys(one.method for one in specs))
    workers = 1
    with suppress(StoreError):
        workers = capacity()
    return sweeps.seconds(specs, facts, known, workers) if specs else 0.0


def sweep(page: str, specs: Sequence[RunSpec], engine: str = LOCAL) -> None:
    """Submit the runs, and draw that page again, which shows how far they are."""
    with layout.refusals():
        sent = queue.submit(specs, tags=["sweep"], engine=engine)
        for row in queue.own().find_rows(RunQuery(ids=tuple(sent), states=("stopped", "lost"))):
            queue.retry(str(row["id"]))
        st.session_state[f"sent.{page}"] = tuple(dict.fromkeys(sent))
        st.query_params["store"] = shell.MINE
        st.rerun()


def progress(page: str) -> None:
    """How far the runs are that were sent last from that page, which is drawn again as they end; the way to
    them once they are over."""
    if ids := st.session_state.get(f"sent.{page}"):
        left = queue.own().count(RunQuery(ids=ids, states=PENDING))
        shell.fragment(_progress, run_every=1.0 if left else None)(ids, left)


def _progress(ids: tuple[str, ...], before: int) -> None:
    queue.tick()
    states = Counter(queue.own().states(ids).values())
    left = sum(count for state, count in states.items() if state in PENDING)
    if left != before:
        st.rerun()
    st.progress(1 - left / len(ids), text=", ".join(f"{state}: {count}" for state, count in states.items()))
    if not left:
        layout.link("runs", "Open these runs", store=shell.MINE, chosen=",".join(ids[:20]))
    elif st.button("Stop", key="sweep_stop", icon=":material/stop:"):
        for row in queue.own().find_rows(RunQuery(ids=ids, states=PENDING)):
            queue.own().request_stop(str(row["id"]))
