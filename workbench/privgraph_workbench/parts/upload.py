"""The upload of one's own graph: its files, what their columns mean, what was understood, and what was
kept."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from privgraph.data.errors import DataError
from privgraph.data.own.adding import Added, added, tables, understood
from privgraph.data.own.columns import EdgesAlone, apart, degrees_of
from privgraph.data.own.description import Description, Question, Unclear
from privgraph.data.own.frames import Frame
from privgraph.data.own.given import Given
from privgraph.data.own.limits import Limits
from privgraph.data.spec import DatasetSpec
from privgraph.data.uploads import rename_upload, upload_spec
from privgraph.options import UnknownName
from privgraph_workbench.components import live_plot
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.graphs import degrees
from privgraph_workbench.parts import choosing, in_sight, layout
from privgraph_workbench.parts.links import offer
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.text import fill, page, texts
from privgraph_workbench.words import markup

MOST_UPLOAD_MB = 200
LIMITS = Limits(file_bytes=MOST_UPLOAD_MB * 1_000_000)
_REFUSED, _KEPT, _COUNT, _FOLD, _BOX = "upload_refused", "upload_kept", "uploads_kept", "fold.upload", "kept-notice"
_READ = "upload_read_files"
SAMPLES = Path(__file__).with_name("samples")
"""Small files of each form, to begin from."""
OF_NODES = {"label": "Class of a node", "id": "Name of a node", "text": "Text", "domain": "Domain of a text"}
OF_EDGES = {"source": "One end of an edge", "target": "The other end", "weight": "Weight of an edge"}
told = texts("data")["upload"]


def open_fold() -> None:
    """Open the form, and close the catalogue."""
    st.session_state.update({_FOLD: True, "fold.catalogue": False})


def form(begin_anew: Callable[[], None]) -> bool:
    """Draw the form; whether files are chosen that are not kept.

    Args:
        begin_anew: Called when the page goes over to the new graph.
    """
    brought = st.query_params.get(choosing.BRING)
    of_texts = brought == choosing.TEXTS
    if brought in (choosing.TEXTS, choosing.GRAPH) and not st.session_state.get("upload_brought"):
        st.session_state[_FOLD] = True
    st.session_state["upload_brought"] = bool(brought)
    label = f"Bring your own {'texts' if of_texts else 'graph'}"
    with st.expander(label, key=_FOLD, icon=":material/upload:", on_change="rerun"):
        return _fields(begin_anew, of_texts)


def _fields(begin_anew: Callable[[], None], of_texts: bool) -> bool:
    with st.container(horizontal=True):
        with st.popover("What the files may look like", icon=":material/help:"):
            st.markdown(page("upload")[1])
        with st.container(width=220):
            offer({"Sample files (zip)": File(name="privgraph-samples.zip", mime="application/zip", make=samples)})
    files = st.file_uploader(  # Streamlit cannot empty one, and a new one is empty
        told["texts" if of_texts else "files"],
        accept_multiple_files=True,
        max_upload_size=MOST_UPLOAD_MB,
        key=_uploader(),
    )
    st.text_input("Name it", key="upload_title", max_chars=60, placeholder="My texts" if of_texts else "My graph")
    if not files:
        return False
    said = _described(files)
    ready = said is not None and _understood(files, said)
    st.button(
        "Check and keep",
        type="primary",
        key="upload_go",
        on_click=_take,
        args=(files, said, begin_anew),
        disabled=not ready,
    )
    refused, why = st.session_state.get(_REFUSED, ((), ""))
    if refused == _ids(files):
        st.error(why)
    return True


def _ids(files: Sequence[UploadedFile]) -> tuple[str, ...]:
    return tuple(file.file_id for file in files)


def _uploader() -> str:
    """The name of the field for files: another one after each upload that was kept."""
    count = st.session_state.get(_COUNT, 0)
    return f"upload.{count}" if count else "upload"


def _frames(files: Sequence[UploadedFile], said: Description) -> list[Frame]:
    """The tables in the files, read once. Raises `UploadError`."""
    mark = (*_ids(files), said.lines)
    kept = st.session_state.get(_READ)
    if kept is None or kept[0] != mark:
        given = [Given.of(file.name, file.getvalue()) for file in files]
        kept = st.session_state[_READ] = (mark, tables(given, said, LIMITS))
    return list(kept[1])


# What columns mean


def _described(files: Sequence[UploadedFile]) -> Description | None:
    """What is said of the files: roles of columns, and answers to what was asked; None where they cannot be
    read."""
    mark = ".".join(_ids(files))
    answers: dict[str, Question] = st.session_state.setdefault(f"upload_asked.{mark}", {})
    said = Description()
    for question in answers.values():
        said = replace(said, **{question.key: _answer(question, mark)})
    parted = _parted(files, said, answers)
    if parted is None:
        return None
    frames, (edges, nodes) = parted
    with st.expander("Which column is which", key=f"fold.columns.{mark}", icon=":material/view_column:"):
        found: dict[str, Any] = {}
        if len(frames) == 2 and not any(frame.pairs is not None for frame in frames):
            places = {markup.literal(frame.name): at for at, frame in enumerate(frames)}
            at = list(places).index(markup.literal(edges.name))
            found["edges"] = places[
                st.radio("The edges are in", places, at, key=f"columns.edges.{mark}", horizontal=True)
            ]
            parted = _parted(files, replace(said, edges=found["edges"]), answers)
            if parted is None:
                return None
            _, (edges, nodes) = parted
        for place, (frame, roles) in zip(st.columns(2), ((nodes, OF_NODES), (edges, OF_EDGES)), strict=True):
            for role, label in roles.items():
                key = f"columns.{role}.{mark}"
                found[role] = place.selectbox(label, frame.columns, None, key=key, placeholder=told["guessed"])
        for role in ("features", "split", "ignore"):
            picked = st.multiselect(
                role.capitalize(), nodes.columns, key=f"columns.{role}.{mark}", placeholder=told["guessed"]
            )
            found[role] = tuple(picked) or None
    chosen = {role: value for role, value in found.items() if value is not None}
    return replace(said, **chosen)


def _parted(
    files: Sequence[UploadedFile], said: Description, answers: dict[str, Question]
) -> tuple[list[Frame], tuple[Frame, Frame]] | None:
    """The tables, and which of them are edges and nodes; None where the page says why not, or asks."""
    try:
        frames = _frames(files, said)
        return frames, apart(frames, said)
    except Unclear as error:
        _one_more(error, answers)
    except EdgesAlone as error:
        _look_at(error.edges)
    except DataError as error:
        st.error(markup.sentence(error))
    return None


def _answer(question: Question, mark: str) -> Any:
    """The answer to a question; None until there is one."""
    key = f"answer.{question.key}.{mark}"
    if question.key == "missing":
        return st.number_input(markup.literal(question.about), value=None, key=key, placeholder=told["number"])
    means = {markup.literal(means): value for value, means in question.choices}
    if question.key in ("id", "label", "source", "target"):
        means = {markup.literal(f"{value}: {means}"): value for value, means in question.choices}
    return means.get(str(st.radio(markup.literal(question.about), means, None, key=key)))


def _one_more(error: Unclear, answers: dict[str, Question]) -> None:
    """Ask what is asked, unless it stands there."""
    if error.question.key not in answers:
        answers[error.question.key] = error.question
        st.rerun()


def _understood(files: Sequence[UploadedFile], said: Description) -> bool:
    """Show what was understood of the files, once for each description; whether it is a graph."""
    mark = ".".join(_ids(files))
    kept = st.session_state.get("upload_understood")
    if kept is None or kept[0] != (mark, said):
        try:
            with understood(_frames(files, said), said, LIMITS) as (taken, _):
                kept = ((mark, said), tuple(taken.summary), "")
        except Unclear as error:
            _one_more(error, st.session_state[f"upload_asked.{mark}"])
            return False
        except DataError as error:
            kept = ((mark, said), (), markup.sentence(error))
        st.session_state["upload_understood"] = kept
    if kept[2]:
        st.error(kept[2])
    else:
        _table(kept[1])
    return not kept[2]


def _table(summary: Sequence[Sequence[str]]) -> None:
    rows = [{"understood": what, "": value} for what, value in summary]
    st.dataframe(rows, hide_index=True, alt="What was understood")


def _look_at(edges: Frame) -> None:
    """Edges without nodes: sizes, degrees, and a file to fill in."""
    found: Counter[str] = degrees_of(edges)
    with st.container(border=True):
        st.markdown(fill(told["alone"], edges=f"{sum(found.values()) // 2:,}", nodes=f"{len(found):,}"))
        live_plot.show(figure_of("degrees").plot(degrees.data([*found.values()]), layout.theme()), key="degrees.alone")
        blank = "id,label,feature\n" + "".join(f"{name},,\n" for name in found)
        offer({"Nodes to fill in (CSV)": File(name="nodes.csv", mime="text/csv", make=blank.encode)})


def samples() -> bytes:
    """The sample files as one archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(SAMPLES.iterdir()):
            archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes())
    return packed.getvalue()


