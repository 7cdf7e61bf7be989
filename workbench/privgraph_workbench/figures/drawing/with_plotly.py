"""A `Chart` as a plotly figure, for pages and notebooks."""

from __future__ import annotations

import hashlib
import math
import textwrap
from collections import Counter
from collections.abc import Collection, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from privgraph_workbench.figures.chart import (
    PERCENT_ROOM,
    Axis,
    Chart,
    Coordinate,
    Panel,
    Series,
    log_ticks,
    strengths,
    title_lines,
)
from privgraph_workbench.figures.drawing.looks import look
from privgraph_workbench.figures.hover import described
from privgraph_workbench.theme import FONT, FONT_SIZE, Theme, theme, transparent

_LEGEND_ROW = 24
_GAP = 4
"""Pixels between the axes and a legend above them."""
BAND = {"light": 0.18, "dark": 0.28}
"""Opacity of a band by theme: on a dark ground, less of it is seen."""
NOWHERE: list[object] = [None]
"""Of an entry of the legend alone: plotly leaves out a trace without any place."""
BROAD = 0.45
"""Opacity of a broad line, behind what is marked on it."""
FAINT = 0.45
"""Opacity of a line that stands back."""


def draw(chart: Chart, theme_name: str = "light") -> go.Figure:
    """The chart in that theme. Traces carry stable `uid`s and the layout a constant `uirevision`, so that a
    redraw keeps zoom and hidden traces."""
    colours = theme(theme_name)
    columns = min(chart.columns, len(chart.panels))
    rows = math.ceil(len(chart.panels) / columns)
    # no axes where there is no panel: a narrow page would keep room for them
    empty = rows * columns - len(chart.panels)
    cells: list[dict[str, object] | None] = [*({} for _ in chart.panels), *(None for _ in range(empty))]
    figure = make_subplots(
        rows=rows,
        cols=columns,
        specs=[cells[columns * row : columns * (row + 1)] for row in range(rows)],
        horizontal_spacing=0.14 / columns + 0.02,
        vertical_spacing=0.36 / rows,  # ticks and title of a panel, and three lines of title of the next
    )
    first_shown: dict[str, int] = {}
    seen: Counter[str] = Counter()
    traces, places = [], []
    for series in chart.series:
        row, column = divmod(series.panel, columns)
        entry = series.legend and bool(series.name) and (series.group or series.name) not in first_shown
        if entry:
            first_shown[series.group or series.name] = 1 + series.name.count("\n")
        trace = _trace(series, chart.panels[series.panel], colours)
        base = f"{series.panel}/{series.kind}/{series.group}/{series.name}"
        seen[base] += 1
        trace.update(
            uid=_uid(f"{base}/{seen[base]}"),
            showlegend=entry,
            legendgroup=series.group or series.name,
            name=plain(series.name),
        )
        traces.append(trace)
        places.append((row + 1, column + 1))
    if traces:  # all at once: plotly looks the whole figure through each time
        figure.add_traces(traces, rows=[row for row, _ in places], cols=[column for _, column in places])
    for position, panel in enumerate(chart.panels):
        row, column = divmod(position, columns)
        place = {"row": row + 1, "col": column + 1}
        figure.update_xaxes(_axis(panel.x, panel, colours), **place)
        figure.update_yaxes(_axis(panel.y, panel, colours), **place)
        if panel.bare:
            anchor = "x" if position == 0 else f"x{position + 1}"
            figure.update_yaxes(scaleanchor=anchor, **place)
        _words(figure, panel, "" if position == 0 else str(position + 1), colours, columns)
    _layout(figure, chart, colours, first_shown.values(), rows, columns)
    return figure


