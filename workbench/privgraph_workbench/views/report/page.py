"""The page Report: what was kept, in order, with a title and a remark; leave with one archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.options import OptionError
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench import blocks, reporting
from privgraph_workbench.blocks import Remark
from privgraph_workbench.figures import for_others
from privgraph_workbench.jobs import queue
from privgraph_workbench.reporting import Drawn, bounds
from privgraph_workbench.reporting.counts import Counts
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.views.parts import collected, layout
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import (
    beginning,
    example,
    looks,
    making,
    own_words,
    preview,
    remembered,
    rows,
    sharing,
)
from privgraph_workbench.words import markup

MARKS = (
    "With the marks of Markdown: a blank line between paragraphs, - for points, **bold**, *emphasis*, `code` and "
    "[links](https://example.org). There are no formulas: write ε, and not \\$\\varepsilon\\$"
)
_READ = "report.drawn"
"""The figures of this visit, as they were read."""


def page() -> None:
    """What was kept, or the example, and the archive."""
    looks.style()
    st.title("Report")
    if example.shown():
        _example()
        return
    collected.settle()
    kept = collected.everything()
    if not kept:
        st.markdown(
            "Take runs and figures away for a paper, a class or a colleague: **one archive, in which every number has "
            "its privacy statement beside it**."
        )
        _taken()
        beginning.nothing()
        return
    records = _records(kept)
    bar, trouble = st.container(key=styles.BAR), st.container()
    _taken()
    made_of, wanted = layout.columns("report-made-of", (3, 2))
    waiting = _wait(bar, made_of)
    with wanted:
        title, author, date, remark, challenge = _words()
        share, said, appendix, notebook = _switches()
    for run in [one.run for one in kept if one.run and one.run not in records]:
        trouble.warning(f"There is no run {markup.literal(run)} any more; it is left out.")
    figures = _drawn(kept)
    asked = None
    told = reporting.told(queue.store(), [records[one.run] for one in kept if one.run in records])
    try:
        asked = reporting.Asked(
            title=title,
            author=author,
            date=date,
            remark=remark,
            runs=list(told.values()),
            figures=list(figures.values()),
            share=share,
            notebook=notebook,
            appendix=appendix,
        )
    except OptionError as error:
        bar.error(markup.sentence(error))
    decided = _decided(asked, figures, share=share)
    left = sharing.left_out(decided, figures, records.values(), asked.mixed if asked is not None and share else ())
    if share:
        said.caption(sharing.told(left, records))
    with made_of:
        counts = _counts(asked, figures, records)
        rows.show(kept, records, figures, decided, told, asked, counts, share=share, own=True)
        with st.container(horizontal=True):
            if asked is not None:
                beginning.more(kept, told)
            _anew()
    for place in waiting:
        place.empty()
    if asked is not None:
        with bar:
            making.offered(asked, left, trouble, preview.button)
    if remark.strip():  # behind all that is quick: the report is looked through for its numbers
        with challenge:
            own_words.challenged(remark, asked)
    if asked is not None:
        with bar:
            preview.show(asked)
    _further(share=share)


def _example() -> None:
    """The example in the place of one's own list, which it does not touch."""
    bar, trouble = st.container(key=styles.BAR), st.container()
    mine = collected.counted()
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**This is an example.** {example.ABOUT} Your own list is not touched: it holds {mine or 'nothing yet'}."
        )
        st.button(
            f"To my own report ({mine})" if mine else "Begin my own report",
            key="report_leave_example",
            icon=":material/arrow_back:",
            on_click=example.leave,
        )
    made_of, wanted = layout.columns("report-made-of", (3, 2))
    waiting = _wait(bar, made_of)
    kept = example.everything()
    records, figures = _records(kept), _drawn(kept)
    told = reporting.told(queue.store(), [records[one.run] for one in kept if one.run])
    asked = reporting.Asked(
        title=example.TITLE,
        remark=example.REMARK,
        runs=list(told.values()),
        figures=list(figures.values()),
        share=True,
    )
    decided = _decided(asked, figures, share=True)
    left = sharing.left_out(decided, figures, records.values(), asked.mixed)
    with made_of:
        counts = _counts(asked, figures, records)
        rows.show(kept, records, figures, decided, told, asked, counts, share=True, own=False)
    for place in waiting:
        place.empty()
    with wanted:
        st.markdown(f"##### {asked.title}")
        st.markdown(asked.remark)
        st.caption(f"**{sharing.CHOICES[True]}.** {sharing.SENTENCES[True]}")
    with bar:
        making.offered(asked, left, trouble, preview.button, own=False)
        preview.show(asked)
    _further(share=True)


