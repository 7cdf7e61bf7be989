"""The legend of a chart that is printed: its columns, and what stands in each."""

from __future__ import annotations

from dataclasses import replace

from privgraph_workbench.figures.chart import Chart, Series
from privgraph_workbench.words.markup import wrapped

HANDLE = 0.75
"""Inches of what stands before a name."""


def entry(series: Series) -> str:
    return series.group or series.name


def wrapped_series(series: Series, width: float, letter: float) -> Series:
    """The series with a name that is no wider in the legend than the picture."""
    letters = int((width - HANDLE) / letter)
    lines = series.name.split("\n")
    if max(map(len, lines)) > letters:
        lines = wrapped(" ".join(lines), letters)
    return replace(series, name="\n".join(lines), group=entry(series))


def by_panel(chart: Chart) -> list[list[str]]:
    """The entries of the legend in a column for each of two panels that have several of their own, with what
    both share, or stands in none, below the fewer of them; nothing otherwise."""
    places: dict[str, set[int]] = {}
    for series in chart.series:
        drawn = any(place is not None for place in series.x)
        places.setdefault(entry(series), set()).update({series.panel} if drawn else ())
    named = dict.fromkeys(entry(series) for series in chart.series if series.legend and series.name)
    own = [[name for name in named if places[name] == {place}] for place in (0, 1)]
    if len(chart.panels) != 2 or min(map(len, own)) < 2:
        return []
    min(own, key=len).extend(name for name in named if len(places[name]) != 1)
    return own


def columns_of(chart: Chart, width: float, letter: float) -> int:
    longest = max((len(line) for one in chart.series if one.legend for line in one.name.split("\n")), default=1)
    return max(1, min(4, int(width / (letter * longest + HANDLE))))
