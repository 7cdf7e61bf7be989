"""The risk map: the training nodes that an attack exposes most, among their neighbours."""

import math
from collections.abc import Sequence
from typing import Any

from privgraph.attacks.record import AttackRecord
from privgraph_workbench.figures.chart import Chart, Flag, Look, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import marks, network
from privgraph_workbench.theme import NEUTRAL

LEVELS = (
    (0.99, "trained, found before 99% of the others", 22, 1),
    (0.9, "trained, before 90 to 99%", 16, 3),
    (0.0, "trained, before fewer", 11, 0),
    (-math.inf, "did not train", 8, NEUTRAL),
)
"""Exposure from which a node is drawn so, the words for it, its size, and the slot of its colour: that of a
warning for the most exposed."""


def data(record: AttackRecord) -> list[Row]:
    """Rows of two kinds: `edge` (source, target) and `node` (node, x, y, class, degree, exposure, which is
    None where the node did not train; and of all training nodes, how many stand before all `others`: `ahead`,
    and `by_chance`). Each connected piece has a layout of its own (Kamada and Kawai 1989), larger ones
    first."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(one.node for one in record.map_nodes)
    graph.add_edges_from(record.map_edges)
    pieces = sorted(networkx.connected_components(graph), key=lambda piece: (-len(piece), min(piece)))
    places = _placed([networkx.kamada_kawai_layout(graph.subgraph(sorted(piece))) for piece in pieces])
    rows: list[Row] = [{"kind": "edge", "source": source, "target": target} for source, target in record.map_edges]
    ahead = {"others": record.ahead.others, "ahead": record.ahead.found, "by_chance": record.ahead.by_chance}
    for one in record.map_nodes:
        x, y = (round(place, 4) for place in places[one.node])
        own = {"class": one.label, "degree": one.degree, "exposure": one.exposure}
        rows.append({"kind": "node", "node": one.node, "x": x, "y": y, **own, **ahead})
    return rows


def _placed(layouts: Sequence[dict[int, Any]]) -> dict[int, tuple[float, float]]:
    """Pieces beside each other in rows about twice as wide as all of them are high."""
    radii = [max(0.8, math.sqrt(len(layout)) / 2) for layout in layouts]
    sides = [2.6 * radius for radius in radii]
    width = max(max(sides, default=2.6), 2 * math.sqrt(sum(side**2 / 2 for side in sides)))
    places: dict[int, tuple[float, float]] = {}
    left = top = tallest = 0.0
    for layout, radius, side in zip(layouts, radii, sides, strict=True):
        if left and left + side > width:
            left, top, tallest = 0.0, top - tallest, 0.0
        for node, (x, y) in layout.items():
            places[node] = (left + side / 2 + radius * float(x), top - side / 2 + radius * float(y))
        left, tallest = left + side, max(tallest, side)
    return places


@figure("attack_map", "The risk map", data, needs="attack", always=[Flag.EVALUATOR])
def chart(rows: Rows) -> Chart:
    left, series = [row for row in rows if row["kind"] == "node"], []
    for low, name, size, slot in LEVELS:
        held = [row for row in left if (-math.inf if row["exposure"] is None else row["exposure"]) >= low]
        left = [row for row in left if row not in held]
        look: Look = {"slot": slot, "size": size, "hollow": slot == NEUTRAL, "hover": "node class degree exposure"}
        series += [marks(held, "x", "y", name=name, **look)] if held else []
    return network(rows, series)
