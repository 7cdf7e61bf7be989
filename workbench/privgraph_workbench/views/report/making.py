"""The archive of the page Report: it is made before one's eyes, and then waits to be downloaded."""

from __future__ import annotations

import hashlib
import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.options import OptionError
from privgraph_workbench import reporting
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.views.parts.file_links import offer
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import duration

SECONDS, NOTEBOOK = 5, 20
"""What a figure takes, for the page, the print and as files, and the notebook, in seconds, about."""
LATEST = "Download the report"
FORMER = "report.former"
"""The mark and the title of what this visitor has made last."""
MOST = 4
"""Archives that wait at most: the latest."""


def offered(asked: reporting.Asked) -> None:
    """The button that makes the report, and the link to what it has made: where something was changed since,
    it stays as that of the former report."""
    mark, made = _mark(asked), _made()
    packed = made.get(mark, b"")
    place, below = st.empty(), st.empty()
    if not packed:
        pressed = place.button("Make the report", key="report_make", type="primary", icon=":material/folder_zip:")
        below.caption(_how_long(asked))
        if pressed:
            place.button("Cancel", key="report_cancel", icon=":material/stop:")  # any press ends what is under way
            packed = _make(asked)
        if packed:
            made[mark] = packed
            for old in list(made)[:-MOST]:
                made.pop(old, None)
            place.empty()
            below.empty()
    if packed:
        st.session_state[FORMER] = mark, asked.title
        _link(LATEST, asked.title, packed)
    else:
        before, title = st.session_state.get(FORMER, ("", ""))
        if before in made:
            _link("Download the former report, without what was changed since", title, made[before])
    st.caption("`privgraph report` makes reports from a shell.")


def _link(label: str, title: str, packed: bytes) -> None:
    name = f"{reporting.folder(title)}.zip"
    file = File(name=name, mime="application/zip", make=lambda: packed)
    offer({f"{label} (zip, {len(packed) / 1e6:.1f} MB)": file}, primary=label == LATEST)


def _how_long(asked: reporting.Asked) -> str:
    """How long it takes, by what was chosen."""
    figures = reporting.pictures(asked)
    seconds = duration(10 * math.ceil((SECONDS * figures + NOTEBOOK * asked.notebook) / 10))
    chosen = len(asked.figures)
    many = f"{chosen} figure{'s' * (chosen != 1)}"
    many += f", {figures - chosen} more in the appendix" * (figures > chosen) + " and a notebook" * asked.notebook
    return f"{many}: about {seconds}. **Cancel**, or changing anything on this page, stops it."


@st.cache_resource
def _made() -> dict[str, bytes]:
    """The archives by their marks, for every tab: what is asked for gives the same bytes wherever."""
    return {}


def _make(asked: reporting.Asked) -> bytes:
    """The archive, with its steps shown while it is made; nothing where it cannot be made."""
    bar = st.progress(0.0, "The report is begun")
    try:
        packed = reporting.build(asked, lambda done, what: show(bar, done, what))
    except OptionError as error:
        bar.empty()
        st.error(markup.sentence(error))
        return b""
    bar.empty()
    return packed


def show(bar: DeltaGenerator, done: float, what: str) -> None:
    """A step of what is made."""
    bar.progress(done, what[:1].upper() + what[1:])


def _mark(asked: reporting.Asked) -> str:
    """Equal for what gives the same archive."""
    told = [
        (one.record.id, one.record.state, one.record.note, one.record.epsilon_audited, len(one.attacks), len(one.same))
        for one in asked.runs
    ]
    words = asked.title, asked.author, asked.date, asked.remark
    parts = words, asked.share, asked.notebook, asked.appendix, asked.figures, told
    return hashlib.sha256(repr(parts).encode()).hexdigest()
