"""What surrounds every page: the list of pages, the log-in where one is configured."""

from __future__ import annotations

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
from privgraph.runs.records import StoreError, Unreadable
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import people
from privgraph_workbench.theme import theme
from privgraph_workbench.words import markup

TITLES = {
    "start": ("Start", ":material/home:"),
    "playground": ("Playground", ":material/toys:"),
    "lessons": ("Lessons", ":material/menu_book:"),
    "data": ("Data", ":material/hub:"),
    "train": ("Train", ":material/model_training:"),
    "accounting": ("Accounting", ":material/calculate:"),
    "teachers": ("Teachers", ":material/school:"),
    "relations": ("Relations", ":material/compare_arrows:"),
    "attacks": ("Attacks", ":material/gavel:"),
    "runs": ("Runs", ":material/list_alt:"),
    "tradeoffs": ("Trade-offs", ":material/balance:"),
    "report": ("Report", ":material/summarize:"),
}
LISTS_RUNS = ("start", "train", "teachers", "relations", "attacks", "audit", "runs", "tradeoffs")
"""Pages that show runs of the store."""
MOVED = {"audit": "attacks"}
"""Addresses of earlier versions, which people have kept, and the page that has taken each in."""


@cache
def folder() -> Path:
    """Where the page scripts are: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "_pages"
    return inside if inside.is_dir() else package.parents[1] / "pages"


def page(name: str) -> StreamlitPage:
    """The page of that name; its URL path is its file's stem; that of the default page is /."""
    title, icon = TITLES[MOVED.get(name, name)]
    return st.Page(
        folder() / f"{name}.py",
        title=title,
        icon=icon,
        url_path="root" if name == "start" else name,
        default=name == "start",
        visibility="hidden" if name in MOVED else "visible",
    )


def pages() -> list[StreamlitPage]:
    return [*(page(name) for name in (*TITLES, *MOVED)), st.Page(_to_start, url_path="start", visibility="hidden")]


def _to_start() -> None:
    """Streamlit serves the default page at / alone: who writes its name into the address is led there."""
    st.switch_page(page("start"), query_params=st.query_params.to_dict())


# Streamlit folds what the bar of pages has no room for: without icons, all of them stand in it on a laptop.
_PAGES = (
    "@media (max-width: 1340px) { [data-testid=stTopNavLink] > span:has([data-testid=stIconMaterial]) "
    "{ display: none; } }"
)

# Streamlit's own button "Stop" ends the drawing of a page, not a run, and would be taken for ours.
_ROOM = (
    ".stMainBlockContainer { padding-top: 4.5rem; padding-bottom: 3rem; }"
    "[data-testid=stStatusWidget] button { display: none; }"
    "[data-testid=stElementContainer]:has(script) { display: none; }"
)
# Streamlit writes white on the theme's colour; on one that is light enough for the dark theme that cannot be
# read.
_DARK_TEXT = (
    "[data-testid^=stBaseButton-primary]:not(:disabled) *, [data-testid=stMultiSelect] [data-tag] * "
    "{ color: #0b1117 !important; }"
)

# A part with this key stays in sight beside a form that is longer than the window.
BESIDE = "beside"
_BESIDE = (
    f"@media (min-width: 900px) {{ [data-testid=stColumn]:has(.st-key-{BESIDE}) > [data-testid=stVerticalBlock] "
    f"{{ height: 100%; }} [data-testid=stLayoutWrapper]:has(> .st-key-{BESIDE}) {{ position: sticky; top: 4.5rem; }} "
    f".st-key-{BESIDE} {{ max-height: calc(100vh - 6rem); overflow-y: auto; }} }}"
)

# Buttons of one choice that go on in a second row where they do not fit, in place of being cut off.
WRAPS = "wraps"
# The switch of the gallery stands in the row of the page's title, where there is room.
GALLERY = "gallery-switch"
_GALLERY = (
    f"@media (min-width: 700px) {{ [data-testid=stLayoutWrapper]:has(> .st-key-{GALLERY}) "
    "{ margin-bottom: -3.5rem; z-index: 2; } }"
)

