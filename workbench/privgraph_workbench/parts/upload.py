"""The upload of one's own graph: its form, what is wrong with its files, and what was kept."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from privgraph.data import upload_columns as headers
from privgraph.data import upload_lines
from privgraph.data.errors import DataError
from privgraph.data.sizes import TEST, VALIDATION
from privgraph.data.spec import DatasetSpec
from privgraph.data.upload import check_upload
from privgraph.data.upload_categories import ignored
from privgraph.data.upload_checks import Upload, dropped_words
from privgraph.data.upload_columns import Columns
from privgraph.data.upload_faults import faults, in_words
from privgraph.data.upload_lines import EdgeList, edge_list, nodes_to_fill_in
from privgraph.data.uploads import is_kept, name_of, node_ids, rename_upload, save_upload, upload_spec
from privgraph.options import UnknownName
from privgraph_workbench.components import live_plot
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.graphs import degrees
from privgraph_workbench.parts import choosing, in_sight, layout, upload_columns
from privgraph_workbench.parts.links import offer
from privgraph_workbench.parts.upload_columns import Meant
from privgraph_workbench.serving.offered_files import File
from privgraph_workbench.text import fill, page, texts
from privgraph_workbench.words import markup

MOST_UPLOAD_MB = 200
ENDINGS = ("npz", "csv", "txt", "tsv", "graphml", "xml")
_TABLES = (".csv", ".txt", ".tsv")
_REFUSED, _HALVES, _MEANT, _ALONE = "upload_refused", "upload_halves", "upload_meant", "upload_alone"
_KEPT, _COUNT, _FOLD, _BOX = "upload_kept", "uploads_kept", "fold.upload", "kept-notice"
SAMPLES = Path(__file__).with_name("samples")
"""Small files of each form, to begin from."""
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
        with st.popover("What the files must look like", icon=":material/help:"):
            st.markdown(page("upload")[1])
        with st.container(width=220):
            offer({"Sample files (zip)": File(name="privgraph-samples.zip", mime="application/zip", make=samples)})
    files = st.file_uploader(  # Streamlit cannot empty one, and a new one is empty
        told["texts" if of_texts else "files"],
        type=[*ENDINGS],
        accept_multiple_files=True,
        max_upload_size=MOST_UPLOAD_MB,
        key=_uploader(),
    )
    name = "My texts" if of_texts else "My graph"
    title = st.text_input("Name it", key="upload_title", max_chars=60, placeholder=name)
    if not files:
        return False
    if not title.strip():
        st.caption(fill(told["no_name"], name="Your own texts" if of_texts else "Your own graph"))
    edges = _edges_alone(files[0]) if len(files) == 1 and _is_table(files[0].name) else None
    unfit = "" if edges else _unfit(files)
    meant = Meant()
    if edges:
        _look_at(edges)
    elif unfit:
        st.warning(unfit, icon=":material/draft:")
    else:
        st.caption(fill(told["received"], count=len(files)))
        meant = upload_columns.ask(files)
    st.session_state[_MEANT] = meant
    if meant.wrong:
        st.error(meant.wrong)
    if meant.missing:
        st.markdown(f":material/arrow_upward: **{meant.missing}**")
    if not unfit and _lack_domains(files):
        st.checkbox(told["halves"], key=_HALVES, help=told["halves_help"])
    disabled = bool(unfit or edges or meant.missing or meant.wrong)
    st.button("Check and keep", type="primary", key="upload_go", on_click=_take, args=(begin_anew,), disabled=disabled)
    refused, why = st.session_state.get(_REFUSED, ((), ""))
    if refused == _ids(files):
        st.error(why)
    return True


def _edges_alone(file: UploadedFile) -> EdgeList | None:
    """The edges in a file, counted once; None where it holds something else."""
    kept = st.session_state.get(_ALONE)
    if kept is None or kept[0] != file.file_id:
        kept = st.session_state[_ALONE] = (file.file_id, edge_list(file.getvalue()))
    return kept[1]


def _look_at(edges: EdgeList) -> None:
    """Edges without nodes: sizes, degrees, and a file to fill in."""
    with st.container(border=True):
        st.markdown(fill(told["alone"], edges=f"{edges.pairs:,}", nodes=f"{len(edges.degrees):,}"))
        dropped = [*dropped_words(edges.listed, edges.loops, edges.repeated), *ignored(edges=edges.ignored)]
        dropped += [f"{edges.comments}."] if edges.comments else []
        st.caption(" ".join(markup.sentence(note) for note in dropped))
        rows = degrees.data([*edges.degrees.values()])
        live_plot.show(figure_of("degrees").plot(rows, layout.theme()), key="degrees.alone")
        st.markdown(told["fill_in"])
        blank = File(name="nodes.csv", mime="text/csv", make=lambda: nodes_to_fill_in([*edges.degrees]))
        offer({"Nodes to fill in (CSV)": blank})


def _unfit(files: Sequence[UploadedFile]) -> str:
    """Why so many files of these kinds are no graph; "" where they may be one."""
    names = [file.name for file in files]
    if empty := [file.name for file in files if not file.getvalue().strip()]:
        return " ".join(fill(told["empty"], name=markup.literal(name)) for name in empty)
    if matrix := [name for name, file in zip(names, files, strict=True) if upload_lines.is_matrix(file.getvalue())]:
        return f"{markup.literal(matrix[0])} is a {markup.literal(upload_lines.NO_MATRIX)}."
    csv = sum(map(_is_table, names))
    if len(names) == 1 == csv and (why := upload_lines.no_table(files[0].getvalue())):
        return f"{markup.literal(names[0])} {markup.literal(why)}."
    if len(names) == 1:
        return str(told["second"]) * csv
    return "" if len(names) == 2 == csv else fill(told["too_many"], count=len(names))


def _is_table(name: str) -> bool:
    return name.lower().endswith(_TABLES)


def _lack_domains(files: Sequence[UploadedFile]) -> bool:
    """Whether two CSV files hold texts that are in no domains."""
    if len(files) != 2:
        return False
    if (meant := st.session_state[_MEANT].columns) is not None:
        return bool(meant.text) and not meant.domain
    return any("text" in header and "domain" not in header for header in headers.headers(files))


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
    count = st.session_state.get(_COUNT, 0)
    return f"upload.{count}" if count else "upload"


def _take(begin_anew: Callable[[], None]) -> None:
    """Check and keep the files, and choose the graph; what is wrong is kept for the page to say.

    Of a file name from a browser only a known ending is used, for words: files are told apart by their place
    and content.
    """
    files = st.session_state[_uploader()]
    meant: Meant = st.session_state[_MEANT]
    title = st.session_state["upload_title"].strip()
    endings = [next((f".{one}" for one in ENDINGS if file.name.lower().endswith(f".{one}")), "") for file in files]
    try:
        checked = check_upload(
            {f"file {at}{ending}": file for at, (ending, file) in enumerate(zip(endings, files, strict=True))},
            columns=meant.columns,
            attributes=meant.attributes,
            halves=bool(st.session_state.get(_HALVES, False)),  # gone where no two files are there to be halved
        )
        name = _keep(checked, title)
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


# What was kept


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A graph that was kept, or that was there before."""

    name: str
    notes: tuple[str, ...]
    """What became of its edges and columns."""
    had: bool
    title: str
    """What was asked for as its title."""
    other_ids: bool
    """Whether its nodes had other names before."""


