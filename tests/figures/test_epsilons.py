"""The three epsilons have one colour and one mark each, in every figure, in both renderers and both
themes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from privgraph_workbench.figures import catalogue, figure_of
from privgraph_workbench.figures.chart import Chart, Row
from privgraph_workbench.theme import EPSILONS, Epsilon

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
