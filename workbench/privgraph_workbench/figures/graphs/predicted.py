"""What a run predicts for a small piece of its graph: each node in the colour of its predicted class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, edges, empty
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.graphs import neighbourhood
from privgraph_workbench.figures.marks import marks

HOVER = ("node", "name", "true_name", "degree")


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
    series = [edges(nodes, [(row["source"], row["target"]) for row in rows if row["kind"] == "edge"])]
    groups: dict[tuple[int, str, bool, bool], list[Row]] = {}
    for row in nodes.values():
        if row["predicted"] is not None:
            key = (row["predicted"], row["name"], row["predicted"] != row["class"], row["centre"])
            groups.setdefault(key, []).append(row)
    for (label, name, wrong, centre), members in sorted(groups.items()):
        told = f"{name}{', wrongly' * wrong}{' (the chosen node)' * centre}"
        look: Look = {"slot": label, "size": 20 if centre else 12, "hollow": wrong, "hover": HOVER}
        series.append(marks(members, "x", "y", name=told, **look))
    if silent := [row for row in nodes.values() if row["predicted"] is None]:
        look = {"slot": max((key[0] for key in groups), default=0) + 1, "size": 6, "hollow": True, "hover": HOVER}
        series.append(marks(silent, "x", "y", name="no prediction", **look))
    panel = Panel(x=Axis(title=""), y=Axis(title=""), bare=True)
    return Chart(panels=(panel,), series=tuple(series), height=480, legend=True)
