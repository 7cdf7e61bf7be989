"""What surrounds every page: the list of pages, the log-in where one is configured."""

import gc
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import streamlit as st
from streamlit import runtime
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from privgraph.options import short
from privgraph.runs.records import EXAMPLE, StoreError, Unreadable
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import people
from privgraph_workbench.text import texts
from privgraph_workbench.theme import THEMES
from privgraph_workbench.words import markup

GROUPS: Mapping[str, Mapping[str, list[str]]] = texts("labels")["pages"]
"""The pages of each group, each with its title and icon."""
TITLES = {name: look for group in GROUPS.values() for name, look in group.items()}
LISTS_RUNS = ("", "start", "train", "teachers", "relations", "attacks", "audit", "runs", "tradeoffs")
"""Addresses of pages that show runs of the store."""
MOVED = {"audit": "attacks"}
"""Addresses of earlier versions, which people have kept, and the page that has taken each in."""
PACKAGE = Path(__file__).resolve().parents[1]


@cache
def folder() -> Path:
    """Where the page scripts are: inside an installed package, or beside it in a checkout."""
    inside = PACKAGE / "_pages"
    return inside if inside.is_dir() else PACKAGE.parents[1] / "pages"


def page(name: str) -> StreamlitPage:
    """The page of that name; its URL path is its file's stem; that of the default page is /."""
    title, icon = TITLES[MOVED.get(name, name)]
    return st.Page(
        folder() / f"{name}.py",
        title=title,
        icon=f":material/{icon}:",
        url_path="root" if name == "start" else name,
        default=name == "start",
        visibility="hidden" if name in MOVED else "visible",
    )


def _to_start() -> None:
    """Streamlit serves the default page at / alone: who writes its name into the address is led there."""
    st.switch_page(page("start"), query_params=st.query_params.to_dict())


@lru_cache(maxsize=8)
def read(name: str) -> str:
    """A style sheet or script of every page; the gate admits a script by its hash."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def tidy() -> None:
    """Less empty room above a title, readable words on coloured ground, one history entry for a visit."""
    name = "dark" if st.context.theme.type == "dark" else "light"
    colours = f":root {{ --accent: {THEMES[name].sound}; --ground: {THEMES[name].background}; }}"
    st.html(f'<style class="{name}">{colours}{read("style.css")}</style>')
    st.html(f"<script>{read('navigation.js')}</script>", unsafe_allow_javascript=True)


def run() -> None:
    """Draw the page that the address names; where the run store refuses, say so in its one sentence."""
    st.logo(str(PACKAGE / "static" / "privgraph.svg"), size="large")
    pages = {group: [page(name) for name in names] for group, names in GROUPS.items()}
    led = [*map(page, MOVED), st.Page(_to_start, url_path="start", visibility="hidden")]
    chosen = st.navigation({**pages, "": led}, position="top")
    if get_script_run_ctx() is not None:  # a module that is merely imported has no tab
        st.set_page_config(page_title=f"{chosen.title} · privgraph")
    _keep_address()
    _read_address(chosen)
    with guarded():
        if chosen.url_path in LISTS_RUNS:
            queue.tick()
            _switch()
        chosen.run()
        if runtime.exists():
            _keep_modules(chosen.url_path)


EXAMPLES, MINE = "examples", "mine"
_KEPT = "store.kept"
_RUNS = ("run", "chosen", "private", "bare")
"""Parameters of addresses that name runs."""


def _switch() -> None:
    """One switch for all pages: examples or one's own runs."""
    st.session_state[_KEPT] = st.session_state["store"] = _begins()
    with st.container(key="shown-switch", horizontal=True, horizontal_alignment="right"):
        st.segmented_control(
            "Runs",
            [EXAMPLES, MINE],
            required=True,
            key="store",
            on_change=lambda: st.query_params.update(store=str(st.session_state["store"])),
            format_func={EXAMPLES: "Examples", MINE: "My runs"}.__getitem__,
            label_visibility="collapsed",
            help=texts("labels")["examples"],
        )


