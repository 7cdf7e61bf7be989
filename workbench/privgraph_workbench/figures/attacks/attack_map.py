"""The risk map: the training nodes that an attack exposes most, among their neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from privgraph.attacks.record import AttackRecord
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, edges, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.needs import ATTACK
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import number

TITLE = "The risk map"
LEVELS = (
    (0.99, "found before 99% of the others", 22, 1),
    (0.9, "before 90 to 99%", 16, 3),
    (0.0, "before fewer", 11, 0),
)
"""Exposure from which a training node is drawn so, the words for it, its size, and the slot of its colour:
that of a warning for the most exposed."""
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
    ends = [(row["source"], row["target"]) for row in rows if row["kind"] == "edge"]
    series = [edges(nodes, ends)]
    for place, (low, words, size, slot) in enumerate(LEVELS):
        high = LEVELS[place - 1][0] if place else math.inf
        held = [row for row in nodes.values() if row["exposure"] is not None and low <= row["exposure"] < high]
        series += _points(f"trained, {words}", held, slot, size)
    series += _points("did not train", [row for row in nodes.values() if row["exposure"] is None], NEUTRAL, 8)
    return Chart(
        panels=(Panel(x=Axis(title=""), y=Axis(title=""), bare=True),),
        series=tuple(series),
        height=480,
    )


plot = plotted(chart)


def _points(name: str, rows: Sequence[Row], slot: int, size: float) -> list[Series]:
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
            hollow=slot == NEUTRAL,
            hover=tuple(_hover(row) for row in rows),
        )
    ]


def _hover(row: Row) -> str:
    said = "did not train" if row["exposure"] is None else f"trained, exposure {number(row['exposure'])}"
    return f"node {row['node']}\n{row['class']}\n{row['degree']} edges\n{said}"
