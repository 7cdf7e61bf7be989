"""The archive of the page Report: it is made before one's eyes, and then waits to be downloaded."""

from __future__ import annotations

import hashlib

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.options import OptionError
from privgraph_workbench import reporting
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.views.parts.file_links import offer
from privgraph_workbench.words import markup

_MADE = "report_made"


def offered(asked: reporting.Asked) -> None:
    """The button that makes the report, and the link to what it has made, as long as nothing was changed
    since."""
    mark = _mark(asked)
    known, packed = st.session_state.get(_MADE, ("", b""))
    place = st.empty()
    if known != mark:
        pressed = place.button("Make the report", key="report_make", type="primary", icon=":material/folder_zip:")
        packed = _make(asked) if pressed else b""
        if packed:
            st.session_state[_MADE] = (mark, packed)
            place.empty()
    if packed:
        offer(
            {
                f"Download the report (zip, {len(packed) / 1e6:.1f} MB)": File(
                    name="report.zip", mime="application/zip", make=lambda: packed
                )
            },
            primary=True,
        )
    st.caption(
        "A minute for three runs; whoever changes something meanwhile ends it. Equal runs, figures and words give "
        "equal bytes, as `privgraph report` does from a shell."
    )


def _make(asked: reporting.Asked) -> bytes:
    """The archive, with its steps shown while it is made; nothing where it cannot be made."""
    bar = st.progress(0.0, "The report is begun")
    try:
        packed = reporting.build(asked, lambda done, what: _show(bar, done, what))
    except OptionError as error:
        bar.empty()
        st.error(markup.sentence(error))
        return b""
    bar.empty()
    return packed


def _show(bar: DeltaGenerator, done: float, what: str) -> None:
    bar.progress(done, what[:1].upper() + what[1:])


def _mark(asked: reporting.Asked) -> str:
    """Equal for what gives the same archive."""
    told = [
        (one.record.id, one.record.state, one.record.note, one.record.epsilon_audited, len(one.attacks), len(one.same))
        for one in asked.runs
    ]
    parts = asked.title, asked.remark, asked.share, asked.notebook, asked.figures, told
    return hashlib.sha256(repr(parts).encode()).hexdigest()