# What was kept


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A graph that was kept, or that was there before. `title` is what was asked for, and `other_ids` whether
    its nodes had other names before."""

    found: Added
    title: str


def _take(files: Sequence[UploadedFile], said: Description, begin_anew: Callable[[], None]) -> None:
    """Check and keep the files, and choose the graph; what is wrong is kept for the page to say."""
    title = st.session_state["upload_title"].strip()
    try:
        with understood(_frames(files, said), said, LIMITS) as (taken, folder):
            kind = " and ".join(dict.fromkeys(Path(file.name).suffix.lstrip(".").lower()[:12] for file in files))
            found = added(folder, taken, kind=kind, title=title or Path(files[-1].name).stem)
    except DataError as error:
        st.session_state[_REFUSED] = (_ids(files), markup.sentence(error))
        return
    st.session_state[_KEPT] = Kept(found=found, title=title)
    st.session_state[_COUNT] = st.session_state.get(_COUNT, 0) + 1
    st.session_state["upload_title"] = ""
    st.session_state[_FOLD] = False  # what is said of it stands there, with its buttons
    choosing.put("data", found.name)
    begin_anew()


def notice(spec: DatasetSpec) -> None:
    """That this graph was kept, with what was understood, until somebody has read it."""
    kept: Kept | None = st.session_state.get(_KEPT)
    try:
        if kept is None or kept.found.name != spec.name or not upload_spec(spec.name):
            return
    except UnknownName:
        return
    with st.container(border=True, key=_BOX):
        title, asks = markup.literal(spec.title), kept.found.before and kept.title not in ("", spec.title)
        if kept.found.before:
            st.info(fill(told["had"], title=title), icon=":material/content_copy:")
        else:
            st.success(fill(told["kept"], title=title, name=markup.literal(spec.name)), icon=":material/check_circle:")
            _table(kept.found.summary)
        with st.container(horizontal=True):
            if asks:
                st.button("Rename", key="upload_rename", on_click=_rename, args=(spec.name, kept.title))
            st.button("Close", key="upload_read", on_click=st.session_state.pop, args=(_KEPT, None))
        in_sight.bring(_BOX, f"{spec.name}.{st.session_state[_COUNT]}")


def _rename(name: str, title: str) -> None:
    rename_upload(name, title)
    st.session_state.pop(_KEPT, None)
