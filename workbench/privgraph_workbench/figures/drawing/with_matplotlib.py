"""A `Chart` as a matplotlib figure, for files: needs neither a browser nor the network.

Only the object-oriented interface is used, so that nothing here is shared between the threads of a server.
"""

import math
import textwrap
from collections.abc import Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullFormatter

from privgraph_workbench.figures.chart import PERCENT_ROOM, Axis, Chart, Panel, Series, strengths
from privgraph_workbench.figures.drawing.looks import BAND, FAINT, look
from privgraph_workbench.theme import FILES, Theme, theme
from privgraph_workbench.words.markup import wrapped
from privgraph_workbench.words.numbers import exact_percent

SETTINGS = {"text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "privgraph", "pdf.fonttype": 42}
"""What must hold of matplotlib's settings while a chart is drawn and saved: a dollar sign is only a dollar
sign, text stays text, and equal figures give equal files."""
_EDGE = 0.012  # where words begin, of the width
_BLOCK = 8.0  # the size of letters of the statements, at most


def draw(chart: Chart, theme_name: str = "light", block: Sequence[str] = ()) -> Figure:
    """The chart in that theme, below it its caption and the lines of `block` in letters of one width."""
    colours, (rows, columns) = theme(theme_name), chart.grid
    width = {1: 8.0, 2: 10.5, 3: 12.0}[columns]  # inches
    title = wrapped(chart.title, int(8.5 * width))
    badges = [line for flag in chart.flags for line in textwrap.wrap(f"⚠ {flag.sentence}", int(13 * width))]
    caption = textwrap.wrap(chart.caption, int(13 * width))
    names = {
        entry: [part for line in name.split("\n") for part in wrapped(line, int(11 * width))]
        for entry, name in chart.entries.items()
    }
    longest = max((len(line) for lines in names.values() for line in lines), default=1)
    beside = max(1, min(4, int(width / (0.085 * longest + 0.75))))  # inches of a letter, and of a handle
    top = 0.4 + 0.25 * max(0, len(title) - 1)
    head = top + 0.22 * len(badges)
    body = chart.height / 95 + 0.24 * math.ceil(sum(map(len, names.values())) / beside)
    # a letter of the block's font is 0.6 of its size wide, and a tenth more where that is rounded to pixels
    small = min(_BLOCK, 72 * 0.97 * width / (0.66 * max(map(len, block), default=1)))
    said = 0.16 + 0.19 * len(caption)
    foot = said + 0.165 * small / _BLOCK * len(block)
    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.06)
    figure = Figure(figsize=(width, head + body + foot), facecolor=colours.background, layout=layout)
    parts: Any = figure.subfigures(3, 1, height_ratios=[head, body, foot])
    above, upper, lower = parts
    for part in parts:
        part.patch.set_visible(False)  # the figure's own ground is below it; this one begins at 0, or at -0
    above.text(_EDGE, 1 - 0.1 / head, "\n".join(title), va="top", fontsize=14, color=colours.text, weight="bold")
    warned = {"fontsize": 9.5, "color": colours.warning, "linespacing": 1.4}
    above.text(_EDGE, 1 - top / head, "\n".join(badges), va="top", **warned)
    axes = upper.subplots(rows, columns, squeeze=False).ravel()
    for axis in axes[len(chart.panels) :]:
        axis.set_axis_off()
    for axis, panel in zip(axes, chart.panels, strict=False):
        longest = max((len(line) for one in panel.y.categories for line in one.split("\n")), default=0)
        room = max(width / columns - 0.8 - 0.07 * longest, 0.4 * width / columns)
        _axes(axis, panel, colours, room)
    handles: dict[str, Any] = {}
    for series in chart.series:
        handle = _series(axes[series.panel], series, chart.panels[series.panel], colours)
        handles.setdefault(series.entry, handle)
    for axis, panel in zip(axes, chart.panels, strict=False):
        for description, own, bound in ((panel.x, axis.xaxis, axis.set_xlim), (panel.y, axis.yaxis, axis.set_ylim)):
            if (ends := _ends(description, own)) is not None:
                bound(*ends)  # last: drawing would move them
    if names:
        look = {"frameon": False, "fontsize": 10, "labelcolor": colours.text, "handlelength": 3, "ncols": beside}
        told = ["\n".join(lines) for lines in names.values()]
        upper.legend([handles[one] for one in names], told, loc="outside lower left", **look)
    muted = {"va": "top", "color": colours.muted}
    lower.text(_EDGE, 0.98, "\n".join(caption), fontsize=9, linespacing=1.35, **muted)
    table = "\n".join(block).replace(" ", "\N{NO-BREAK SPACE}")  # readers of SVG make one space of several
    lower.text(_EDGE, 1 - (said - 0.08) / foot, table, fontsize=small, family="monospace", linespacing=1.3, **muted)
    _settle(figure)
    return figure


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


