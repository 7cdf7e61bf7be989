"""Links that hand out figures as files, each with its privacy statement. A file is made when it is asked
for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from html import escape

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord, StoredEvent, Unreadable
from privgraph_workbench import live_plot
from privgraph_workbench.figures import FIGURES, chart_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving.offered_files import File, Shelf
from privgraph_workbench.serving.styles import FILE_LINK, PRIMARY_LINK
from privgraph_workbench.views.parts import collected, layout

_TAB = 'target="_blank" rel="noopener"'
FIGURE_ONLY, WHOLE = "Figure with warnings", "All that it states"
"""What stands below an exported picture."""


def figure_exports(
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    *,
    name: str = "",
    label: str = "Export",
    runs: Sequence[RunRecord] = (),
    advice: str = "",
    finish: Callable[[Sequence[Row]], Sequence[Row]] | None = None,
) -> None:
    """A menu with every format of the figure, and the way to keep it; `name` begins the files' names. `runs`:
    those whose numbers it shows, where its rows do not name them; `advice`: what it says to take, in
    Markdown, which a report takes along; `finish`: makes of the rows those of a file, where that takes too
    long for a drawing."""
    from privgraph_workbench.figures.export import FORMATS, export

    def make(kind: str, theme: str, whole: bool) -> bytes:
        held = rows if finish is None else finish(rows)
        return export(figure, held, statements, kind, theme, whole=whole, made=datetime.now(UTC).date())

    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        # without a help of its own, which would lie over the menu where that opens above its button
        with st.popover(label, icon=":material/download:", key=f"export.{figure}.{name}"):
            theme = st.segmented_control(
                "Background", ["light", "dark"], default="light", required=True, key=f"export.theme.{figure}.{name}"
            )
            below = st.segmented_control(
                "Below a picture",
                [FIGURE_ONLY, WHOLE],
                default=FIGURE_ONLY,
                required=True,
                key=f"export.below.{figure}.{name}",
                help=f"{FIGURE_ONLY}: title, warnings, protected unit and each ε stay in the picture, and all that it "
                "states is in the TXT, for a caption. Every picture has it in its metadata, too",
            )
            offer(
                {
                    kind.upper(): File(
                        name=f"{name or 'privgraph'}-{figure}.{kind}",
                        mime=mime,
                        make=partial(make, kind, theme or "light", below == WHOLE),
                    )
                    for kind, mime in FORMATS.items()
                }
            )
            st.caption("Each file carries the figure's privacy statement; that of a CSV is the TXT beside it.")
        collected.button(
            f"collect.{figure}.{name}",
            [collected.figure(figure, rows, statements, [one.id for one in runs], advice)],
            f"{FIGURES[figure]}{', with what to take,' * bool(advice)} as it is now: leave with all that you kept on "
            "the page Report",
        )


def offer(offered: Mapping[str, File], folder: str = "", *, primary: bool = False) -> None:
    """A link for each file, by its label; one that is shown has a tab of its own. `folder` tells files apart
    that leave with the same name; `primary`: it is what the page is for."""
    looks = f"{FILE_LINK} {PRIMARY_LINK}" if primary else FILE_LINK
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
    statements: Mapping[str, PrivacyStatement],
    record: RunRecord,
    view: str = "",
    on_drag: Callable[[str, float], None] | None = None,
    runs: Sequence[RunRecord] = (),
) -> None:
    """A figure of a run, or of several (`runs`), with its exports; each `view` of it keeps its own zoom, and
    names its own files."""
    live_plot.show(draw(chart_of(figure, rows), layout.theme()), key=f"{figure}{view}.{record.id}", on_drag=on_drag)
    figure_exports(figure, rows, statements, name=f"{record.id}{view}", runs=runs or [record])


def report_menu(record: RunRecord, events: Sequence[StoredEvent], stands: Sequence[Row]) -> None:
    """A finished run as a page of its own, and the way to keep it for a report of several. `stands`: the rows
    of where its accuracy stands."""
    _report(record, events, stands)
    collected.button(
        f"collect.{record.id}",
        collected.runs([record.id]),
        "All of this run: what came out, its statement in full, and the command",
    )


def _attacks_on(record: RunRecord) -> list[AttackRecord] | None:
    """All attacks on the run; None where another version has kept them."""
    try:
        return queue.store().attacks(record.id)
    except Unreadable:
        return None


def _report(record: RunRecord, events: Sequence[StoredEvent], stands: Sequence[Row]) -> None:
    """The report of a run, for oneself or for others."""
    from privgraph_workbench import report

    with st.popover(
        "Save this page", icon=":material/description:", help="Results, figures and the whole statement on one page"
    ):
        share = st.toggle(
            "For others: leave the seed out",
            key=f"report.share.{record.id}",
            value=True,
            help="A seed says which nodes were held out, and is nobody else's business",
        )
        kinds = (
            ("HTML page", report.html, "html", "text/html"),
            ("Markdown", report.markdown, "md", "text/markdown"),
        )
        offer(
            {
                label: File(
                    name=f"{record.spec.method}-{record.spec.dataset.replace(':', '-')}-report.{suffix}",
                    mime=mime,
                    make=partial(make, record, list(events), _attacks_on(record), stands, share=share),
                )
                for label, make, suffix, mime in kinds
            },
            folder=f"{record.id}/",
        )
