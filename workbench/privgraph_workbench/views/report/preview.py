"""The page of the report, before it is made: below the bar with the buttons, where that stands in sight."""

from __future__ import annotations

import streamlit as st

from privgraph.options import OptionError
from privgraph_workbench import reporting
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.views.parts.file_links import offer
from privgraph_workbench.views.report import looks, making
from privgraph_workbench.words import markup

TAB = "Open it in a tab of its own"
OPEN = "report.preview"
"""Whether it is looked at."""
_PAGE = "report.preview.page"
"""The mark of what was asked for, and its page."""


def button() -> None:
    """Look at it, or no longer."""
    shown = bool(st.session_state.get(OPEN))
    st.button(
        "Close the preview" if shown else "Preview",
        key="report_preview",
        icon=f":material/{'close' if shown else 'preview'}:",
        help="The page of the report as it will be in the archive",
        on_click=_turn,
    )


def show(asked: reporting.Asked) -> None:
    """The page, where it is looked at. It is made again only where something was changed."""
    if not st.session_state.get(OPEN):
        return
    with st.container(key=looks.PREVIEW):
        mark = making.mark(asked)
        known, page = st.session_state.get(_PAGE, ("", ""))
        if known != mark:
            bar = st.progress(0.0, "The page is begun")
            try:
                page = reporting.page(asked, lambda done, what: making.show(bar, done, what))
            except OptionError as error:  # nothing of it is left for others
                st.error(markup.sentence(error))
                return
            finally:
                bar.empty()
            st.session_state[_PAGE] = mark, page
        with st.container(key=looks.TAB, width="content"):
            offer({TAB: File(name="preview.html", mime="text/html", make=lambda: page, shown=True)})
        st.iframe(page, height=900, alt="The page of the report")


def _turn() -> None:
    st.session_state[OPEN] = not st.session_state.get(OPEN)
