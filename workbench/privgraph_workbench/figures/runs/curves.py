"""Learning curves: loss and accuracies along the steps of a run, stage by stage, from its stored events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from privgraph.progress import Metric
from privgraph.runs.records import RunRecord, StoredEvent
from privgraph_workbench.facts.kept_epoch import EPOCHS, kept
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plain
from privgraph_workbench.figures.figure import figure, without
from privgraph_workbench.figures.hover import described
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import EVENTS
from privgraph_workbench.figures.thinning import LIMIT, thin
from privgraph_workbench.words.measures import ACCURACY, measure
from privgraph_workbench.words.naming import describe

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
    runs = list(dict.fromkeys(row["run"] for row in rows))
    metrics = [name for name in TITLES if any(row["metric"] == name for row in rows)]
    metrics += sorted({row["metric"] for row in rows} - set(metrics))
    axes = {side: axis for side, axis in _axes(rows).items() if any(_side(name) == side for name in metrics)}
    series = []
    several, crowd = len(runs) > 1, len(runs) > TOLD_APART
    for place, run in sorted(enumerate(runs), reverse=crowd):  # what stands out is drawn last
        behind = crowd and place > 0
        for slot, metric in enumerate(metrics):
            points = [row for row in rows if row["run"] == run and row["metric"] == metric]
            if points:
                name = title(metric, points[0].get("measure", ACCURACY))
                look: Look = {"faint": behind, "legend": not behind or place == 1}
                look["group"] = f"others: {name}" if behind else ""
                look["slot"] = slot if crowd else place * len(metrics) + slot
                look["shape"] = None if several else [m for m in metrics if _side(m) == _side(metric)].index(metric)
                look["name"] = f"{len(runs) - 1} others: {name}" if behind else f"{run}: {name}" if several else name
                series.append(_line(points, panel=list(axes).index(_side(metric)), **look))
    whose = {str(row["of"]) for row in rows if row.get("of")}
    x, rules = Axis(title="step (epochs, over all stages)"), stage_rules(rows)
    return Chart(
        title=": ".join([TITLE, *whose]) if len(whose) == 1 else TITLE,
        panels=tuple(Panel(x=x, y=axis, rules=rules) for axis in axes.values()),
        series=tuple(series),
        columns=2,
        height=400,
    )


def points(rows: Sequence[Row]) -> dict[str, Points]:
    """The rows of one run as points by the name of their curve in the figure: what follows its own."""
    found: dict[str, Points] = {}
    for metric in dict.fromkeys(row["metric"] for row in rows):
        held = [row for row in rows if row["metric"] == metric]
        line = _line(held, name=title(metric, held[0].get("measure", ACCURACY)))
        panel = Panel(x=Axis(title="step (epochs, over all stages)"), y=_axes(rows)[_side(metric)])
        text = [plain(one) for one in described(line, panel)]
        found[plain(line.name)] = {"x": list(line.x), "y": list(line.y), "text": text}
    return found


def _line(rows: Sequence[Row], **look: Any) -> Series:
    return marks(rows, "step", "value", kind="line", **look)


def _side(metric: str) -> str:
    return "accuracy" if metric.endswith("accuracy") else "loss"


def _axes(rows: Sequence[Row]) -> dict[str, Axis]:
    scores = sorted({str(row.get("measure", ACCURACY)) for row in rows})
    score = "accuracy" if scores == [ACCURACY] else " or ".join(scores)
    return {
        "loss": Axis(title="loss (cross-entropy, nats)"),
        "accuracy": Axis(title=f"{score} (percent)", percent=True),
    }


def stage_rules(rows: Sequence[Row]) -> tuple[Rule, ...]:
    """Where each stage begins; nothing where there is one alone."""
    starts: dict[str, int] = {}
    for row in rows:
        if row["stage"]:
            starts[row["stage"]] = min(row["step"], starts.get(row["stage"], row["step"]))
    begun = sorted(starts.items(), key=lambda item: item[1])
    return tuple(Rule(x=step, label=stage) for stage, step in begun) if len(starts) > 1 else ()
