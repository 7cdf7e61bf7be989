"""Neighbours kept in training against neighbours read afterwards (Figure 7 of the HeterPoisson paper)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Chart, Look, Panel, Row, empty, named
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import RUNS
from privgraph_workbench.figures.settings import setting_rows, target
from privgraph_workbench.words.numbers import percent

METHOD = "heter-poisson"
NUMBERS = ("neighbours", "test_neighbours")
"""M and N_test."""


def data(records: Iterable[RunRecord]) -> list[Row]:
    """The rows of `settings.setting_rows` of HeterPoisson with neighbours (M) and test_neighbours (N_test) as
    columns; of each graph, budget and variant only where at least two values of both have been tried."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in setting_rows((one for one in records if one.spec.method == METHOD), NUMBERS):
        own = {**row, **{name: int(row["options"][name]) for name in NUMBERS}}
        groups.setdefault((row["graph"], row["unit"], row["asked"], row["variant"]), []).append(own)
    return [
        row
        for group in groups.values()
        if all(len({one[name] for one in group}) > 1 for name in NUMBERS)
        for row in group
    ]


@figure(
    "neighbours_heatmap",
    "Neighbours in training against neighbours in prediction",
    data,
    needs=RUNS,
    settings=True,
)
def chart(rows: Sequence[Row]) -> Chart:
    """A panel for each graph and budget; a cell for each pair of numbers."""
    if not rows:
        return empty("too few values of both have been tried")
    held: dict[str, list[Row]] = {}
    for row in rows:
        cell = {**row, "trained": str(row["neighbours"]), "read": str(row["test_neighbours"])}
        held.setdefault(
            ", ".join(filter(None, (row["graph"], target(row) or "no privacy", row["variant"]))), []
        ).append(cell)
    x = named((str(one) for one in sorted({row["neighbours"] for row in rows})), "neighbours M (in training)")
    along = sorted({row["test_neighbours"] for row in rows}, reverse=True)
    y = named(map(str, along), "N_test (in prediction)")
    series = []
    for place, (name, members) in enumerate(held.items()):
        look: Look = {"low": tuple(row["mean"] for row in members), "panel": place, "legend": False}
        text, hover = tuple(percent(row["mean"]) for row in members), ("mean", "seeds", "epsilon")
        series.append(marks(members, "trained", "read", name=name, kind="cells", text=text, hover=hover, **look))
    return Chart(
        panels=tuple(Panel(title=name, x=x, y=y) for name in held),
        series=tuple(series),
        columns=2,
        height=60 + (90 + 46 * len(along)) * ((len(held) + 1) // 2),
    )