# Columns of figures stand one below the other on a page that is too narrow for both; cards go on in the next
# row, and say all of their titles.
STACK, CARDS = "stack", "cards"
SECOND_FIRST = "second-first"
"""Of such columns: on a narrow page the second stands above the first. Of a container: on a phone."""
_NARROW = (
    f"@media (max-width: 1000px) {{ [class*=st-key-{STACK}] > [data-testid=stLayoutWrapper] > "
    "[data-testid=stHorizontalBlock] { flex-direction: column; gap: 1rem; } "
    f"[class*=st-key-{STACK}] > [data-testid=stLayoutWrapper] > [data-testid=stHorizontalBlock] > "
    "[data-testid=stColumn] { width: 100%; flex: 1 1 auto; } }"
    f"@media (max-width: 1000px) {{ [class*=st-key-{STACK}-{SECOND_FIRST}] > [data-testid=stLayoutWrapper] > "
    "[data-testid=stHorizontalBlock] { flex-direction: column-reverse; } }"
    f"@media (max-width: 640px) {{ [class^=st-key-{SECOND_FIRST}], [class*=' st-key-{SECOND_FIRST}'] "
    "{ flex-direction: column-reverse; } }"
    f"[class*=st-key-{CARDS}] [data-testid=stHorizontalBlock] {{ flex-wrap: wrap; }}"
    f"[class*=st-key-{WRAPS}] [data-testid=stButtonGroup] div {{ flex-wrap: wrap; }}"
    f"[class*=st-key-{CARDS}] [data-testid=stColumn] {{ min-width: 11rem; }}"
    f"@media (max-width: 640px) {{ [class*=st-key-{CARDS}] [data-testid=stColumn] "
    "{ min-width: 9rem; flex: 1 1 9rem; } "
    f"[class*=st-key-{CARDS}] [data-testid=stMetricValue] {{ font-size: 1.6rem; }} }}"
    "[data-testid=stMetricLabel] p, [data-testid=stMetricLabel] div { white-space: normal; overflow: visible; }"
)

# The filters of a list stand in one row, and on a page that is too narrow for it in rows of equal fields: no
# sixth one is left alone in a last one. On a telephone they are one row that is pushed aside.
FILTERS = "list-filters"
_FILTERS = (
    f".st-key-{FILTERS} [data-testid=stHorizontalBlock] {{ display: grid; gap: 0 0.75rem; "
    "grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); }"
    f".st-key-{FILTERS} [data-testid=stColumn] {{ min-width: 0; width: auto; }}"
    f"@media (max-width: 900px) {{ .st-key-{FILTERS} [data-testid=stHorizontalBlock] {{ grid-auto-flow: row; "
    "grid-template-columns: repeat(3, minmax(0, 1fr)); } }"
    f"@media (max-width: 640px) {{ .st-key-{FILTERS} [data-testid=stHorizontalBlock] {{ grid-auto-flow: column; "
    "grid-template-columns: none; grid-auto-columns: 8.5rem; overflow-x: auto; } }"
)

# What is said of a list stands in one line of texts and small buttons.
LINE = "list-line"
_LINE = (
    f".st-key-{LINE} {{ gap: 0 1rem; min-height: 2.5rem; }}"
    f".st-key-{LINE} :is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer], p) "
    "{ margin: 0 !important; }"
)

# A protected unit is as high as the list beside it, so that both labels stand in one line.
_UNIT = ".st-key-protects [data-testid=stButtonGroup] > div button { min-height: 2.5rem; }"

# Steps of an explanation: cards with a large value, close to what is said of it.
STEPS = "steps"
_STEPS = (
    f".st-key-{STACK}-{STEPS} [data-testid=stColumn] [data-testid=stVerticalBlock] {{ gap: 0.15rem; }}"
    f".st-key-{STACK}-{STEPS} [data-testid=stMetricValue] {{ font-size: 1.6rem; font-weight: 600; }}"
    f".st-key-{STACK}-{STEPS} [data-testid=stMetricValue] * {{ white-space: normal; line-height: 1.25; }}"
)

# Buttons and switches that are texts say all of them, in several lines where the page is narrow.
WHOLE = "whole-texts"
_WHOLE = (
    f".st-key-{WHOLE} button *, .st-key-{WHOLE} label * "
    "{ white-space: normal; overflow: visible; text-overflow: clip; text-align: left; }"
)

