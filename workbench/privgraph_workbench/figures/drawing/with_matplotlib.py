"""A `Chart` as a matplotlib figure, for files: needs neither a browser nor the network.

Only the object-oriented interface is used, so that nothing here is shared between the threads of a server.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullFormatter

from privgraph_workbench.figures.chart import (
    PERCENT_ROOM,
    Axis,
    Chart,
    Panel,
    Series,
    log_ticks,
    strengths,
    title_lines,
)
from privgraph_workbench.figures.drawing import fitting
from privgraph_workbench.figures.drawing.looks import Look, look
from privgraph_workbench.theme import Theme, theme
from privgraph_workbench.words.markup import wrapped
from privgraph_workbench.words.numbers import exact_percent

# The theme's words for dashes, symbols and hatching, in matplotlib's.
DASHES: Mapping[str, Any] = {
    "solid": "solid",
    "dash": (0, (5, 2.5)),
    "dot": (0, (1.2, 1.6)),
    "dashdot": (0, (5, 1.6, 1.2, 1.6)),
    "4px,2px": (0, (2.4, 1.2)),
    "longdashdot": (0, (9, 2, 1.2, 2)),
    "5px,2px,1px,2px": (0, (3, 1, 0.8, 1)),
    "10px,3px": (0, (6, 1.8)),
}
MARKERS: Mapping[str, str] = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle-up": "^",
    "triangle-down": "v",
    "octagon": "8",
    "cross": "P",
    "x": "X",
    "star": "*",
    "pentagon": "p",
    "hexagon": "h",
}
HATCHES: Mapping[str, str] = {"": "", "/": "//", "\\": "\\\\", "x": "xx", "-": "--", ".": "..", "+": "++", "|": "||"}
SETTINGS = {"text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "privgraph", "pdf.fonttype": 42}
"""What must hold of matplotlib's settings while a chart is drawn and saved: a dollar sign is only a dollar
sign, text stays text, and equal figures give equal files."""

BAND = {"light": 0.18, "dark": 0.28}
"""Opacity of a band by theme: on a dark ground, less of it is seen."""
_WIDTH = {1: 8.0, 2: 10.5, 3: 12.0}
BROAD = 0.45  # opacity of a broad line
_LETTER = 0.085  # of the legend in inches
_HANDLE = 0.75  # inches of what stands before a name in it
_LINE = 0.19  # inches of one line of the footnote
_LETTERS = 13  # of the footnote in an inch
_TITLE, _BADGE, _PANEL = 14, 9.5, 11.5  # the sizes of title, warnings and titles of panels
_NEXT, _EDGE = 0.25, 0.012  # inches of one more line of the title; where words begin, of the width
_ROW = 0.165  # and of one line of the block below it
_BLOCK = 8.0  # the size of its letters, at most


def draw(chart: Chart, theme_name: str = "light", block: Sequence[str] = ()) -> Figure:
    """The chart in that theme, below it its caption and the lines of `block` in letters of one width."""
    colours = theme(theme_name)
    columns = min(chart.columns, len(chart.panels))
    rows = math.ceil(len(chart.panels) / columns)
    width = _WIDTH.get(columns, 12.0)
    lines = textwrap.wrap(chart.caption, int(width * _LETTERS), subsequent_indent="   ")
    names = {_entry(one): _wrapped(one.name, width) for one in chart.series if one.legend and one.name}
    longest = max((len(line) for name in names.values() for line in name.split("\n")), default=1)
    legend_columns = max(1, min(4, int(width / (_LETTER * longest + _HANDLE))))
    entries = len(names) + sum(name.count("\n") for name in names.values())
    legend_rows = math.ceil(entries / legend_columns) if chart.has_legend(len(names)) else 0
    inside = width * (1 - 2 * _EDGE)
    badges = [line for flag in chart.flags for line in fitting.lines(f"⚠ {flag.sentence}", _BADGE, inside)]
    title = fitting.lines(chart.title, _TITLE, inside, bold=True)
    top = 0.4 + _NEXT * max(0, len(title) - 1)
    head = top + 0.22 * len(badges)
    body = chart.height / 95 + 0.24 * legend_rows
    # a letter of the block's font is 0.6 of its size wide, and a tenth more where that is rounded to pixels
    small = min(_BLOCK, 72 * 0.97 * width / (0.66 * max((len(line) for line in block), default=1)))
    foot = 0.16 + _LINE * len(lines) + _ROW * small / _BLOCK * len(block)
    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.06)
    figure = Figure(figsize=(width, head + body + foot), facecolor=colours.background, layout=layout)
    parts: Any = figure.subfigures(3, 1, height_ratios=[head, body, foot])
    above, upper, lower = parts
    for part in (above, upper, lower):
        part.patch.set_visible(False)  # the figure's own ground is below it; this one begins at 0, or at -0
    above.text(_EDGE, 1 - 0.1 / head, "\n".join(title), va="top", fontsize=_TITLE, color=colours.text, weight="bold")
    above.text(
        _EDGE, 1 - top / head, "\n".join(badges), va="top", fontsize=_BADGE, color=colours.warning, linespacing=1.4
    )
    axes = upper.subplots(rows, columns, squeeze=False)
    for place, panel in enumerate(chart.panels):
        longest = max((len(line) for one in panel.y.categories for line in one.split("\n")), default=0)
        room = width / columns - 0.8 - 0.07 * longest
        letters = max(20, int(room * 13.5))  # of an axis title, at its size
        own = max(room, 0.4 * width / columns)
        _axes(axes[place // columns][place % columns], panel, colours, (columns, own), letters)
    for place in range(len(chart.panels), rows * columns):
        axes[place // columns][place % columns].set_axis_off()
    handles: dict[str, Any] = {}
    for series in chart.series:
        axis = axes[series.panel // columns][series.panel % columns]
        handle = _series(axis, series, chart.panels[series.panel], colours)
        if series.legend and series.name and handle is not None:
            handles.setdefault(_entry(series), handle)
    for place, panel in enumerate(chart.panels):
        _finish(axes[place // columns][place % columns], panel)
    if chart.has_legend(len(handles)):
        upper.legend(
            list(handles.values()),
            [names[one] for one in handles],
            loc="outside upper left" if chart.legend_above else "outside lower left",
            ncols=legend_columns,
            frameon=False,
            fontsize=10,
            labelcolor=colours.text,
            handlelength=3,
        )
    lower.text(0.012, 0.98, "\n".join(lines), ha="left", va="top", fontsize=9, color=colours.muted, linespacing=1.35)
    lower.text(
        0.012,
        1 - (0.08 + _LINE * len(lines)) / foot,
        "\n".join(block).replace(" ", "\N{NO-BREAK SPACE}"),  # readers of SVG make one space of several
        ha="left",
        va="top",
        fontsize=small,
        family="monospace",
        color=colours.muted,
        linespacing=1.3,
    )
    _settle(figure)
    return figure


def _entry(series: Series) -> str:
    return series.group or series.name


def _wrapped(name: str, width: float) -> str:
    """A name that is no wider in the legend than the picture."""
    return "\n".join(part for line in name.split("\n") for part in wrapped(line, int((width - _HANDLE) / _LETTER)))


def _settle(figure: Figure) -> None:
    """Lay the parts out once, and put axes at places of six digits: the layout is solved anew otherwise, with
    another last bit, and equal figures are other bytes."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for part in figure.subfigs:
        part.bbox_relative.p0, part.bbox_relative.p1 = part.bbox_relative.p0.round(6), part.bbox_relative.p1.round(6)
    for axis in figure.get_axes():
        left, bottom, width, height = (round(float(end), 6) for end in axis.get_position().bounds)
        axis.set_position((left, bottom, width, height))


