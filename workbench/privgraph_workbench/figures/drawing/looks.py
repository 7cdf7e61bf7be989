"""How a series looks in a theme: colour, dash, marker and hatching, the same for both renderers."""

from __future__ import annotations

from dataclasses import dataclass

from privgraph_workbench.figures.chart import Series
from privgraph_workbench.theme import DASHES, EPSILONS, MARKERS, PATTERNS, Theme

BAND = {"light": 0.18, "dark": 0.28}
"""Opacity of a band by theme: on a dark ground, less of it is seen."""
FAINT = 0.45
"""Opacity of what stands back."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """In plotly's words; the colour as #rrggbb."""

    colour: str
    dash: str
    symbol: str
    hollow: bool
    pattern: str


def look(series: Series, colours: Theme) -> Look:
    """One of the three epsilons looks as itself, wherever it stands, but where it has a shape: there it says
    only whether the mark is filled. Anything else looks as its slot says."""
    mark = EPSILONS[series.epsilon] if series.epsilon is not None else None
    if mark is not None and series.epsilon is not None and series.shape is None:
        colour = getattr(colours, series.epsilon)
        return Look(colour=colour, dash=mark.dash, symbol=mark.symbol, hollow=mark.hollow, pattern=mark.pattern)
    shape = series.slot if series.shape is None else series.shape
    return Look(
        colour=colours.lines[series.slot % len(colours.lines)],
        dash=DASHES[shape % len(DASHES)],
        symbol=MARKERS[shape % len(MARKERS)],
        hollow=series.hollow if mark is None else mark.hollow,
        pattern=PATTERNS[shape % len(PATTERNS)],
    )
