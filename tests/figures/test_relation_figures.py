"""Figures of relations: places under several encoders, and how well relations are predicted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures.made_relations import NAMES, made_answer, made_pair, made_run

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.relations import moved, relation_ranking


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
        assert [marks[name]["★ rustic walnut bench"] for name in NAMES.values()] == [900, 1, 1]
        assert len({series.slot for series in chart.series if series.name}) == 3
        assert "From base encoder to edge-level ε 4, 2 moved nearer, 4 farther" in chart.summary

    def test_partners_are_badged_as_the_evaluators(self) -> None:
        rows = moved.data(made_answer(), NAMES)
        assert moved.chart(rows).badges == (moved.PARTNER_BADGE,)
        assert all(row["evaluator"] for row in rows)
        (badge,) = moved.chart(moved.data(made_answer(), NAMES, learnt=True)).badges
        assert badge == moved.PRIVATE_BADGE, "partners that were trained on are private"
        without = moved.data(made_answer(partners=False), NAMES)
        assert moved.chart(without).badges == ()
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
        assert {series.x for series in chart.series if series.name} == {tuple(range(11, 27))}
        assert "16 of 40 texts" in chart.summary

    def test_partners_are_drawn_however_far_away(self) -> None:
        answer = made_answer()
        near = [replace(answer.entities[0], number=row, places=dict.fromkeys(NAMES, row + 1)) for row in range(30)]
        far = [
            replace(one, number=100 + row, text=f"partner {row}", partner=True, places=dict.fromkeys(NAMES, 500 + row))
            for row, one in enumerate(near)
        ]
        drawn = moved.chart(moved.data(replace(answer, entities=(*near, *far)), NAMES)).panels[0].y.categories
        assert [name for name in drawn if "★" in name] == [f"★ partner {row}" for row in range(8)]
        assert len(drawn) == moved.MOST

    def test_nothing_and_one_encoder(self) -> None:
        assert "no text was compared with" in moved.chart([]).summary
        chart = moved.chart(moved.data(made_answer(), {"base": "base encoder"}))
        assert [series.kind for series in chart.series] == ["points"]
        assert "under one encoder" in chart.summary


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

    def test_bars_are_the_numbers_of_both_measures(self, store: RunStore) -> None:
        chart = relation_ranking.chart(relation_ranking.data(made_pair(store)))
        for place, expected in enumerate(([1 / 256, 0.02, 0.14, 0.06], [None, 0.08, 0.3, 0.15])):
            found = {}
            for series in chart.series:
                if series.panel == place:
                    found |= dict(zip(series.y, series.x, strict=True))
            numbers = [found[name] for name in chart.panels[place].y.categories]
            assert [own for own, said in zip(numbers, expected, strict=True) if said is not None] == pytest.approx(
                [said for said in expected if said is not None]
            )
        assert any("evaluator" in badge for badge in chart.badges)

    def test_bases_that_were_judged_otherwise_stand_apart(self, store: RunStore) -> None:
        one, other = made_run(store), made_run(store, seed=1, metrics={"base_accuracy": 0.03})
        kinds = [row["kind"] for row in relation_ranking.data([one, other])]
        assert kinds == ["guessing", "base", "base", "run", "run"]

    def test_runs_without_these_numbers_are_left_out(self, store: RunStore) -> None:
        other = replace(made_run(store), metrics={"test_accuracy": 0.5})
        assert relation_ranking.data([other]) == []
        assert "no run here was judged" in relation_ranking.chart([]).summary