def plain(text: str) -> str:
    """Text that plotly shows as it is: a name from somebody's data must not become markup."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\n", "<br>")):
        text = text.replace(sign, entity)
    return text


def _places(values: tuple[Coordinate, ...]) -> list[Coordinate]:
    return [plain(value) if isinstance(value, str) else value for value in values]


def _uid(text: str) -> str:
    """A trace's lasting name. Plotly looks it up as a CSS class, so it is made of letters and digits."""
    return f"t{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _words(figure: go.Figure, panel: Panel, axis: str, colours: Theme, columns: int) -> None:
    """The panel's title, and the dotted lines of its stages with their labels."""
    domain = {"xref": f"x{axis} domain", "yref": f"y{axis} domain", "showarrow": False}
    if panel.title:
        place = {"x": 0.5, "y": 0.5} if panel.bare else {"x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
        font = {"size": 14, "color": colours.text}
        text = panel.title if panel.bare else "\n".join(title_lines(panel, columns))
        shift = 16 if panel.rules else 2
        figure.add_annotation(text=plain(text), font=font, align="left", yshift=shift, **domain, **place)
    for rule in panel.rules:
        line = {
            "color": colours.text if rule.above else colours.muted,
            "width": 2 if rule.above else 1,
            "dash": "dot",
        }
        ends = {"xref": f"x{axis}", "yref": f"y{axis} domain", "x0": rule.x, "x1": rule.x, "y0": 0, "y1": 1}
        figure.add_shape(
            type="line",
            line=line,
            layer="above" if rule.above else "below",
            opacity=1 if rule.above else 0.6,
            **ends,
        )
        figure.add_annotation(
            text=plain(rule.label),
            # on a logarithmic axis plotly places shapes by values, and words by exponents
            x=math.log10(rule.x) if panel.x.scale == "log" else rule.x,
            y=1,
            font={"size": 11, "color": colours.muted},
            xanchor="right" if rule.side == "left" else "left",
            yanchor="bottom",
            **{**domain, "xref": f"x{axis}"},
        )


def _layout(figure: go.Figure, chart: Chart, colours: Theme, entries: Collection[int], rows: int, columns: int) -> None:
    """Title, legend (of `entries` with so many lines each), margins and all else that is of no one panel."""
    legend = _LEGEND_ROW * math.ceil(sum(entries) / _legend_columns(chart)) if chart.has_legend(len(entries)) else 0
    badges = [line for flag in chart.flags for line in textwrap.wrap(f"⚠ {flag.sentence}", 105)]
    titles = [0 if panel.bare else len(title_lines(panel, columns)) for panel in chart.panels]
    words = max(18 * lines + 16 * bool(panel.rules) for lines, panel in zip(titles, chart.panels, strict=True))
    bare = all(panel.bare for panel in chart.panels)
    above, under = (legend and legend + 2 * _GAP, 0) if chart.legend_above else (0, legend)
    top = 42 + words + 18 * len(badges) + above
    below = 8 if bare else 58
    height = chart.height + above + under + 18 * len(badges)
    inner = height - top - below - under
    sideways = any(panel.y.scale == "category" for panel in chart.panels)
    figure.update_layout(
        title={
            "text": plain(chart.title),
            "font": {"size": 16, "color": colours.text},
            "x": 0,
            "xref": "container",
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            "pad": {"l": 8, "t": 10},
        },
        font={"family": FONT, "size": FONT_SIZE, "color": colours.text},
        paper_bgcolor=colours.background,
        plot_bgcolor=colours.background,
        height=height,
        margin={"l": 16, "r": 48 if sideways else 16, "t": top, "b": below + under},
        showlegend=chart.has_legend(len(entries)),
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1 + _GAP / inner if above else -below / inner,
            "yanchor": "bottom" if above else "top",
            "bgcolor": "rgba(0,0,0,0)",
            "font": {"size": 13},
            "itemwidth": 40,
        },
        hoverlabel={
            "bgcolor": colours.surface,
            "bordercolor": colours.muted,
            "font": {"family": FONT, "color": colours.text, "size": 13},
            "align": "left",
        },
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": colours.muted, "activecolor": colours.text},
        uirevision="keep",
        meta={"summary": " ".join([f"{chart.title}.", chart.caption, *(flag.sentence for flag in chart.flags)])},
        bargap=0.25,
        barmode="overlay",  # as in files: bars of one place lie over one another, the later in front
    )
    if badges:
        figure.add_annotation(
            text=plain("\n".join(badges)),
            xref="paper",
            yref="paper",
            x=0,
            y=1,
            xanchor="left",
            yanchor="bottom",
            yshift=words + 4 + above,
            align="left",
            showarrow=False,
            font={"size": 12, "color": colours.warning},
        )


def _legend_columns(chart: Chart) -> int:
    """How many entries of the legend stand side by side on a page; plotly lays them out itself, and needs the
    room."""
    longest = max((len(line) for one in chart.series if one.legend for line in one.name.split("\n")), default=0)
    return 3 if longest <= 42 else 2 if longest <= 80 else 1


def _axis(axis: Axis, panel: Panel, colours: Theme) -> dict[str, object]:
    if panel.bare:
        return {"visible": False}
    settings: dict[str, object] = {
        "title": {"text": plain(axis.title), "font": {"size": 13}, "standoff": 8},
        "color": colours.text,
        "gridcolor": colours.grid,
        "linecolor": colours.muted,
        "zeroline": False,
        "showline": True,
        "automargin": True,
        "tickfont": {"size": 12},
    }
    if axis.scale == "log":
        settings["type"] = "log"
    if axis.scale == "category":
        last = len(axis.categories) - 0.5
        settings |= {
            "type": "category",
            "showgrid": False,
            "categoryorder": "array",
            "categoryarray": [plain(name) for name in axis.categories],
            "range": [last, -0.5] if axis is panel.y else [-0.5, last],
        }
    if not axis.labels:
        settings["showticklabels"] = False
    if axis.percent:
        settings["tickformat"] = ".3~p"
    ticks = axis.ticks
    if not ticks and axis.scale == "log" and axis.low and axis.high:
        ticks = log_ticks(axis.low, axis.high)
    if ticks:
        settings |= {"tickmode": "array", "tickvals": list(ticks), "ticktext": [f"{tick:g}" for tick in ticks]}
    if axis.low is not None and axis.high is not None:
        bounds = (axis.low, axis.high)
        settings["range"] = [math.log10(bound) for bound in bounds] if axis.scale == "log" else list(bounds)
    else:
        if axis.low == 0:
            settings["rangemode"] = "tozero"
        if axis.percent:
            settings["autorangeoptions"] = {"clipmin": -PERCENT_ROOM, "clipmax": 1 + PERCENT_ROOM}
    return settings


