"""Training and validation accuracy per step, mean over seeds (Figure 3 of the ProGAP paper)."""

from collections.abc import Iterable

from privgraph.runs.records import RunRecord, StoredEvent
from privgraph_workbench.figures.chart import Chart, Look, Panel, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import banded, grouped, pairs, percentages
from privgraph_workbench.figures.runs import curves
from privgraph_workbench.figures.settings import composed
from privgraph_workbench.summary import confidence
from privgraph_workbench.words.naming import graph_of, labels, setting, unit_of

METRICS = ("train_accuracy", "val_accuracy")
ENDS = ("value", "low", "high")


def data(runs: Iterable[tuple[RunRecord, Iterable[StoredEvent]]]) -> list[Row]:
    """One row per setting, metric and step: group (words for the setting), graph, unit, metric, step, stage,
    value (mean over seeds), low, high (95% confidence; None for fewer than three seeds), seeds, evaluator,
    composed (how many of all these runs read the same people). Accuracies in [0, 1].

    At most 300 steps of each are kept, the lowest and highest among them.
    """
    pairs, settings, rows = list(runs), dict[str, list[Row]](), list[Row]()
    together, firsts = composed(record for record, _ in pairs), dict[str, RunRecord]()
    for record, events in pairs:
        firsts.setdefault(setting(record.spec), record)
        settings.setdefault(setting(record.spec), []).extend(curves.data(events, limit=10**9))
    names = labels(list(firsts.values()), seeds=False)
    for name, first, points in zip(names, firsts.values(), settings.values(), strict=True):
        held = grouped(points, "metric", "step")
        for metric in METRICS:
            curve = []
            for step, found in sorted((step, found) for (one, step), found in held.items() if one == metric):
                row = {"group": name, "graph": graph_of(first), "unit": unit_of(first), "metric": metric, "step": step}
                row |= {"stage": found[0]["stage"]}
                row |= zip(ENDS, confidence([point["value"] for point in found], most=1.0), strict=True)
                row |= {"seeds": len(found), "composed": together[first.id]}
                curve.append(row | {"evaluator": any(point["evaluator"] for point in found)})
            rows += curves.thin(curve, 300)
    return rows


@figure("convergence", "Convergence", data, needs="runs and events")
def chart(rows: Rows) -> Chart:
    groups, y = grouped(rows, "group"), percentages("accuracy (percent of nodes)", rows, *ENDS)
    panels, series = [], []
    for place, (group, members) in enumerate(groups.items()):
        panels.append(Panel(title=group, x=curves.STEPS, y=y, rules=curves.stage_rules(members)))
        for metric, points in grouped(members, "metric").items():
            look: Look = {"name": curves.TITLES[metric], "slot": METRICS.index(metric), "panel": place}
            series += banded(points, "step", "value", kind="line", **look)
    return pairs(panels, series)
