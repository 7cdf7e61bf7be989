"""The private nodes that answered one query, drawn around it: near and large where they weighed much."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Series, edges, empty
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import ANSWERS
from privgraph_workbench.figures.teachers.answers import class_name
from privgraph_workbench.theme import MARKERS, NEUTRAL

TITLE = "Who answered"
UNKNOWN = "class not told"
SIZES = (7, 11, 15)
NO_CLASS = NEUTRAL
AGAINST = "hollow: it voted against its own class"
SQUARE = MARKERS.index("square")


def data(answers: Answers, place: int, class_names: Sequence[str] = ()) -> list[Row]:
    """Rows of two kinds: `edge` (source, target) and `node` (node, x, y, class, name, weight, strength,
    centre).

    The query is in the middle, with the class that was released (None: refused). Around it the nodes that
    answered, in sectors by class; the heavier, the nearer: strength is 0 for the lightest weight (whatever
    its sign) and 1 for the heaviest. Empty where nobody is told (votes of teachers). Their places depend on
    classes and weights alone: the same query looks the same each time.
    """
    part = slice(int(answers.pointers[place]), int(answers.pointers[place + 1]))
    nodes, weights = answers.neighbours[part].tolist(), answers.weights[part].tolist()
    if not nodes:
        return []
    labels = answers.classes[part].tolist() if len(answers.classes) else [None] * len(nodes)
    edges = answers.edges[:, int(answers.edge_pointers[place]) : int(answers.edge_pointers[place + 1])].T.tolist()
    known = set(nodes)
    pairs = sorted({(min(pair), max(pair)) for pair in edges if pair[0] != pair[1] and known.issuperset(pair)})
    rows: list[Row] = [{"kind": "edge", "source": source, "target": target} for source, target in pairs]
    rows.append(_centre(answers, place, class_names))
    strength = _strengths(weights)
    ordered = sorted(
        zip(nodes, weights, labels, strength, strict=True),
        key=lambda one: (-1 if one[2] is None else one[2], -one[1], one[0]),
    )
    for position, (node, weight, label, strong) in enumerate(ordered):
        angle = 2 * math.pi * position / len(ordered)
        # neighbours on the circle alternate a little, so that equal weights do not hide one another
        radius = 1.15 - 0.75 * strong + 0.06 * (position % 2)
        rows.append(
            {
                "kind": "node",
                "node": node,
                "x": round(radius * math.cos(angle), 4),
                "y": round(radius * math.sin(angle), 4),
                "class": label,
                "name": UNKNOWN if label is None else class_name(label, class_names),
                "weight": float(weight),
                "strength": round(strong, 4),
                "centre": False,
            }
        )
    return rows


def _centre(answers: Answers, place: int, class_names: Sequence[str]) -> Row:
    released = int(answers.released[place])
    return {
        "kind": "node",
        "node": int(answers.queries[place]),
        "x": 0.0,
        "y": 0.0,
        "class": released if released >= 0 else None,
        "name": class_name(released, class_names) if released >= 0 else "refused",
        "weight": None,
        "strength": None,
        "centre": True,
    }


def _strengths(weights: Sequence[float]) -> list[float]:
    sizes = [abs(weight) for weight in weights]
    low, high = min(sizes), max(sizes)
    return [(size - low) / (high - low) if high > low else 0.5 for size in sizes]


@figure("chosen", "Who answered", data, needs=ANSWERS, flags=(Flag.PRIVATE,))
def chart(rows: Sequence[Row]) -> Chart:
    """The query in the middle, those that answered around it by class in colour and shape, by weight in
    size."""
    nodes = {row["node"]: row for row in rows if row["kind"] == "node"}
    around = [row for row in nodes.values() if not row["centre"]]
    if not around:
        return empty("this run does not tell who answered")
    centre = next(row for row in nodes.values() if row["centre"])
    released = f"labelled {centre['name']}" if centre["class"] is not None else "refused by the gate"
    slot = NO_CLASS if centre["class"] is None else centre["class"]
    series = [edges(nodes, [(row["source"], row["target"]) for row in rows if row["kind"] == "edge"])]
    look: Look = {"slot": slot, "hollow": True, "size": 22, "hover": ("node", "name")}
    series.append(marks([centre], "x", "y", name=f"the query, {released}", **look))
    groups: dict[tuple[int, str, bool, int], list[Row]] = {}
    for row in around:
        size = SIZES[min(len(SIZES) - 1, int(len(SIZES) * row["strength"]))]
        key = (NO_CLASS if row["class"] is None else row["class"], row["name"], row["weight"] < 0, -size)
        groups.setdefault(key, []).append(row)
    for (label, name, against, smallness), members in sorted(groups.items()):
        look = {"slot": label, "hollow": against, "size": -smallness, "legend": False, "group": name}
        series.append(marks(members, "x", "y", name=name, hover=("node", "name", "weight"), **look))
    # the legend: every class by a mark of one size, whatever its nodes weigh
    for label, name in sorted({(key[0], key[1]) for key in groups}):
        series.append(Series(name=name, kind="points", x=(None,), y=(None,), slot=label, group=name))
    if any(key[2] for key in groups):
        look = {"slot": NEUTRAL, "shape": SQUARE, "hollow": True}
        series.append(Series(name=AGAINST, kind="points", x=(None,), y=(None,), **look))
    title = f"{TITLE}: node {centre['node']}"
    panel = Panel(x=Axis(title=""), y=Axis(title=""), bare=True)
    return Chart(title=title, panels=(panel,), series=tuple(series), height=460)
