"""Learning curves: loss and accuracies along the steps of a run, stage by stage, from its stored events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from privgraph.progress import Metric
from privgraph.runs.records import RunRecord, StoredEvent
from privgraph_workbench.facts.kept_epoch import EPOCHS, kept
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plain, plotted
from privgraph_workbench.figures.figure import figure, without
from privgraph_workbench.figures.needs import EVENTS
from privgraph_workbench.figures.thinning import LIMIT, thin
from privgraph_workbench.words.measures import ACCURACY, measure
from privgraph_workbench.words.naming import describe
from privgraph_workbench.words.numbers import number, percent

Points = dict[str, list[Any]]
"""Of one curve, in plotly's words: `x`, `y` and the `text` of each point."""
TITLES = {
    "train_loss": "training loss",
    "val_loss": "validation loss",
    "train_accuracy": "training accuracy",
    "val_accuracy": "validation accuracy",
    "test_accuracy": "test accuracy",
}
TITLE = "Learning curves"
TOLD_APART = 6
"""Runs whose curves have colours of their own; of more, the first stands out, and the others are a group."""
EVALUATOR_BADGE = "evaluator only: these curves are not part of what is released, and no guarantee covers them"


def title(metric: str, measure: str = ACCURACY) -> str:
    """What a curve is called, where the score on the test set is called `measure`."""
    return measure if metric == "test_accuracy" else TITLES.get(metric, metric.replace("_", " "))


def data(
    events: Iterable[StoredEvent], *, run: str = "", limit: int = LIMIT, record: RunRecord | None = None
) -> list[Row]:
    """One row per point: run, metric, stage, step, value, evaluator; where the `record` of these events is
    given, of (what was run), measure (what its test score is called), kept (which epoch's model it kept; "":
    not known) and kept_accuracy (that model's on test nodes, or None).

    Takes the metric events of the latest attempt (a retried run starts its curves again) and thins each
    metric to at most `limit` points, keeping its first, last, lowest and highest. `run` names the run
    where rows of several are drawn together. Values are as stored: accuracies in [0, 1].
    """
    metrics = [event for event in events if event.kind == "metric"]
    latest = max((event.attempt for event in metrics), default=0)
    by_metric: dict[str, list[Row]] = {}
    whose = {} if record is None else _whose(record)
    for event in metrics:
        metric = event.event
        if event.attempt != latest or not isinstance(metric, Metric):
            continue
        row = {
            "run": run,
            "metric": metric.name,
            "stage": metric.stage,
            "step": metric.step,
            "value": metric.value,
            "evaluator": metric.evaluator,
            **whose,
        }
        by_metric.setdefault(metric.name, []).append(row)
    return [row for rows in by_metric.values() for row in thin(rows, limit)]


def _whose(record: RunRecord) -> Row:
    """What was run, and which model of it the results are of."""
    epoch = kept(record.spec)
    return {
        "of": describe(record),
        "kept": "" if epoch is None else EPOCHS[epoch],
        "kept_accuracy": record.metrics.get("test_accuracy"),
        "measure": measure(record.spec.method),
    }


