"""What can be done with the runs that are chosen in the list, in a bar that stays in sight beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from privgraph.runs.records import EXAMPLE, RunRecord, StoreError
from privgraph_workbench.facts import plans
from privgraph_workbench.forms import again
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import cart
from privgraph_workbench.report.asked import Entry
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.views.parts import layout
from privgraph_workbench.words import markup

DELETING = "deleting"
"""In the session: the runs whose deletion is to be confirmed."""
MOST_NAMED = 3
"""Of these, how many are named before they are gone."""


def bar(records: Sequence[RunRecord], none: Callable[[], None]) -> None:
    """How many are chosen, and what can be done with them; `none` chooses no run any more."""
    own = [record.id for record in records if not record.id.startswith(EXAMPLE)]
    with st.container(key=styles.FOOT):
        if own and st.session_state.get(DELETING) == own:
            _confirm_delete(own)
            return
        with st.container(key=f"{styles.FOOT}-row", horizontal=True, vertical_alignment="center"):
            where = " [Side by side](#side-by-side)" if len(records) > 1 else ""
            count = "1 run" if len(records) == 1 else f"{len(records)} runs"
            st.markdown(f"**{count} chosen.**{where}", width="content")
            st.button("Choose none", key="choose_none", type="tertiary", on_click=none)
            if records:
                _actions(records, own)
    for record in records:
        if record.unreadable:
            st.warning(markup.sentence(record.unreadable))


def _actions(records: Sequence[RunRecord], own: Sequence[str]) -> None:
    ids = [record.id for record in records]
    known = [record for record in records if not record.unreadable]
    if any(record.pending for record in records) and st.button("Stop", icon=":material/stop:", key="stop_chosen"):
        for record in records:
            if record.pending:
                queue.store().request_stop(record.id)
        st.rerun()
    if any(record.state in ("stopped", "failed", "lost") for record in records) and st.button(
        "Try again", icon=":material/replay:", key="retry_chosen"
    ):
        for record in records:
            if record.state in ("stopped", "failed", "lost"):
                queue.retry(record.id)
        st.rerun()
    done = tuple(record.id for record in known if record.state == "done")
    cart.button("collect_chosen", Entry(runs=done).mark if done else "", partial(Entry, runs=done))
    if own:
        with st.popover("Tag", icon=":material/label:"):
            _tag(own)
    with st.popover("Copy", icon=":material/content_copy:"):
        st.caption("Links" if len(ids) > 1 else "Link")
        for run in ids:
            st.code(layout.link("train", run=run), language=None, wrap_lines=True)
        st.caption("Commands that make the same in a terminal")
        for record in known:
            st.code(plans.command_line(record.spec), language="shell", wrap_lines=True)
    if len(records) == len(known) == 1:
        st.page_link(
            shell.page("train"),
            label="Change and run again",
            icon=":material/edit:",
            query_params=again.address(records[0]),
        )
    if own:
        whose = "these" if len(own) == len(ids) else "your own"
        count = f"{whose} {len(own)} runs" if len(own) > 1 else "this run" if len(ids) == 1 else f"{whose} run"
        st.button(
            f"Delete {count}",
            icon=":material/delete:",
            key="delete_chosen",
            on_click=st.session_state.update,
            args=({DELETING: own},),
        )


def _tag(ids: Sequence[str]) -> None:
    with st.form("tag_chosen", border=False, clear_on_submit=True):
        text = st.text_input("Tag", placeholder="baseline")
        if st.form_submit_button("Add the tag"):
            try:
                for run in ids:
                    queue.store().tag(run, text)
            except StoreError as error:
                st.error(markup.sentence(error))
                return
            st.rerun()


def _confirm_delete(ids: Sequence[str]) -> None:
    what = "One run" if len(ids) == 1 else f"{len(ids)} runs"
    st.markdown(f"**{what} with all curves, logs and files will be gone for good.**")
    more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
    st.caption(", ".join(markup.literal(one) for one in ids[:MOST_NAMED]) + more)
    with st.container(horizontal=True):
        if st.button("Delete for good", type="primary", key="delete_yes"):
            refused = queue.delete(ids)
            del st.session_state[DELETING]
            if not refused:
                st.query_params.pop("chosen", None)
                st.rerun()
            for text in refused:
                st.error(markup.literal(text))
        st.button("Keep", key="delete_no", on_click=st.session_state.pop, args=(DELETING, None))
