"""Learning curves come from stored events, thinned without losing their extremes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.figures import made_runs

from privgraph.progress import Metric
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of, thinning
from privgraph_workbench.figures.runs import curves


def test_rows_are_the_stored_metrics(store: RunStore) -> None:
    record = made_runs.finish(
        store, made_runs.spec(), 0.8, made_runs.statement(made_runs.edge_entries(9)), made_runs.learning(0, 2, 5)
    )
    rows = curves.data(store.events(record.id), run="one")
    assert len(rows) == 3 * 10
    assert rows[0] == {
        "run": "one",
        "metric": "train_loss",
        "stage": "stage 0",
        "step": 0,
        "value": 2.0,
        "evaluator": True,
    }
    assert [row["step"] for row in rows if row["metric"] == "val_accuracy"] == list(range(10))


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
    kept = thinning.thin(rows, limit)
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


def test_stages_are_marked_and_axes_have_units(store: RunStore) -> None:
    record = made_runs.finish(
        store, made_runs.spec(), 0.8, made_runs.statement(made_runs.edge_entries(9)), made_runs.learning(0)
    )
    rows = curves.data(store.events(record.id))
    chart = curves.chart(rows)
    assert [(rule.x, rule.label) for rule in chart.panels[0].rules] == [
        (0, "stage 0"),
        (40, "stage 1"),
        (80, "stage 2"),
    ]
    assert "nats" in chart.panels[0].y.title
    assert "percent" in chart.panels[1].y.title


def test_no_events_give_a_sentence() -> None:
    assert curves.data([]) == []
    assert curves.chart([]).panels[0].title == "nothing has been measured yet"
    assert len(figure_of("curves").plot([]).data) == 0


def test_a_limit_that_cannot_hold_the_extremes_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 4"):
        thinning.thin([], 3)


def test_redrawing_gives_the_same_trace_names(store: RunStore) -> None:
    rows = [
        {"run": "", "metric": "train_loss", "stage": "", "step": step, "value": 1.0, "evaluator": True}
        for step in range(5)
    ]
    first, second = figure_of("curves").plot(rows[:3]), figure_of("curves").plot(rows)
    assert [trace.uid for trace in first.data] == [trace.uid for trace in second.data]
    assert all(trace.uid.isalnum() for trace in first.data)


def test_what_was_measured_once_is_no_curve() -> None:
    def point(metric: str, step: int, stage: str) -> dict[str, Any]:
        return {"run": "", "metric": metric, "stage": stage, "step": step, "value": 0.5, "evaluator": True}

    once = point("label_accuracy", 60, "answers")
    learning = [point("train_loss", step, "student") for step in (61, 62)]
    chart = curves.chart([once, *learning])
    assert [series.name for series in chart.series] == ["training loss"]
    assert chart.panels[0].rules == ()
    assert [series.name for series in curves.chart([once]).series] == ["label accuracy"]


def test_the_first_curve_of_each_panel_is_solid() -> None:
    rows = [
        {"run": "", "metric": metric, "stage": "", "step": step, "value": 0.5, "evaluator": False}
        for metric in ("train_loss", "train_accuracy", "val_accuracy")
        for step in (0, 1)
    ]
    drawn = curves.chart(rows).series
    assert [(one.panel, one.shape) for one in drawn] == [(0, 0), (1, 0), (1, 1)], "dashes on noise look like gaps"
    assert len({one.slot for one in drawn}) == 3
