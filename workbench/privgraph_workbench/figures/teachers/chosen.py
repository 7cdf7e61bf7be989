"""The private nodes that answered one query, drawn around it: near and large where they weighed much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.needs import ONE_ANSWER
from privgraph_workbench.figures.teachers.answers import class_name
from privgraph_workbench.theme import MARKERS, NEUTRAL
from privgraph_workbench.words.numbers import number

TITLE = "Who answered"
BADGE = "private: who answered, and their edges, are no part of what is released"
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


@figure("chosen", "Who answered", data, needs=ONE_ANSWER, flags=(Flag.PRIVATE,))
def chart(rows: Sequence[Row]) -> Chart:
    """The query in the middle, those that answered around it by class in colour and shape, by weight in
    size."""
    nodes = {row["node"]: row for row in rows if row["kind"] == "node"}
    around = [row for row in nodes.values() if not row["centre"]]
    if not around:
        return empty("this run does not tell which private nodes answered")
    centre = next(row for row in nodes.values() if row["centre"])
    ends = [(row["source"], row["target"]) for row in rows if row["kind"] == "edge"]
    series = [
        Series(
            name="edges among them",
            kind="links",
            x=tuple(nodes[end]["x"] for pair in ends for end in pair),
            y=tuple(nodes[end]["y"] for pair in ends for end in pair),
            legend=False,
            faint=True,
        ),
        Series(
            name=f"the query, {_said(centre)}",
            kind="points",
            x=(0.0,),
            y=(0.0,),
            slot=NO_CLASS if centre["class"] is None else centre["class"],
            hollow=True,
            size=22,
            hover=(f"node {centre['node']}, the query\n{_said(centre)}",),
        ),
    ]
    groups: dict[tuple[int, str, bool, int], list[Row]] = {}
    for row in around:
        size = SIZES[min(len(SIZES) - 1, int(len(SIZES) * row["strength"]))]
        key = (NO_CLASS if row["class"] is None else row["class"], row["name"], row["weight"] < 0, -size)
        groups.setdefault(key, []).append(row)
    for (label, name, against, smallness), members in sorted(groups.items()):
        series.append(
            Series(
                name=name,
                kind="points",
                x=tuple(row["x"] for row in members),
                y=tuple(row["y"] for row in members),
                slot=label,
                hollow=against,
                size=-smallness,
                legend=False,
                group=name,
                hover=tuple(f"node {row['node']}\n{name}\nweight {number(row['weight'])}" for row in members),
            )
        )
    series += _entries(around)
    return Chart(
        title=f"{TITLE}: node {centre['node']}",
        panels=(Panel(x=Axis(title=""), y=Axis(title=""), bare=True),),
        series=tuple(series),
        height=460,
    )


plot = plotted(chart)


def _entries(around: Sequence[Row]) -> list[Series]:
    """The legend: every class by a mark of one size, whatever its nodes weigh, and what a hollow mark is."""
    classes = sorted({(NO_CLASS if row["class"] is None else row["class"], row["name"]) for row in around})
    nowhere: dict[str, Any] = {"kind": "points", "x": (None,), "y": (None,)}
    told = [Series(name=name, slot=label, group=name, **nowhere) for label, name in classes]
    if any(row["weight"] < 0 for row in around):
        told.append(Series(name=AGAINST, slot=NEUTRAL, shape=SQUARE, hollow=True, **nowhere))
    return told


def _said(centre: Row) -> str:
    return "refused by the gate" if centre["class"] is None else f"labelled {centre['name']}"
