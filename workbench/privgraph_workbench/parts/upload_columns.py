"""Which column of one's own files is what: ends of edges, the class, categories; seen before anything is
kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from privgraph.data import upload_columns, upload_look
from privgraph.data.errors import UploadError
from privgraph.data.upload_categories import MOST
from privgraph.data.upload_columns import Columns
from privgraph.data.upload_graphml import Attributes
from privgraph.data.upload_look import Look
from privgraph.data.upload_rows import PAIRS
from privgraph.data.upload_texts import are_texts
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup

_LOOK, _ENDS = "upload_look", "upload_ends"
_SAMPLE = 3
_NAMED = 8
"""Classes, or values of a column, that a sentence names."""
_ASKED = 12
"""Columns of words that are asked about one by one; further ones are left out."""
OUT, CODE = "leave out", "one-hot: 0 or 1 for each"
told = texts("data")["upload"]


@dataclass(frozen=True, kw_only=True)
class Meant:
    """What was said of two CSV files, or of a GraphML file; `missing` is what must be said first, and `wrong`
    why no file of this kind can be read."""

    columns: Columns | None = None
    attributes: Attributes | None = None
    missing: str = ""
    wrong: str = ""


def ask(files: Sequence[UploadedFile]) -> Meant:
    """Ask what is what, where files have columns or attributes that could be meant otherwise."""
    if len(files) == 1:
        head = files[0].getvalue()[:64].lstrip(b"\xef\xbb\xbf \r\n\t")
        return _graphml(files[0]) if head.startswith(b"<") else Meant()
    found = upload_columns.headers(files)
    if len(found) != 2 or min(map(len, found)) < 2:
        return Meant()
    if upload_columns.are_known(found) and any(map(are_texts, found)):
        return Meant()
    return _csv(files, found)


def _look(files: Sequence[UploadedFile], place: int) -> Look | None:
    """A look at the nodes of a file, taken once. Raises `UploadError` for GraphML that is not well-formed."""
    mark = (files[place].file_id, len(files))
    kept = st.session_state.get(_LOOK)
    if kept is None or kept[0] != mark:
        look = upload_look.graphml_nodes(files[0]) if len(files) == 1 else upload_look.csv_nodes(files[place])
        kept = st.session_state[_LOOK] = (mark, look)
    return kept[1]


def _graphml(file: UploadedFile) -> Meant:
    try:
        look = _look([file], 0)
    except UploadError as error:
        return Meant(wrong=markup.sentence(error))
    if look is None or not look.columns:
        return Meant()
    with st.container(border=True):
        has = "label" in look.columns
        st.markdown(told["attributes"] if has else f"{told['attributes']} {fill(told['lost'], names='`label`')}")
        label = _pick(
            "Class of a node", ("", *look.columns), "label" if has else "", file.file_id, "What is to be predicted"
        )
        left_out, one_hot = _features(look, (label,), file.file_id)
        lacking = _seen(look, label)
    if not label:
        return Meant(missing=told["no_class"])
    return Meant(missing=lacking, attributes=Attributes(label=label, left_out=left_out, one_hot=one_hot))


def _csv(files: Sequence[UploadedFile], found: Sequence[tuple[str, ...]]) -> Meant:
    words = [upload_columns.in_words(file) for file in files]
    guessed = upload_columns.guess(found)
    mark = ".".join(file.file_id for file in files)
    with st.container(border=True):
        heading = st.empty()
        edges = st.radio(
            "The edges are in",
            (0, 1),
            index=guessed.edges,
            key=f"columns.edges.{mark}",
            horizontal=True,
            format_func=lambda place: markup.literal(f"{files[place].name}: {', '.join(found[place])}"[:60]),
        )
        guessed = upload_columns.guess(found, edges, words[1 - edges])
        pairs, nodes = found[edges], found[1 - edges]
        heading.markdown(f"{told['columns']} {_blamed(pairs, nodes)}")
        place = f"{edges}.{mark}"
        first, second, third = st.columns(3)
        with first:
            source = _pick("One end of an edge", pairs, guessed.source, place)
            target = _pick("The other end", pairs, guessed.target, place)
        with second:
            name = _pick("Name of a node", nodes, guessed.id, place)
            classes = [one for one in nodes if one != name]
            label = _pick("Class of a node", ("", *classes), guessed.label, place)
        with third:
            text = _pick("Text", ("", *nodes), guessed.text, place, none="none")
            domain = _pick("Domain of a text", ("", *nodes), guessed.domain, place, none="none") if text else ""
        left_out: tuple[str, ...] = ()
        one_hot: tuple[str, ...] = ()
        lacking = ""
        look = _look(files, 1 - edges)
        if not text and look is not None:
            left_out, one_hot = _features(look, (name, label), f"{place}.{name}")
            lacking = _seen(look, label)
        apart = _strangers(files, edges, source, target, name)
    meant = Columns(
        edges=edges,
        source=source,
        target=target,
        id=name,
        label=label,
        text=text,
        domain=domain,
        left_out=left_out,
        one_hot=one_hot,
    )
    if not label and not text:
        return Meant(columns=meant, missing=apart or told["no_class"])
    plain = Columns(edges=edges, source="source", target="target", id="id", label="label")
    return Meant(columns=None if meant == plain and [*pairs] == PAIRS else meant, missing=apart or lacking)


def _strangers(files: Sequence[UploadedFile], edges: int, source: str, target: str, name: str) -> str:
    """Warn of ends of edges that no node is called by; what must be mended first where none is one."""
    mark = (*(file.file_id for file in files), edges, source, target, name)
    kept = st.session_state.get(_ENDS)
    if kept is None or kept[0] != mark:
        found = upload_look.known_ends(files[edges], files[1 - edges], source, target, name)
        kept = st.session_state[_ENDS] = (mark, found)
    if kept[1] is None:
        return ""
    known, ends = kept[1]
    if known == ends:
        return ""
    columns = ", ".join(map(markup.literal, (source, target, name)))
    st.warning(fill(told["ends"], known=f"{known:,}", ends=f"{ends:,}", columns=columns), icon=":material/link_off:")
    return "" if known else str(told["no_ends"])


def _blamed(pairs: Sequence[str], nodes: Sequence[str]) -> str:
    """Which of the names that are read are missing."""
    lost = [f"`{name}` of the edges" for name in PAIRS if name not in pairs]
    lost += [f"`{name}` of the nodes" for name in ("id", "label") if name not in nodes]
    return fill(told["lost"], names=", ".join(lost)) if lost else ""


def _pick(label: str, choices: Sequence[str], held: str, mark: str, help_: str = "", none: str = "") -> str:
    """A choice that begins empty where nothing is `held`, unless `none` is a choice itself."""
    options = choices if none else [one for one in choices if one]
    chosen = st.selectbox(
        label,
        options,
        index=options.index(held) if held or none else None,
        key=f"columns.{label}.{mark}",
        format_func=lambda one: one or none,
        placeholder="choose one",
        help=help_ or None,
    )
    return str(chosen or "")


def _features(look: Look, taken: Sequence[str], mark: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which columns are left out, and of which every category becomes a feature."""
    words = [one for one in look.words if one not in taken and one in look.columns]
    numbers = [one for one in look.columns if one not in taken and one not in words]
    left_out, one_hot = words[_ASKED:], list[str]()
    if words:
        st.markdown(told["words"])
        places = st.columns(min(3, len(words)))
        for at, column in enumerate(words[:_ASKED]):
            values = look.counts(column)
            many = len(values) > MOST
            with places[at % len(places)]:
                chosen = st.selectbox(
                    f"{markup.literal(column)} (values: {len(values):,})",
                    [OUT] if many else [OUT, CODE],
                    key=f"columns.words.{column}.{mark}",
                    help=fill(told["many"], most=MOST) if many else _named(values, _NAMED),
                )
            (one_hot if chosen == CODE else left_out).append(column)
        if one_hot:
            st.caption(told["public"])
        if len(words) > _ASKED:
            st.caption(fill(told["left"], count=len(words) - _ASKED))
    if numbers:
        left_out += st.multiselect(
            told["numbers"],
            numbers,
            key=f"columns.left_out.{mark}",
            placeholder=fill(told["all_numbers"], count=len(numbers)),
        )
    return tuple(left_out), tuple(one_hot)


