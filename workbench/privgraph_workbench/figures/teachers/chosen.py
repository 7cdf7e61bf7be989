"""The private nodes that answered one query, drawn around it: near and large where they weighed much."""

import math
from collections.abc import Sequence

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures.chart import Chart, Flag, Look, Row, Rows, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import class_name, empty, grouped, marks, network
from privgraph_workbench.theme import MARKERS, NEUTRAL


def data(answers: Answers, place: int, class_names: Sequence[str] = ()) -> list[Row]:
    """Rows of two kinds: `edge` (source, target) and `node` (node, x, y, class, name, weight, strength,
    centre).

    The query is in the middle, with the class that was released (None: refused). Around it the nodes that
    answered, in sectors by class; the heavier, the nearer: strength is 0 for the lightest weight (whatever
    its sign) and 1 for the heaviest. Empty where nobody is told (votes of teachers). Their places depend on
    classes and weights alone: the same query looks the same each time.
    """
    part = slice(*answers.pointers[place : place + 2])
    nodes, weights = answers.neighbours[part].tolist(), answers.weights[part].tolist()
    if not nodes:
        return []
    labels = answers.classes[part].tolist() if len(answers.classes) else [None] * len(nodes)
    edges = answers.edges[:, slice(*answers.edge_pointers[place : place + 2])].T.tolist()
    pairs = sorted({(min(pair), max(pair)) for pair in edges if pair[0] != pair[1] and set(nodes).issuperset(pair)})
    rows: list[Row] = [{"kind": "edge", "source": source, "target": target} for source, target in pairs]
    released = int(answers.released[place])
    label, name = (released, class_name(released, class_names)) if released >= 0 else (None, "refused")
    middle = {"node": int(answers.queries[place]), "x": 0.0, "y": 0.0, "class": label, "name": name}
    rows.append({"kind": "node", **middle, "weight": None, "strength": None, "centre": True})
    sizes = [abs(weight) for weight in weights]
    low, span = min(sizes), max(sizes) - min(sizes)
    ordered = sorted(zip(nodes, weights, labels, strict=True), key=lambda one: (one[2] or 0, -one[1], one[0]))
    for position, (node, weight, label) in enumerate(ordered):
        strong = (abs(weight) - low) / span if span else 0.5
        angle = 2 * math.pi * position / len(nodes)
        # neighbours on the circle alternate a little, so that equal weights do not hide one another
        radius = 1.15 - 0.75 * strong + 0.06 * (position % 2)
        name = "class not told" if label is None else class_name(label, class_names)
        own = {"x": round(radius * math.cos(angle), 4), "y": round(radius * math.sin(angle), 4), "class": label}
        told = {"name": name, "weight": float(weight), "strength": round(strong, 4), "centre": False}
        rows.append({"kind": "node", "node": node, **own, **told})
    return rows


@figure("chosen", "Who answered", data, needs="one answer", always=[Flag.PRIVATE])
def chart(rows: Rows) -> Chart:
    nodes = [
        {**row, "slot": NEUTRAL if row["class"] is None else row["class"], "against": (row["weight"] or 0) < 0}
        | {"size": 7 + 4 * min(2, int(3 * (row["strength"] or 0)))}
        for row in rows
        if row["kind"] == "node"
    ]
    (centre,), around = ([row for row in nodes if row["centre"] is middle] for middle in (True, False))
    if not around:
        return empty("this run does not tell who answered")
    look: Look = {"name": f"the query: {centre['name']}", "slot": centre["slot"], "hollow": True, "size": 22}
    series = [marks([centre], "x", "y", hover="node name", **look)]
    # the legend: every class by a mark of one size, whatever its nodes weigh
    series += [Series(name=name, kind="points", slot=slot) for slot, name in sorted(grouped(around, "slot", "name"))]
    for (slot, name, against, size), held in grouped(around, "slot", "name", "against", "size").items():
        look = {"slot": slot, "hollow": against, "size": size, "legend": False, "group": name}
        series.append(marks(held, "x", "y", name=name, hover="node name weight", **look))
    if any(row["against"] for row in around):
        look = {"name": "hollow: it voted against its own class", "slot": NEUTRAL, "shape": MARKERS.index("square")}
        series.append(Series(kind="points", hollow=True, **look))
    return network(rows, series)
