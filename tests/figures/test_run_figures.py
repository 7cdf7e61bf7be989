"""Figures of runs, of relations and of a graph: side by side, convergence, learning curves, degrees."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.figures import made_runs
from tests.figures.made_relations import made_pair, made_run

from privgraph.progress import Metric
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.graphs import degrees
from privgraph_workbench.figures.relations import relation_ranking
from privgraph_workbench.figures.runs import compare, convergence, curves


def test_comparison_rows_hold_the_three_numbers_and_what_differs(swept: list[RunRecord]) -> None:
    rows = compare.data(swept[:3])
    quarter, one = "edge ε 0.1601 (ε 0.25 asked for)", "edge ε 0.6538 (ε 1 asked for)"
    assert [row["label"] for row in rows] == [f"ProGAP, {quarter}", f"GAP, {quarter}", f"ProGAP, {one}"]
    assert [row["asked"] for row in rows] == [0.25, 0.25, 1.0]
    assert {row["variant"] for row in rows} == {""}
    assert all(row["epsilon"] > row["epsilon_as_published"] for row in rows)
    assert rows[0]["epsilon_audited"] is None


def test_convergence_averages_seeds_step_by_step(store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    records = [made_runs.finish(store, made_runs.spec(seed=k), 0.8, said, made_runs.learning(k)) for k in range(3)]
    pairs = [(record, store.events(record.id)) for record in records]
    rows = convergence.data(pairs)
    assert {row["group"] for row in rows} == {"ProGAP"}
    at = [row for row in rows if row["metric"] == "val_accuracy" and row["step"] == 50]
    expected = [
        event.payload["value"]
        for _, events in pairs
        for event in events
        if event.kind == "metric" and event.payload["name"] == "val_accuracy" and event.payload["step"] == 50
    ]
    assert at[0]["value"] == pytest.approx(np.mean(expected))
    assert at[0]["seeds"] == 3
    assert at[0]["low"] <= at[0]["value"] <= at[0]["high"]
    chart = convergence.chart(rows)
    assert [series.kind for series in chart.series] == ["band", "line", "band", "line"]
    assert [rule.x for rule in chart.panels[0].rules] == [0, 40, 80]


def test_a_retried_run_starts_its_curves_again(store: RunStore) -> None:
    run = store.submit(made_runs.spec())
    for value in (0.1, 0.9):
        worker = new_worker()
        store.leases.claim([run], worker)
        store.append(run, [Metric(name="val_accuracy", value=value, step=0)])
        store.leases.finish(run, worker, Outcome(state="failed", error="it broke"))
        if value == 0.1:
            store.retry(run)
    assert [row["value"] for row in curves.data(store.events(run))] == [0.9]


@given(values=st.lists(st.floats(-10, 10), min_size=1, max_size=400), limit=st.integers(4, 60))
def test_thinning_keeps_ends_and_extremes(values: list[float], limit: int) -> None:
    rows = [{"step": step, "value": value} for step, value in enumerate(values)]
    kept = curves.thin(rows, limit)
    assert len(kept) <= max(limit, 1)
    steps = [row["step"] for row in kept]
    assert steps == sorted(set(steps))
    assert kept[0] == rows[0]
    assert kept[-1] == rows[-1]
    assert min(row["value"] for row in kept) == min(values)
    assert max(row["value"] for row in kept) == max(values)


def test_traces_have_at_most_a_thousand_points(store: RunStore) -> None:
    run = store.submit(made_runs.spec())
    store.leases.claim([run], new_worker())
    store.append(run, [Metric(name="train_loss", value=1 / (1 + step), step=step) for step in range(2500)])
    figure = figure_of("curves").plot(curves.data(store.events(run)))
    assert len(figure.data[0].x) <= 1000


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=200))
def test_every_node_is_in_one_bin(found: list[int]) -> None:
    rows = degrees.data(found)
    assert sum(row["nodes"] for row in rows) == len(found)
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert rows[-1]["high"] >= max(found)
    for before, after in itertools.pairwise(rows):
        assert after["low"] == before["high"] + 1


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
