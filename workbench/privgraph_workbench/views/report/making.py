"""The archive of the page Report: it is made beside the page, and then waits to be downloaded."""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.options import OptionError
from privgraph_workbench import reporting
from privgraph_workbench.facts.row_words import counted
from privgraph_workbench.reporting.left_out import LeftOut
from privgraph_workbench.serving import shell
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.file_links import offer
from privgraph_workbench.views.report import looks, remembered
from privgraph_workbench.views.report.building import Building
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.numbers import duration

_log = logging.getLogger(__name__)
SECONDS, NOTEBOOK = 5, 20
"""What a figure takes, for the page, the print and as files, and the notebook, in seconds, about."""
LATEST = "Download the report"
FORMER = "Download the earlier report"
BEFORE = "Your latest changes are not in the earlier report"
BUILDING, BUILDING_EXAMPLE = "report.building", "report.building.example"
"""The mark of what this visitor makes now, and its building; the same of the example."""
CHANGED = "It is made as it was when it was begun. What you have changed since needs another one."
POLL_SECONDS, FIRST = 1.0, 0.4
"""From one look at what is made to the next, and to the first."""
MOST = 4
"""Archives that wait at most: the latest."""


@dataclass(frozen=True, kw_only=True)
class Archive:
    """A report that was made: its title, whom it is for, how many figures it has, what it leaves out ("":
    nothing), and when it was ready."""

    title: str
    packed: bytes
    share: bool
    figures: int
    left_out: str
    ended: datetime

    @property
    def about(self) -> str:
        """What tells it from another one, in short."""
        many = ", ".join(filter(None, (counted(self.figures, "figure"), self.left_out)))
        today = self.ended.date() == datetime.now().astimezone().date()
        made = f"{self.ended:%H:%M}" if today else f"{self.ended.day} {self.ended:%B %H:%M}"
        size = f"zip, {len(self.packed) / 1e6:.1f} MB"
        return f"for {'others' if self.share else 'myself'}, made {made}, {many}; {size}"


def offered(
    asked: reporting.Asked, left: LeftOut, trouble: DeltaGenerator, beside: Callable[[], None], *, own: bool = True
) -> None:
    """The button that makes the report, with what it makes and another button `beside` it, and in its own
    place the link to what was made: where something was changed since, it stays as that of the earlier
    report. What is begun goes on beside the page; why it failed stands in `trouble`. `own`: it is no example,
    which leaves no trace in one's own list."""
    now, made = mark(asked), _made()
    _keep_what_ended(trouble, own=own)
    building = BUILDING if own else BUILDING_EXAMPLE
    with st.container(key=looks.BAR_ROW, horizontal=True, vertical_alignment="center"):
        said = st.container(key=looks.BAR_SAID)
        with st.container(key=looks.BAR_BUTTONS, horizontal=True, width="content"):
            beside()
            if now not in made and building not in st.session_state:
                place = st.empty()
                if place.button("Make the report", key="report_make", type="primary", icon=":material/folder_zip:"):
                    begun = Building(asked, left)
                    st.session_state[building] = now, begun
                    begun.wait(FIRST)
                    _keep_what_ended(trouble, own=own)
                if now in made or building in st.session_state:
                    place.empty()
            if building in st.session_state:
                _, begun = st.session_state[building]
                with said:
                    shell.fragment(_progress, run_every=POLL_SECONDS)(
                        begun, building, st.session_state[building][0] != now
                    )
                st.button(
                    "Cancel", key="report_cancel", icon=":material/stop:", on_click=_cancel, args=(begun, building)
                )
            elif now in made:
                said.markdown("**It is ready.**")
                said.caption(made[now].about)
                _link(LATEST, made[now])
            else:
                said.markdown(f"**{'' if own else 'Example: '}{_what(asked, left)}**")
                pictures = remembered.of("pictures", now, lambda: reporting.pictures(asked))
                said.caption(_how_long(asked, left.shown, pictures - len(asked.shown)))
            if own and now in made:
                collected.write_down(collected.FORMER, now)
            elif own and (before := collected.said(collected.FORMER)) in made:
                with said:
                    st.caption(f"{BEFORE}: {made[before].about}")
                    _link(FORMER, made[before])