# Fields that stand in one row stand below one another on a phone, the last two in one row, and no
# hint at Enter lies over what is typed. Of columns side by side, a phone shows one, which is chosen by tabs
# that a wider page does not need.
FIELDS, TABS, ASIDE = "fields", "tabs", "aside"
_FIELD = f".st-key-{FIELDS} [data-testid=stColumn]"
_TABS = (
    f"@media (max-width: 640px) {{ .st-key-{FIELDS} [data-testid=stHorizontalBlock] {{ gap: 0.4rem; }} "
    f"{_FIELD} {{ flex: 1 1 100%; min-width: 0; }} "
    f"{_FIELD}:nth-last-child(2) {{ flex-basis: 40%; }} {_FIELD}:last-child {{ flex: 0 0 5.5rem; }} "
    "[data-testid=stForm] [data-testid=InputInstructions] { display: none; } }"
    f"@media (min-width: 641px) {{ [data-testid=stLayoutWrapper]:has(> .st-key-{TABS}) {{ display: none; }} }}"
    f"@media (max-width: 640px) {{ [data-testid=stColumn]:has([class*=st-key-{ASIDE}]) {{ display: none; }} }}"
)

# Cards of which one is chosen: radio buttons by nature, so that arrows move among them.
CHOICE = "choice"
_CHOICE = (
    f"[class*=st-key-{CHOICE}] [data-testid=stRadio] {{ width: 100%; }}"
    f"[class*=st-key-{CHOICE}] [data-testid=stRadioGroup] {{ display: grid; grid-template-columns: 1fr; gap: 0.4rem; "
    "width: 100%; padding: 3px; }"
    f"[class*=st-key-{CHOICE}] [data-testid=stRadioGroup] > div {{ position: relative; border: 1px solid "
    "color-mix(in srgb, currentColor 22%, transparent); border-radius: 0.5rem; padding: 0.35rem 0.6rem; }"
    f"[class*=st-key-{CHOICE}] [data-testid=stRadioGroup] > div:hover {{ border-color: currentColor; }}"
    f"[class*=st-key-{CHOICE}] [data-testid=stRadioGroup] > div[data-selected] {{ border-color: PRIMARY; "
    "box-shadow: inset 3px 0 PRIMARY; background: GROUND; }"
    f"[class*=st-key-{CHOICE}] [data-testid=stRadioGroup] > div:has(input:focus-visible) {{ outline: 2px solid "
    "PRIMARY; outline-offset: 1px; }"
    f"[class*=st-key-{CHOICE}] label::after {{ content: ''; position: absolute; inset: 0; cursor: pointer; }}"
    f"[class*=st-key-{CHOICE}] [data-testid=stRadioCaption] p {{ margin: 0; }}"
)

# What decides whether to run stays in sight: below the bar of pages, on a phone at the foot of the window.
BAR = "runbar"
_BAR = (
    f"[data-testid=stLayoutWrapper]:has(> .st-key-{BAR}) {{ position: sticky; top: 3.75rem; z-index: 5; "
    "background: GROUND; }"
    f".st-key-{BAR} {{ border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: 0.5rem; "
    "padding: 0.5rem 0.9rem; background: GROUND; }"
    f".st-key-{BAR}-said [data-testid=stMarkdownContainer] {{ margin: 0 0 0.25rem; }}"
    f".st-key-{BAR}-said p {{ font-size: 0.95rem; line-height: 1.3; margin: 0; }}"
    f".st-key-{BAR} [data-testid=stMetricValue] {{ font-size: 1.35rem; line-height: 1.3; }}"
    f".st-key-{BAR} [data-testid=stMetricValue] * {{ line-height: 1.3; }}"
    f".st-key-{BAR} [data-testid=stMetric] {{ gap: 0; }}"
    f"@media (max-width: 640px) {{ [data-testid=stLayoutWrapper]:has(> .st-key-{BAR}) {{ position: fixed; left: 0; "
    "right: 0; bottom: 0; top: auto; width: 100%; }"
    f".st-key-{BAR} {{ border-radius: 0; padding: 0.4rem 0.6rem; }}"
    f".st-key-{BAR}-row {{ gap: 0.5rem; }} .st-key-{BAR}-said p {{ font-size: 0.8rem; }}"
    f".st-key-{BAR} [data-testid=stMetricDelta], .st-key-{BAR} [data-testid=stMetricLabel] button {{ display: none; }}"
    # the form above says what is chosen: a phone has room for the numbers, the button and its time
    f".st-key-{BAR}-said [data-testid=stMarkdown], .st-key-go-and-time > :nth-child(n + 3) {{ display: none; }}"
    f".st-key-{BAR} [data-testid=stMetricValue] {{ font-size: 1rem; }}"
    f".st-key-{BAR} [data-testid=stMetricLabel] p {{ font-size: 0.75rem; }}"
    f".stMainBlockContainer:has(.st-key-{BAR}) {{ padding-bottom: 11rem; }} }}"
)