def _axes(axis: Axes, panel: Panel, colours: Theme, place: tuple[int, float], letters: int) -> None:
    """`place`: how many panels stand side by side, and how many inches of them its title may have."""
    axis.set_facecolor(colours.background)
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axis.spines[side].set_color(colours.muted)
    axis.tick_params(colors=colours.text, labelsize=10)
    if panel.bare:
        axis.set_axis_off()
        axis.set_aspect("equal", adjustable="datalim")
        if panel.title:
            axis.text(0.5, 0.5, panel.title, ha="center", va="center", color=colours.text, transform=axis.transAxes)
        return
    if panel.title:
        columns, inches = place
        told = (line for one in title_lines(panel, columns) for line in fitting.lines(one, _PANEL, inches))
        axis.set_title("\n".join(told), fontsize=_PANEL, color=colours.text, loc="left", pad=22 if panel.rules else 8)
    axis.set_xlabel(textwrap.fill(panel.x.title, letters), fontsize=10.5, color=colours.text)
    axis.set_ylabel(panel.y.title, fontsize=10.5, color=colours.text)
    for letter, description in (("x", panel.x), ("y", panel.y)):
        _scale(axis, letter, description, colours)
    for rule in panel.rules:
        colour, width, over = (colours.text, 1.4, 5) if rule.above else (colours.muted, 0.8, 1)
        axis.axvline(rule.x, color=colour, linewidth=width, linestyle=(0, (1, 3)), zorder=over)
        axis.annotate(
            rule.label,
            (rule.x, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-2 if rule.side == "left" else 2, 3),
            ha="right" if rule.side == "left" else "left",
            textcoords="offset points",
            fontsize=8,
            color=colours.muted,
            annotation_clip=False,
        )


