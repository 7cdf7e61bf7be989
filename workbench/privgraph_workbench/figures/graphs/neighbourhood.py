"""A small piece of a graph, drawn: a node, its neighbours, and theirs."""

from collections.abc import Iterable, Mapping, Sequence

from privgraph_workbench.figures.chart import Chart, Flag, Row, Rows
from privgraph_workbench.figures.figure import figure, without
from privgraph_workbench.figures.marks import class_name, grouped, marks, network


def data(
    edges: Iterable[Sequence[int]],
    labels: Mapping[int, int] | Mapping[str, int] | Sequence[int],
    *,
    centre: int | None = None,
    class_names: Sequence[str] = (),
) -> list[Row]:
    """Rows of two kinds: `edge` (source, target) and `node` (node, x, y, class, name, degree, centre).

    `labels` is the class of each drawn node; every end of an edge must be among them. The layout
    (Kamada and Kawai 1989, from a circle) depends on the graph alone: the same piece looks the same each
    time. Raises `ValueError` beyond 200 nodes, which nobody could read.
    """
    import networkx

    pairs = labels.items() if isinstance(labels, Mapping) else enumerate(labels)
    known = {int(node): int(label) for node, label in pairs}
    if len(known) > 200:
        raise ValueError(f"a drawn neighbourhood has at most 200 nodes (got {len(known)})")
    graph = networkx.Graph()
    graph.add_nodes_from(sorted(known))
    for source, target in edges:
        if source not in known or target not in known:
            raise ValueError(f"the edge {source} to {target} leads out of the drawn nodes")
        if source != target:
            graph.add_edge(int(source), int(target))
    places = networkx.kamada_kawai_layout(graph) if known else {}
    rows: list[Row] = [
        {"kind": "edge", "source": one, "target": other} for one, other in sorted(map(sorted, graph.edges))
    ]
    for node, label in sorted(known.items()):
        x, y = (round(float(place), 4) for place in places[node])
        own = {"class": label, "name": class_name(label, class_names), "degree": graph.degree[node]}
        rows.append({"kind": "node", "node": node, "x": x, "y": y, **own, "centre": node == centre})
    return rows


@figure("neighbourhood", "A drawn neighbourhood", data, always=[Flag.RAW], table=without("graph"))
def chart(rows: Rows) -> Chart:
    nodes, series = [row for row in rows if row["kind"] == "node"], []
    for (label, name, centre), own in sorted(grouped(nodes, "class", "name", "centre").items()):
        name, size = (f"{name} (the chosen node)", 20) if centre else (name, 12)
        series.append(marks(own, "x", "y", name=name, slot=label, size=size, hover="node called name degree"))
    return network(rows, series)
