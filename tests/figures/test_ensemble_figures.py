"""Figures of weighted teachers: what each teacher's nodes pay, what is drawn, and which warnings they
carry."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.figures.made_ensembles import DELTA, ensemble, moved_by_all

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.papers.dp_gpl_votes import Asked, teacher_epsilon
from privgraph_workbench.figures.chart import Chart, Row, Series
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.teachers import budget, ensembles, stopped, teacher_accuracy, teacher_epsilons


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

    def test_without_noise_nothing_is_guaranteed(self, found: Ensemble) -> None:
        bare = replace(found, vote_sigma=0.0, gate_sigma=0.0, sound=np.full(40, math.inf))
        assert ensembles.spent(bare)[0, -1] == math.inf
        assert budget.chart(budget.data(bare)).panels[0].title.startswith("nothing is guaranteed")
        assert teacher_epsilons.chart(teacher_epsilons.data(bare)).panels[0].title == "nothing is guaranteed"

    def test_which_epsilon_the_limit_is_held_against(self, limited: Ensemble) -> None:
        assert ensembles.limit_measure(limited) == "sound"
        assert ensembles.limit_measure(ensemble(limit=0.8, published=True)) == "data-dependent"


class TestGroups:
    def test_few_weights_are_groups_of_their_own(self, found: Ensemble) -> None:
        names, own = ensembles.groups(found, "weight")
        assert len(names) == 3
        assert np.unique(found.weights[own == 1]).size == 1

    def test_many_values_share_five_groups_in_their_order(self, found: Ensemble) -> None:
        names, own = ensembles.groups(found, "centrality")
        assert len(names) == ensembles.MOST_GROUPS
        ends = [(found.centrality[own == place].min(), found.centrality[own == place].max()) for place in range(5)]
        assert all(before[1] < after[0] for before, after in itertools.pairwise(ends))
        assert np.bincount(own).min() >= 7


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

    def test_few_values_stand_where_they_are(self, found: Ensemble) -> None:
        chart = teacher_epsilons.chart(teacher_epsilons.data(found))
        places = [place for series in chart.series for place in series.x]
        assert places == pytest.approx(np.unique(found.sound), rel=1e-3)
        assert chart.panels[0].x.ticks == pytest.approx(places, rel=1e-2)
        assert [series.name for series in chart.series] == list(ensembles.groups(found, "weight")[0]), "light to heavy"
        drawn = draw(chart)
        assert [bar.x[0] for bar in drawn.data] == places, "on the page as well"

    def test_many_values_share_bins(self, found: Ensemble) -> None:
        many = replace(found, sound=np.linspace(0.3, 1.9, 40))
        chart = teacher_epsilons.chart(teacher_epsilons.data(many))
        width = chart.series[0].width
        assert width is not None
        assert len({place for series in chart.series for place in series.x}) <= 10
        for series in chart.series:
            _, own = ensembles.groups(many, "weight")
            held = many.sound[own == series.slot]
            assert min(series.x) - width <= held.min() <= held.max() <= max(series.x) + width  # type: ignore[operator,type-var]

    def test_who_is_at_the_limit_is_not_beyond_it(self, limited: Ensemble) -> None:
        chart = teacher_epsilons.chart(teacher_epsilons.data(limited))
        (rule,) = chart.panels[0].rules
        assert rule.label == "limit 0.8"
        assert rule.x == 0.8
        assert max(place for series in chart.series for place in series.x) == pytest.approx(rule.x)  # type: ignore[type-var]

    def test_a_strip_has_a_point_a_teacher_at_its_epsilon(self, found: Ensemble) -> None:
        chart = teacher_epsilons.chart(teacher_epsilons.data(found, view="strip"))
        assert sorted(x for series in chart.series for x in series.x) == sorted(found.sound.tolist())  # type: ignore[type-var]
        places = [(x, y) for series in chart.series for x, y in zip(series.x, series.y, strict=True)]
        assert len(set(places)) == 40

    def test_stairs_end_at_everybody(self, found: Ensemble) -> None:
        chart = teacher_epsilons.chart(teacher_epsilons.data(found, view="cumulative"))
        assert [series.name for series in chart.series][-1] == "all teachers"
        for series in chart.series:
            assert (series.y[0], series.y[-1]) == (0.0, 1.0)
            assert list(series.x) == sorted(series.x)  # type: ignore[type-var]

    def test_equal_epsilons_and_missing_ones(self, found: Ensemble) -> None:
        alike = replace(found, weights=np.ones(40), sound=np.full(40, 1.7))
        for view in teacher_epsilons.VIEWS:
            assert teacher_epsilons.chart(teacher_epsilons.data(alike, view=view)).series
        unknown = replace(found, dependent=np.full(40, math.nan))
        chart = teacher_epsilons.chart(teacher_epsilons.data(unknown, "data-dependent"))
        assert chart.panels[0].title == "it was not computed in this run"


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

    def test_the_papers_number_has_no_guarantee(self, limited: Ensemble) -> None:
        chart = budget.chart(budget.data(limited, "data-dependent"))
        assert not _of_kind(chart, "points")
        assert not _of_kind(chart, "level")  # the limit was held against the sound one
        with pytest.raises(ValueError, match="sound, data-dependent"):
            budget.data(limited, "published")

    def test_nodes_that_pay_alike_are_one_line(self) -> None:
        rows = budget.alike([(1, 0.25), (8, 1.0)], 1e-4)
        chart = budget.chart(rows)
        (line,) = _of_kind(chart, "line")
        assert (line.name, line.x, line.y) == ("every private node", (0, 1, 8), (0.0, 0.25, 1.0))
        (mark,) = _of_kind(chart, "points")
        assert (mark.x, mark.y) == ((8,), (1.0,))

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

    def test_where_one_teacher_ends_it_the_others_only_stop_with_it(self) -> None:
        rows = stopped.data(ensemble(limit=0.8, at_limit="stop"))
        assert all(row["stopped_after"] == rows[0]["stopped_after"] for row in rows)
        heaviest = max(row["weight"] for row in rows)
        assert {row["weight"] for row in rows if row["reached"]} == {heaviest}

    def test_a_limit_by_the_papers_number_ends_it_for_all(self) -> None:
        rows = stopped.data(ensemble(limit=0.8, published=True))
        assert all(row["stopped_after"] == rows[0]["stopped_after"] is not None for row in rows)
        assert [row["reached"] for row in rows] == [row["spent"] >= 0.8 for row in rows]
        assert any(row["reached"] for row in rows)
        chart = budget.chart(budget.data(ensemble(limit=0.8, published=True)))
        assert Flag.UNGUARANTEED in chart.flags

    def test_answers_that_are_used_up_stop_nobody(self) -> None:
        for limit in (math.inf, 50.0):
            found = ensemble(answers=3, limit=limit)
            assert not found.voting[:, -1].any()
            assert all(row["stopped_after"] is None for row in stopped.data(found))

    def test_nobody(self, found: Ensemble) -> None:
        assert stopped.chart(stopped.data(found)).panels[0].title == stopped.NO_LIMIT
        assert stopped.chart(stopped.data(ensemble(limit=50.0))).panels[0].title == stopped.NOBODY


def test_accuracy_by_weight_and_size(found: Ensemble) -> None:
    rows: list[Row] = teacher_accuracy.data(found)
    chart = teacher_accuracy.chart(rows)
    assert len(chart.panels) == 2
    means = _of_kind(chart, "path")[0]
    assert means.x == pytest.approx(np.unique(found.weights).tolist())
    light = found.accuracy[found.weights == found.weights.min()].mean()
    assert means.y[0] == pytest.approx(light)
    alike = teacher_accuracy.chart(teacher_accuracy.data(replace(found, weights=np.ones(40))))
    assert len(alike.panels) == 1
    unknown = teacher_accuracy.data(replace(found, accuracy=np.full(40, math.nan)))
    assert teacher_accuracy.chart(unknown).panels[0].title == "no teacher's accuracy was measured"


def test_the_limit_is_a_line_between_bars_on_a_page_too(limited: Ensemble) -> None:
    chart = teacher_epsilons.chart(teacher_epsilons.data(limited))
    (line,) = draw(chart).layout.shapes
    assert line.x0 == chart.panels[0].rules[0].x
