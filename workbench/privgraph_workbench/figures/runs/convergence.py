"""Training and validation accuracy per step, mean over seeds (Figure 3 of the ProGAP paper)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privgraph.runs.records import RunRecord, StoredEvent
from privgraph_workbench.figures import thinning
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, band, empty, percentages, shared
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import composed
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import RUNS_AND_EVENTS
from privgraph_workbench.figures.runs import curves
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.words.naming import graph_of, labels, setting, unit_of

METRICS = ("train_accuracy", "val_accuracy")
STEPS = 300
ENDS = ("value", "low", "high")


def data(runs: Iterable[tuple[RunRecord, Iterable[StoredEvent]]]) -> list[Row]:
    """One row per setting, metric and step: group (words for the setting), graph, unit, metric, step, stage,
    value (mean over seeds), low, high (95% confidence; None for fewer than three seeds), seeds, evaluator,
    composed (how many of all these runs read the same people). Accuracies in [0, 1].

    At most 300 steps of each are kept, the lowest and highest among them.
    """
    pairs = [(record, curves.data(events, limit=10**9)) for record, events in runs]
    together = composed(record for record, _ in pairs)
    groups: dict[str, list[tuple[RunRecord, list[Row]]]] = {}
    for record, points in pairs:
        groups.setdefault(setting(record), []).append((record, points))
    firsts = [members[0][0] for members in groups.values()]
    rows = []
    for name, first, members in zip(labels(firsts, seeds=False), firsts, groups.values(), strict=True):
        shared_by_all = {"group": name, "graph": graph_of(first), "unit": unit_of(first)}
        for metric in METRICS:
            steps: dict[int, list[Row]] = {}
            for point in (one for _, points in members for one in points if one["metric"] == metric):
                steps.setdefault(point["step"], []).append(point)
            curve = []
            for step, points in sorted(steps.items()):
                found = confidence([point["value"] for point in points], most=1.0)
                row = {**shared_by_all, "metric": metric, "step": step, "stage": points[0]["stage"]}
                row |= dict(zip(ENDS, found, strict=True)) | {"seeds": len(points), "composed": together[first.id]}
                curve.append(row | {"evaluator": any(point["evaluator"] for point in points)})
            rows += thinning.thin(curve, STEPS)
    return rows


@figure("convergence", "Convergence", data, needs=RUNS_AND_EVENTS)
def chart(rows: Sequence[Row]) -> Chart:
    """One panel per setting; training and validation accuracy with their bands; dotted lines begin stages."""
    if not rows:
        return empty("no accuracies have been stored yet")
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    bounds = shared([row[key] for row in held for key in ENDS if row[key] is not None] for held in groups.values())
    x, y = Axis(title="step (epochs, over all stages)"), percentages("accuracy (percent of nodes)", bounds)
    panels, series = [], []
    for place, (group, members) in enumerate(groups.items()):
        panels.append(Panel(title=group, x=x, y=y, rules=curves.stage_rules(members)))
        for slot, metric in enumerate(METRICS):
            if points := [row for row in members if row["metric"] == metric]:
                look: Look = {"slot": slot, "panel": place, "group": curves.TITLES[metric]}
                series += band(points, "step", **look)
                series.append(marks(points, "step", "value", name=curves.TITLES[metric], kind="line", **look))
    return Chart(panels=tuple(panels), series=tuple(series), columns=2, height=110 + 300 * ((len(groups) + 1) // 2))