def _scale(axis: Axes, letter: str, description: Axis, colours: Theme) -> None:
    own = axis.xaxis if letter == "x" else axis.yaxis
    if description.scale == "category":
        categories = description.categories
        own.set_ticks(range(len(categories)), labels=categories if description.labels else [""] * len(categories))
        if letter == "y":
            axis.set_ylim(len(categories) - 0.4, -0.6)
        return
    axis.grid(True, axis="x" if letter == "x" else "y", color=colours.grid, linewidth=0.8)
    if description.scale == "log":
        (axis.set_xscale if letter == "x" else axis.set_yscale)("log")
        ticks = description.ticks
        if not ticks and description.low and description.high:
            ticks = log_ticks(description.low, description.high)
        if ticks:
            own.set_major_locator(FixedLocator(ticks))
        own.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        own.set_minor_formatter(NullFormatter())
    elif description.ticks:
        own.set_ticks(description.ticks, labels=[f"{tick:g}" for tick in description.ticks])
    else:
        # of percentages in steps that meet 100
        own.set_major_locator(
            MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]) if description.percent else MaxNLocator(nbins=6)
        )
    if description.percent:
        own.set_major_formatter(FuncFormatter(lambda value, _: exact_percent(value, 3)))


def _finish(axis: Axes, panel: Panel) -> None:
    """Bounds last: drawing would move them."""
    for description, own, bound in ((panel.x, axis.xaxis, axis.set_xlim), (panel.y, axis.yaxis, axis.set_ylim)):
        if description.scale == "category":
            continue
        low, high = description.low, description.high
        if description.percent and (low is None or high is None):
            first, last = _within_percent(own)
            low, high = first if low is None else low, last if high is None else high
        if low is not None:
            bound(low, high)


def _within_percent(own: Any) -> tuple[float, float]:
    """The bounds that matplotlib chose for an axis of percentages, cut off around 0 and 1; all of them for
    one number."""
    low, high = own.get_data_interval()
    if low == high:
        return -PERCENT_ROOM, 1 + PERCENT_ROOM
    low, high = own.get_view_interval()
    return max(low, -PERCENT_ROOM), min(high, 1 + PERCENT_ROOM)


