"""Figures of relations: places under several encoders, and how well relations are predicted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind
from tests.figures.made_relations import NAMES, made_answer, made_pair

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.drawing.with_matplotlib import draw
from privgraph_workbench.figures.relations import moved, relation_ranking
from privgraph_workbench.figures.seeds import difference, ratio, standard_error


class TestMoved:
    def test_a_line_from_the_nearest_place_to_the_farthest(self) -> None:
        chart = moved.chart(moved.data(made_answer(), NAMES))
        lines = {series.y[0]: series.x for series in chart.series if series.kind == "line"}
        assert lines["★ rustic walnut bench"] == (1, 900)
        assert lines["★ a garden lamp"] == (3, 40)
        assert "oak swing" in lines
        assert len(lines) == 6
        assert all(series.y[0] == series.y[1] for series in chart.series if series.kind == "line")

    def test_directions_are_said_and_the_legend_stands_above_the_axes(self) -> None:
        rows = moved.data(made_answer(), NAMES)
        chart = moved.chart(rows)
        assert "to the left is nearer" in chart.title
        assert "1 is the nearest, to the right is farther away" in chart.panels[0].x.title
        figure = moved.plot(rows)
        inner = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
        legend = figure.layout.legend
        assert (legend.y, legend.yanchor) == (pytest.approx(1 + 4 / inner), "bottom")
        assert figure.layout.margin.b < 60, "nothing but ticks and title stand below"
        (badge,) = (note for note in figure.layout.annotations if "evaluator" in note.text.lower())
        assert badge.yshift >= 24 + 4, "the badge stands above the legend"
        figures_legend = draw(chart).subfigs[1].legends[0]
        assert figures_legend.get_window_extent().y0 > 0.7 * figures_legend.figure.bbox.height, "in files, too"


class TestRanking:
    def test_runs_stand_beside_guessing_and_the_base(self, store: RunStore) -> None:
        rows = relation_ranking.data(made_pair(store))
        assert [row["kind"] for row in rows] == ["guessing", "base", "run", "run"]
        guessing, base, bare, private = rows
        assert guessing["label"] == "guessing among 256"
        assert guessing["accuracy"] == pytest.approx(1 / 256)
        assert guessing["mrr"] == pytest.approx(sum(1 / rank for rank in range(1, 257)) / 256)
        assert (base["accuracy"], base["mrr"]) == (0.02, 0.08)
        assert (bare["accuracy"], bare["mrr"], bare["unit"]) == (0.14, 0.3, "none")
        assert (private["accuracy"], private["mrr"], private["unit"]) == (0.06, 0.15, "edge")
        assert 3.96 < private["epsilon"] <= 4
        assert private["composed"] == 2
        assert all(row["evaluator"] for row in rows)

    def test_it_is_that_of_welch(self) -> None:
        rng = np.random.default_rng(0)
        one, other = rng.normal(0.6, 0.1, 4), rng.normal(0.5, 0.02, 6)
        given = ((float(of.mean()), standard_error(list(of)), len(of)) for of in (one, other))
        first, second = ((mean, float(error or 0.0), seeds) for mean, error, seeds in given)
        apart, low, high = difference(first, second)
        expected = ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
        assert apart == pytest.approx(one.mean() - other.mean())
        assert (low, high) == (pytest.approx(expected.low), pytest.approx(expected.high))

    def test_a_share_is_that_of_fieller(self) -> None:
        """Simulated: of 95% intervals about 95% hold the true share."""
        rng = np.random.default_rng(0)
        held = []
        for _ in range(400):
            one, whole = rng.normal(0.12, 0.02, 4), rng.normal(0.2, 0.02, 4)
            given = ((float(of.mean()), standard_error(list(of)) or 0.0, len(of)) for of in (one, whole))
            first, second = given
            _, low, high = ratio(first, second)
            assert low is not None
            assert high is not None
            held.append(low <= 0.6 <= high)
        assert 0.94 <= np.mean(held) <= 0.995
        assert ratio((0.1, 0.01, 3), (0.02, 0.02, 3)) == (pytest.approx(5), None, None), "nothing bounds it"


def test_no_line_below_a_printed_figure_is_wider_than_it(store: RunStore) -> None:
    told = (
        "PvGaLM on Made-up products, edge ε 4; PvGaLM on Made-up products, edge ε 10; Randomised relations on Made-up "
    )
    told += "products, edge ε 4 (2) and 1 more: the audited ε is shown at confidence 95%, trained again."
    drawn = draw(relation_ranking.chart(relation_ranking.data(made_pair(store))), "light", notes=[told])
    drawn.draw_without_rendering()
    *_, lower = drawn.subfigs
    assert all(text.get_window_extent().x1 <= drawn.bbox.x1 for text in lower.texts)
