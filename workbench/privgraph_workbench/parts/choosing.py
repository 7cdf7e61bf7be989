"""Selectors of graphs and runs: people read titles there, and the address keeps names.

Streamlit's own binding would write titles into the address: words of people, which may be equal, change or be
private.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.data.spec import DatasetSpec
from privgraph.options import parameters
from privgraph.registry import METHODS, MethodSpec
from privgraph.runs.records import RunRecord
from privgraph_workbench.forms import fields, widgets
from privgraph_workbench.text import fill, texts
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
    """Equal titles are numbered from the second on: a selector would take one for the other.

    >>> titles({"a": "Ring", "b": "Ring", "c": "Star"})
    {'a': 'Ring', 'b': 'Ring (2)', 'c': 'Star'}
    """
    seen: Counter[str] = Counter()
    numbered: dict[str, str] = {}
    for name, title in named.items():
        text = title
        while text in numbered.values():
            seen[title] += 1
            text = f"{title} ({seen[title] + 1})"
        numbered[name] = text
    return numbered


def one(
    label: str,
    titles: Mapping[str, str],
    key: str,
    *,
    moved: Callable[[], object] | None = None,
    row: bool = False,
    **rest: Any,
) -> str:
    """The name that is chosen: of the address, else on this page, else (for what is in `ALONG`) on one
    before. `moved` is called when somebody chooses another. As a `row`, they are a few buttons; else a list
    that opens.

    Streamlit's selectors hold titles, and titles change while a page is open (a run gets a namesake). So what
    is chosen is kept by its name, and told to the selector at each drawing: also where it is the first, for
    want of what was chosen among others, which the browser would go on showing.
    """
    held, asked = st.session_state, st.query_params.get(key)
    along = asked is None and key in ALONG
    there = [asked, held.get(_BEFORE + key) if along else None, held.get(key)]
    known = [name for name in there if name in titles]
    if known:
        held[key] = known[0]
        if known[0] in there[:2]:
            put(key, str(known[0]))
    elif held.get(key) is not None and titles:  # a title of the drawing before, or not offered any more
        held[key] = held.get(_LAST + key) if held.get(_LAST + key) in titles else next(iter(titles))
    else:
        held.pop(key, None)

    def keep() -> None:
        # gone where the page was left in the same moment; or a title of the drawing before
        if held.get(key) in titles:
            put(key, str(held[key]))
            if moved is not None:
                moved()

    shared: dict[str, Any] = {"key": key, "format_func": lambda name: titles[name], "on_change": keep, **rest}
    if row:
        chosen = st.segmented_control(label, list(titles), required=True, **shared)
    else:
        chosen = st.selectbox(label, list(titles), **shared)
    held[_LAST + key] = chosen
    return str(chosen)


def method(titles: Mapping[str, str], refused: Mapping[str, str | None], hint: str | None = None) -> MethodSpec:
    """The method, of those that have a title; where the address names another one, why that is refused."""
    asked, first = st.query_params.get("method"), METHODS[next(iter(titles))]
    if asked is not None and asked not in titles:
        widgets.leave(asked)
        reason = markup.sentence(refused.get(asked) or f"there is no {asked[:80]} here")
        st.warning(fill(texts("labels")["instead"], reason=reason, title=first.title))
        forget("method")
    name = one("Method", titles, "method", moved=widgets.turn, help=hint)
    widgets.turned(name)
    return METHODS[name]


def unit(method: MethodSpec, units: Collection[str]) -> str:
    """Who is protected, of these units; at first as the method has it."""
    known = next(one for one in parameters(method.load_config()) if one.name == "unit")
    titles = {str(one): WHO.get(str(one), str(one)) for one in known.option.choices if one in units}
    if not {st.query_params.get("unit"), st.session_state.get("unit")} & titles.keys():
        st.session_state["unit"] = str(known.default) if str(known.default) in titles else [*titles][-1]
    return one("Who is protected", titles, "unit", row=True, width="stretch", help=fields.help(known))


def put(key: str, name: str) -> None:
    """Choose this name from now on: here, in the address, and on the pages that are opened next."""
    st.session_state[key] = st.session_state[_BEFORE + key] = st.query_params[key] = name


def begin(key: str, titles: Collection[str], name: str) -> None:
    """Choose this name where nothing of these was chosen: by the address, here, or on a page before."""
    held = (st.query_params.get(key), st.session_state.get(key), st.session_state.get(_BEFORE + key))
    if not any(one in titles for one in (held if key in ALONG else held[:2])):
        put(key, name)


def forget(*keys: str) -> None:
    """Choose these anew at the next drawing."""
    for key in keys:
        for held in (key, _BEFORE + key, _LAST + key):
            st.session_state.pop(held, None)
        st.query_params.pop(key, None)


def within(key: str, offered: Collection[str]) -> None:
    """Forget a choice that is not offered any more."""
    if st.session_state.get(key, next(iter(offered))) not in offered:
        del st.session_state[key]


def several(place: DeltaGenerator, label: str, titles: Mapping[str, str], key: str, **rest: Any) -> list[str]:
    """The names that are chosen, none or more."""
    # none, too, is told to the selector: the browser would go on showing what was chosen before
    st.session_state[key] = [name for name in st.query_params.get_all(key) if name in titles]

    def keep() -> None:
        if (held := st.session_state.get(key)) is not None:  # gone where the page was left in the same moment
            st.query_params[key] = [name for name in held if name in titles]

    return list(
        place.multiselect(label, list(titles), key=key, format_func=lambda name: titles[name], on_change=keep, **rest)
    )