def _series(axis: Axes, series: Series, panel: Panel, colours: Theme) -> Any:
    seen = look(series, colours)
    colour, dash, marker = seen.colour, DASHES[seen.dash], MARKERS[seen.symbol]
    x = [math.nan if value is None else value for value in series.x]
    y = [math.nan if value is None else value for value in series.y]
    if series.kind == "bars":
        return _bars(axis, series, panel, colours, seen)
    if series.kind == "cells":
        return _cells(axis, series, panel, colours, colour)
    if panel.y.scale == "category":
        y = [panel.y.categories.index(str(value)) for value in series.y]
    if series.kind == "band":
        low = [math.nan if value is None else value for value in series.low]
        return axis.fill_between(
            x, low, y, color=colour, alpha=BAND[colours.name] * (0.5 if series.faint else 1), linewidth=0
        )
    if series.kind == "level":
        return axis.plot(x, [y[0]] * 2, color=colour, linestyle=dash, linewidth=1.8)[0]
    if series.kind == "links":
        artist = None
        if series.width:  # in one stroke: where pieces overlap their colour would be twice as strong
            pieces = [[*places[at : at + 2], math.nan] for places in (x, y) for at in range(0, len(x), 2)]
            ends = [end for piece in pieces for end in piece]
            across, up = ends[: len(ends) // 2], ends[len(ends) // 2 :]
            return axis.plot(across, up, color=colour, alpha=BROAD, linewidth=0.75 * series.width, zorder=1)[0]
        for start in range(0, len(x), 2):
            artist = axis.plot(
                x[start : start + 2],
                y[start : start + 2],
                color=colours.muted if series.faint else colour,
                alpha=0.6 if series.faint else 1,
                linewidth=0.9,
                zorder=1,
            )[0]
        return artist
    for place, text in zip(zip(x, y, strict=True), series.text, strict=bool(series.text)):
        axis.annotate(
            text, place, (4, 0), textcoords="offset points", ha="left", va="center", fontsize=9, color=colours.text
        )
    marked = series.kind in ("path", "points") or len(x) == 1  # a line of one point would not be seen
    return axis.plot(
        x,
        y,
        color=colour,
        linestyle="none" if series.kind == "points" else dash,
        linewidth=1.8,
        marker=marker if marked else None,
        markersize=series.size * 0.75,
        markerfacecolor=colours.background if seen.hollow else colour,
        markeredgecolor=colour if seen.hollow else colours.background,
        markeredgewidth=1.6 if seen.hollow else 0.7,
        alpha=0.45 if series.faint else None,
        zorder=3,
    )[0]


def _cells(axis: Axes, series: Series, panel: Panel, colours: Theme, colour: str) -> None:
    """Squares that are shaded by their numbers, with the number in each; they have no entry in the legend."""
    for x, y, strength, text in zip(series.x, series.y, strengths(series.low), series.text, strict=True):
        if strength is not None:
            place = panel.x.categories.index(str(x)), panel.y.categories.index(str(y))
            corner = (place[0] - 0.48, place[1] - 0.48)
            axis.add_patch(Rectangle(corner, 0.96, 0.96, facecolor=colour, alpha=strength, linewidth=0))
            axis.text(*place, text, ha="center", va="center", fontsize=10, color=colours.text)
    axis.set_xlim(-0.6, len(panel.x.categories) - 0.4)


def _bars(axis: Axes, series: Series, panel: Panel, colours: Theme, seen: Look) -> Any:
    horizontal = panel.y.scale == "category"
    values = [0 if value is None else value for value in (series.x if horizontal else series.y)]
    named = (panel.y if horizontal else panel.x).categories
    found: Any = series.y if horizontal else series.x
    places = [named.index(str(value)) for value in found] if named else found
    look: dict[str, Any] = {
        "color": seen.colour,
        "hatch": HATCHES[seen.pattern],
        "edgecolor": colours.background,
        "linewidth": 0,
    }
    if not horizontal:
        low: Any = series.low or [0] * len(values)
        heights = [end - start for end, start in zip(values, low, strict=True)]
        return axis.bar(places, heights, width=series.width or 0.75, bottom=low, **look)
    drawn = axis.barh(places, values, height=0.7, **look)
    if series.text:
        axis.bar_label(drawn, labels=series.text, padding=4, fontsize=9, color=colours.text)
        axis.margins(x=0.12)
    return drawn
