"""The risk map: the training nodes that an attack exposes most, among their neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from privgraph.attacks.record import AttackRecord
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, edges, empty
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import ATTACK
from privgraph_workbench.theme import NEUTRAL

LEVELS = (
    (0.99, "found before 99% of the others", 22, 1),
    (0.9, "before 90 to 99%", 16, 3),
    (0.0, "before fewer", 11, 0),
)
"""Exposure from which a training node is drawn so, the words for it, its size, and the slot of its colour:
that of a warning for the most exposed."""
HOVER = ("node", "class", "degree", "exposure")
APART = 1.3
"""Distance between pieces, in radii."""


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
    for one in record.map_nodes:
        x, y = places[one.node]
        rows.append(
            {
                "kind": "node",
                "node": one.node,
                "x": round(x, 4),
                "y": round(y, 4),
                "class": one.label,
                "degree": one.degree,
                "exposure": one.exposure,
                "others": record.ahead.others,
                "ahead": record.ahead.found,
                "by_chance": record.ahead.by_chance,
            }
        )
    return rows


def _placed(layouts: Sequence[dict[int, Any]]) -> dict[int, tuple[float, float]]:
    """Pieces beside each other in rows about twice as wide as all of them are high."""
    radii = [max(0.8, math.sqrt(len(layout)) / 2) for layout in layouts]
    width = max(2 * APART * max(radii, default=1.0), 2 * math.sqrt(sum(2 * (APART * radius) ** 2 for radius in radii)))
    places: dict[int, tuple[float, float]] = {}
    left = top = tallest = 0.0
    for layout, radius in zip(layouts, radii, strict=True):
        side = 2 * APART * radius
        if left and left + side > width:
            left, top, tallest = 0.0, top - tallest, 0.0
        for node, (x, y) in layout.items():
            places[node] = (left + side / 2 + radius * float(x), top - side / 2 + radius * float(y))
        left, tallest = left + side, max(tallest, side)
    return places


@figure("attack_map", "The risk map", data, needs=ATTACK, flags=(Flag.EVALUATOR,))
def chart(rows: Sequence[Row]) -> Chart:
    """The more exposed, the larger; nodes that did not train are faint."""
    nodes = {row["node"]: row for row in rows if row["kind"] == "node"}
    if not nodes:
        return empty("this attack kept no map")
    series = [edges(nodes, [(row["source"], row["target"]) for row in rows if row["kind"] == "edge"])]
    for place, (low, words, size, slot) in enumerate((*LEVELS, (None, "did not train", 8, NEUTRAL))):
        high = LEVELS[place - 1][0] if place else math.inf
        if low is None:
            held, name = [row for row in nodes.values() if row["exposure"] is None], words
        else:
            trained = [row for row in nodes.values() if row["exposure"] is not None]
            held, name = [row for row in trained if low <= row["exposure"] < high], f"trained, {words}"
        look: Look = {"slot": slot, "size": size, "hollow": low is None, "hover": HOVER}
        series += [marks(held, "x", "y", name=name, **look)] if held else []
    return Chart(panels=(Panel(x=Axis(title=""), y=Axis(title=""), bare=True),), series=tuple(series), height=480)
