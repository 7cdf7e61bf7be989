"""What a run predicts for a small piece of its graph: each node in the colour of its predicted class."""

from collections.abc import Iterable, Mapping, Sequence

from privgraph_workbench.figures.chart import Chart, Flag, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.graphs import neighbourhood
from privgraph_workbench.figures.marks import class_name, grouped, marks, network
from privgraph_workbench.theme import NEUTRAL


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
    for row in (row for row in rows if row["kind"] == "node"):
        said = predictions.get(row["node"])
        name = None if said is None else class_name(said, class_names)
        row |= {"true_name": row["name"], "predicted": said, "name": name}
    return rows


@figure("predicted", "Predictions on the graph", data, always=[Flag.EVALUATOR])
def chart(rows: Rows) -> Chart:
    """Right predictions are filled, wrong ones hollow; nodes without one are small."""
    nodes = [{**row, "wrong": row["predicted"] != row["class"]} for row in rows if row["kind"] == "node"]
    silent, said = ([row for row in nodes if (row["predicted"] is None) is none] for none in (True, False))
    series, hover = [], "node name true_name degree"
    for (label, wrong, centre), own in sorted(grouped(said, "predicted", "wrong", "centre").items()):
        told = f"{own[0]['name']}{', wrongly' * wrong}{' (the chosen node)' * centre}"
        series.append(marks(own, "x", "y", name=told, slot=label, hollow=wrong, size=20 if centre else 12, hover=hover))
    if silent:
        series.append(marks(silent, "x", "y", name="no prediction", slot=NEUTRAL, size=6, hollow=True, hover=hover))
    return network(rows, series)
