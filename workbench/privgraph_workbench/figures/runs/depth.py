"""Accuracy against the depth K of the model at several budgets (Figure 4 of the ProGAP paper)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, band, empty, percentages, shared
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import composed
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import RUNS
from privgraph_workbench.figures.palette import slots
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.words.naming import UNIT_WORDS, asked, graph_of, method_title, setting, unit_of, variants

METRIC = "test_accuracy"


def data(records: Iterable[RunRecord]) -> list[Row]:
    """One row per setting of the done runs that have a test accuracy and a depth.

    method, title, dataset, graph (in words), unit, variant, budget (in words: what the noise was chosen by),
    asked (epsilon), accounting, depth, epsilon, epsilon_as_published (largest over seeds), mean, low, high
    (95% confidence; None for fewer than three seeds), seeds, metric, evaluator (True), composed (how many of
    all these runs read the same people), runs.
    """
    done = [one for one in records if one.state == "done" and METRIC in one.metrics and "depth" in one.spec.options]
    words, together = variants(done, leave_out=("depth",)), composed(done)
    groups: dict[str, list[RunRecord]] = {}
    for record in done:
        groups.setdefault(setting(record), []).append(record)
    rows = []
    for members in groups.values():
        first = members[0]
        mean, low, high = confidence([member.metrics[METRIC] for member in members], most=1.0)
        statements = [member.statement for member in members if member.statement is not None]
        published = [one.epsilon_as_published for one in statements if one.epsilon_as_published is not None]
        rows.append(
            {
                "method": first.spec.method,
                "title": method_title(first.spec.method),
                "dataset": first.spec.dataset,
                "graph": graph_of(first),
                "unit": unit_of(first),
                "variant": words[setting(first)],
                "budget": asked(first),
                "asked": first.spec.asked_epsilon,
                "accounting": first.spec.options.get("accounting"),
                "depth": first.spec.options["depth"],
                "epsilon": max((one.epsilon for one in statements), default=None),
                "epsilon_as_published": max(published, default=None),
                "mean": mean,
                "low": low,
                "high": high,
                "seeds": len(members),
                "metric": METRIC,
                "evaluator": True,
                "composed": together[first.id],
                "runs": " ".join(member.id for member in members),
            }
        )
    order = ("graph", "unit", "method", "asked", "budget", "variant", "depth")
    return sorted(rows, key=lambda row: tuple((row[key] is not None, row[key]) for key in order))


@figure("depth", "Effect of depth", data, needs=RUNS, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """One panel per graph and unit; one curve per method and budget asked for."""
    if not rows:
        return empty("no finished runs of different depths yet")
    rows = [{**row, "name": ", ".join(filter(None, (row["title"], row["budget"], row["variant"])))} for row in rows]
    places: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        places.setdefault((row["graph"], row["unit"]), []).append(row)
    ends = ("mean", "low", "high")
    bounds = shared([row[key] for row in held for key in ends if row[key] is not None] for held in places.values())
    x = Axis(title="depth K (hops)", ticks=tuple(sorted({float(row["depth"]) for row in rows})))
    y = percentages("test accuracy (percent of nodes)", bounds)
    panels = tuple(Panel(title=f"{graph}, {UNIT_WORDS[unit]}", x=x, y=y) for graph, unit in places)
    series = []
    for name, slot in slots({row["name"]: row["method"] for row in rows}).items():
        for place, held in enumerate(places.values()):
            if points := [row for row in held if row["name"] == name]:
                look: Look = {"slot": slot, "panel": place, "group": name}
                series += band(points, "depth", **look)
                series.append(marks(points, "depth", "mean", name=name, kind="path", **look))
    return Chart(panels=panels, series=tuple(series), columns=2, height=110 + 300 * ((len(places) + 1) // 2))