def _begins() -> str:
    """What is shown at first: what the address names, else one's own runs where there are any."""
    if (asked := st.query_params.get("store")) in (EXAMPLES, MINE):
        return str(asked)
    if named := next((st.query_params[name] for name in _RUNS if st.query_params.get(name)), ""):
        return EXAMPLES if named.startswith(EXAMPLE) else MINE
    if _KEPT in st.session_state:
        return str(st.session_state[_KEPT])
    return MINE if queue.own().count() else EXAMPLES


def examples_shown() -> bool:
    """Whether pages show the examples."""
    return get_script_run_ctx() is not None and st.session_state.get(_KEPT) == EXAMPLES


queue.show_examples(examples_shown)


def _keep_address() -> None:
    """Put back into the address that a link or Back leads to what widgets of the page before had a name for.

    Streamlit takes that out when the page changes; navigation.js sends the new page's own address alone.
    """
    context = get_script_run_ctx()
    if context is None or not context.is_history_navigation:
        return
    asked = parse_qs(context.query_string, keep_blank_values=True)
    with context.session_state.query_params() as address:
        for name in asked:
            if not address.has_param(name):
                address[name] = asked[name]
        address.set_initial_query_params_from_current()  # what widgets begin with


_TEXTS = ("find", "tagged", "text")
"""Parameters of an address that are words of people, which may be any."""


def _read_address(chosen: StreamlitPage) -> None:
    """Leave empty and infinite values out of the address: Streamlit's widgets break on them."""
    asked = st.query_params
    bad = [name for name in asked if any(_is_hopeless(name, value) for value in asked.get_all(name))]
    if bad:
        st.session_state["left_out"] = [f"{name} has no value {short(asked[name])}" for name in bad if asked[name]]
        st.switch_page(chosen, query_params={name: asked.get_all(name) for name in asked if name not in bad})
    for text in st.session_state.pop("left_out", ()):
        st.warning(f"In this page's address, {short(text)}; it is left out.")


def _is_hopeless(name: str, value: str) -> bool:
    try:
        return not value or (name not in _TEXTS and not math.isfinite(float(value)))
    except ValueError:
        return False


@contextmanager
def guarded() -> Iterator[None]:
    """Where the run store refuses, say so in its one sentence."""
    try:
        yield
    except Unreadable as error:
        st.error(f"{str(error)[:1].upper()}{str(error)[1:]}.")
    except (StoreError, OSError) as error:  # OSError: the folder of the store cannot be made or read
        st.error(f"The run store cannot be used: {markup.literal(error)}.")


def fragment(draw: Callable[..., None], run_every: float | None = None) -> Callable[..., None]:
    """A part of a page that is drawn by itself; where the store is away it says so, and looks again."""

    @wraps(draw)
    def drawn(*arguments: Any) -> None:
        with guarded():
            draw(*arguments)

    return st.fragment(drawn, run_every=run_every)


@lru_cache(maxsize=64)
def _keep_modules(page: str) -> None:
    """Spare what a page imported the collection of garbage that Streamlit makes after every drawing: that
    costs several times what a tick of a live page does."""
    gc.collect()
    gc.freeze()


def ask_who() -> None:
    """Stops the script with a log-in button, where one is configured and nobody on its list is logged in."""
    section = dict(st.secrets).get("auth") if st.secrets.load_if_toml_exists() else None
    if section is None:
        return
    logged_in = st.user.get("is_logged_in") is True
    allowed = section.get("people") if isinstance(section, Mapping) else None
    if logged_in and people.may_enter(st.user.to_dict(), allowed):
        return
    st.title("privgraph")
    st.write("This workbench is for people who are known to its owner.")
    if logged_in:
        who = markup.literal(st.user.get("email") or "You")
        st.warning(f"{who} is not on its list, or your provider has not verified that address.")
        st.button("Log out", on_click=st.logout)
    else:
        st.button("Log in", on_click=st.login, type="primary")
    st.stop()