def _axes(axis: Axes, panel: Panel, colours: Theme, inches: float) -> None:
    """Title, ticks, titles of the axes and rules of a panel that is so many inches wide."""
    axis.set_facecolor(colours.background)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.spines[["left", "bottom"]].set_color(colours.muted)
    axis.tick_params(colors=colours.text, labelsize=10)
    if panel.bare:
        axis.set_axis_off()
        axis.set_aspect("equal", adjustable="datalim")
        axis.text(0.5, 0.5, panel.title, ha="center", va="center", color=colours.text, transform=axis.transAxes)
        return
    title = "\n".join(wrapped(panel.title, int(11 * inches)))
    axis.set_title(title, fontsize=11.5, color=colours.text, loc="left", pad=22 if panel.rules else 8)
    axis.set_xlabel(textwrap.fill(panel.x.title, int(13.5 * inches)), fontsize=10.5, color=colours.text)
    axis.set_ylabel(panel.y.title, fontsize=10.5, color=colours.text)
    _scale(axis, "x", panel.x, colours)
    _scale(axis, "y", panel.y, colours)
    for rule in panel.rules:
        axis.axvline(rule.x, color=colours.text, linewidth=0.9, linestyle=(0, (1, 3)), zorder=5)
        aside, side = (-2, "right") if rule.side == "left" else (2, "left")
        place: Any = {"xycoords": ("data", "axes fraction"), "xytext": (aside, 3), "textcoords": "offset points"}
        look: Any = {"ha": side, "fontsize": 8, "color": colours.muted, "annotation_clip": False}
        axis.annotate(rule.label, (rule.x, 1), **place, **look)


def _scale(axis: Axes, letter: Literal["x", "y"], description: Axis, colours: Theme) -> None:
    own = axis.xaxis if letter == "x" else axis.yaxis
    if description.scale == "category":
        names = description.categories
        own.set_ticks(range(len(names)), labels=names if description.labels else [""] * len(names))
        if letter == "y":
            axis.set_ylim(len(names) - 0.4, -0.6)
        return
    axis.grid(True, axis=letter, color=colours.grid, linewidth=0.8)
    if description.scale == "log":
        axis.set(**{f"{letter}scale": "log"})
        own.set_minor_formatter(NullFormatter())
    if ticks := description.marked():
        own.set_major_locator(FixedLocator(ticks))
    elif description.scale == "linear":  # of percentages in steps that meet 100
        steps = {"nbins": 8, "steps": [1, 2, 2.5, 5, 10]} if description.percent else {"nbins": 6}
        own.set_major_locator(MaxNLocator(**steps))
    if description.percent:
        own.set_major_formatter(FuncFormatter(lambda value, _: exact_percent(value, 3)))
    elif ticks or description.scale == "log":
        own.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _ends(axis: Axis, drawn: Any) -> tuple[float | None, float | None] | None:
    """The bounds of an axis; those that matplotlib chose for percentages are cut off around 0 and 1."""
    low, high = axis.low, axis.high
    if axis.percent and (low is None or high is None):
        first, last = drawn.get_data_interval()
        first, last = drawn.get_view_interval() if first < last else (-math.inf, math.inf)
        low = max(first, -PERCENT_ROOM) if low is None else low
        high = min(last, 1 + PERCENT_ROOM) if high is None else high
    return None if low is None else (low, high)


def _numbers(values: Sequence[Any], axis: Axis) -> list[float]:
    """Places as numbers: that of a category, and NaN where there is none."""
    if axis.scale == "category":
        return [axis.categories.index(str(value)) for value in values]
    return [math.nan if value is None else value for value in values]


def _series(axis: Axes, series: Series, panel: Panel, colours: Theme) -> Any:
    """Draw it; what stands for it in the legend."""
    seen = look(series, colours)
    colour = seen.colour
    x, y = _numbers(series.x, panel.x), _numbers(series.y, panel.y)
    if series.kind == "bars":
        style: dict[str, Any] = {"color": colour, "hatch": 2 * seen.pattern, "edgecolor": colours.background}
        if panel.y.scale != "category":
            return axis.bar(x, y, width=0.75, linewidth=0, **style)
        drawn = axis.barh(y, [0 if math.isnan(value) else value for value in x], height=0.7, linewidth=0, **style)
        if series.text:
            axis.bar_label(drawn, labels=series.text, padding=4, fontsize=9, color=colours.text)
            axis.margins(x=0.12)
        return drawn
    if series.kind == "cells":
        for across, up, strength, text in zip(x, y, strengths(series), series.text, strict=True):
            corner = (across - 0.48, up - 0.48)
            axis.add_patch(Rectangle(corner, 0.96, 0.96, facecolor=colour, alpha=strength, linewidth=0))
            axis.text(across, up, text, ha="center", va="center", fontsize=10, color=colours.text)
        return axis.set_xlim(-0.6, len(panel.x.categories) - 0.4)
    if series.kind == "band":
        opacity = BAND[colours.name] * (0.5 if series.faint else 1)
        return axis.fill_between(x, _numbers(series.low, Axis()), y, color=colour, alpha=opacity, linewidth=0)
    if series.kind == "links":
        colour, opacity = (colours.muted, 0.6) if series.faint else (colour, 1)
        pieces = [(x[at : at + 2], y[at : at + 2]) for at in range(0, len(x), 2)]
        lines = [axis.plot(*piece, color=colour, alpha=opacity, linewidth=0.9, zorder=1)[0] for piece in pieces]
        return next(iter(lines), None)
    marked = series.kind in ("path", "points") or len(x) == 1  # a line of one point would not be seen
    dash: Any = "solid" if seen.dash == "solid" else (0, [0.6 * float(one[:-2]) for one in seen.dash.split(",")])
    face, edge = (colours.background, colour) if seen.hollow else (colour, colours.background)
    return axis.plot(
        x,
        y,
        color=colour,
        zorder=3,
        linestyle="none" if series.kind == "points" else dash,
        drawstyle="steps-post" if series.kind == "steps" else "default",
        linewidth=1.8,
        marker=FILES["markers"][seen.symbol] if marked else None,
        markersize=0.75 * series.size,
        markerfacecolor=face,
        markeredgecolor=edge,
        markeredgewidth=1.6 if seen.hollow else 0.7,
        alpha=FAINT if series.faint else None,
    )[0]