def _decided(
    asked: reporting.Asked | None, figures: Mapping[str, Drawn], *, share: bool
) -> dict[str, reporting.Decided]:
    """What becomes of the figures, by their marks; where there is no report as it is, what each would by
    itself."""
    if asked is not None:
        counted = asked
        return remembered.of("decided", _plain_mark(asked), lambda: reporting.decided(counted, figures))
    why = {mark: for_others.stays(one.figure, one.rows) * share for mark, one in figures.items()}
    return {mark: reporting.Decided(given=None if why[mark] else one, why=why[mark]) for mark, one in figures.items()}


def _counts(asked: reporting.Asked | None, figures: Mapping[str, Drawn], records: Mapping[str, RunRecord]) -> Counts:
    """As the report counts; of what is kept, where no report can be made of it yet."""
    if asked is not None:
        counted = asked
        with suppress(OptionError):  # nothing of it is left for others, which making it says
            return remembered.of("counts", _plain_mark(asked), lambda: Counts.told(counted))
    return Counts.over([*records.values(), *(run for one in figures.values() for run in one.runs)])


def _plain_mark(asked: reporting.Asked) -> str:
    """By what figures and counts are known: its author's words are no part of them."""
    return making.mark(replace(asked, title="Report", author="", date="", remark=""))


def _drawn(kept: Sequence[Kept]) -> dict[str, Drawn]:
    """The figures by their marks, each by a title of its own. What the store says of them is read once a
    visit of the page: of a figure with many settings that takes as long as all the rest."""
    visit, held = st.session_state.get(_READ, (0, {}))
    if visit != shell.visit():
        held = {}
    own = {one.mark: one for one in kept if one.figure}
    for mark, one in own.items():
        if mark not in held:
            read = reporting.drawn(
                queue.store(), one.figure, one.rows, one.statements, one.runs, advice=one.advice, came=one.came
            )
            held[mark] = replace(read, rows=bounds.composed_here(read))  # as its archive counts
    st.session_state[_READ] = shell.visit(), held
    named = [replace(held[mark], title=one.title.strip(), caption=one.caption) for mark, one in own.items()]
    return dict(zip(own, reporting.told_apart(named), strict=True))


def _wait(bar: DeltaGenerator, made_of: DeltaGenerator) -> tuple[DeltaGenerator, DeltaGenerator]:
    """The list as it comes, before anything of a visit is read; later drawings leave in its place what is
    there. What is to be emptied once it is read."""
    places = bar.empty(), made_of.empty()
    if st.session_state.get(_READ, (None,))[0] != shell.visit():
        places[0].html(looks.reading(collected.counted()))
        places[1].html(looks.TO_COME)
    return places


def _further(*, share: bool) -> None:
    """What others are told, what the archive holds, the example, and the command."""
    if share:
        sharing.exactly()
    with layout.fold("What comes out", "contents", icon=":material/folder_zip:") as part:
        if part.open:
            beginning.contents()
    with st.container(horizontal=True, vertical_alignment="center"):
        if not example.shown() and example.there():
            st.button(
                "Look at an example",
                key="report_example",
                type="tertiary",
                icon=":material/auto_awesome:",
                help=f"{example.ABOUT} Your own list is not touched",
                on_click=example.enter,
            )
        st.markdown("`privgraph report` makes reports from a shell.", width="content")


