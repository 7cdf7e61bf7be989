"""What is said of an upload that was kept, or was there before, where its form stood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from privgraph.data.sizes import TEST, VALIDATION
from privgraph.data.spec import DatasetSpec
from privgraph.data.upload_checks import Upload
from privgraph.data.uploads import is_kept, name_of, node_ids, rename_upload, save_upload, upload_spec
from privgraph.options import UnknownName
from privgraph_workbench.serving import shell
from privgraph_workbench.views.data import domains
from privgraph_workbench.views.parts import in_sight
from privgraph_workbench.words import markup

_KEPT = "upload_kept"
COUNT = "uploads_kept"
"""How many uploads were kept, or found to be there, in this tab."""
_BOX = "kept-notice"


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A graph by its `name`, and what became of its edges and columns. Of one that was `had` before: the
    `title` that was asked for, and whether its nodes were called otherwise."""

    name: str
    notes: tuple[str, ...]
    had: bool
    title: str
    other_ids: bool

    @property
    def asks(self) -> bool:
        """Whether a question about its title is open."""
        return self.had and self.title not in ("", upload_spec(self.name).title)


def keep(checked: Upload, title: str) -> str:
    """Store what passed, unless it is there; have the page tell it. Its name. Raises `UploadError`."""
    name = name_of(checked)
    had = is_kept(name)
    other_ids = had and node_ids(name) != checked.ids
    if not had:
        save_upload(checked, title=title)
    st.session_state[_KEPT] = Kept(name=name, notes=checked.notes, had=had, title=title, other_ids=other_ids)
    st.session_state[COUNT] = st.session_state.get(COUNT, 0) + 1
    return name


def last() -> Kept | None:
    """What was kept last, while it is there and nobody has closed what is said of it."""
    found: Kept | None = st.session_state.get(_KEPT)
    try:
        return found if found and upload_spec(found.name) else None
    except UnknownName:
        return None


def reminder() -> None:
    """In the form, emptied, that the last files did not vanish."""
    if (found := last()) is None:
        return
    title = markup.literal(upload_spec(found.name).title)
    if found.asks:
        st.caption("Not kept twice: answer above.")
    elif found.had:
        st.caption(f"Not kept twice: you have it as **{title}**.")
    else:
        st.caption(f"Kept: **{title}**, as is said above.")


def show(spec: DatasetSpec) -> None:
    """That this graph was kept, with its sizes and what is done with it, until somebody has read it."""
    found = last()
    if found is None or found.name != spec.name:
        return
    with st.container(border=True, key=_BOX):
        if found.had:
            _again(spec, found)
        else:
            _new(spec, found.notes)
        in_sight.bring(_BOX, f"{found.name}.{st.session_state[COUNT]}")


def _new(spec: DatasetSpec, notes: Sequence[str]) -> None:
    sizes = (
        f"{spec.nodes:,} texts, {spec.edges:,} relations, {len(spec.domains)} domains"
        if spec.domains
        else f"{spec.nodes:,} nodes (people), {spec.edges:,} edges, {spec.classes} classes"
    )
    st.success(
        f"**{markup.literal(spec.title)} is kept:** {sizes}. It is chosen here, and stands in every list of graphs.",
        icon=":material/check_circle:",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            shell.page("train"),
            label="**Train on it**",
            icon=":material/model_training:",
            query_params={"data": spec.name, **domains.method(spec)},
        )
        _close("Close", tertiary=True)
    if not spec.domains:
        st.markdown(f"- {features_words()}\n- {split_words(spec)}")
    said = " ".join(markup.sentence(note) for note in notes)
    st.caption(f"{said} Exports call it {markup.literal(spec.name)}.")


def features_words() -> str:
    """What becomes of numbers, and what that costs."""
    return (
        "**Features** are learnt from as they are: none is rescaled or centred, so no statistic of them is taken, and "
        "no privacy is spent on one. Columns of very different sizes are best scaled before, by public bounds. "
        "(PrivGNN and prompts combine features into fewer, by their public nodes alone unless you choose otherwise.)"
    )


def split_words(spec: DatasetSpec) -> str:
    """Who trains, validates and tests, and what that costs."""
    nodes = spec.nodes or 0
    validation, test = round(nodes * VALIDATION), round(nodes * TEST)
    own = " Train also offers the split of your file." if spec.public_split else ""
    return (
        f"**Split**: {nodes - validation - test:,} nodes train, {validation:,} validate and {test:,} test, drawn from "
        "the seed of a run and the number of nodes, which counts as public: no privacy is spent on it. (PrivGNN and "
        f"prompts draw private and public nodes of their own.){own}"
    )


def _again(spec: DatasetSpec, found: Kept) -> None:
    """That this graph was there before, and whether it is to be called otherwise."""
    had = markup.literal(spec.title)
    but = ", the same but for the names of nodes, of which the first stay" if found.other_ids else ""
    if not found.asks:
        st.info(f"You already have this graph as **{had}**{but}. It is chosen here.", icon=":material/content_copy:")
        _close("Close", tertiary=True)
        return
    st.info(
        f"You already have this graph as **{had}**{but}: rename it, or keep its name?", icon=":material/content_copy:"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"Rename it to {markup.literal(found.title)}",
            key="upload_rename",
            on_click=_rename,
            args=(spec.name, found.title),
        )
        _close(f"Keep {had}")


def _close(label: str, *, tertiary: bool = False) -> None:
    st.button(
        label,
        key="upload_read",
        type="tertiary" if tertiary else "secondary",
        on_click=st.session_state.pop,
        args=(_KEPT, None),
    )


def _rename(name: str, title: str) -> None:
    rename_upload(name, title)
    st.session_state.pop(_KEPT, None)
