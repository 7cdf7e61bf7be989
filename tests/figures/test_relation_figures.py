"""Figures of relations: places under several encoders, and how well relations are predicted."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.figures.made_relations import NAMES, made_answer, made_pair, made_run

from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.drawing.with_matplotlib import draw
from privgraph_workbench.figures.relations import moved, relation_ranking
from privgraph_workbench.figures.seeds import ratio, standard_error


class TestMoved:
    def test_a_line_from_the_nearest_place_to_the_farthest(self) -> None:
        chart = moved.chart(moved.data(made_answer(), NAMES))
        lines = {series.y[0]: series.x for series in chart.series if series.kind == "line"}
        assert lines["★ rustic walnut bench"] == (1, 900)
        assert lines["★ a garden lamp"] == (3, 40)
        assert "oak swing" in lines
        assert len(lines) == 6
        assert all(series.y[0] == series.y[1] for series in chart.series if series.kind == "line")

    def test_marks_stand_at_the_places_and_texts_in_order_of_the_last_encoder(self) -> None:
        chart = moved.chart(moved.data(made_answer(), NAMES))
        (axis,) = [panel.y for panel in chart.panels]
        assert axis.categories[:3] == ("★ rustic walnut bench", "rustic red bench of oak", "oak swing")
        marks = {series.name: dict(zip(series.y, series.x, strict=True)) for series in chart.series if series.name}
        assert list(marks) == list(NAMES.values())
        far, *near = (marks[name]["★ rustic walnut bench"] for name in NAMES.values())
        assert far == 900
        assert near == [1, 1], "each stands at its place"
        sizes = [series.size for series in chart.series if series.name]
        assert sizes == sorted(sizes, reverse=True), "and what is drawn later does not cover what it lies on"
        assert all(larger - smaller >= 8 for larger, smaller in pairwise(sizes))
        hollow = [series.hollow for series in chart.series if series.name]
        assert hollow == [True, True, False], "those of one place are all seen, one within the other"
        assert len({series.slot for series in chart.series if series.name}) == 3

    def test_the_legend_stands_above_the_axes(self) -> None:
        rows = moved.data(made_answer(), NAMES)
        chart = moved.chart(rows)
        figure = figure_of("moved").plot(rows)
        inner = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
        legend = figure.layout.legend
        assert (legend.y, legend.yanchor) == (pytest.approx(1 + 4 / inner), "bottom")
        assert figure.layout.margin.b < 60, "nothing but ticks and title stand below"
        (badge,) = (note for note in figure.layout.annotations if "evaluator" in note.text.lower())
        assert badge.yshift >= 24 + 4, "the badge stands above the legend"
        figures_legend = draw(chart).subfigs[1].legends[0]
        assert figures_legend.get_window_extent().y0 > 0.7 * figures_legend.figure.bbox.height, "in files, too"

    def test_partners_are_badged_as_the_evaluators(self) -> None:
        rows = moved.data(made_answer(), NAMES)
        assert all(row["evaluator"] for row in rows)
        without = moved.data(made_answer(partners=False), NAMES)
        assert not any("★" in name for name in moved.chart(without).panels[0].y.categories)

    def test_of_many_texts_the_nearest_are_drawn_and_all_are_rows(self) -> None:
        answer = made_answer()
        many = tuple(
            replace(answer.entities[0], number=row, places=dict.fromkeys(NAMES, 50 - row)) for row in range(40)
        )
        rows = moved.data(replace(answer, entities=many), NAMES)
        assert len(rows) == 120
        chart = moved.chart(rows)
        assert len(chart.panels[0].y.categories) == moved.MOST
        base, bare, private = (series.x for series in chart.series if series.name)
        assert list(base) == list(bare) == list(private) == list(range(11, 11 + moved.MOST))

    def test_partners_are_drawn_however_far_away(self) -> None:
        answer = made_answer()
        near = [replace(answer.entities[0], number=row, places=dict.fromkeys(NAMES, row + 1)) for row in range(30)]
        far = [
            replace(one, number=100 + row, text=f"partner {row}", partner=True, places=dict.fromkeys(NAMES, 500 + row))
            for row, one in enumerate(near)
        ]
        rows = moved.data(replace(answer, entities=(*near, *far)), NAMES)
        drawn = moved.chart(rows).panels[0].y.categories
        assert [name for name in drawn if "★" in name] == [f"★ partner {row}" for row in range(5)]
        assert len(drawn) == moved.MOST

    def test_the_text_that_was_asked_about_leaves_with_the_figure(self) -> None:
        rows = moved.data(made_answer(partners=False), NAMES, asked="my <b>own</b> text")
        assert {row["asked"] for row in rows} == {"my <b>own</b> text"}
        theirs = moved.data(made_answer(), NAMES, asked="RUSTIC  bench")
        assert {row["asked"] for row in theirs} == {"rustic bench"}, "as the data have it"

    def test_nothing_and_one_encoder(self) -> None:
        chart = moved.chart(moved.data(made_answer(), {"base": "base encoder"}))
        assert [series.kind for series in chart.series] == ["points"]


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

    def test_bars_are_prec_at_1_and_mrr_stands_beside_them(self, store: RunStore) -> None:
        chart = relation_ranking.chart(relation_ranking.data(made_pair(store)))
        (panel,) = chart.panels
        found = {label: x for one in chart.series for label, x in zip(one.y, one.x, strict=True)}
        assert [found[label] for label in panel.y.categories] == pytest.approx([1 / 256, 0.02, 0.14, 0.06])
        assert [
            said in label
            for label, said in zip(panel.y.categories, ("MRR 2.4%", "MRR 8.0%", "MRR 30.0%", "MRR 15.0%"), strict=True)
        ] == [True] * 4

    @pytest.mark.long
    def test_a_bar_is_the_mean_over_seeds_and_has_their_interval(self, store: RunStore) -> None:
        seeds = [
            made_run(
                store, seed=seed, metrics={"test_accuracy": 0.1 + 0.05 * seed, "base_accuracy": 0.02 + 0.01 * seed}
            )
            for seed in range(3)
        ]
        other = made_run(store, negatives=9, metrics={"test_accuracy": 0.9})
        (_, base, run) = relation_ranking.data(seeds[:1], [*seeds, other])
        low, high = 0.15 - 4.3027 * 0.05 / 3**0.5, 0.15 + 4.3027 * 0.05 / 3**0.5
        assert (run["accuracy"], run["seeds"], run["own_accuracy"]) == (pytest.approx(0.15), 3, 0.1)
        assert (run["accuracy_low"], run["accuracy_high"]) == pytest.approx((low, high), abs=1e-4), "Student's"
        assert base["accuracy"] == pytest.approx(0.03), "of the same seeds"
        assert run["composed"] == 3, "all that stand behind the bar"
        chart = relation_ranking.chart([base, run])
        drawn = next(one for one in chart.series if one.name == relation_ranking.INTERVAL)
        assert drawn.x[2:] == (run["accuracy_low"], run["accuracy_high"])
        assert chart.panels[0].y.categories[1].endswith("15.0%, MRR 15.0%")
        assert chart.panels[0].x.high > run["accuracy_high"]
        (_, _, alone) = relation_ranking.data(seeds[:1])
        assert (alone["accuracy_low"], alone["accuracy"]) == (None, 0.1)

    def test_only_marked_runs_have_a_mark_beside_the_mean(self, store: RunStore) -> None:
        runs = [made_run(store, seed=seed, negatives=negatives) for negatives in (4, 8) for seed in range(2)]
        rows = relation_ranking.data(runs[::2], runs, marked={runs[0].id})[2:]
        assert [row["own_accuracy"] for row in rows] == [0.06, None]
        assert not any("seed" in row["label"] for row in rows), "each stands for all of its seeds"
        marks = [one for one in relation_ranking.chart(rows).series if one.name == relation_ranking.CHOSEN]
        assert [len(one.x) for one in marks] == [1]

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

    def test_runs_without_these_numbers_are_left_out(self, store: RunStore) -> None:
        other = replace(made_run(store), metrics={"test_accuracy": 0.5})
        assert relation_ranking.data([other]) == []


def test_no_line_below_a_printed_figure_is_wider_than_it(store: RunStore) -> None:
    told = (
        "PvGaLM on Made-up products, edge ε 4; PvGaLM on Made-up products, edge ε 10; Randomised relations on Made-up "
    )
    told += "products, edge ε 4 (2) and 1 more: the audited ε is shown at confidence 95%, trained again."
    drawn = draw(replace(relation_ranking.chart(relation_ranking.data(made_pair(store))), caption=told))
    drawn.draw_without_rendering()
    *_, lower = drawn.subfigs
    assert all(text.get_window_extent().x1 <= drawn.bbox.x1 for text in lower.texts)
