"""Send runs from a page, and ask again for a run that there is already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from privgraph.options import OptionError
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.text import texts
from privgraph_workbench.words import markup


def send(specs: Sequence[RunSpec], tags: Sequence[str] = (), *, changed: str = "") -> None:
    """Submit the runs, and open the first.

    Args:
        specs: What is trained.
        tags: Tags of all of them.
        changed: The run whose settings were changed to these.
    """
    before = queue.own().find(RunQuery(ids=(specs[0].id,)))
    try:
        ids = queue.submit(specs, tags=tags)
    except (StoreError, OptionError, OSError) as error:
        st.error(markup.sentence(error))
        return
    st.session_state.setdefault("changed", {}).update(dict.fromkeys(ids, changed))
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
