"""The upload of one's own graph on the Data page: its form, and what is wrong with it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from privgraph.data import upload_columns, upload_lines
from privgraph.data.errors import DataError
from privgraph.data.upload import check_upload
from privgraph.data.upload_columns import Columns
from privgraph.data.upload_faults import faults, in_words
from privgraph_workbench.parts.links import offer
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.views.data import alone, columns, kept
from privgraph_workbench.views.parts import choosing
from privgraph_workbench.words import markup

MOST_UPLOAD_MB = 200
ENDINGS = ("npz", "csv", "txt", "tsv", "graphml", "xml")
_TABLES = (".csv", ".txt", ".tsv")
_REFUSED, _HALVES, _MEANT = "upload_refused", "upload_halves", "upload_meant"
_FOLD = "fold.upload"
SAMPLES = Path(__file__).with_name("samples")
"""Small files of each form, to begin from."""


def button() -> None:
    """Beside the choice of a graph: the way to one's own."""
    st.button(
        "Bring your own graph",
        key="bring",
        icon=":material/upload:",
        on_click=st.session_state.update,
        args=({_FOLD: True, "fold.catalogue": False},),
    )


def form(begin_anew: Callable[[], None]) -> bool:
    """The files, their name, the button; whether files are chosen that are not kept. `begin_anew` is called
    when the page goes over to the new graph. Who comes to bring texts finds it open, in words of texts."""
    brought = st.query_params.get(choosing.BRING)
    texts = brought == choosing.TEXTS
    if brought in (choosing.TEXTS, choosing.GRAPH) and not st.session_state.get("upload_brought"):
        st.session_state[_FOLD] = True
    st.session_state["upload_brought"] = bool(brought)
    label = "Bring your own texts" if texts else "Bring your own graph"
    with st.expander(label, key=_FOLD, icon=":material/upload:", on_change="rerun"):
        if texts:
            st.markdown(
                "Two CSV files with headers: the **texts**, `id,text,domain`, and the **relations** between them, "
                "`source,target`, which name texts by their ids. Two domains need relations inside them: one to learn "
                "in and one to predict in. Both stay on this machine."
            )
        return _fields(begin_anew, texts)


def _fields(begin_anew: Callable[[], None], texts: bool) -> bool:
    with st.expander("What the files must look like", key="fold.upload_help"):
        st.markdown(
            "One of:\n"
            "- **npz** (NumPy arrays): `x` (nodes × features, numbers), `y` (one class number a node, "
            "from 0), "
            "`edge_index` (2 × edges, node numbers); optional `train_mask`, `val_mask`, `test_mask`, "
            "`class_names`, `feature_names`\n"
            "- **two CSV files** with headers: edges `source,target`; nodes `id,label` and one column a "
            "feature\n"
            "- **two CSV files of texts**: relations `source,target`; texts `id,text,domain` and, where there "
            "are any, `label`. A text has 1 to 20,000 letters; two domains need relations inside them, one to "
            "learn in and one to predict in\n"
            "- **GraphML** with a node attribute for the class and numeric attributes\n\n"
            "Edges are read as undirected. The graph stays on this machine; the files are checked "
            "before they are "
            "read, and never run. Columns may have other names: you are asked which is which, and what becomes of "
            "words. A list of edges may be txt or tsv, without a header and with comments above it; by itself it can "
            "be looked at. Commas, semicolons or tabs may stand between columns; with semicolons or tabs, numbers "
            "may have decimal commas.\n\n"
            "Larger graphs, of up to some billion edges, are read piece by piece on the command line: "
            "`privgraph data add FILE ...`. They can be chosen here afterwards, like any other."
        )
    with st.container(width=220):
        offer({"Sample files (zip)": File(name="privgraph-samples.zip", mime="application/zip", make=samples)})
    files = st.file_uploader(  # Streamlit cannot empty one, and a new one is empty
        "Two CSV files: texts and relations" if texts else "One npz or GraphML file, or two CSV (txt, tsv) files",
        type=[*ENDINGS],
        accept_multiple_files=True,
        max_upload_size=MOST_UPLOAD_MB,
        key=_uploader(),
    )
    title = st.text_input("Name it", key="upload_title", max_chars=60, placeholder="My texts" if texts else "My graph")
    if files and not title.strip():
        st.markdown(
            ":material/edit: **It has no name yet.** Without one, every list calls it *Your own graph*, or *Your own "
            "texts*."
        )
    if files:
        edges = alone.found(files[0]) if len(files) == 1 and _is_table(files[0].name) else None
        unfit = "" if edges else _unfit(files)
        meant = columns.Meant()
        if edges:
            alone.show(edges)
        elif unfit:
            st.warning(unfit, icon=":material/draft:")
        else:
            st.caption(f"{len(files)} file{'s' if len(files) > 1 else ''} received.")
            meant = columns.ask(files)
        st.session_state[_MEANT] = meant
        if meant.wrong:
            st.error(meant.wrong)
        if meant.missing:
            st.markdown(f":material/arrow_upward: **{meant.missing}**")
        if not unfit and _lack_domains(files):
            st.checkbox(
                "The texts name no domain: split them into two random halves",
                key=_HALVES,
                help="To try out the prediction of relations. Two halves of one kind say little of a domain that "
                "was never seen; a column `domain` is better.",
            )
        st.button(
            "Check and keep",
            type="primary",
            key="upload_go",
            on_click=_take,
            args=(begin_anew,),
            disabled=bool(unfit or edges or meant.missing or meant.wrong),
        )
    refused, why = st.session_state.get(_REFUSED, ((), ""))
    if files and refused == _ids(files):
        st.error(why)
    if not files:
        kept.reminder()
    return bool(files)


