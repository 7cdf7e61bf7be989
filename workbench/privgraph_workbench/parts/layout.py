"""How a page is laid out: its theme, parts that fold, links to itself."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from privgraph.data.errors import DataError
from privgraph.options import OptionError, UnknownName
from privgraph.privacy.rounding import upper
from privgraph.runs.records import StoreError
from privgraph_workbench.serving import shell
from privgraph_workbench.text import page, texts
from privgraph_workbench.words import markup

T = TypeVar("T")


def head(name: str) -> None:
    """The title of a page, and its question."""
    st.title(shell.TITLES[name][0])
    st.markdown(page(name)[0])


def reading(name: str) -> None:
    """What explains a page."""
    with st.popover("How to read this", icon=":material/help:"):
        st.markdown(page(name)[1])


def fold(label: str, key: str, *, icon: str | None = None, opened: bool = False) -> ExpanderContainer:
    """A part of a page that need not be made before somebody asks for it: `open` says whether it is
    wanted."""
    return st.expander(label, key=f"fold.{key}", icon=icon, expanded=opened, on_change="rerun")


def folded(label: str, key: str, draw: Callable[[], object], *, icon: str, opened: bool = False) -> None:
    """A part that is made when it is opened."""
    with fold(label, key, icon=f":material/{icon}:", opened=opened) as part:
        if part.open:
            draw()


def columns(key: str, widths: int | Sequence[int], gap: Literal["medium", "large"] = "large") -> list[DeltaGenerator]:
    """Columns that stand one below the other where a page is too narrow for figures side by side."""
    return st.container(key=f"stack-{key}").columns(widths, gap=gap)


Number = tuple[str, str, str | None] | tuple[str, str, str | None, str | None]
"""Its label, itself, a help, and what is said below it."""


def numbers(boxes: Iterable[Number]) -> None:
    """Numbers side by side."""
    with st.container(horizontal=True):
        for label, value, help_, *below in boxes:
            said = below[0] if below else None
            st.metric(label, value, said, delta_color="off", delta_arrow="off", help=help_ or None, width="content")


def table(
    frame: Any, helps: Mapping[str, str], labels: Mapping[str, str], formats: Mapping[str, str], **more: Any
) -> Any:
    """A table whose columns have a help each; those with a format are numbers. `more` goes to Streamlit, and
    gives what was chosen."""
    config: dict[str, Any] = {}
    for name, help_ in helps.items():
        label = labels.get(name, name.replace("_", " "))
        config[name] = st.column_config.Column(label, help=help_)
        if name in formats:
            config[name] = st.column_config.NumberColumn(label, help=help_, format=formats[name])
    return st.dataframe(frame, hide_index=True, column_config=config, **more)


def up(value: float | None, digits: int = 4) -> float | None:
    """A bound for a table, rounded up; None where there is none."""
    return float(upper(value, digits)) if value is not None and math.isfinite(value) else None


@contextmanager
def refusals() -> Iterator[None]:
    """Show what is refused inside in its one sentence."""
    try:
        yield
    except (StoreError, OptionError, DataError, UnknownName, OSError) as error:
        st.error(markup.sentence(error))


def awaited(read: Callable[..., T | None], *of: Any) -> T | None:
    """What another process reads; a message in its place until it has, or why it cannot."""

    def look() -> None:
        st.info(texts("labels")["reading"], icon="⏳")
        with suppress(DataError, OptionError, UnknownName):  # the page itself says so
            if read(*of) is None:
                return
        st.rerun()

    found = None
    with refusals():
        if (found := read(*of)) is None:
            shell.fragment(look, run_every=1.0)()
    return found


def theme() -> str:
    """light or dark, as the reader sees the page."""
    return "dark" if st.context.theme.type == "dark" else "light"


def link(name: str, label: str, icon: str = "", /, **query: str) -> None:
    """A link to another page of this app."""
    st.page_link(shell.page(name), label=label, icon=f":material/{icon}:" if icon else None, query_params=query)


def address(name: str, /, **query: str) -> None:
    """The full address of a page of this app, for copying."""
    here = urlsplit(st.context.url or "http://localhost/")
    whole = urlunsplit((here.scheme, here.netloc, f"/{name}", urlencode(query), ""))
    st.code(whole, language=None, wrap_lines=True)