# What can be done with what is chosen in a list stays in sight, at the foot of the window.
FOOT = "footbar"
_FOOT = (
    f"[data-testid=stLayoutWrapper]:has(> .st-key-{FOOT}) {{ position: sticky; bottom: 0; z-index: 5; "
    "background: GROUND; }"
    f".st-key-{FOOT} {{ border: 1px solid PRIMARY; border-radius: 0.5rem; padding: 0.4rem 0.9rem; gap: 0.4rem; "
    "background: GROUND; }"
    f".st-key-{FOOT} :is([data-testid=stMarkdownContainer], p) {{ margin: 0 !important; }}"
    f"@media (max-width: 900px) {{ .st-key-{FOOT} .st-key-{FOOT}-row {{ flex-wrap: nowrap; overflow-x: auto; }} "
    f".st-key-{FOOT}-row > * {{ flex: 0 0 auto; }} .st-key-{FOOT}-row button {{ white-space: nowrap; }} }}"
)

# The sentence that a page begins with.
LEAD = "lead"
_LEAD = (
    f".st-key-{LEAD} p {{ font-size: 1.3rem; line-height: 1.45; }}"
    f"@media (max-width: 640px) {{ .st-key-{LEAD} p {{ font-size: 1.1rem; }} }}"
)

# The curve of the Start page has its room before it is drawn: what stands below stays where it is.
CURVE = "start-curve-figure"
_CURVE = (
    f".st-key-{CURVE} {{ min-height: 408px; }} @media (max-width: 640px) {{ .st-key-{CURVE} {{ min-height: 554px; }} }}"
)

# A run's name is read to its end on a telephone, too.
RECENT = "recent-runs"
_RECENT = f".st-key-{RECENT} [data-testid=stPageLink] a * {{ white-space: normal; }}"

# A link to a file looks like the buttons around it.
FILE_LINK, PRIMARY_LINK = "privgraph-file", "privgraph-primary"
BOXED = "boxed-link"
"""What the key of a container begins with whose link to a page looks like the buttons around it."""
GO_ON = "go-on"
"""The key of a container with a link to a page: it looks like the button that a page is for."""
_FILES = (
    f"a.{FILE_LINK} {{ display: block; margin: 0 0 0.5rem; padding: 0.4rem 0.75rem; border-radius: "
    "0.5rem; text-align: center; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); "
    f"color: inherit !important; text-decoration: none !important; }}a.{FILE_LINK}:hover, "
    f"a.{FILE_LINK}:focus-visible {{ border-color: currentColor; }}"
    # a menu of all formats is read whole on a screen of 800 pixels
    f"[data-testid=stPopoverBody] [data-testid=stHtml]:has(> a.{FILE_LINK}:nth-of-type(4)) {{ display: grid; "
    "grid-template-columns: repeat(3, 1fr); gap: 0 0.5rem; }"
    f"a.{PRIMARY_LINK} {{ background: PRIMARY; border-color: PRIMARY; color: GROUND !important; font-weight: 600; }}"
    f"[class*=st-key-{BOXED}] [data-testid=stPageLink] a {{ padding: 0.4rem 0.75rem; border-radius: 0.5rem; "
    "border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }"
    f".st-key-{GO_ON} [data-testid=stPageLink] a {{ background: PRIMARY; padding: 0.4rem 0.75rem; border-radius: "
    f"0.5rem; }}.st-key-{GO_ON} [data-testid=stPageLink] a * {{ color: GROUND !important; }}"
)