def _words() -> tuple[str, str, str, str, DeltaGenerator]:
    """The fields of title, author, date and remark, and the place beside the remark as it reads."""
    collected.begin(collected.TITLE, "Private learning on graphs")
    title = st.text_input(
        "Title",
        key=collected.TITLE,
        max_chars=reporting.TITLE,
        on_change=collected.settle,
    )
    own_words.boxes(title)
    author, date = _author_and_date()
    own_words.boxes(f"{author} {date}")
    collected.begin(collected.REMARK, "")
    remark = st.text_area(
        "Remark",
        key=collected.REMARK,
        max_chars=reporting.REMARK,
        placeholder="What this report is about, and what you conclude. It stands on the first page.",
        height="content",
        help=MARKS,
        on_change=collected.settle,
    )
    own_words.boxes(remark or "")
    own_words.formulas(remark or "", collected.REMARK)
    challenge = st.container()
    if (remark or "").strip():  # as the report has it: Streamlit would make formulas of $…$
        with challenge.container(border=True, key="report_remark_read"):
            st.caption("As it reads in the report")
            st.html(blocks.as_html(Remark(reporting.remark(remark or "")), {}))
    return title or "", author, date, remark or "", challenge


def _switches() -> tuple[bool, DeltaGenerator, bool, bool]:
    """Whether it is for others, the place for what that leaves out, and whether it has an appendix and a
    notebook."""
    share = sharing.switch()
    said = st.container()
    appendix = st.toggle(
        "With an appendix",
        value=True,
        key="report_appendix",
        help="Each setting in full: its statement, learning curves, ledger, attacks and commands. Without it the page "
        "and the print are a summary with the figures; statements stay as files in the archive",
    )
    notebook = st.toggle(
        "With an executed notebook", value=True, key="report_notebook", help="It takes some seconds more"
    )
    return share, said, appendix, notebook


def _author_and_date() -> tuple[str, str]:
    """What stands below the title; either may be empty."""
    today = datetime.now().astimezone().date()
    fields = (
        (collected.AUTHOR, "Author", "", reporting.AUTHOR, "It stands below the title, if you like."),
        (collected.DATE, "Date", f"{today.day} {today:%B %Y}", reporting.DATE, "As it is printed; empty: not dated."),
    )
    told = []
    for place, (key, label, default, most, help_) in zip(st.columns(2), fields, strict=True):
        collected.begin(key, default)
        told.append(place.text_input(label, key=key, max_chars=most, help=help_, on_change=collected.settle))
    return told[0] or "", told[1] or ""


def _records(kept: Sequence[Kept]) -> dict[str, RunRecord]:
    """The kept runs that can be read."""
    ids = tuple(one.run for one in kept if one.run)
    found = queue.store().find(RunQuery(ids=ids)) if ids else []
    return {one.id: one for one in found if not one.unreadable}


def _taken() -> None:
    """What was taken out or added last, and the way back."""
    gone, more = collected.taken(), collected.added()
    if not gone and not more:
        return
    changed = gone or more
    with st.container(horizontal=True, vertical_alignment="center"):
        what = "A figure" if changed[0].figure else "A run" if len(changed) == 1 else f"{len(changed)} runs"
        done = "taken out" if gone else "added"
        st.markdown(f"{what} {'were' if len(changed) > 1 else 'was'} {done}.", width="content")
        st.button("Undo", key="report_undo", icon=":material/undo:", type="tertiary", on_click=collected.undo)


def _anew() -> None:
    with st.popover("Begin anew", icon=":material/delete_sweep:"):
        st.caption("All that is kept here, its order and its words will be gone. The runs themselves stay.")
        st.button("Empty the report", key="report_clear", on_click=collected.clear)
