"""What the panels of a figure are called: the graph that their rows were trained on."""

from __future__ import annotations

from collections.abc import Sequence

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
