"""Accuracy against the depth K of the model at several budgets (Figure 4 of the ProGAP paper)."""

from collections.abc import Iterable

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import banded, grouped, pairs, percentages
from privgraph_workbench.figures.palette import slots
from privgraph_workbench.figures.settings import setting_rows, target
from privgraph_workbench.words.naming import UNIT_WORDS


def data(records: Iterable[RunRecord]) -> list[Row]:
    """The rows of `settings.setting_rows` that have a depth, with depth as a column."""
    rows = setting_rows(records, ("depth",))
    rows = [{**row, "depth": row["options"]["depth"]} for row in rows if "depth" in row["options"]]
    return sorted(rows, key=lambda row: (row["graph"], row["unit"], row["method"], row["asked"] or 0.0, row["depth"]))


@figure("depth", "Effect of depth", data, needs="runs", settings=True)
def chart(rows: Rows) -> Chart:
    rows = [{**row, "name": ", ".join(filter(None, (row["title"], target(row), row["variant"])))} for row in rows]
    x = Axis(title="depth K (hops)", ticks=tuple(sorted({float(row["depth"]) for row in rows})))
    y = percentages("test accuracy (percent of nodes)", rows, "mean", "low", "high")
    colours, panels, series = slots({row["name"]: row["method"] for row in rows}), [], []
    for place, ((graph, unit), held) in enumerate(grouped(rows, "graph", "unit").items()):
        panels.append(Panel(title=f"{graph}, {UNIT_WORDS[unit]}", x=x, y=y))
        for name, points in grouped(held, "name").items():
            series += banded(points, "depth", "mean", name=name, kind="path", slot=colours[name], panel=place)
    return pairs(panels, series)