@figure("curves", "Learning curves", data, needs=EVENTS, table=without("of", "kept", "kept_accuracy", "measure"))
def chart(rows: Sequence[Row]) -> Chart:
    """Loss in one panel and accuracies in another, over steps; a dotted line marks where each stage begins.

    What was measured only once is no curve: it is left out where something else is one. Of more than
    `TOLD_APART` runs the first stands out before the others.
    """
    if not rows:
        return empty("nothing has been measured yet")
    times = Counter((row["run"], row["metric"]) for row in rows)
    rows = [row for row in rows if times[row["run"], row["metric"]] > 1] or rows
    whose = {str(row["of"]) for row in rows if row.get("of")}
    runs = list(dict.fromkeys(row["run"] for row in rows))
    metrics = [name for name in TITLES if any(row["metric"] == name for row in rows)]
    metrics += sorted({row["metric"] for row in rows} - set(metrics))
    sides = {name: "accuracy" if name.endswith("accuracy") else "loss" for name in metrics}
    shown = [side for side in ("loss", "accuracy") if side in sides.values()]
    rules = _stage_rules(rows)
    axes = {
        "loss": Axis(title="loss (cross-entropy, nats)"),
        "accuracy": Axis(title=f"{_axis(rows)} (percent)", percent=True),
    }
    panels = tuple(Panel(x=Axis(title=_steps_title(rows)), y=axes[side], rules=rules) for side in shown)
    series = []
    several, crowd = len(runs) > 1, len(runs) > TOLD_APART
    for place, run in sorted(enumerate(runs), reverse=crowd):  # what stands out is drawn last
        behind = crowd and place > 0
        for slot, metric in enumerate(metrics):
            points = [row for row in rows if row["run"] == run and row["metric"] == metric]
            if not points:
                continue
            name = title(metric, points[0].get("measure", ACCURACY))
            series.append(
                Series(
                    name=f"{len(runs) - 1} others: {name}" if behind else f"{run}: {name}" if several else name,
                    kind="line",
                    faint=behind,
                    group=f"others: {name}" if behind else "",
                    legend=not behind or place == 1,
                    x=tuple(row["step"] for row in points),
                    y=tuple(row["value"] for row in points),
                    slot=slot if crowd else place * len(metrics) + slot,
                    # the first curve of each panel is solid: dashes on a noisy one look like gaps
                    shape=None if several else [one for one in metrics if sides[one] == sides[metric]].index(metric),
                    panel=shown.index(sides[metric]),
                    hover=tuple(_hover(row, name) for row in points),
                )
            )
    said = "; ".join(
        f"{run}: {_latest(rows, run, metrics)}" if several else _latest(rows, run, metrics) for run in runs[:TOLD_APART]
    )
    said += f"; and {len(runs) - TOLD_APART} more" * crowd
    return Chart(
        title=": ".join([TITLE, *whose]) if len(whose) == 1 else TITLE,
        panels=panels,
        series=tuple(series),
        columns=2,
        height=400,
    )


plot = plotted(chart)


def points(rows: Sequence[Row]) -> dict[str, Points]:
    """The rows of one run as points by the name of their curve in `plot`: what a figure gets that is there
    already."""
    by_curve: dict[str, Points] = {}
    for row in rows:
        name = title(row["metric"], row.get("measure", ACCURACY))
        held = by_curve.setdefault(plain(name), {"x": [], "y": [], "text": []})
        held["x"].append(row["step"])
        held["y"].append(row["value"])
        held["text"].append(plain(_hover(row, name)))
    return by_curve


def _axis(rows: Sequence[Row]) -> str:
    """What the panel of scores shows: of relations alone PREC@1."""
    scores = {str(row.get("measure", ACCURACY)) for row in rows}
    return "accuracy" if scores == {ACCURACY} else " or ".join(sorted(scores))


def _stage_rules(rows: Sequence[Row]) -> tuple[Rule, ...]:
    starts: dict[str, int] = {}
    for row in rows:
        if row["stage"]:
            starts[row["stage"]] = min(row["step"], starts.get(row["stage"], row["step"]))
    if len(starts) < 2:
        return ()
    return tuple(Rule(x=step, label=stage) for stage, step in sorted(starts.items(), key=lambda item: item[1]))


def _steps_title(rows: Sequence[Row]) -> str:
    """What a step is; where curves belong to one late stage alone, which one, and so why they do not begin at
    0."""
    stages, first = {row["stage"] for row in rows}, min(row["step"] for row in rows)
    if len(stages) > 1 or first <= 1 or not any(stages):
        return "step (epochs, over all stages)"
    return f"step (epochs, over all stages; these are of {stages.pop()})"


def _latest(rows: Sequence[Row], run: str, metrics: Sequence[str]) -> str:
    """The last value of each metric of a run."""
    own = [[row for row in rows if row["run"] == run and row["metric"] == name] for name in metrics]
    last = [max(points, key=lambda row: float(row["step"])) for points in own if points]
    return ", ".join(
        f"{title(row['metric'], row.get('measure', ACCURACY))} {_shown(row)} at step {row['step']}" for row in last
    )


def _shown(row: Row) -> str:
    return percent(row["value"]) if row["metric"].endswith("accuracy") else number(row["value"])


def _hover(row: Row, name: str) -> str:
    stage = f"\n{row['stage']}" if row["stage"] else ""
    return f"{name}: {_shown(row)}\nstep {row['step']}{stage}"
