"""The three epsilons have one colour and one mark each, in every figure, in both renderers and both
themes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest
from matplotlib.colors import to_hex
from plotly import graph_objects as go

import privgraph_workbench
from privgraph_workbench.figures import catalogue, figure_of
from privgraph_workbench.figures.chart import Chart, Row, Series
from privgraph_workbench.figures.drawing import with_matplotlib
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.theme import EPSILONS, NEUTRAL, THEMES, Epsilon, Theme

Rows = Mapping[str, list[Row]]

SHOWN: Mapping[str, set[Epsilon]] = {
    "tradeoff": {"sound", "published"},
    "compare": {"sound", "published", "audited"},
    "price": {"sound", "published"},
    "cost": {"sound", "published"},
    "entry_costs": {"sound"},
    "precision": {"sound", "published"},
    "budget": {"sound"},
    "audit_roc": {"sound", "published", "audited"},
    "audit_bounds": {"sound", "published", "audited"},
    "attack_roc": {"sound"},
    "claims_played": {"published", "audited"},
}
"""Which figures draw them. Others put an epsilon on an axis, whose title says which: there colours tell
teachers apart."""
BY_METHOD = {"tradeoff"}
"""Where colours and shapes tell methods apart, and a mark is filled or hollow as that of its epsilon."""


def _kinds(chart: Chart) -> set[Epsilon]:
    return {one.epsilon for one in chart.series if one.epsilon is not None}


@pytest.mark.parametrize("figure", catalogue())
def test_what_shows_one_of_them_says_which(figure: str, every_figure: Rows) -> None:
    chart = figure_of(figure).chart(every_figure[figure])
    assert _kinds(chart) == SHOWN.get(figure, set())
    for series in chart.series:
        named = [kind for kind, mark in EPSILONS.items() if mark.title in series.name]
        assert series.epsilon in (named or [None, "sound"] if figure == "entry_costs" else named or [None]), series.name


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda one: one.name)
@pytest.mark.parametrize("figure", catalogue())
def test_on_a_page_they_look_alike_everywhere(figure: str, theme: Theme, every_figure: Rows) -> None:
    chart = figure_of(figure).chart(every_figure[figure])
    for series, trace in zip(chart.series, draw(chart, theme.name).data, strict=True):
        seen = {channel: value for channel, value in _channels(series, trace).items() if value is not None}
        if series.epsilon is None or series.shape is not None:
            assert not {theme.epsilon(kind) for kind in EPSILONS} & set(seen.values()), series.name
            if series.epsilon is not None:  # colours and shapes tell methods apart
                assert seen["symbol"].endswith("-open") == EPSILONS[series.epsilon].hollow, series.name
            continue
        mark = EPSILONS[series.epsilon]
        expected = {
            "colour": theme.epsilon(series.epsilon),
            "line": theme.epsilon(series.epsilon),
            "dash": mark.dash,
            "symbol": mark.symbol + "-open" * mark.hollow,
            "pattern": mark.pattern,
        }
        assert seen == {channel: expected[channel] for channel in seen}, series.name
        assert seen, series.name


def _channels(series: Series, trace: go.Scatter | go.Bar | go.Heatmap) -> dict[str, str | None]:
    """The colours and marks that are drawn of a trace."""
    if isinstance(trace, go.Bar):
        return {"colour": trace.marker.color, "pattern": trace.marker.pattern.shape}
    if isinstance(trace, go.Heatmap):
        return {"colour": trace.colorscale[-1][1]}
    lines, markers = "lines" in trace.mode, "markers" in trace.mode
    return {
        "line": trace.line.color if lines else None,
        "dash": trace.line.dash if lines else None,
        "colour": trace.marker.color if markers else None,
        "symbol": trace.marker.symbol if markers else None,
    }


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda one: one.name)
@pytest.mark.parametrize("figure", [figure for figure in SHOWN if figure not in BY_METHOD])
def test_in_a_file_they_look_alike_everywhere(figure: str, theme: Theme, every_figure: Rows) -> None:
    chart = figure_of(figure).chart(every_figure[figure])
    colours = {theme.epsilon(kind): kind for kind in EPSILONS}
    drawn_kinds = set()
    for axis in with_matplotlib.draw(chart, theme.name).axes:
        for line in axis.get_lines():
            kind = colours.get(to_hex(line.get_color()))
            if kind is None:
                continue
            drawn_kinds.add(kind)
            mark = EPSILONS[kind]
            assert line.get_marker() in (with_matplotlib.MARKERS[mark.symbol], "None", None)
            if line.get_marker() not in ("None", None):
                inside = theme.background if mark.hollow else theme.epsilon(kind)
                assert to_hex(line.get_markerfacecolor()) == inside
            dash = {"solid": "-", "dash": "--", "dot": "--"}[mark.dash]  # matplotlib's word for every pattern of dashes
            assert line.get_linestyle() in (dash, "None")
        for bars in axis.containers:
            for bar in bars:
                kind = colours.get(to_hex(bar.get_facecolor()))
                if kind is not None:
                    drawn_kinds.add(kind)
                    assert (bar.get_hatch() or "") == with_matplotlib.HATCHES[EPSILONS[kind].pattern]
    assert drawn_kinds == SHOWN[figure]


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda one: one.name)
@pytest.mark.parametrize("figure", BY_METHOD)
def test_in_a_file_a_method_keeps_its_look_and_its_marks_are_filled_or_hollow(
    figure: str, theme: Theme, every_figure: Rows
) -> None:
    """Each colour has marks of one shape, and those at the published epsilon are open."""
    chart = figure_of(figure).chart(every_figure[figure])
    wanted = {
        (theme.line(one.slot), EPSILONS[one.epsilon].hollow)
        for one in chart.series
        if one.epsilon is not None and one.kind == "points"
    }
    assert {hollow for _, hollow in wanted} == {False, True}
    drawn, shapes = set(), dict[str, set[object]]()
    for axis in with_matplotlib.draw(chart, theme.name).axes:
        for line in axis.get_lines():
            if line.get_marker() not in ("None", None):
                inside, colour = to_hex(line.get_markerfacecolor()), to_hex(line.get_color())
                drawn.add((colour, inside == theme.background))
                if colour != theme.line(NEUTRAL):
                    shapes.setdefault(colour, set()).add(line.get_marker())
    assert wanted <= drawn
    assert all(len(own) == 1 for own in shapes.values())


def test_their_names_are_written_once() -> None:
    """A label that is typed again would have no mark, and could drift."""
    package = Path(privgraph_workbench.__file__).parent
    titles = {mark.title.casefold() for mark in EPSILONS.values()}
    typed = [
        f"{path.relative_to(package)}:{node.lineno}"
        for path in sorted(package.rglob("*.py"))
        if path.name != "theme.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.casefold() in titles
    ]
    assert not typed