def _keep_what_ended(trouble: DeltaGenerator, *, own: bool) -> None:
    """What is made by now waits among the others; why it could not be made is told."""
    key = BUILDING if own else BUILDING_EXAMPLE
    mark, building = st.session_state.get(key, ("", None))
    if building is None or building.under_way:
        return
    st.session_state.pop(key)
    if isinstance(building.error, OptionError):
        trouble.error(markup.sentence(building.error))
    elif building.error is not None:
        trouble.error("The report could not be made. Nothing that was collected is lost; what went wrong:")
        trouble.exception(building.error)
        _log.error("a report could not be made", exc_info=building.error)
    elif building.ended is not None:
        asked, made = building.asked, _made()
        made[mark] = Archive(
            title=asked.title,
            packed=building.packed,
            share=asked.share,
            figures=building.left.shown,
            left_out=building.left.counted,
            ended=building.ended,
        )
        for old in list(made)[:-MOST]:
            made.pop(old, None)
        if own:
            collected.write_down(collected.FORMER, mark)


def _progress(building: Building, key: str, changed: bool) -> None:
    """How far it is, drawn again and again; all of the page once it has ended."""
    if not building.under_way or key not in st.session_state:
        st.rerun()
    show(st.progress(0.0), building.done, building.what)
    if changed:
        st.caption(CHANGED)


def _cancel(building: Building, key: str) -> None:
    building.cancel()
    st.session_state.pop(key, None)


def _link(label: str, made: Archive) -> None:
    file = File(
        name=f"{reporting.folder(made.title, share=made.share)}.zip", mime="application/zip", make=lambda: made.packed
    )
    with st.container(width="content", key=looks.LATEST if label == LATEST else looks.FORMER):
        offer({label: file}, primary=label == LATEST)


def _what(asked: reporting.Asked, left: LeftOut) -> str:
    """What it is made of, and how much of that it leaves out."""
    runs = len(asked.runs)
    told = collected.in_words(len(asked.figures), len({naming.setting(one.record) for one in asked.runs}))
    told += f" ({counted(runs, 'run')})" * bool(runs)
    return "; ".join(filter(None, (f"{told}, for {'others' if asked.share else 'myself'}", left.counted)))


def _how_long(asked: reporting.Asked, figures: int, more: int) -> str:
    """How long it takes, by what was chosen and how many figures are drawn: `more` in its appendix."""
    # in tens of seconds: "1 min 0 s" would be more exact than "about" is
    seconds = 10 * math.ceil((SECONDS * (figures + more) + NOTEBOOK * asked.notebook) / 10)
    holds = [f"{more} figure{'s' * (more != 1)} in its appendix"] * (more > 0) + ["a notebook"] * asked.notebook
    lead = f"With {' and '.join(holds)}: about" if holds else "About"
    return f"{lead} {duration(seconds).removesuffix(' 0 s')}."


@st.cache_resource
def _made() -> dict[str, Archive]:
    """The archives by their marks, for every tab: what is asked for gives the same bytes wherever."""
    return {}


def show(bar: DeltaGenerator, done: float, what: str) -> None:
    """A step of what is made."""
    bar.progress(done, what[:1].upper() + what[1:])


def mark(asked: reporting.Asked) -> str:
    """Equal for what gives the same archive."""
    told = [
        (
            one.record.id,
            one.record.state,
            one.record.note,
            [(run.id, run.epsilon_audited) for run in one.runs],
            len(one.every_attack),
        )
        for one in asked.runs
    ]
    words = asked.title, asked.author, asked.date, asked.remark
    parts = words, asked.share, asked.notebook, asked.appendix, asked.figures, told
    return hashlib.sha256(repr(parts).encode()).hexdigest()
