"""The three epsilons have one colour and one mark each, in every figure, in both renderers and both
themes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from plotly import graph_objects as go

from privgraph_workbench.figures import catalogue, figure_of
from privgraph_workbench.figures.chart import Chart, Row, Series
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.theme import EPSILONS, THEMES, Epsilon, Theme

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
