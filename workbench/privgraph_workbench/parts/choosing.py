"""Selectors of graphs and runs: people read titles there, and the address keeps names.

Streamlit's own binding would write titles into the address: words of people, which may be equal, change or be
private.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.files import available
from privgraph.data.spec import DatasetSpec
from privgraph.options import UnknownName, parameters
from privgraph.registry import METHODS, MethodSpec
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.marks import distinct
from privgraph_workbench.forms import fields, widgets
from privgraph_workbench.parts import layout
from privgraph_workbench.text import texts
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.meaning import WHO

ALONG = ("data", "run", "private", "bare")
"""What goes along to the next page: Streamlit forgets what a page's fields held when another is opened."""
BRING, TEXTS, GRAPH = "bring", "texts", "graph"
"""In the address of the Data page: that it is opened to bring one's own, and what."""
_BEFORE, _LAST = "before.", "last."


def graphs(specs: Iterable[DatasetSpec]) -> dict[str, str]:
    """The title of each graph, by name; no two are equal."""
    return titles({spec.name: spec.title for spec in specs})


def runs(records: Iterable[RunRecord]) -> dict[str, str]:
    """What each run was, by id; no two are equal."""
    held = list(records)
    return dict(zip((one.id for one in held), naming.labels(held, whole=True), strict=True))


def titles(named: Mapping[str, str]) -> dict[str, str]:
    """Equal titles are numbered from the second on: a selector would take one for the other."""
    return dict(zip(named, distinct(named.values()), strict=True))


def one(
    label: str,
    titles: Collection[str],
    key: str,
    *,
    first: str | None = None,
    refused: Callable[[str], str] | None = None,
    moved: Callable[[], object] | None = None,
    row: bool = False,
    **rest: Any,
) -> str:
    """The name that is chosen: of the address, else (for what is in `ALONG`) on a page before, else on this.

    Streamlit's selectors hold titles, and titles change while a page is open (a run gets a namesake). So what
    is chosen is kept by its name, and told to the selector at each drawing.

    Args:
        titles: What stands for each name, where that is not the name itself.
        first: The name that is chosen where nobody has chosen; by default the first of all.
        refused: Says, as Markdown, why a name of the address is none of these.
        moved: Called when somebody chooses another.
        row: A few buttons; else a list that opens.
    """
    held, asked, shown = st.session_state, st.query_params.get(key), dict(zip(titles, titles, strict=True))
    shown |= titles if isinstance(titles, Mapping) else {}
    if asked is not None and asked not in titles:
        widgets.leave_out(key, asked, refused and refused(asked))
        asked = None
    before = held.get(_BEFORE + key) if asked is None and key in ALONG else None
    last = held.get(_LAST + key) if held.get(key) is not None else None  # a title of the drawing before
    name = next((one for one in (asked, before, held.get(key), last) if one in shown), None)
    if name is None and first is not None:
        asked = name = first
    held[key] = next(iter(shown), None) if name is None else name
    if name is not None and name in (asked, before):
        put(key, name)

    def keep() -> None:
        # gone where the page was left in the same moment; or a title of the drawing before
        if held.get(key) in titles:
            put(key, str(held[key]))
            if moved is not None:
                moved()

    shared: dict[str, Any] = {"key": key, "format_func": shown.__getitem__, "on_change": keep, **rest}
    draw: Any = partial(st.segmented_control, required=True) if row else st.selectbox
    held[_LAST + key] = str(draw(label, list(shown), **shared))
    return str(held[_LAST + key])


def method(titles: Mapping[str, str], refused: Mapping[str, str | None], hint: str | None = None) -> MethodSpec:
    """The method, of those that have a title; where the address names another one, why that is refused."""
    asked = st.query_params.get("method")
    if asked is not None and asked not in titles:
        widgets.leave(asked)
        widgets.leave_out("method", asked, markup.literal(refused.get(asked) or ""))
        forget("method")
    name = one("Method", titles, "method", moved=widgets.turn, help=hint)
    widgets.turned(name)
    return METHODS[name]


def unit(method: MethodSpec, units: Collection[str]) -> str:
    """Who is protected, of these units; at first as the method has it."""
    known = next(one for one in parameters(method.load_config()) if one.name == "unit")
    titles = {str(one): WHO.get(str(one), str(one)) for one in known.option.choices if one in units}
    if not {st.query_params.get("unit"), st.session_state.get("unit")} & titles.keys():
        st.session_state["unit"] = str(known.default) if known.default in titles else [*titles][-1]
    return one("Who is protected", titles, "unit", row=True, width="stretch", help=fields.help(known))


def here(name: str) -> DatasetSpec | None:
    """The data set of that name; where its files are not on this machine, the way to them."""
    with suppress(UnknownName, DataError):
        if available(spec := dataset(name)):
            return spec
    st.info(texts("labels")["away"], icon=":material/folder_off:")
    layout.link("data", "Data", data=name)
    return None


def put(key: str, name: str) -> None:
    """Choose this name from now on: here, in the address, and on the pages that are opened next."""
    st.session_state[key] = st.session_state[_BEFORE + key] = st.query_params[key] = name


def forget(*keys: str) -> None:
    """Choose these anew at the next drawing."""
    for key in keys:
        for held in (key, _BEFORE + key, _LAST + key):
            st.session_state.pop(held, None)
        st.query_params.pop(key, None)


def within(key: str, offered: Collection[str]) -> None:
    """Forget a choice, kept by Streamlit under its name, that is not offered (any more)."""
    asked = st.query_params.get(key)
    if asked is not None and asked not in offered and key not in st.session_state:
        widgets.leave_out(key, asked)
    if st.session_state.get(key, next(iter(offered))) not in offered:
        del st.session_state[key]


def several(place: DeltaGenerator, label: str, titles: Mapping[str, str], key: str, **rest: Any) -> list[str]:
    """The names that are chosen, none or more."""
    asked = st.query_params.get_all(key)
    for name in asked:
        if name not in titles:
            widgets.leave_out(key, name)
    # none, too, is told to the selector: the browser would go on showing what was chosen before
    st.session_state[key] = [name for name in asked if name in titles]

    def keep() -> None:
        if (held := st.session_state.get(key)) is not None:  # gone where the page was left in the same moment
            st.query_params[key] = [name for name in held if name in titles]

    return list(place.multiselect(label, list(titles), key=key, format_func=titles.__getitem__, on_change=keep, **rest))
