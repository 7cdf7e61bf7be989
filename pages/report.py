"""The report: entries in order, its words, and its files, which a process of its own makes."""

from __future__ import annotations

import streamlit as st

from privgraph.options import OptionError
from privgraph_workbench.parts import cart, report_job
from privgraph_workbench.report.asked import LETTERS, Asked, Entry
from privgraph_workbench.text import page, texts
from privgraph_workbench.words.markup import literal, sentence

TOLD = texts("report")["page"]
LABELS = {"title": "Title", "author": "Author", "date": "Date", "remark": "Remarks"}


def save(key: str, mark: str, part: str) -> None:
    """Keep what stands in a field."""
    cart.edit(mark, **{part: st.session_state[key]})


def save_word(name: str) -> None:
    """Keep a word of the report."""
    cart.write_down(**{name: st.session_state[f"report.{name}"]})


def row(one: Entry, place: int, count: int) -> None:
    """An entry with its fields and buttons."""
    mark = one.mark
    with st.container(border=True, key=f"entry-{mark}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{place + 1}. {literal(one.title or cart.named(one))}**")
            if one.examines:
                st.badge(texts("report")["headings"]["evaluator"], color="orange")
                key = f"ticked.{mark}"
                st.checkbox(TOLD["tick"], one.ticked, key=key, on_change=save, args=(key, mark, "ticked"))
            for icon, label, by in (("arrow_upward", "Up", -1), ("arrow_downward", "Down", 1)):
                off = not 0 <= place + by < count
                name = f"{label}.{mark}"
                st.button(
                    "",
                    icon=f":material/{icon}:",
                    key=name,
                    help=label,
                    on_click=cart.move,
                    args=(mark, by),
                    disabled=off,
                )
            st.button(
                "", icon=":material/delete:", key=f"Remove.{mark}", help="Remove", on_click=cart.remove, args=(mark,)
            )
        if one.figure:
            for part, field in (("title", st.text_input), ("caption", st.text_area)):
                key = f"{part}.{mark}"
                field(
                    part.capitalize(),
                    getattr(one, part),
                    max_chars=LETTERS[part],
                    key=key,
                    on_change=save,
                    args=(key, mark, part),
                )


@st.fragment(run_every=1.0)
def progress(asked: Asked) -> None:
    """How far the process is; the page is drawn anew when it has ended."""
    share = report_job.share(asked)
    if share is None:
        st.rerun()
    st.progress(share)


top, reading = page("report")
st.title("Report")
st.markdown(top)
with st.popover("How to read this", icon=":material/help:"):
    st.markdown(reading)

kept = cart.cart()
left, right = st.columns([3, 2], gap="large")
with left:
    for place, one in enumerate(kept.entries):
        row(one, place, len(kept.entries))
    if not kept.entries:
        st.info(TOLD["empty"])
with right:
    for name, label in LABELS.items():
        (st.text_area if name == "remark" else st.text_input)(
            label,
            kept.words.get(name, ""),
            max_chars=LETTERS[name],
            key=f"report.{name}",
            on_change=save_word,
            args=(name,),
        )
    switches = {name: st.toggle(name.capitalize(), True, key=f"report.{name}") for name in ("appendix", "notebook")}

words = {name: kept.words.get(name, "") for name in LABELS}
try:
    asked = Asked(**{**words, "title": words["title"].strip() or "Report"}, **switches, entries=kept.entries)
except OptionError as error:
    if kept.entries:
        st.error(sentence(error))
    st.stop()

made = report_job.made(asked)
if made is None and report_job.share(asked) is None:
    if report_job.failed(asked):
        st.error(TOLD["failed"])
    if st.button("Make the report", type="primary", key="report.make", icon=":material/summarize:"):
        report_job.start(asked)
        st.rerun()
elif made is None:
    progress(asked)
else:
    report_job.offer(made)
    st.iframe(made[report_job.HTML].decode(), height=900, alt="The report")
