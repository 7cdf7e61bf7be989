"""Links that hand out figures as files, each with its privacy statement. A file is made when it is asked
for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter

import streamlit as st

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.named_runs import named
from privgraph_workbench.parts import cart, layout
from privgraph_workbench.parts.links import offer
from privgraph_workbench.report.asked import Entry, mark_of
from privgraph_workbench.serving.offered_files import File


def figure_exports(
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    *,
    name: str = "",
    label: str = "Export",
    runs: Sequence[RunRecord] = (),
    finish: Callable[[Sequence[Row]], Sequence[Row]] | None = None,
) -> None:
    """A menu with every format of the figure, and the way to keep it; `name` begins the files' names. `runs`:
    those whose numbers it shows, where its rows do not name them; `finish`: makes of the rows those of a
    file, where that takes too long for a drawing."""
    from privgraph_workbench.figures.export import FORMATS, export

    def make(kind: str, theme: str) -> bytes:
        held = rows if finish is None else finish(rows)
        return export(figure, held, statements, kind, theme, made=datetime.now(UTC).date())

    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        # without a help of its own, which would lie over the menu where that opens above its button
        with st.popover(label, icon=":material/download:", key=f"export.{figure}.{name}"):
            theme = st.segmented_control(
                "Background", ["light", "dark"], default="light", required=True, key=f"export.theme.{figure}.{name}"
            )
            offer(
                {
                    kind.upper(): File(
                        name=f"{name or 'privgraph'}-{figure}.{kind}",
                        mime=mime,
                        make=partial(make, kind, theme or "light"),
                    )
                    for kind, mime in FORMATS.items()
                }
            )
            st.caption("Each file carries the figure's privacy statement; that of a CSV is the TXT beside it.")
        if figure_of(figure).settings:
            ids = tuple(map(attrgetter("id"), runs)) or named(rows, ())
            entry = partial(Entry.of, figure, rows, statements, ids)
            cart.button(f"collect.{figure}.{name}", mark_of(figure, rows, ids), entry)


def drawn_figure(
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    record: RunRecord,
    view: str = "",
    runs: Sequence[RunRecord] = (),
) -> None:
    """A figure of a run, or of several (`runs`), with its exports; each `view` of it keeps its own zoom, and
    names its own files."""
    live_plot.show(figure_of(figure).plot(rows, layout.theme()), key=f"{figure}{view}.{record.id}")
    figure_exports(figure, rows, statements, name=f"{record.id}{view}", runs=runs or [record])
