"""How well relations are predicted: means over seeds, guessing."""

import pytest
from tests.figures.made_relations import made_pair, made_run

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.relations import relation_ranking


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
        assert (run["accuracy"], run["seeds"]) == (pytest.approx(0.15), 3)
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