def _named(values: dict[str, int], most: int) -> str:
    """Values and how often each is there, the commonest first."""
    first = sorted(values.items(), key=lambda pair: -pair[1])[:most]
    said = ", ".join(f"{markup.literal(value[:40] or 'none')} ({count:,})" for value, count in first)
    return said + ", …" * (len(values) > most)


def _seen(look: Look, label: str) -> str:
    """How many nodes are of which class, and the first rows, before anything is kept; what must be mended
    first."""
    lacking = ""
    if label in look.columns:
        counts, column, rows = look.counts(label), markup.literal(label), f"{len(look.rows):,}"
        if none := counts.pop("", 0):
            lacking = fill(told["unclassed"], column=column, count=f"{none:,}")
        slots = {"column": column, "count": f"{len(counts):,}", "rows": rows}
        st.markdown(fill(told["classes"], values=_named(counts, _NAMED), **slots))
        if len(counts) < 2:
            st.warning(told["one_class"], icon=":material/category:")
        elif len(look.rows) < upload_look.FEW * len(counts):
            st.warning(fill(told["few"], **slots), icon=":material/category:")
    st.dataframe(
        [dict(zip(look.columns, row, strict=True)) for row in look.rows[:_SAMPLE]],
        hide_index=True,
        alt="The first rows of the nodes",
    )
    return lacking
