"""How a series looks in a theme: colour, dash, marker and hatching, the same for both renderers."""

from typing import NamedTuple

from privgraph_workbench.figures.chart import Series
from privgraph_workbench.theme import DASHES, EPSILONS, MARKERS, PATTERNS, Theme

BAND = {"light": 0.18, "dark": 0.28}
"""Opacity of a band by theme: on a dark ground, less of it is seen."""
FAINT = 0.45  # of what stands back


class Look(NamedTuple):
    """In plotly's words; the colour as #rrggbb."""

    colour: str
    dash: str
    symbol: str
    pattern: str
    hollow: bool


def look(series: Series, colours: Theme) -> Look:
    """One of the three epsilons looks as itself, wherever it stands, but where it has a shape: there it says
    only whether the mark is filled. Anything else looks as its slot says."""
    if series.epsilon is not None and series.shape is None:
        mark = EPSILONS[series.epsilon]
        return Look(getattr(colours, series.epsilon), mark.dash, mark.symbol, mark.pattern, mark.hollow)
    shape = series.slot if series.shape is None else series.shape
    dash, symbol, pattern = (every[shape % len(every)] for every in (DASHES, MARKERS, PATTERNS))
    hollow = EPSILONS[series.epsilon].hollow if series.epsilon else series.hollow
    return Look(colours.lines[series.slot % len(colours.lines)], dash, symbol, pattern, hollow)
