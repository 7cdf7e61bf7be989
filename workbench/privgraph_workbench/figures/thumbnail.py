"""A figure as a stamp: its marks and lines alone, for a list in which it is told apart from others."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

from privgraph_workbench.figures import chart_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.export import drawing
from privgraph_workbench.theme import theme as looks

INCHES, DPI = (2.2, 1.5), 110
"""Its size: twice that at which it is shown, for screens of fine pixels."""


def png(figure: str, rows: Sequence[Row], theme: str = "light") -> bytes:
    """The figure without words and legend: at this size nobody reads them. Raises `ValueError` for an unknown
    figure or theme."""
    from privgraph_workbench.figures.drawing.with_matplotlib import draw  # slow to import

    chart = chart_of(figure, rows)
    bare = replace(
        chart,
        badges=(),
        notes=(),
        series=tuple(replace(one, legend=False) for one in chart.series),
    )
    with drawing():
        drawn = draw(bare, theme, titled=False)
        for axes in drawn.axes:
            for place in ("left", "center", "right"):
                axes.set_title("", loc=place)
            for one in (axes.xaxis.label, axes.yaxis.label):
                one.set_text("")
            for one in axes.texts:
                one.set_visible(False)
            axes.tick_params(labelbottom=False, labelleft=False, labelright=False, length=0, which="both")
            if legend := axes.get_legend():
                legend.remove()
        for part in (drawn, *drawn.subfigs):
            for legend in part.legends:
                legend.remove()
        drawn.set_size_inches(*INCHES)
        written = io.BytesIO()
        drawn.savefig(written, format="png", dpi=DPI, facecolor=looks(theme).background)
    return written.getvalue()