def tidy() -> None:
    """Less empty room above a page's title, readable words on coloured ground, one history entry for a
    visit."""
    dark = st.context.theme.type == "dark"
    looks = theme("dark" if dark else "light")
    cards = f"{_CHOICE}{_BAR}{_FOOT}{_LEAD}{_FILES}".replace("PRIMARY", looks.sound).replace("GROUND", looks.background)
    rooms = (
        f"{_ROOM}{_PAGES}{_BESIDE}{_GALLERY}{_NARROW}{_WHOLE}{_TABS}{_CURVE}{_RECENT}{_FILTERS}{_LINE}{_STEPS}{_UNIT}"
    )
    st.html(f"<style>{rooms}{cards}{_DARK_TEXT if dark else ''}</style>")
    st.html(f"<script>{navigation()}</script>", unsafe_allow_javascript=True)


@cache
def navigation() -> str:
    """The script of every page; the gate admits it by its hash."""
    return Path(__file__).with_name("navigation.js").read_text(encoding="utf-8")


def run() -> None:
    """Draw the page that the address names; where the run store refuses, say so in its one sentence."""
    chosen = st.navigation(pages(), position="top")
    if get_script_run_ctx() is not None:  # a module that is merely imported has no tab
        st.set_page_config(page_title=f"{chosen.title} · privgraph")
    if st.session_state.get("visited", ("", 0))[0] != chosen.url_path:
        st.session_state["visited"] = (chosen.url_path, visit() + 1)
    _keep_address()
    _read_address(chosen)
    with guarded():
        if chosen.url_path in (*LISTS_RUNS, ""):
            _switch()
        chosen.run()
        if runtime.exists():
            _keep_modules(chosen.url_path)


def _switch() -> None:
    """One switch for all pages: whether the gallery's runs stand beside one's own. It is drawn by the entry,
    so that it holds from page to page."""
    if not queue.store().has_gallery():
        return
    with st.container(key=GALLERY, horizontal=True, horizontal_alignment="right"):
        st.toggle(
            "Gallery: runs that came along",
            value=True,
            key="gallery",
            bind="query-params",
            help="Finished runs on public graphs that came with the workbench stand beside your own. Switch off to see "
            "yours alone",
        )


def gallery_hidden() -> bool:
    """Whether the reader has switched the gallery off."""
    return get_script_run_ctx() is not None and st.session_state.get("gallery") is False


queue.hide_gallery(gallery_hidden)


def visit() -> int:
    """The number of the visit of a page: another one each time that somebody has come from another page."""
    return int(st.session_state.get("visited", ("", 0))[1])


def _keep_address() -> None:
    """Put back into the address that a link or Back leads to what widgets of the page before had a name for.

    Streamlit takes that out when the page changes, so that nothing of one page stands in the address of
    another. But pages share names, and navigation.js sends the new page's own address alone: without its
    `data`, the form would hold another graph than the one that was asked for.
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
    """Leave out of the address what no widget can begin with: Streamlit's own break on empty and infinite
    values."""
    asked = st.query_params
    bad = [name for name in asked if any(_is_hopeless(name, value) for value in asked.get_all(name))]
    if bad:
        said = [f"{name} has no value {short(asked[name])}" for name in bad if asked[name]]
        st.session_state["left_out"] = said
        left = {name: asked.get_all(name) for name in asked if name not in bad}
        st.switch_page(chosen, query_params=left)
    for text in st.session_state.pop("left_out", ()):
        st.warning(f"In this page's address, {short(text)}; it is left out.")


def _is_hopeless(name: str, value: str) -> bool:
    if not value or name in _TEXTS:
        return not value
    try:
        return not math.isfinite(float(value))
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
    """After the first drawing of a page: what it imported is no longer looked through for garbage.

    Streamlit collects garbage after every drawing, over all objects of the process. That costs several times
    what a tick of a live page does, nearly all of it for objects of modules, which are there for good.
    """
    gc.collect()
    gc.freeze()


def ask_who() -> None:
    """Stops the script with a log-in button, where log-in is configured and nobody on its list is logged
    in."""
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
        who = markup.literal(st.user.get("email") or "You")
        st.warning(f"{who} is not on its list, or your provider has not verified that address.")
        st.button("Log out", on_click=st.logout)
    else:
        st.button("Log in", on_click=st.login, type="primary")
    st.stop()


def _secrets() -> dict[str, object]:
    return dict(st.secrets) if st.secrets.load_if_toml_exists() else {}
