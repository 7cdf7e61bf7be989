"""What a run predicts for a small piece of its graph: each node in the colour of its predicted class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, edges, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.graphs import neighbourhood

TITLE = "Predictions on the graph"
BADGE = "the evaluator's view: true classes and edges are private"


def data(
    edges: Iterable[Sequence[int]],
    labels: Mapping[int, int],
    predictions: Mapping[int, int],
    *,
    centre: int | None = None,
    class_names: Sequence[str] = (),
) -> list[Row]:
    """The rows of `neighbourhood.data`, where each node says its `predicted` class, too, and the `name` of
    that; both are None where the run has no prediction for it. `true_name` is the name of the true class."""
    rows = neighbourhood.data(edges, labels, centre=centre, class_names=class_names)
    for row in rows:
        if row["kind"] == "node":
            said = predictions.get(row["node"])
            row["true_name"] = row["name"]
            row["predicted"] = said
            row["name"] = None if said is None else class_names[said] if said < len(class_names) else f"class {said}"
    return rows


@figure("predicted", "Predictions on the graph", data, flags=(Flag.EVALUATOR,))
def chart(rows: Sequence[Row]) -> Chart:
    """Right predictions are filled, wrong ones hollow; nodes without one are small."""
    nodes = {row["node"]: row for row in rows if row["kind"] == "node"}
    if not nodes:
        return empty("there is no node to draw")
    ends = [(row["source"], row["target"]) for row in rows if row["kind"] == "edge"]
    series = [edges(nodes, ends)]
    said = [row for row in nodes.values() if row["predicted"] is not None]
    classes = sorted({(row["predicted"], row["name"]) for row in said})
    for (label, name), correct, centre in product(classes, (True, False), (False, True)):
        members = [
            row for row in said if row["predicted"] == label and _is_right(row) == correct and row["centre"] == centre
        ]
        words = f"{name}{'' if correct else ', wrongly'}{' (the chosen node)' if centre else ''}"
        series += _points(words, members, label, 20 if centre else 12, hollow=not correct)
    silent = [row for row in nodes.values() if row["predicted"] is None]
    series += _points("no prediction", silent, max((label for label, _ in classes), default=0) + 1, 6, hollow=True)
    return Chart(
        panels=(Panel(x=Axis(title=""), y=Axis(title=""), bare=True),),
        series=tuple(series),
        height=480,
        legend=True,
    )


plot = plotted(chart)


def _is_right(row: Row) -> bool:
    return bool(row["predicted"] == row["class"])


def _points(name: str, rows: Sequence[Row], slot: int, size: float, *, hollow: bool) -> list[Series]:
    if not rows:
        return []
    return [
        Series(
            name=name,
            kind="points",
            x=tuple(row["x"] for row in rows),
            y=tuple(row["y"] for row in rows),
            slot=slot,
            size=size,
            hollow=hollow,
            hover=tuple(_hover(row) for row in rows),
        )
    ]


def _hover(row: Row) -> str:
    said = "no prediction" if row["predicted"] is None else f"predicted {row['name']}"
    return f"node {row['node']}\n{said}\ntruly {row['true_name']}\n{row['degree']} drawn neighbours"
