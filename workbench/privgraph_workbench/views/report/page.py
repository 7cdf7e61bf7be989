"""The page Report: what was kept, in order, with a title and a remark; leave with one archive."""

from __future__ import annotations

from functools import partial

import streamlit as st

from privgraph.options import OptionError
from privgraph.runs.records import RunQuery, RunRecord, Unreadable
from privgraph_workbench import reporting
from privgraph_workbench.figures import chart_of
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.views.parts import collected, layout
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.parts.file_links import offer
from privgraph_workbench.words import markup, naming


def page() -> None:
    """What was kept, and the archive."""
    st.title("Report")
    st.markdown(
        "Keep runs and figures anywhere with **Add to report**, put them in order here, and leave with one archive: an "
        "HTML file that needs no network, a PDF, every kept figure as SVG, PDF, PNG and CSV, tables as LaTeX and CSV, "
        "BibTeX, the privacy statements in full, the commands that reproduce it, and an executed notebook."
    )
    kept = collected.everything()
    if not kept:
        st.info(
            "Nothing is kept yet. Look for “Add to report” below a figure, on a run, or on the page Runs.", icon="🗂️"
        )
        with st.container(horizontal=True):
            st.page_link(shell.page("tradeoffs"), label="Trade-offs", icon=":material/balance:")
            st.page_link(shell.page("runs"), label="Runs", icon=":material/list_alt:")
            st.page_link(shell.page("attacks"), label="Attacks", icon=":material/gavel:")
        return
    records = _records(kept)
    collected.begin(collected.TITLE, "Private learning on graphs")
    title = st.text_input(
        "Title",
        key=collected.TITLE,
        max_chars=reporting.TITLE,
        on_change=collected.word,
        args=(collected.TITLE,),
    )
    collected.begin(collected.REMARK, "")
    remark = st.text_area(
        "Remark",
        key=collected.REMARK,
        max_chars=reporting.REMARK,
        placeholder="What this report is about, and what you conclude. It stands on the first page.",
        help="With the marks of Markdown: a blank line between paragraphs, - for points, **bold**, *emphasis*, `code` "
        "and [links](https://example.org)",
        on_change=collected.word,
        args=(collected.REMARK,),
    )
    _list(kept, records)
    left, right = st.columns(2)
    share = left.toggle(
        "For others: leave the seeds out",
        value=True,
        key="report_share",
        help="A seed says which nodes were held out. Ids and commands, which tell it, are left out as well",
    )
    notebook = right.toggle(
        "With an executed notebook", value=True, key="report_notebook", help="It takes some seconds more"
    )
    missing = [one.run for one in kept if one.run and one.run not in records]
    for run in missing:
        st.warning(f"There is no run {markup.literal(run)} any more; it is left out.")
    try:
        asked = reporting.Asked(
            title=title or "",
            remark=remark or "",
            runs=[_told(records[one.run]) for one in kept if one.run in records],
            figures=[
                reporting.Drawn(figure=one.figure, rows=one.rows, statements=one.statements)
                for one in kept
                if one.figure
            ],
            share=share,
            notebook=notebook,
        )
    except OptionError as error:
        st.error(markup.sentence(error))
        return
    offer(
        {
            "Take the report away (zip)": File(
                name="report.zip", mime="application/zip", make=partial(reporting.build, asked)
            )
        },
        primary=True,
    )
    st.caption(
        "It is made when it is asked for: some seconds for each figure. Equal runs, figures and words give equal "
        "bytes, as `privgraph report` does from a shell."
    )
    with layout.fold("Look at its page first", "preview", icon=":material/preview:") as part:
        if part.open:
            with st.spinner("The page is being made: some seconds for each figure."):
                st.iframe(reporting.page(asked), height=900, alt="The page of the report")


def _records(kept: list[Kept]) -> dict[str, RunRecord]:
    """The kept runs that can be read."""
    ids = tuple(one.run for one in kept if one.run)
    found = queue.store().find(RunQuery(ids=ids)) if ids else []
    return {one.id: one for one in found if not one.unreadable}


def _told(record: RunRecord) -> reporting.Told:
    store = queue.store()
    try:
        attacks = store.attacks(record.id)
    except Unreadable:
        attacks = []
    return reporting.Told(record=record, events=store.events(record.id), attacks=attacks)


def _list(kept: list[Kept], records: dict[str, RunRecord]) -> None:
    """What was kept, each with the ways to move it and to take it out."""
    for place, one in enumerate(kept):
        with st.container(horizontal=True, vertical_alignment="center", border=True, key=f"kept-{place}"):
            if one.figure:
                st.badge("figure", color="blue", icon=":material/show_chart:")
                chart = chart_of(one.figure, one.rows)
                first, *_ = chart.summary.split(". ")
                st.markdown(f"**{markup.literal(chart.title)}** · {markup.literal(first)}", width="stretch")
            else:
                st.badge("run", color="green", icon=":material/model_training:")
                record = records.get(one.run)
                st.markdown(markup.literal(one.run) if record is None else naming.name(record), width="stretch")
            for icon, help_, call, arguments, idle in (
                ("arrow_upward", "Move up", collected.move, (place, -1), place == 0),
                ("arrow_downward", "Move down", collected.move, (place, 1), place == len(kept) - 1),
                ("close", "Take out", collected.remove, (place,), False),
            ):
                st.button(
                    help_,
                    key=f"{icon}.{place}",
                    icon=f":material/{icon}:",
                    type="tertiary",
                    on_click=call,
                    args=arguments,
                    disabled=idle,
                )
    with st.popover("Begin anew", icon=":material/delete_sweep:"):
        st.caption("All that is kept here, its order, title and remark will be gone. The runs themselves stay.")
        st.button("Empty the report", key="report_clear", type="primary", on_click=collected.clear)
