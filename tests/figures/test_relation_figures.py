"""How well relations are predicted: means over seeds, guessing, and shares of a gain."""

from __future__ import annotations

import numpy as np
import pytest
from tests.figures.made_relations import made_pair, made_run

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.relations import relation_ranking
from privgraph_workbench.figures.seeds import ratio, standard_error


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


def test_a_gain_is_that_on_the_base_of_the_same_seed(store: RunStore) -> None:
    """The base is judged anew with each seed, by other relations: which run is chosen must not matter."""
    reached = [(0.10, 0.02), (0.14, 0.05), (0.12, 0.01)]
    runs = [
        made_run(store, seed=seed, metrics={"test_accuracy": test, "base_accuracy": base})
        for seed, (test, base) in enumerate(reached)
    ]
    for chosen in runs:
        row = relation_ranking.data([chosen], runs)[-1]
        assert row["gain"] == pytest.approx((0.08 + 0.09 + 0.11) / 3)
        assert row["gain_error"] == pytest.approx(0.0152753 / 3**0.5, rel=1e-4)
