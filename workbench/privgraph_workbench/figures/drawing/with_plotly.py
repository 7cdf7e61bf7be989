"""A `Chart` as a plotly figure, for pages and notebooks."""

import hashlib
import math
import textwrap
from collections import Counter
from collections.abc import Iterable

import plotly.graph_objects as go
from plotly.colors import hex_to_rgb
from plotly.subplots import make_subplots

from privgraph_workbench.figures.chart import PERCENT_ROOM, Axis, Chart, Panel, Series, strengths
from privgraph_workbench.figures.drawing.looks import BAND, FAINT, look
from privgraph_workbench.figures.marks import described
from privgraph_workbench.theme import FONT, FONT_SIZE, Theme, theme
from privgraph_workbench.words.markup import wrapped

CLEAR = "rgba(0,0,0,0)"
NOWHERE: list[object] = [None]
"""Of an entry of the legend alone: plotly leaves out a trace without any place."""


def draw(chart: Chart, theme_name: str = "light") -> go.Figure:
    """The chart in that theme. Traces carry stable `uid`s and the layout a constant `uirevision`, so that a
    redraw keeps zoom and hidden traces."""
    colours, (rows, columns) = theme(theme_name), chart.grid
    # no axes where there is no panel: a narrow page would keep room for them
    cells: list[dict[str, object] | None] = [
        {} if place < len(chart.panels) else None for place in range(rows * columns)
    ]
    figure = make_subplots(
        rows=rows,
        cols=columns,
        specs=[cells[columns * row : columns * (row + 1)] for row in range(rows)],
        horizontal_spacing=0.14 / columns + 0.02,
        vertical_spacing=0.36 / rows,  # ticks and title of a panel, and three lines of title of the next
    )
    shown, seen = set[str](), Counter[str]()
    traces = []
    for series in chart.series:
        trace = _trace(series, chart.panels[series.panel], colours)
        base = f"{series.panel}/{series.kind}/{series.group}/{series.name}"
        seen[base] += 1
        trace.update(  # plotly looks a uid up as a CSS class: letters and digits
            uid=f"t{hashlib.sha256(f'{base}/{seen[base]}'.encode()).hexdigest()[:12]}",
            showlegend=bool(series.entry) and series.entry not in shown,
            legendgroup=series.group or series.name,
            name=plain(series.name),
        )
        shown.add(series.entry)
        traces.append(trace)
    places = [divmod(series.panel, columns) for series in chart.series]
    # all at once: plotly looks the whole figure through each time
    figure.add_traces(traces, rows=[row + 1 for row, _ in places], cols=[column + 1 for _, column in places])
    words = 18
    for position, panel in enumerate(chart.panels):
        number, title = str(position + 1) if position else "", wrapped(panel.title, 86 if columns == 1 else 50)
        place = {"row": position // columns + 1, "col": position % columns + 1}
        figure.update_xaxes(_axis(panel.x, panel, colours), **place)
        figure.update_yaxes(_axis(panel.y, panel, colours), **place)
        if panel.bare:
            figure.update_yaxes(scaleanchor=f"x{number}", **place)
        _words(figure, panel, title, number, colours)
        words = max(words, 18 * len(title) * (not panel.bare) + 16 * bool(panel.rules))
    _layout(figure, chart, colours, words)
    return figure


def plain(text: str) -> str:
    """Text that plotly shows as it is: a name from somebody's data must not become markup."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\n", "<br>")):
        text = text.replace(sign, entity)
    return text


def _places(values: Iterable[object]) -> list[object]:
    return [plain(value) if isinstance(value, str) else value for value in values]


def _words(figure: go.Figure, panel: Panel, title: list[str], axis: str, colours: Theme) -> None:
    """The panel's title, and its rules with their labels."""
    across, up = {"xref": f"x{axis} domain"}, {"yref": f"y{axis} domain"}
    if panel.title:
        place = {"x": 0.5, "y": 0.5} if panel.bare else {"x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
        look = {"font": {"size": 14, "color": colours.text}, "align": "left", "yshift": 16 if panel.rules else 2}
        text = panel.title if panel.bare else "\n".join(title)
        figure.add_annotation(text=plain(text), showarrow=False, **look, **across, **up, **place)
    for rule in panel.rules:
        line, font = {"color": colours.text, "width": 1, "dash": "dot"}, {"size": 11, "color": colours.muted}
        figure.add_shape(type="line", line=line, xref=f"x{axis}", x0=rule.x, x1=rule.x, y0=0, y1=1, **up)
        # on a logarithmic axis plotly places shapes by values, and words by exponents
        place = {"x": math.log10(rule.x) if panel.x.scale == "log" else rule.x, "y": 1, "xref": f"x{axis}"}
        place |= {"xanchor": "right" if rule.side == "left" else "left", "yanchor": "bottom"}
        figure.add_annotation(text=plain(rule.label), font=font, showarrow=False, **place, **up)


def _layout(figure: go.Figure, chart: Chart, colours: Theme, words: int) -> None:
    """Title, warnings, legend, margins and all else that is of no one panel, above which stand `words`."""
    names = chart.entries.values()  # plotly lays a legend out itself, and needs the room
    longest = max((len(line) for name in names for line in name.split("\n")), default=0)
    entries = sum(1 + name.count("\n") for name in names)
    legend = 24 * math.ceil(entries / (3 if longest <= 42 else 2 if longest <= 80 else 1))
    badges = [line for flag in chart.flags for line in textwrap.wrap(f"⚠ {flag.sentence}", 105)]
    warnings, below = 18 * len(badges), 8 if all(panel.bare for panel in chart.panels) else 58
    top, height = 42 + words + warnings, chart.height + legend + warnings
    sideways = any(panel.y.scale == "category" for panel in chart.panels)
    corner = {"x": 0, "y": 1, "xref": "container", "yref": "container", "yanchor": "top", "pad": {"l": 8, "t": 10}}
    key = {"orientation": "h", "x": 0, "xanchor": "left", "yanchor": "top", "bgcolor": CLEAR, "itemwidth": 40}
    box = {"bgcolor": colours.surface, "bordercolor": colours.muted, "align": "left"}
    figure.update_layout(
        title={"text": plain(chart.title), "font": {"size": 16, "color": colours.text}, **corner},
        font={"family": FONT, "size": FONT_SIZE, "color": colours.text},
        paper_bgcolor=colours.background,
        plot_bgcolor=colours.background,
        height=height,
        margin={"l": 16, "r": 48 if sideways else 16, "t": top, "b": below + legend},
        showlegend=bool(names),
        legend={"y": -below / (height - top - below - legend), "font": {"size": 13}, **key},
        hoverlabel={"font": {"family": FONT, "color": colours.text, "size": 13}, **box},
        modebar={"bgcolor": CLEAR, "color": colours.muted, "activecolor": colours.text},
        uirevision="keep",
        meta={"summary": " ".join([f"{chart.title}.", chart.caption, *(flag.sentence for flag in chart.flags)])},
        bargap=0.25,
        barmode="overlay",  # as in files: bars of one place lie over one another, the later in front
    )
    if badges:
        place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
        font = {"size": 12, "color": colours.warning}
        text = plain("\n".join(badges))
        figure.add_annotation(text=text, yshift=words + 4, align="left", showarrow=False, font=font, **place)


def _axis(axis: Axis, panel: Panel, colours: Theme) -> dict[str, object]:
    if panel.bare:
        return {"visible": False}
    settings: dict[str, object] = {
        "title": {"text": plain(axis.title), "font": {"size": 13}, "standoff": 8},
        **{"color": colours.text, "gridcolor": colours.grid, "linecolor": colours.muted},
        **{"zeroline": False, "showline": True, "automargin": True},
        **{"showticklabels": axis.labels, "tickfont": {"size": 12}, "type": axis.scale},
    }
    if axis.scale == "category":
        ends = (len(axis.categories) - 0.5, -0.5)
        order = {"categoryorder": "array", "categoryarray": _places(axis.categories), "showgrid": False}
        return settings | order | {"range": ends if axis is panel.y else ends[::-1]}
    if axis.percent:
        settings["tickformat"] = ".3~p"
    if ticks := axis.marked():
        settings |= {"tickmode": "array", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}
    if axis.low is not None and axis.high is not None:
        bounds = (axis.low, axis.high)
        settings["range"] = [math.log10(bound) for bound in bounds] if axis.scale == "log" else bounds
    elif axis.percent or axis.low == 0:
        settings["rangemode"] = "tozero" if axis.low == 0 else "normal"
        settings["autorangeoptions"] = {"clipmin": -PERCENT_ROOM, "clipmax": 1 + PERCENT_ROOM} if axis.percent else None
    return settings


def _trace(series: Series, panel: Panel, colours: Theme) -> go.Scatter | go.Bar | go.Heatmap:
    seen = look(series, colours)
    colour, told = seen.colour, [plain(text) for text in described(series, panel)]
    x, y, said = _places(series.x) or NOWHERE, _places(series.y) or NOWHERE, _places(series.text) or None
    if series.kind == "bars":
        # overlay: without it, the bar below its hatching would have no colour at all
        pattern = {"shape": seen.pattern, "fgcolor": colours.background, "fillmode": "overlay"}
        return go.Bar(
            x=x,
            y=y,
            orientation="h" if panel.y.scale == "category" else "v",
            marker={"color": colour, "pattern": pattern},
            text=said,
            textposition="outside" if seen.pattern else "auto",  # no text on hatching
            textangle=0,
            insidetextfont={"color": colours.background},
            outsidetextfont={"color": colours.text},
            cliponaxis=False,
            hovertext=told,
            hoverinfo="text",
        )
    if series.kind == "cells":  # the number itself stands in each, so that colour says nothing alone
        shades = {"z": strengths(series), "zmin": 0, "zmax": 1, "colorscale": [[0, colours.background], [1, colour]]}
        text = {"text": said, "texttemplate": "%{text}", "textfont": {"color": colours.text}}
        cell = {"x": x, "y": y, "showscale": False, "xgap": 2, "ygap": 2}
        return go.Heatmap(hovertext=told, hoverinfo="text", **cell, **shades, **text)
    if series.kind == "band":
        ground = _transparent(colour, BAND[colours.name] * (0.5 if series.faint else 1))
        around = {"x": [*series.x, *reversed(series.x)] or NOWHERE, "y": [*series.y, *reversed(series.low)] or NOWHERE}
        return go.Scatter(hoverinfo="skip", fill="toself", fillcolor=ground, line={"width": 0}, mode="lines", **around)
    if series.kind == "links":
        across, up = ([one for at in range(0, len(ends), 2) for one in (*ends[at : at + 2], None)] for ends in (x, y))
        thin, width = (_transparent(colours.muted, 0.7), 1.0) if series.faint else (colour, 1.5)
        return go.Scatter(x=across, y=up, mode="lines", line={"color": thin, "width": width}, hoverinfo="skip")
    mode = {"path": "lines+markers", "points": "markers"}.get(series.kind, "lines")
    edge = {"color": colour if seen.hollow else colours.background, "width": 2 if seen.hollow else 1}
    symbol = f"{seen.symbol}-open" if seen.hollow else seen.symbol
    return go.Scatter(
        x=x,
        y=y,
        mode="markers" if len(series.x) == 1 else mode,  # a line of one point would not be seen
        line={"color": colour, "width": 2, "dash": seen.dash, "shape": "hv" if series.kind == "steps" else "linear"},
        marker={"symbol": symbol, "size": series.size, "color": colour, "line": edge},
        connectgaps=False,
        cliponaxis=mode == "lines",  # a mark on the edge of the axes is seen whole
        opacity=FAINT if series.faint else 1,
        customdata=list(series.keys) or None,
        text=told or None,
        hoverinfo="text" if told else "skip",
    )


def _transparent(colour: str, alpha: float) -> str:
    return f"rgba{(*hex_to_rgb(colour), alpha)}"