def _keep(checked: Upload, title: str) -> str:
    """Store what passed, unless it is there; its name. Raises `UploadError`."""
    name = name_of(checked)
    had = is_kept(name)
    other_ids = had and node_ids(name) != checked.ids
    if not had:
        save_upload(checked, title=title)
    st.session_state[_KEPT] = Kept(name=name, notes=checked.notes, had=had, title=title, other_ids=other_ids)
    st.session_state[_COUNT] = st.session_state.get(_COUNT, 0) + 1
    return name


def notice(spec: DatasetSpec) -> None:
    """That this graph was kept, with its sizes, until somebody has read it."""
    found: Kept | None = st.session_state.get(_KEPT)
    try:
        if found is None or found.name != spec.name or not upload_spec(found.name):
            return
    except UnknownName:
        return
    with st.container(border=True, key=_BOX):
        if found.had:
            _again(spec, found)
        else:
            _new(spec, found.notes)
        in_sight.bring(_BOX, f"{found.name}.{st.session_state[_COUNT]}")


def _new(spec: DatasetSpec, notes: Sequence[str]) -> None:
    sizes = {"nodes": spec.nodes, "edges": spec.edges, "classes": spec.classes}
    if spec.domains:
        sizes = {"texts": spec.nodes, "relations": spec.edges, "domains": len(spec.domains)}
    listed = ", ".join(f"{size:,} {name}" for name, size in sizes.items() if size is not None)
    st.success(fill(told["kept"], title=markup.literal(spec.title), sizes=listed), icon=":material/check_circle:")
    said = [markup.sentence(note) for note in notes]
    if not spec.domains:
        nodes = spec.nodes or 0
        validation, test = round(nodes * VALIDATION), round(nodes * TEST)
        parts = {"train": nodes - validation - test, "validation": validation, "test": test}
        said += [fill(told["split"], **{name: f"{size:,}" for name, size in parts.items()}), told["features"]]
    st.caption(" ".join([*said, fill(told["exported"], name=markup.literal(spec.name))]))
    _close("Close")


def _again(spec: DatasetSpec, found: Kept) -> None:
    """That this graph was there before, and whether it gets another title."""
    said = [fill(told["had"], title=markup.literal(spec.title)), *([told["other_ids"]] if found.other_ids else [])]
    asks = found.title not in ("", spec.title)
    if asks:
        said.append(fill(told["rename"], title=markup.literal(found.title)))
    st.info(" ".join(said), icon=":material/content_copy:")
    with st.container(horizontal=True):
        if asks:
            st.button("Rename", key="upload_rename", on_click=_rename, args=(spec.name, found.title))
        _close("Keep its name" if asks else "Close")


def _close(label: str) -> None:
    st.button(label, key="upload_read", on_click=st.session_state.pop, args=(_KEPT, None))


def _rename(name: str, title: str) -> None:
    rename_upload(name, title)
    st.session_state.pop(_KEPT, None)
