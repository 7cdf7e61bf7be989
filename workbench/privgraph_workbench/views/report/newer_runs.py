"""What finished since a trade-off was kept, on its card, and the button that takes it in. No figure changes
by itself: its author has written a caption to what it shows."""

from __future__ import annotations

import streamlit as st

from privgraph_workbench import reporting
from privgraph_workbench.facts.row_words import counted
from privgraph_workbench.jobs import queue
from privgraph_workbench.reporting import newer
from privgraph_workbench.reporting.newer import Newer
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import looks

TAKE = "Take them in"
HELP = (
    "Finished runs of this graph, and of the methods, units and options that the figure shows, at any ε and seed. Its "
    "title, caption and place stay; points, statements and advice are made anew"
)
_KNOWN = "report.newer"
"""Of each figure, by its mark, the runs that fit it, and of which store that was read."""


def offered(one: Kept, place: int) -> None:
    """How many runs fit the figure and are not in it, and the button; nothing where there is none."""
    if one.figure != newer.FIGURE or not (found := _of(one)).runs:
        return
    many = len(found.runs)
    verb = "fits" if many == 1 else "fit"
    with st.container(key=f"{looks.NEWER}-{place}", horizontal=True, vertical_alignment="center"):
        st.caption(f"{counted(many, 'newer run' if found.later else 'more run')} {verb} this figure.", width="content")
        st.button(
            TAKE if many > 1 else "Take it in",
            key=f"newer.{one.mark}",
            icon=":material/library_add:",
            type="tertiary",
            help=HELP,
            on_click=_take,
            args=(one.mark,),
        )


def _of(one: Kept) -> Newer:
    """Those of the figure, read once until another run is done."""
    stamp = (shell.gallery_hidden(), queue.store().url, queue.store().done_mark())
    known: dict[str, tuple[object, Newer]] = st.session_state.setdefault(_KNOWN, {})
    if known.get(one.mark, (None,))[0] != stamp:
        known[one.mark] = stamp, newer.of(queue.store(), one.rows)
    return known[one.mark][1]


def _take(mark: str) -> None:
    one = next((one for one in collected.everything() if one.mark == mark), None)
    if one is None:
        return  # another tab has taken the figure out
    store = queue.store()
    read = reporting.drawn(store, one.figure, one.rows, one.statements, one.runs, advice=one.advice, came=one.came)
    made = newer.taken_in(store, read)
    fresh = collected.figure(one.figure, made.rows, made.statements, [run.id for run in made.runs], made.advice)
    collected.swap(mark, fresh)
    looks.stay_unfolded(mark, fresh.mark)