def _unfit(files: Sequence[UploadedFile]) -> str:
    """Why so many files of these kinds are no graph, said before anybody asks; "" where they may be one."""
    names = [file.name for file in files]
    if empty := [f"{markup.literal(file.name)} is empty." for file in files if not file.getvalue().strip()]:
        return " ".join(empty)
    if matrix := [name for name, file in zip(names, files, strict=True) if upload_lines.is_matrix(file.getvalue())]:
        return f"{markup.literal(matrix[0])} is a {markup.literal(upload_lines.NO_MATRIX)}."
    csv = sum(map(_is_table, names))
    if len(names) == 1 == csv and (why := upload_lines.no_table(files[0].getvalue())):
        return f"{markup.literal(names[0])} {markup.literal(why)}."
    if len(names) == 1:
        return "One CSV file is here, and a second is needed: edges and nodes, or relations and texts." * csv
    if len(names) == 2 == csv:
        return ""
    return (
        f"{len(names)} files are here. A graph is **one** npz or GraphML file, or **two** CSV files: take the others "
        "away with the × beside them."
    )


def _is_table(name: str) -> bool:
    return name.lower().endswith(_TABLES)


def _lack_domains(files: Sequence[UploadedFile]) -> bool:
    """Whether two CSV files hold texts that are in no domains."""
    if len(files) != 2:
        return False
    if (meant := st.session_state[_MEANT].columns) is not None:
        return bool(meant.text) and not meant.domain
    return any("text" in header and "domain" not in header for header in upload_columns.headers(files))


def samples() -> bytes:
    """The sample files as one archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(SAMPLES.iterdir()):
            archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes())
    return packed.getvalue()


def _ids(files: Sequence[UploadedFile]) -> tuple[str, ...]:
    return tuple(file.file_id for file in files)


def _uploader() -> str:
    """The name of the field for files: another one after each upload that was kept."""
    count = st.session_state.get(kept.COUNT, 0)
    return f"upload.{count}" if count else "upload"


def _ending(name: str) -> str:
    """The ending of a file's name where it is one that the field takes."""
    return next((f".{one}" for one in ENDINGS if name.lower().endswith(f".{one}")), "")


def _take(begin_anew: Callable[[], None]) -> None:
    """Check and keep the files, and choose the graph; what is wrong is kept for the page to say.

    Of a file name from a browser only a known ending is used, for words: files are told apart by their place
    and content.
    """
    files = st.session_state[_uploader()]
    meant: columns.Meant = st.session_state[_MEANT]
    title = st.session_state["upload_title"].strip()
    try:
        checked = check_upload(
            {f"file {place}{_ending(file.name)}": file for place, file in enumerate(files)},
            columns=meant.columns,
            attributes=meant.attributes,
            halves=bool(st.session_state.get(_HALVES, False)),  # gone where no two files are there to be halved
        )
        name = kept.keep(checked, title)
    except DataError as error:
        st.session_state[_REFUSED] = (_ids(files), _why(files, meant.columns, error))
        return
    st.session_state["upload_title"] = ""
    st.session_state.pop(_HALVES, None)
    st.session_state.pop(_MEANT, None)
    st.session_state[_FOLD] = False  # what is said of it stands there, with its buttons
    choosing.put("data", name)
    begin_anew()


def _why(files: Sequence[UploadedFile], meant: Columns | None, error: DataError) -> str:
    """Why files are refused: the lines that are at fault, where lines are, else what the reader says."""
    found = faults([file.getvalue() for file in files], meant) if len(files) == 2 else None
    if found is None:
        return markup.sentence(error)
    return f"{markup.literal(in_words(found, [file.name for file in files]))}."
