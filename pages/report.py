"""The report: entries in order, its words, and its files, which a process of its own makes.

The files lie in the home, by a digest of what was asked.
"""

import hashlib
import io
import shutil
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import streamlit as st

from privgraph.home import home
from privgraph.options import OptionError
from privgraph_workbench.figures import figure_of
from privgraph_workbench.parts import cart, layout
from privgraph_workbench.parts.links import offer
from privgraph_workbench.report.archive import HTML, PDF
from privgraph_workbench.report.asked import LETTERS, Asked, Entry
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.text import texts
from privgraph_workbench.words.markup import literal, sentence

TOLD = texts("report")["page"]
HEADINGS = texts("report")["headings"]
LABELS = {"title": "Title", "author": "Author", "date": "Date", "remark": "Remarks"}
ARCHIVE = "report.zip"
FILES = {"Archive": (ARCHIVE, "application/zip"), "PDF": (PDF, "application/pdf"), "Page": (HTML, "text/html")}


def save(key: str, mark: str, part: str) -> None:
    cart.edit(mark, **{part: st.session_state[key]})


def save_word(name: str) -> None:
    with cart.changing() as held:
        held.words[name] = st.session_state[f"report.{name}"]


def named(one: Entry) -> str:
    """What an entry is called where it has no title."""
    graphs = dict.fromkeys(str(row["graph"]) for row in one.rows if row.get("graph"))
    title = figure_of(one.figure).title if one.figure else HEADINGS["settings"]
    return f"{title}: {', '.join(graphs)}" if graphs else title


def row(one: Entry, place: int, count: int) -> None:
    mark = one.mark
    with st.container(border=True, key=f"entry-{mark}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{place + 1}. {literal(one.title or named(one))}**")
            if one.examines:
                st.badge(HEADINGS["evaluator"], color="orange")
                key = f"ticked.{mark}"
                st.checkbox(TOLD["tick"], one.ticked, key=key, on_change=save, args=(key, mark, "ticked"))
            for label, by in (("Up", -1), ("Down", 1)):
                icon, off = f":material/arrow_{label.lower()}ward:", not 0 <= place + by < count
                shared = {"key": f"{label}.{mark}", "help": label, "disabled": off, "args": (mark, place + by)}
                st.button("", icon=icon, on_click=cart.move, **shared)
            shared = {"key": f"Remove.{mark}", "help": "Remove", "args": (mark, None)}
            st.button("", icon=":material/delete:", on_click=cart.move, **shared)
        for part, field in (("title", st.text_input), ("caption", st.text_area)) if one.figure else ():
            key = f"{part}.{mark}"
            shared = {"key": key, "on_change": save, "args": (key, mark, part), "max_chars": LETTERS[part]}
            field(part.capitalize(), getattr(one, part), **shared)


# The process that makes the files; a tab that was closed leaves it to the next


@st.cache_resource
def at_work() -> dict[str, subprocess.Popen[bytes]]:
    return {}


def start(folder: Path, asked: Asked) -> None:
    """Start the process, unless another tab has; what was made before goes."""
    if share(folder) is not None:
        return
    for old in folder.parent.glob("*"):
        if old.name not in at_work() or at_work()[old.name].poll() is not None:
            shutil.rmtree(old, ignore_errors=True)
    folder.mkdir(parents=True)
    given = folder / "asked.json"
    given.write_text(asked.json(), encoding="utf-8")
    command = [sys.executable, "-m", "privgraph_workbench.report.archive", str(given), str(folder / ARCHIVE)]
    with (folder / "progress").open("wb") as told, (folder / "log").open("wb") as log:
        at_work()[folder.name] = subprocess.Popen(command, stdout=told, stderr=log, stdin=subprocess.DEVNULL)


def share(folder: Path) -> float | None:
    process = at_work().get(folder.name)
    if process is None or process.poll() is not None:
        return None
    told = (folder / "progress").read_text().split()
    return float(told[-1]) if told else 0.0


@st.fragment(run_every=1.0)
def progress(folder: Path) -> None:
    if (done := share(folder)) is None:
        st.rerun()
    st.progress(done)


def show(packed: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        made = {HTML: archive.read(HTML), PDF: archive.read(PDF), ARCHIVE: packed}
    files = {
        label: File(name=name, mime=mime, make=partial(made.__getitem__, name), shown=name == HTML)
        for label, (name, mime) in FILES.items()
    }
    offer(files, folder="report/", primary=True)
    st.iframe(made[HTML].decode(), height=900, alt="The report")


layout.head("report")
layout.reading("report")
kept = cart.cart()
left, right = st.columns([3, 2], gap="large")
with left:
    for place, one in enumerate(kept.entries):
        row(one, place, len(kept.entries))
    if not kept.entries:
        st.info(TOLD["empty"])
with right:
    for name, label in LABELS.items():
        field, most = st.text_area if name == "remark" else st.text_input, LETTERS[name]
        shared = {"key": f"report.{name}", "on_change": save_word, "args": (name,)}
        field(label, kept.words.get(name, ""), max_chars=most, **shared)
    switches = {name: st.toggle(name.capitalize(), True, key=f"report.{name}") for name in ("appendix", "notebook")}
words = {name: kept.words.get(name, "") for name in LABELS}
try:
    asked = Asked(**{**words, "title": words["title"].strip() or "Report"}, **switches, entries=kept.entries)
except OptionError as error:
    if kept.entries:
        st.error(sentence(error))
    st.stop()
folder = home() / "reports" / hashlib.sha256(asked.json().encode()).hexdigest()[:16]
if (folder / ARCHIVE).is_file():
    show((folder / ARCHIVE).read_bytes())
elif share(folder) is not None:
    progress(folder)
else:
    if folder.is_dir():
        st.error(TOLD["failed"])
    if st.button("Make the report", type="primary", key="report.make", icon=":material/summarize:"):
        start(folder, asked)
        st.rerun()
