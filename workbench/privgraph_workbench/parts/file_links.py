"""Figures, and links that hand them out as files, each with its privacy statement. A file is made when it is
asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.components import live_plot
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.parts import cart, layout
from privgraph_workbench.parts.links import offer
from privgraph_workbench.report.asked import Entry, mark_of, named
from privgraph_workbench.serving.offered_files import File


def drawn_figure(
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    name: str,
    runs: Sequence[RunRecord] = (),
    plot: go.Figure | None = None,
) -> None:
    """A figure with its files. `name` tells it from others of its kind, by its zoom and the names of its
    files; `plot` is its drawing, where that is at hand."""
    live_plot.show(plot or figure_of(figure).plot(rows, layout.theme()), key=f"{figure}.{name}")
    figure_exports(figure, rows, statements, name=name, runs=runs)


def figure_exports(
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    *,
    name: str,
    runs: Sequence[RunRecord] = (),
) -> None:
    """A menu with every format of the figure, and the way to keep it; `name` begins the files' names. `runs`:
    those whose numbers it shows, where its rows do not name them."""
    from privgraph_workbench.figures.export import FORMATS, export

    def make(kind: str, theme: str) -> bytes:
        return export(figure, rows, statements, kind, theme, made=datetime.now(UTC).date())

    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        # without a help of its own, which would lie over the menu where that opens above its button
        with st.popover("Export", icon=":material/download:", key=f"export.{figure}.{name}"):
            theme = st.segmented_control(
                "Background", ["light", "dark"], default="light", required=True, key=f"export.theme.{figure}.{name}"
            )
            files = {
                kind.upper(): File(
                    name=f"{name}-{figure}.{kind}", mime=mime, make=partial(make, kind, theme or "light")
                )
                for kind, mime in FORMATS.items()
            }
            offer(files)
            st.caption("Each file carries the figure's privacy statement; that of a CSV is the TXT beside it.")
        if figure_of(figure).settings:
            ids = tuple(one.id for one in runs) or named(rows)
            entry = partial(Entry.of, figure, rows, statements, ids)
            cart.button(f"collect.{figure}.{name}", mark_of(figure, rows, ids), entry)
