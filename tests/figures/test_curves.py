"""Learning curves come from stored events, thinned without losing their extremes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.figures import made_runs

from privgraph.progress import Metric
from privgraph.runs.leases import Outcome, new_worker
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of, thinning
from privgraph_workbench.figures.runs import curves


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


def test_what_was_measured_once_is_no_curve() -> None:
    def point(metric: str, step: int, stage: str) -> dict[str, Any]:
        return {"run": "", "metric": metric, "stage": stage, "step": step, "value": 0.5, "evaluator": True}

    once = point("label_accuracy", 60, "answers")
    learning = [point("train_loss", step, "student") for step in (61, 62)]
    chart = curves.chart([once, *learning])
    assert [series.name for series in chart.series] == ["training loss"]
    assert chart.panels[0].rules == ()
    assert [series.name for series in curves.chart([once]).series] == ["label accuracy"]
