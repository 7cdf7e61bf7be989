"""What the panels of a figure are called: the graph that their rows were trained on."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.data.catalogue import DATASETS
from privgraph.options import parameters
from privgraph_workbench.figures.chart import Row


def place_words(rows: Sequence[Row]) -> str:
    """What rows of one graph were trained on, for the title of their panel: graph, its size, and the networks
    where every row has one.

    Columns graph, nodes and network.
    """
    graph, nodes = rows[0]["graph"], rows[0]["nodes"]
    networks = sorted({row["network"] for row in rows}) if all(row["network"] for row in rows) else []
    return ", ".join(
        filter(
            None,
            (
                graph,
                "" if nodes is None or "nodes " in graph or " nodes" in graph else f"{nodes:,} nodes",
                f"network{'s' if len(networks) > 1 else ''} {' and '.join(networks)}" if networks else "",
            ),
        )
    )


def short_place(row: Row) -> tuple[str, str]:
    """The graph of a row by its name and size alone, and its other settings, which a title has no room for.

    >>> short_place({"graph": "Network (nodes 600, classes 3, degree 16)", "nodes": 600})
    ('Network, 600 nodes', 'classes 3, degree 16')
    >>> short_place({"graph": "Network (public split)", "nodes": 600})
    ('Network (public split)', '')
    """
    graph, nodes = row["graph"], row["nodes"]
    name, _, options = graph.removesuffix(")").partition(" (nodes ")
    size, _, rest = options.partition(", ")
    if nodes is None or size != str(nodes):
        return graph, ""
    return f"{name}, {nodes:,} nodes", rest


def default_size(row: Row) -> str:
    """Of a row (graph, dataset, nodes) that says no size, of a data set with the option `products`: how that
    is drawn by default, in the form in which `GraphId.words` says how others are; "" elsewhere.

    >>> default_size({"graph": "Made-up products", "dataset": "products", "nodes": None})
    ' (products 1000, purchases 4, noise 0.1)'
    >>> default_size({"graph": "Cora", "dataset": "cora", "nodes": 2708})
    ''
    """
    if (
        row.get("nodes") is not None
        or "products " in row["graph"].partition("(")[2]
        or row.get("dataset") not in DATASETS
    ):
        return ""
    kind = DATASETS[row["dataset"]].load_options()
    found = {one.name: one.default for one in parameters(kind) if not one.option.advanced} if kind else {}
    said = ", ".join(f"{name} {value:g}" for name, value in found.items() if isinstance(value, int | float))
    return f" ({said})" if "products" in found else ""
