"""Figures of weighted teachers: what each teacher's nodes pay, what is drawn, and which warnings they
carry."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.figures.made_ensembles import DELTA, ensemble, moved_by_all

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.papers.dp_gpl_votes import Asked, teacher_epsilon
from privgraph_workbench.figures.chart import Chart, Series
from privgraph_workbench.figures.teachers import budget, ensembles, stopped, teacher_epsilons


@pytest.fixture(scope="module")
def found() -> Ensemble:
    return ensemble()


@pytest.fixture(scope="module")
def limited() -> Ensemble:
    """The heavy teachers reach the limit, the light ones do not; who has reached it votes no more."""
    return ensemble(limit=0.8)


def _of_kind(chart: Chart, kind: str) -> list[Series]:
    return [series for series in chart.series if series.kind == kind]


class TestSpending:
    def test_everything_that_was_voted_on_is_paid_for(self, limited: Ensemble) -> None:
        spent = ensembles.spent(limited)
        for teacher in (0, 20, 39):
            took_part = limited.voting[teacher]
            for queries in (0, 1, 7, 20):
                asked = Asked(
                    queries=int(took_part[:queries].sum()),
                    answers=int((took_part & (limited.released >= 0))[:queries].sum()),
                    vote_sigma=limited.vote_sigma,
                    gate_sigma=limited.gate_sigma,
                )
                own = teacher_epsilon(asked, float(limited.weights[teacher]), DELTA)
                assert spent[teacher, queries] == pytest.approx(own, rel=1e-6)

    def test_nobody_spends_more_than_is_guaranteed(self, limited: Ensemble) -> None:
        assert (ensembles.spent(limited)[:, -1] <= limited.sound * (1 + 1e-9)).all()

    def test_data_dependent_spending_ends_where_the_record_says(self, found: Ensemble) -> None:
        trail = ensembles.spent(found, "data-dependent")
        assert trail[:, 0].tolist() == [0.0] * 40
        assert (np.diff(trail) >= -1e-12).all()
        assert trail[:, -1] == pytest.approx(found.dependent)

    def test_where_every_vote_may_move_a_node_is_charged_all(self, found: Ensemble) -> None:
        voided = moved_by_all(found)
        spent = ensembles.spent(voided)
        assert np.ptp(spent[:, -1]) == 0
        assert spent[0, -1] > 20 * ensembles.spent(found)[:, -1].max()


class TestEpsilons:
    def test_rows_are_teachers(self, found: Ensemble) -> None:
        rows = teacher_epsilons.data(found)
        assert [row["epsilon"] for row in rows] == found.sound.tolist()
        assert {row["size"] for row in rows} == {None}, "what is private leaves with no figure that does not draw it"
        assert not any(row["data_dependent"] for row in rows)
        other = teacher_epsilons.data(found, "data-dependent", "centrality", "strip")
        assert [row["size"] for row in other] == found.sizes.tolist()
        assert [row["epsilon"] for row in other] == found.dependent.tolist()
        assert all(row["data_dependent"] for row in other)
        with pytest.raises(ValueError, match="histogram, strip, cumulative"):
            teacher_epsilons.data(found, view="pie")

    @pytest.mark.parametrize("by", ensembles.GROUPINGS)
    @pytest.mark.parametrize("measure", ensembles.MEASURES)
    def test_every_teacher_is_in_one_bar_and_bars_stand_on_one_another(
        self, found: Ensemble, measure: str, by: str
    ) -> None:
        chart = teacher_epsilons.chart(teacher_epsilons.data(found, measure, by))
        tops: dict[object, float] = {}
        for series in chart.series:
            for place, low, high in zip(series.x, series.low, series.y, strict=True):
                assert low == tops.get(place, 0), "a bar stands on those before it"
                tops[place] = high  # type: ignore[assignment]
        assert sum(tops.values()) == 40

    def test_who_is_at_the_limit_is_not_beyond_it(self, limited: Ensemble) -> None:
        chart = teacher_epsilons.chart(teacher_epsilons.data(limited))
        (rule,) = chart.panels[0].rules
        assert rule.label == "limit 0.8"
        assert rule.x == 0.8
        assert max(place for series in chart.series for place in series.x) == pytest.approx(rule.x)  # type: ignore[type-var]


class TestBudget:
    def test_a_line_a_weight_from_nothing_to_what_was_spent(self, limited: Ensemble) -> None:
        rows = budget.data(limited)
        chart = budget.chart(rows)
        lines = _of_kind(chart, "line")
        assert [line.y[0] for line in lines] == [0.0] * 3
        last = ensembles.spent(limited)[:, -1]
        _, own = ensembles.groups(limited, "weight")
        assert [line.y[-1] for line in lines] == pytest.approx([last[own == place].max() for place in range(3)])
        (level,) = _of_kind(chart, "level")
        assert level.y == (0.8,)
        assert [mark.y[0] for mark in _of_kind(chart, "points")] == pytest.approx(
            [limited.sound[own == place].max() for place in range(3)]
        )

    def test_many_queries_are_thinned(self) -> None:
        many = ensemble(teachers=6, queries=1000, gate_sigma=0.0)
        rows = budget.data(many)
        assert len(rows) == 3 * (budget.MOST_POINTS + 1)
        assert rows[budget.MOST_POINTS]["queries"] == 1000


class TestStopped:
    def test_who_and_when(self, limited: Ensemble) -> None:
        rows = stopped.data(limited)
        gone = [row for row in rows if row["stopped_after"] is not None]
        assert 0 < len(gone) < 40
        for row in gone:
            took_part = limited.voting[row["teacher"]]
            assert took_part[: row["stopped_after"]].all()
            assert not took_part[row["stopped_after"] :].any()
            assert row["reached"]
            assert 0.5 < row["spent"] <= 0.8
        chart = stopped.chart(rows)
        assert {line.y[-1] for line in chart.series} >= {0.0, 1.0}

    def test_answers_that_are_used_up_stop_nobody(self) -> None:
        for limit in (math.inf, 50.0):
            found = ensemble(answers=3, limit=limit)
            assert not found.voting[:, -1].any()
            assert all(row["stopped_after"] is None for row in stopped.data(found))
