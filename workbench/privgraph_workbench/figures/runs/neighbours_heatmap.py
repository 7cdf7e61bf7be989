"""Neighbours kept in training against neighbours read afterwards (Figure 7 of the HeterPoisson paper)."""

from collections.abc import Iterable

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Chart, Look, Panel, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import grouped, marks, named, pairs
from privgraph_workbench.figures.settings import setting_rows, target
from privgraph_workbench.words.numbers import percent

NUMBERS = ("neighbours", "test_neighbours")
"""M and N_test."""


def data(records: Iterable[RunRecord]) -> list[Row]:
    """The rows of `settings.setting_rows` of HeterPoisson with neighbours (M) and test_neighbours (N_test) as
    columns; of each graph, budget and variant only where at least two values of both have been tried."""
    rows = setting_rows((one for one in records if one.spec.method == "heter-poisson"), NUMBERS)
    rows = [{**row, **{name: int(row["options"][name]) for name in NUMBERS}} for row in rows]
    groups = grouped(rows, "graph", "unit", "asked", "variant").values()
    tried = (group for group in groups if all(len({one[name] for one in group}) > 1 for name in NUMBERS))
    return [row for group in tried for row in group]


@figure("neighbours_heatmap", "Neighbours in training and in prediction", data, needs="runs", settings=True)
def chart(rows: Rows) -> Chart:
    trained = named(map(str, sorted({row["neighbours"] for row in rows})), "neighbours M (in training)")
    along = map(str, sorted({row["test_neighbours"] for row in rows}, reverse=True))
    read, panels, series = named(along, "N_test (in prediction)"), [], []
    for place, members in enumerate(grouped(rows, "graph", "unit", "asked", "variant").values()):
        title = (members[0]["graph"], target(members[0]) or "no privacy", members[0]["variant"])
        panels.append(Panel(title=", ".join(filter(None, title)), x=trained, y=read))
        look: Look = {"kind": "cells", "low": tuple(row["mean"] for row in members), "panel": place, "legend": False}
        look |= {"text": tuple(percent(row["mean"]) for row in members), "hover": "mean seeds epsilon"}
        series.append(marks(members, *([str(row[name]) for row in members] for name in NUMBERS), **look))
    return pairs(panels, series)
