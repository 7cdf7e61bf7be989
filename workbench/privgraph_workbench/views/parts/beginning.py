"""How a run begins on a page: it is sent, opened, and watched until its first step; or it is one of
before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from privgraph.data.spec import PublicFacts
from privgraph.options import OptionError
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.words import markup

STEPS = (
    "A process of its own starts for the run, and loads what it computes with: some seconds.",
    "It loads the graph, and splits it into nodes to train, to validate and to test with.",
    "It takes its first steps; the curves begin with them.",
)


def send(specs: Sequence[RunSpec], tags: Sequence[str] = (), *, changed: str = "") -> None:
    """Submit the runs, and open the first. What is wrong is one sentence, and the page stays as it is.
    `changed`: the run whose settings were changed to these."""
    before = queue.store().find(RunQuery(ids=(specs[0].id,)))
    try:
        ids = queue.submit(specs, tags=tags)
    except (StoreError, OptionError, OSError) as error:
        st.error(markup.sentence(error))
        return
    st.session_state.setdefault("changed", {}).update(dict.fromkeys(ids, changed))
    st.session_state["earlier"] = ids[0] if before and not before[0].pending else ""
    st.switch_page(shell.page("train"), query_params={"run": ids[0]})


def earlier(record: RunRecord) -> None:
    """Where the run was asked for again: that it is the one of before, and the way to another."""
    if st.session_state.get("earlier") != record.id:
        return
    when = datetime.fromtimestamp(record.finished or record.created, tz=UTC)
    another = _unused(record.spec)
    st.info(
        f"Equal settings are one run. This one ended on {when:%d %B %Y at %H:%M} UTC, and nothing was trained now.",
        icon="🕰️",
    )
    if st.button(f"Run again with seed {another.seed}", key="another", type="primary", icon=":material/play_arrow:"):
        send([another], tags=record.tags)


def _unused(spec: RunSpec) -> RunSpec:
    """The same settings with the next seed that no run has, and of no tuning."""
    spec = replace(spec, trial="")
    while queue.store().count(RunQuery(ids=(spec.id,))):
        spec = replace(spec, seed=spec.seed + 1)
    return spec


def show(record: RunRecord, facts: PublicFacts | None) -> None:
    """What happens before there is a curve, and of what graph."""
    if record.state == "queued":
        st.markdown("##### Waiting")
        st.markdown("It begins when a worker is free; runs that were sent before it go first.")
    else:
        now = 0 if record.stage == "starting" else 1 if record.stage.startswith("loading") else 2
        st.markdown("##### Before the first step")
        marks = [":green[:material/check_circle:]"] * now + [":material/hourglass_top:"] + [":material/pending:"] * 2
        for mark, step in zip(marks, STEPS, strict=False):
            st.markdown(f"{mark} {step}")
    if facts is not None:
        sizes = {"Nodes": facts.nodes, "Edges": facts.edges, "Features": facts.features, "Classes": facts.classes}
        for column, (label, size) in zip(st.columns(len(sizes)), sizes.items(), strict=True):
            column.metric(label, f"{size:,}", border=True)
