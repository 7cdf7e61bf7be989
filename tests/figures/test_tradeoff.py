"""Accuracy against epsilon: what is averaged, where it is placed, and what must not be compared."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.figures import made_runs
from tests.figures.made_relations import made_pair
from tests.figures.made_tradeoffs import plainly, point

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.notes import mixed_units
from privgraph_workbench.figures.runs import compare, tradeoff, tradeoff_marks
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.words.naming import method_title


def test_one_row_per_setting_with_both_epsilons(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    assert len(rows) == 2 * 4 + 2
    assert all(row["seeds"] == 3 for row in rows)
    assert {row["unit"] for row in rows} == {"edge", "none"}
    one = next(row for row in rows if row["method"] == "progap" and row["asked"] == 1.0 and row["unit"] == "edge")
    runs = [record for record in swept if record.id in one["runs"].split()]
    assert len(runs) == 3
    assert one["mean"] == pytest.approx(np.mean([record.metrics["test_accuracy"] for record in runs]))
    assert one["low"] < one["mean"] < one["high"]
    statement = runs[0].statement
    assert statement is not None
    assert one["epsilon"] == statement.epsilon
    assert one["epsilon_as_published"] == statement.epsilon_as_published
    assert one["epsilon_as_published"] < one["epsilon"]


def test_what_protects_nothing_or_everything_is_a_reference(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    references = {row["method"]: row["epsilon"] for row in rows if row["reference"]}
    assert references == {"progap": math.inf, "mlp": 0.0}
    levels = [series for series in tradeoff.chart(rows).series if series.kind == "level"]
    assert [series.name for series in levels] == ["MLP (ignores edges), ε = 0", "ProGAP, not private"]


def test_the_front_is_what_nothing_else_dominates() -> None:
    rows = [
        point(1, 0.5),
        point(2, 0.7),
        point(3, 0.6),
        point(4, 0.7),
        point(8, 0.9),
        point(1, 0.8, test_nodes=9),
    ]
    rows += [point(1, 0.9, unit="node"), point(math.inf, 0.99, reference=True)]
    for row in rows:
        row["front"] = tradeoff._on_front(row, rows)
    assert [row["epsilon"] for row in rows if row["front"]] == [1, 2, 8, 1, 1], "on other nodes, or of others: apart"
    chart = tradeoff.chart(rows)
    (steps,) = (one for one in chart.series if one.name == tradeoff_marks.FRONT)
    assert (steps.panel, steps.x[:4], steps.y[:4]) == (0, (1, 2, 2, 2), (0.5, 0.5, 0.5, 0.7))
    assert steps.y[-1] == 0.9


def test_a_model_that_reads_no_edge_is_said_to_protect_no_person(store: RunStore) -> None:
    made_runs.finish(store, made_runs.spec("mlp", unit="none"), 0.7, made_runs.statement((), unit="none"))
    (level,) = (one for one in tradeoff.chart(tradeoff.data(store.find())).series if one.kind == "level")
    assert level.name == "MLP (ignores edges), protects no person"


def test_a_guess_is_a_level_where_it_is_in_sight(swept: list[RunRecord]) -> None:
    """Not below all that is drawn: it would press the curves together."""
    for guess, drawn in ((0.6, True), (0.2, False)):
        known = [replace(one, metrics={**one.metrics, "majority_class_accuracy": guess}) for one in swept]
        rows = tradeoff.data(known)
        assert [row["guess"] for row in rows] == pytest.approx([guess] * len(rows))
        for chart in (tradeoff.chart(rows), tradeoff.chart(plainly(rows))):
            levels = [one.y for one in chart.series if one.name == tradeoff_marks.GUESS]
            assert levels == ([pytest.approx((guess,))] if drawn else [])
    assert {row["guess"] for row in tradeoff.data(swept)} == {None}


def test_different_test_nodes_of_one_panel_are_pointed_to(swept: list[RunRecord]) -> None:
    rows = [{**row, "test_nodes": 300} for row in tradeoff.data(swept)]
    assert not any("test nodes" in badge for badge in tradeoff.chart(rows).badges)
    rows[0]["test_nodes"] = 1254
    (badge,) = (badge for badge in tradeoff.chart(rows).badges if "test nodes" in badge)
    assert "(300 to 1,254 of them)" in badge
    elsewhere = [{**row, "graph": "another"} if row is rows[0] else row for row in rows]
    assert not any("test nodes" in badge for badge in tradeoff.chart(elsewhere).badges), "in another panel"


def test_units_are_never_mixed_without_a_warning(store: RunStore, swept: list[RunRecord]) -> None:
    assert mixed_units(tradeoff.data(swept)) is None
    node = made_runs.finish(
        store,
        made_runs.spec(unit="node", epsilon=8.0),
        0.66,
        made_runs.statement(made_runs.node_entries(0.9), "node"),
    )
    rows = tradeoff.data([*swept, node])
    warning = mixed_units(rows)
    assert warning is not None
    assert "edge-level and node-level" in warning
    assert warning in tradeoff.chart(rows).badges
    chart = tradeoff.chart(rows)
    assert [panel.x.title.partition(" (priv")[0] for panel in chart.panels] == ["ε per edge", "ε per person (node)"]
    assert {one.panel for one in chart.series if "node-level" in one.name} == {1}, "never on one axis"
    assert {one.panel for one in chart.series if one.kind == "level"} == {0, 1}, "levels stand in both"
    curves = {one.name for one in chart.series if one.name.endswith(": sound ε")}
    assert {"ProGAP, edge-level: sound ε", "ProGAP, node-level: sound ε"} <= curves


def test_other_options_split_a_curve_and_name_it(store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    records = [made_runs.finish(store, made_runs.spec(depth=depth), 0.7, said) for depth in (1, 2)]
    assert [row["variant"] for row in tradeoff.data(records)] == ["depth 1", "depth 2"]


def test_the_same_noise_under_either_accounting_is_one_curve(store: RunStore) -> None:
    records = [
        made_runs.finish(
            store,
            made_runs.spec(accounting=accounting),
            0.7,
            made_runs.statement(made_runs.edge_entries(noise)),
        )
        for accounting, noise in (("sound", 11.0), ("published", 8.0))
    ]
    rows = tradeoff.data(records)
    assert [row["variant"] for row in rows] == ["", ""]
    assert len([one for one in tradeoff.chart(rows).series if one.name.endswith(": sound ε")]) == 1


def test_one_unit_of_a_graph_has_one_guess_whatever_the_seeds_of_a_setting(store: RunStore) -> None:
    """As the advice on that unit has it, which knows the runs of that unit alone."""
    for unit, method, seeds in (("edge", "gap", range(5)), ("edge", "progap", range(3)), ("node", "gap", range(3))):
        for seed in seeds:
            entries = made_runs.edge_entries(9) if unit == "edge" else made_runs.node_entries(2.0)
            said = made_runs.statement(entries, unit=unit)
            made_runs.finish(store, made_runs.spec(method, unit=unit, seed=seed), 0.7, said)
    records = [
        replace(one, metrics={**one.metrics, "majority_class_accuracy": 0.3 + one.spec.seed / 100})
        for one in store.find()
    ]
    found = {(row["method"], row["unit"]): row["guess"] for row in tradeoff.data(records)}
    assert found == {
        ("gap", "edge"): pytest.approx(0.32),
        ("progap", "edge"): pytest.approx(0.32),
        ("gap", "node"): pytest.approx(0.31),
    }


class TestGivenNoise:
    """Runs whose noise was given (lambda) do not use the budget that their options hold."""

    NOISE = ((0.1, 30.0), (0.4, 9.0), (1.0, 4.0))

    def _runs(self, store: RunStore, **options: float) -> list[RunRecord]:
        return [
            made_runs.finish(
                store,
                made_runs.spec("privgnn", unit="node", epsilon=2.0, lam=lam, seed=seed, **options),
                0.4 + lam / 3 + seed / 100,
                made_runs.statement(made_runs.node_entries(noise), "node"),
            )
            for lam, noise in self.NOISE
            for seed in (0, 1)
        ]

    def test_they_stand_at_their_sound_epsilon_on_one_curve(self, store: RunStore) -> None:
        records = self._runs(store)
        rows = tradeoff.data(records)
        assert [row["seeds"] for row in rows] == [2, 2, 2]
        assert [row["asked"] for row in rows] == [None] * 3
        (sound,) = [one for one in tradeoff.chart(rows).series if one.name.endswith(": sound ε")]
        stated = sorted({record.statement.epsilon for record in records if record.statement})
        assert list(sound.x) == stated
        assert 2.0 not in sound.x
        assert all(earlier < later for earlier, later in pairwise(sound.y))

    def test_other_options_are_curves_of_their_own(self, store: RunStore) -> None:
        records = [*self._runs(store, queries=500), *self._runs(store, queries=1000)]
        names = [one.name for one in tradeoff.chart(tradeoff.data(records)).series if one.name.endswith(": sound ε")]
        title = method_title("privgnn")
        assert names == [f"{title}, queries {count}: sound ε" for count in (1000, 500)]

    def test_a_budget_that_was_not_used_makes_no_other_setting(self, store: RunStore) -> None:
        said = made_runs.statement(made_runs.node_entries(4.0), "node")
        records = [
            made_runs.finish(store, made_runs.spec("privgnn", unit="node", epsilon=epsilon, lam=0.4), 0.6, said)
            for epsilon in (1.0, 8.0)
        ]
        (row,) = tradeoff.data(records)
        assert row["seeds"] == 2

    def test_a_calibrated_run_joins_the_curve(self, store: RunStore) -> None:
        said = made_runs.statement(made_runs.node_entries(6.0), "node")
        calibrated = made_runs.finish(store, made_runs.spec("privgnn", unit="node", epsilon=1.5, lam=0.0), 0.6, said)
        rows = tradeoff.data([*self._runs(store), calibrated])
        assert sorted(row["asked"] for row in rows if row["asked"] is not None) == [1.5]
        assert len([one for one in tradeoff.chart(rows).series if one.name.endswith(": sound ε")]) == 1

    def test_ordinary_networks_are_levels_with_the_name_of_their_setting(self, store: RunStore) -> None:
        open_ = made_runs.statement((), unit="none")
        references = [
            made_runs.finish(store, made_runs.spec("gnn", unit="none", setting=setting), accuracy, open_)
            for setting, accuracy in (("B1", 0.84), ("B2", 0.86))
        ]
        rows = tradeoff.data([*self._runs(store), *references])
        levels = [one for one in tradeoff.chart(rows).series if one.kind == "level"]
        assert [(one.name.rsplit(", ")[-1], one.y) for one in levels] == [
            ("setting B1", (0.84,)),
            ("setting B2", (0.86,)),
        ]

    def test_noise_that_protects_nobody_names_a_level(self, store: RunStore) -> None:
        open_ = made_runs.statement((), unit="none")
        references = [
            made_runs.finish(store, made_runs.spec("gnn", unit="none", lam=lam), accuracy, open_)
            for lam, accuracy in ((0.1, 0.3), (1.0, 0.7))
        ]
        levels = tradeoff.chart(tradeoff.data(references)).series
        assert [one.name.rsplit(", ")[-1] for one in levels] == ["lam 0.1", "lam 1.0"]

    def test_without_a_guarantee_only_the_published_epsilon_is_drawn(self, store: RunStore) -> None:
        said = replace(made_runs.statement(made_runs.node_entries(4.0), "node"), epsilon=math.inf)
        record = made_runs.finish(store, made_runs.spec("privgnn", unit="node", lam=0.4), 0.6, said)
        drawn = tradeoff.chart(tradeoff.data([record])).series
        assert {one.epsilon for one in drawn} == {None, "published"}
        assert {one.kind for one in drawn if one.epsilon is None} == {"path"}


def test_unfinished_runs_are_left_out(store: RunStore) -> None:
    store.submit(made_runs.spec())
    assert tradeoff.data(store.find()) == []
    assert tradeoff.chart([]).panels[0].title == "no finished run to compare yet"


class TestConfidence:
    def test_it_covers_the_mean_about_as_often_as_it_says(self) -> None:
        generator = np.random.default_rng(3)
        covered = 0
        for _ in range(200):
            low, high = confidence(list(generator.normal(0.5, 0.1, size=30)))[1:]
            assert low is not None
            assert high is not None
            covered += low <= 0.5 <= high
        assert 0.88 <= covered / 200 <= 0.99

    @pytest.mark.parametrize("seeds", [3, 4, 10])
    def test_it_covers_as_often_for_few_seeds(self, seeds: int) -> None:
        """Which the percentile bootstrap does not: three seeds cover in three of four cases."""
        generator = np.random.default_rng(seeds)
        draws = [confidence(list(generator.normal(0.5, 0.05, size=seeds))) for _ in range(1000)]
        covered = sum(low <= 0.5 <= high for _, low, high in draws if low is not None and high is not None)
        assert 0.93 <= covered / 1000 <= 0.97

    def test_it_stays_among_what_is_possible(self) -> None:
        _, low, high = confidence([0.9, 1.0, 0.95], most=1.0)
        assert low is not None
        assert 0.8 < low < 0.9
        assert high == 1.0
        assert confidence([0.0, 0.1, 0.02])[1] == 0.0

    def test_it_is_the_same_each_time(self) -> None:
        assert confidence([0.1, 0.4, 0.2]) == confidence([0.1, 0.4, 0.2])

    def test_one_seed_has_no_interval(self) -> None:
        assert confidence([0.4]) == (0.4, None, None)

    def test_no_seed_has_no_mean(self) -> None:
        with pytest.raises(ValueError, match="at least one"):
            confidence([])


def test_an_interval_needs_three_seeds() -> None:
    assert confidence([0.4, 0.6]) == (0.5, None, None)
    mean, low, high = confidence([0.4, 0.5, 0.6])
    assert low is not None
    assert high is not None
    assert low < mean < high


def test_of_methods_that_predict_relations_the_axis_says_what_was_measured(store: RunStore) -> None:
    chart = tradeoff.chart(tradeoff.data(made_pair(store)))
    assert chart.panels[0].y.title == "PREC@1 (percent of relations)"


def test_settings_that_protect_different_units_are_not_ranked(store: RunStore) -> None:
    records = [
        made_runs.finish(store, made_runs.spec(unit=unit), 0.7, made_runs.statement(entries, unit))
        for unit, entries in (("edge", made_runs.edge_entries(9)), ("node", made_runs.node_entries(4.0)))
    ]
    assert "Highest" in tradeoff.chart(tradeoff.data(records[:1])).summary
    assert "Highest" not in tradeoff.chart(tradeoff.data(records)).summary
    assert "Highest" in compare.chart(compare.data(records[:1])).summary
    assert "Highest" not in compare.chart(compare.data(records)).summary


def test_a_file_says_as_the_page_that_what_reads_no_edge_hides_every_edge() -> None:
    bare = {"unit": "none", "reference": True}
    rows = [
        point(2, 0.5),
        point(math.inf, 0.6, method="mlp", **bare),
        point(math.inf, 0.7, method="gnn", **bare),
        point(1, 0.5, unit="node"),
    ]
    assert [row["epsilon_for_edges"] for row in tradeoff.table(rows)] == [2.0, 0.0, None, None]
    said = export("tradeoff", [{**one, "front": False} for one in rows], {}, "csv").decode().splitlines()
    assert [row["epsilon_for_edges"] for row in csv.DictReader(said)] == ["2.0", "0.0", "", ""]
