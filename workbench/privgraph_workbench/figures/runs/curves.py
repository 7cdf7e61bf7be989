"""Learning curves: loss and accuracies along the steps of a run, stage by stage, from its stored events."""

from collections import Counter
from collections.abc import Iterable

from privgraph.progress import Metric
from privgraph.runs.records import RunRecord, StoredEvent
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure, without
from privgraph_workbench.figures.marks import grouped, marks, pairs
from privgraph_workbench.words.naming import measure

LIMIT = 1000
"""Points of a curve that are kept where nobody says how many."""
TITLES = {
    "train_loss": "training loss",
    "val_loss": "validation loss",
    "train_accuracy": "training accuracy",
    "val_accuracy": "validation accuracy",
    "test_accuracy": "test accuracy",
}
TOLD_APART = 6
"""Runs whose curves have colours of their own; of more, the first stands out, and the others are a group."""
STEPS = Axis(title="step (epochs, over all stages)")
SIDES = (Axis(title="loss (cross-entropy, nats)"), Axis(title="accuracy (percent)", percent=True))


def data(
    events: Iterable[StoredEvent], *, run: str = "", limit: int = LIMIT, record: RunRecord | None = None
) -> list[Row]:
    """One row per point: run, metric, stage, step, value, evaluator; where the `record` of these events is
    given, measure (what its test score is called).

    Takes the metric events of the latest attempt (a retried run starts its curves again) and thins each
    metric to at most `limit` points, keeping its first, last, lowest and highest. `run` names the run
    where rows of several are drawn together. Values are as stored: accuracies in [0, 1].
    """
    metrics = [(event.attempt, event.event) for event in events if event.kind == "metric"]
    latest = max((attempt for attempt, _ in metrics), default=0)
    score = {} if record is None else {"measure": measure(record.spec.method)}
    rows = [
        {"run": run, "metric": one.name, "stage": one.stage, "step": one.step, "value": one.value}
        | {"evaluator": one.evaluator, **score}
        for attempt, one in metrics
        if attempt == latest and isinstance(one, Metric)
    ]
    return [row for held in grouped(rows, "metric").values() for row in thin(held, limit)]


def thin(rows: Rows, limit: int) -> list[Row]:
    """At most `limit` (4 or more) of the rows, in order: the first, the last, and of each stretch the lowest
    and highest value."""
    if len(rows) <= limit:
        return list(rows)
    inner, stretches = range(1, len(rows) - 1), (limit - 2) // 2
    keep = {0, len(rows) - 1}
    for stretch in range(stretches):
        part = inner[len(inner) * stretch // stretches : len(inner) * (stretch + 1) // stretches]
        keep |= {find(part, key=lambda place: rows[place]["value"]) for find in (min, max)}
    return [rows[place] for place in sorted(keep)]


@figure("curves", "Learning curves", data, needs="events", table=without("measure"))
def chart(rows: Rows) -> Chart:
    """What was measured only once is no curve: it is left out where something else is one. Of more than
    `TOLD_APART` runs the first stands out before the others."""
    times = Counter((row["run"], row["metric"]) for row in rows)
    rows = [row for row in rows if times[row["run"], row["metric"]] > 1] or rows
    runs, known = grouped(rows, "run"), {row["metric"] for row in rows}
    metrics = [*(one for one in TITLES if one in known), *sorted(known - set(TITLES))]
    sides = [(SIDES[right], [one for one in metrics if one.endswith("accuracy") is right]) for right in (False, True)]
    sides = [(axis, held) for axis, held in sides if held]
    several, crowd, series = len(runs) > 1, len(runs) > TOLD_APART, []
    for place, (run, own) in sorted(enumerate(runs.items()), reverse=crowd):  # what stands out is drawn last
        behind = crowd and place > 0
        for metric, points in grouped(own, "metric").items():
            name = TITLES.get(metric, metric.replace("_", " "))
            name = points[0].get("measure", name) if metric == "test_accuracy" else name
            panel, held = next((at, held) for at, (_, held) in enumerate(sides) if metric in held)
            slot = metrics.index(metric) + (0 if crowd else place * len(metrics))
            look: Look = {"kind": "line", "slot": slot, "faint": behind, "panel": panel}
            look |= {"shape": None if several else held.index(metric), "group": f"others: {name}" * behind}
            look["name"] = look["group"] or (f"{run}: {name}" if several else name)
            series.append(marks(points, "step", "value", **look))
    return pairs((Panel(x=STEPS, y=axis, rules=stage_rules(rows)) for axis, _ in sides), series)


def stage_rules(rows: Rows) -> tuple[Rule, ...]:
    """Where each stage begins; nothing where there is one alone."""
    stages = grouped((row for row in rows if row["stage"]), "stage")
    begun = sorted((min(row["step"] for row in own), stage) for stage, own in stages.items())
    return tuple(Rule(x=step, label=stage) for step, stage in begun) if len(begun) > 1 else ()
