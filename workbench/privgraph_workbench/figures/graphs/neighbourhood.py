"""A small piece of a graph, drawn: a node, its neighbours, and theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, edges, empty
from privgraph_workbench.figures.figure import figure, without
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks

HOVER = ("node", "called", "name", "degree")
MOST_NODES = 200


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
    if len(known) > MOST_NODES:
        raise ValueError(f"a drawn neighbourhood has at most {MOST_NODES} nodes (got {len(known)})")
    graph = networkx.Graph()
    graph.add_nodes_from(sorted(known))
    for source, target in edges:
        if source not in known or target not in known:
            raise ValueError(f"the edge {source} to {target} leads out of the drawn nodes")
        if source != target:
            graph.add_edge(int(source), int(target))
    if not known:
        return []
    places = networkx.kamada_kawai_layout(graph)
    rows: list[Row] = [
        {"kind": "edge", "source": min(edge), "target": max(edge)} for edge in sorted(map(sorted, graph.edges))
    ]
    for node, label in sorted(known.items()):
        rows.append(
            {
                "kind": "node",
                "node": node,
                "x": round(float(places[node][0]), 4),
                "y": round(float(places[node][1]), 4),
                "class": label,
                "name": class_names[label] if label < len(class_names) else f"class {label}",
                "degree": graph.degree[node],
                "centre": node == centre,
            }
        )
    return rows


@figure("neighbourhood", "A drawn neighbourhood", data, flags=(Flag.RAW,), table=without("graph"))
def chart(rows: Sequence[Row]) -> Chart:
    """Nodes by class in colour and shape, edges as thin lines, the centre larger."""
    nodes = {row["node"]: row for row in rows if row["kind"] == "node"}
    if not nodes:
        return empty("there is no node to draw")
    series = [edges(nodes, [(row["source"], row["target"]) for row in rows if row["kind"] == "edge"])]
    for label, name in sorted({(row["class"], row["name"]) for row in nodes.values()}):
        for centre in (False, True):
            members = [row for row in nodes.values() if row["class"] == label and row["centre"] == centre]
            told = f"{name} (the chosen node)" if centre else name
            look: Look = {"slot": label, "size": 20 if centre else 12, "hover": HOVER}
            series += [marks(members, "x", "y", name=told, **look)] if members else []
    return Chart(panels=(Panel(x=Axis(title=""), y=Axis(title=""), bare=True),), series=tuple(series), height=480)
