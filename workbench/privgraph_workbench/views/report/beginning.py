"""How a report begins: the run that one came from, the example, and where things are kept; later on, what is
usually added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench import reporting
from privgraph_workbench.jobs import queue
from privgraph_workbench.reporting import Told
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import collected, layout
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import example
from privgraph_workbench.words import naming


def nothing() -> None:
    """How a report begins, beside what comes out."""
    left, right = layout.columns("report-begin", (2, 3))
    with left:
        st.markdown("#### Nothing is kept yet")
        last = _last()
        if last is not None:
            st.button(
                f"Add {naming.name(last)}",
                key="report_last",
                type="primary",
                icon=":material/post_add:",
                help="The run that you looked at last" if last.id == collected.seen() else "The latest of your runs",
                on_click=collected.add,
                args=(collected.runs([last.id]),),
            )
        if example.there():
            st.button(
                "Look at an example",
                key="report_example",
                type="secondary" if last is not None else "primary",
                icon=":material/auto_awesome:",
                on_click=example.enter,
            )
            st.caption(f"{example.ABOUT} Your own list stays empty.")
        st.markdown(
            "Or press **Add this figure to report** beside Export below any figure, or **Add this run to report** on "
            "any run; the page Runs adds several at once."
        )
        with st.container(horizontal=True):
            st.page_link(shell.page("runs"), label="Runs", icon=":material/list_alt:")
            st.page_link(shell.page("tradeoffs"), label="Trade-offs", icon=":material/balance:")
            st.page_link(shell.page("attacks"), label="Attacks", icon=":material/gavel:")
    with right:
        st.markdown("#### What comes out")
        contents()


def contents() -> None:
    """What the archive holds."""
    st.table(
        [
            {"In the archive": f"`{name}`", "What it is": f"{said[:1].upper()}{said[1:]}"}
            for name, said in reporting.FILES.items()
        ]
    )


def _last() -> RunRecord | None:
    """The run that was looked at last, else the latest own one that is done."""
    seen = collected.seen()
    asked = [RunQuery(ids=(seen,), states=("done",))] if seen else []
    for query in (*asked, RunQuery(own=True, states=("done",), limit=1)):
        found = [one for one in queue.store().find(query) if not one.unreadable]
        if found:
            return found[0]
    return None


def _usual(told: Sequence[Told]) -> list[Kept]:
    return [
        replace(collected.figure(one.figure, one.rows, one.statements, advice=one.advice), title=one.title)
        for one in reporting.usual(told)
    ]


def more(kept: Sequence[Kept], told: Mapping[str, Told]) -> None:
    """One click for the run that somebody came from, and for the figures of all that are here (`told`: what
    is known of them, by their ids)."""
    last, runs = _last(), [told[one.run] for one in kept if one.run in told]
    offers = last is not None and last.id == collected.seen() and last.id not in {one.run for one in kept}
    missing = [one for one in _usual(runs) if one not in kept] if runs else []
    if offers and last is not None:
        st.button(
            f"Add {naming.name(last)}",
            key="report_last",
            icon=":material/post_add:",
            help="The run that you looked at last",
            on_click=collected.add,
            args=(collected.runs([last.id]),),
        )
    if missing:
        st.button(
            "Add the figures of these runs" if len(runs) > 1 else "Add the figures of this run",
            key="report_figures",
            icon=":material/show_chart:",
            help="Accuracy against privacy, the runs side by side, and attacks on them"
            if len(runs) > 1
            else "The ROC curves of the attacks on it",
            on_click=collected.add,
            args=(missing,),
        )
