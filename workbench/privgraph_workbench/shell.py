"""What surrounds every page: the list of pages, the log-in where one is configured."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit import runtime
from streamlit.navigation.page import StreamlitPage

from privgraph.runs.records import StoreError
from privgraph_workbench import people, words

TITLES = {
    "start": ("Start", ":material/home:"),
    "data": ("Data", ":material/hub:"),
    "train": ("Train", ":material/model_training:"),
    "accounting": ("Accounting", ":material/calculate:"),
    "teachers": ("Teachers", ":material/school:"),
    "audit": ("Audit", ":material/gavel:"),
    "runs": ("Runs", ":material/list_alt:"),
    "tradeoffs": ("Trade-offs", ":material/balance:"),
}


@cache
def folder() -> Path:
    """Where the page scripts are: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "_pages"
    return inside if inside.is_dir() else package.parents[1] / "pages"


def page(name: str) -> StreamlitPage:
    """The page of that name; its URL path is its file's stem (the default page is served at / as well)."""
    title, icon = TITLES[name]
    return st.Page(folder() / f"{name}.py", title=title, icon=icon, url_path=name, default=name == "start")


def pages() -> list[StreamlitPage]:
    return [page(name) for name in TITLES]


# Streamlit's own button "Stop" ends the drawing of a page, not a run, and would be taken for ours.
_ROOM = (
    ".stMainBlockContainer { padding-top: 4.5rem; padding-bottom: 3rem; }"
    "[data-testid=stStatusWidget] button { display: none; }"
)
# Streamlit writes white on the theme's colour; on one that is light enough for the dark theme that cannot be read.
_DARK_TEXT = "[data-testid=stBaseButton-primary]:not(:disabled) *, [data-testid=stMultiSelect] [data-tag] * { color: #0b1117 !important; }"


def tidy() -> None:
    """Less empty room above a page's title than Streamlit leaves, and readable words on coloured ground."""
    dark = st.context.theme.type == "dark"
    st.html(f"<style>{_ROOM}{_DARK_TEXT if dark else ''}</style>")


def run() -> None:
    """Draw the page that the address names; where the run store refuses, say so in its one sentence."""
    chosen = st.navigation(pages(), position="top")
    try:
        chosen.run()
        if runtime.exists():
            _keep_modules(chosen.url_path)
    except (StoreError, OSError) as error:  # OSError: the folder of the store cannot be made or read
        st.error(f"The run store cannot be used: {words.literal(error)}.")


@cache
def _keep_modules(page: str) -> None:
    """After the first drawing of a page: what it imported is no longer looked through for garbage.

    Streamlit collects garbage after every drawing, over all objects of the process. That costs several times
    what a tick of a live page does, nearly all of it for objects of modules, which are there for good.
    """
    gc.collect()
    gc.freeze()


def ask_who() -> None:
    """Stops the script with a log-in button, where log-in is configured and nobody on its list is logged in."""
    section = _secrets().get("auth")
    if section is None:
        return
    logged_in = st.user.get("is_logged_in") is True
    allowed = section.get("people") if isinstance(section, Mapping) else None
    if logged_in and people.may_enter(st.user.to_dict(), allowed):
        return
    st.title("privgraph")
    st.write("This workbench is for people who are known to its owner.")
    if logged_in:
        who = words.literal(st.user.get("email") or "You")
        st.warning(f"{who} is not on its list, or your provider has not verified that address.")
        st.button("Log out", on_click=st.logout)
    else:
        st.button("Log in", on_click=st.login, type="primary")
    st.stop()


def _secrets() -> dict[str, object]:
    return dict(st.secrets) if st.secrets.load_if_toml_exists() else {}
