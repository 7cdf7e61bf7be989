"""Figures, and links that hand out files; a file is made when it is asked for, and states its privacy."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from html import escape
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.components import live_plot
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.parts import cart, layout
from privgraph_workbench.report.asked import Entry, mark_of, named
from privgraph_workbench.serving.offered_files import File, Shelf
from privgraph_workbench.words.naming import statements_of

_TAB = 'target="_blank" rel="noopener"'
Statements = Mapping[str, PrivacyStatement] | Callable[[], Mapping[str, PrivacyStatement]]


def offer(offered: Mapping[str, File], folder: str = "", *, primary: bool = False) -> None:
    """A link for each file, by its label; one that is shown has a tab of its own. `folder` tells files apart
    that leave with the same name; `primary`: it is what the page is for."""
    looks = "privgraph-file privgraph-primary" if primary else "privgraph-file"
    shelf: Shelf = st.session_state.setdefault("shelf", Shelf())
    st.html(
        "".join(
            f'<a class="{looks}" href="{escape(shelf.offer(file, folder + file.name))}" '
            f"{_TAB if file.shown else 'download'}>{escape(label)}</a>"
            for label, file in offered.items()
        )
    )


def drawn_figure(
    figure: str,
    rows: Sequence[Row],
    name: str,
    runs: Sequence[RunRecord] = (),
    statements: Statements | None = None,
    plot: go.Figure | None = None,
) -> None:
    """A figure with its files. `name` tells it from others of its kind, by its zoom and the names of its
    files; `plot` is its drawing, where that is at hand."""
    live_plot.show(plot or figure_of(figure).plot(rows, layout.theme()), key=f"{figure}.{name}")
    figure_exports(figure, rows, name, runs, statements)


def _notebook(figure: str, told: Callable[[], bytes]) -> bytes:
    from privgraph_workbench.report.notebook import of_figure

    return of_figure(figure, told())


def figure_exports(
    figure: str,
    rows: Sequence[Row],
    name: str,
    runs: Sequence[RunRecord] = (),
    statements: Statements | None = None,
) -> None:
    """A menu with every format of the figure, and the way to keep it; `name` begins the files' names. `runs`:
    those whose numbers it shows, and whose statements its files carry where no others are given."""
    from privgraph_workbench.figures.export import FORMATS, export

    def held() -> Mapping[str, PrivacyStatement]:
        return statements_of(runs) if statements is None else statements() if callable(statements) else statements

    def make(kind: str, theme: str) -> bytes:
        return export(figure, rows, held(), kind, theme, made=datetime.now(UTC).date())

    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        # without a help of its own, which would lie over the menu where that opens above its button
        with st.popover("Export", icon=":material/download:", key=f"export.{figure}.{name}"):
            shared: dict[str, Any] = {"default": "light", "required": True, "key": f"export.theme.{figure}.{name}"}
            theme = st.segmented_control("Background", ["light", "dark"], **shared)
            files = {
                kind.upper(): File(name=f"{name}-{figure}.{kind}", mime=mime, make=partial(make, kind, theme))
                for kind, mime in FORMATS.items()
            }
            book = partial(_notebook, figure, partial(make, "json", theme))
            files["IPYNB"] = File(name=f"{name}-{figure}.ipynb", mime="application/x-ipynb+json", make=book)
            offer(files)
            st.caption("Each file carries the figure's privacy statement; that of a CSV is the TXT beside it.")
        if figure_of(figure).settings:
            ids = tuple(one.id for one in runs) or named(rows)
            mark = mark_of(figure, rows, ids)
            cart.button(f"collect.{figure}.{name}", mark, lambda: Entry.of(figure, rows, held(), ids))