def _trace(series: Series, panel: Panel, colours: Theme) -> go.Scatter | go.Bar | go.Heatmap:
    seen = look(series, colours)
    colour = seen.colour
    line = {"color": colour, "width": 2, "dash": seen.dash}
    told = [plain(text) for text in described(series, panel)]
    hover = {"text": told, "hoverinfo": "text"} if told else {"hoverinfo": "skip"}
    marker = {
        "symbol": f"{seen.symbol}-open" if seen.hollow else seen.symbol,
        "size": series.size,
        "color": colour,
        "line": {"color": colour if seen.hollow else colours.background, "width": 2 if seen.hollow else 1},
    }
    if series.kind == "bars":
        horizontal = panel.y.scale == "category"
        values, places = (series.x, series.y) if horizontal else (series.y, series.x)
        if series.low:  # plotly counts the length of a bar from its base
            values = tuple(end - start for end, start in zip(values, series.low, strict=True))  # type: ignore[operator]
        return go.Bar(
            x=_places(values if horizontal else places),
            y=_places(places if horizontal else values),
            base=list(series.low) or None,
            width=series.width,
            orientation="h" if horizontal else "v",
            marker={
                "color": colour,
                # overlay: without it, the bar below its hatching would have no colour at all
                "pattern": {"shape": seen.pattern, "fgcolor": colours.background, "fillmode": "overlay"},
            },
            text=[plain(text) for text in series.text] or None,
            textposition="outside" if seen.pattern else "auto",  # no text on hatching
            insidetextfont={"color": colours.background},
            outsidetextfont={"color": colours.text},
            cliponaxis=False,
            textangle=0,
            hovertext=told,
            hoverinfo="text",
        )
    if series.kind == "cells":
        return _cells(series, told, colour, colours)
    if series.kind == "band":
        return go.Scatter(
            x=[*series.x, *reversed(series.x)] or NOWHERE,
            y=[*series.y, *reversed(series.low)] or NOWHERE,
            fill="toself",
            fillcolor=transparent(colour, BAND[colours.name] * (0.5 if series.faint else 1)),
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
        )
    if series.kind == "level":
        left, right = series.x
        return go.Scatter(x=[left, right], y=[series.y[0]] * 2, mode="lines", line=line, **hover)
    if series.kind == "links":
        x: list[object] = []
        y: list[object] = []
        for start in range(0, len(series.x), 2):
            x += [*_places(series.x[start : start + 2]), None]
            y += [*_places(series.y[start : start + 2]), None]
        width = series.width or (1 if series.faint else 1.5)
        link = {"color": transparent(colours.muted, 0.7) if series.faint else colour, "width": width}
        link |= {"color": transparent(colour, BROAD)} if series.width else {}
        return go.Scatter(x=x, y=y, mode="lines", line=link, hoverinfo="skip")
    mode = {"line": "lines", "path": "lines+markers", "points": "markers"}[series.kind]
    if len(series.x) == 1:
        mode = "markers"  # a line of one point would not be seen
    if series.text:  # what is written stands right of its point
        mode += "+text"
        hover = {"text": [plain(text) for text in series.text], "hoverinfo": "skip"}
    return go.Scatter(
        x=_places(series.x) or NOWHERE,
        y=_places(series.y) or NOWHERE,
        mode=mode,
        line=line,
        marker=marker,
        connectgaps=False,
        cliponaxis=series.kind == "line",  # a mark on the edge of the axes is seen whole
        opacity=FAINT if series.faint else 1,
        customdata=list(series.keys) or None,
        textposition="middle right",
        textfont={"color": colours.text},
        **hover,
    )


def _cells(series: Series, told: Sequence[str], colour: str, colours: Theme) -> go.Heatmap:
    """Squares that are shaded by their numbers; the number itself stands in each, so that colour says nothing
    alone."""
    return go.Heatmap(
        x=_places(series.x),
        y=_places(series.y),
        z=strengths(series.low),
        zmin=0,
        zmax=1,
        colorscale=[[0, colours.background], [1, colour]],
        showscale=False,
        xgap=2,
        ygap=2,
        text=[plain(text) for text in series.text],
        texttemplate="%{text}",
        textfont={"color": colours.text},
        hovertext=told,
        hoverinfo="text",
    )
