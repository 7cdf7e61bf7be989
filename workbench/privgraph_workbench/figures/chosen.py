"""The private nodes that answered one query, drawn around it: near and large where they weighed much."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from privgraph.methods.answers import Answers
from privgraph_workbench.figures.answers import class_name
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty, number
from privgraph_workbench.figures.draw_plotly import draw

TITLE = "Who answered"
BADGE = "private: which nodes answered, and their edges, are for study on this machine, and no part of what is released"
UNKNOWN = "class not told"
SIZES = (7, 11, 15)
CENTRE_SLOT = 7


def data(answers: Answers, place: int, class_names: Sequence[str] = ()) -> list[Row]:
    """Rows of two kinds: `edge` (source, target) and `node` (node, x, y, class, name, weight, centre).

    The query is in the middle, with the class that was released (None: refused). Around it the nodes that answered,
    in sectors by class; the heavier, the nearer. Empty where nobody is told (votes of teachers). Their places depend on
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
    heaviest = max(abs(weight) for weight in weights) or 1.0
    ordered = sorted(
        zip(nodes, weights, labels, strict=True), key=lambda one: (-1 if one[2] is None else one[2], -one[1], one[0])
    )
    for position, (node, weight, label) in enumerate(ordered):
        angle = 2 * math.pi * position / len(ordered)
        # neighbours on the circle alternate a little, so that equal weights do not hide one another
        radius = 1.15 - 0.7 * abs(weight) / heaviest + 0.06 * (position % 2)
        rows.append(
            {
                "kind": "node",
                "node": node,
                "x": round(radius * math.cos(angle), 4),
                "y": round(radius * math.sin(angle), 4),
                "class": label,
                "name": UNKNOWN if label is None else class_name(label, class_names),
                "weight": float(weight),
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
        "centre": True,
    }


def chart(rows: Sequence[Row]) -> Chart:
    """The query in the middle, those that answered around it by class in colour and shape, by weight in size."""
    nodes = {row["node"]: row for row in rows if row["kind"] == "node"}
    around = [row for row in nodes.values() if not row["centre"]]
    if not around:
        return empty(TITLE, "this run does not tell which private nodes answered")
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
            slot=CENTRE_SLOT,
            hollow=True,
            size=22,
            hover=(f"node {centre['node']}, the query\n{_said(centre)}",),
        ),
    ]
    heaviest = max(abs(row["weight"]) for row in around) or 1.0
    groups: dict[tuple[int, str, int, bool], list[Row]] = {}
    for row in around:
        size = min(len(SIZES) - 1, int(len(SIZES) * abs(row["weight"]) / heaviest))
        key = (-1 if row["class"] is None else row["class"], row["name"], size, row["weight"] < 0)
        groups.setdefault(key, []).append(row)
    # the largest first: the legend shows a class as its heaviest member is drawn
    for (label, name, size, against), members in sorted(
        groups.items(), key=lambda item: (item[0][:2], -item[0][2], item[0][3])
    ):
        series.append(
            Series(
                name=name,
                kind="points",
                x=tuple(row["x"] for row in members),
                y=tuple(row["y"] for row in members),
                slot=max(label, 0),
                hollow=against,
                size=SIZES[size],
                group=name,
                hover=tuple(f"node {row['node']}\n{name}\nweight {number(row['weight'])}" for row in members),
            )
        )
    heavy = max(around, key=lambda row: float(row["weight"]))
    return Chart(
        title=f"{TITLE}: node {centre['node']}",
        panels=(Panel(x=Axis(title=""), y=Axis(title=""), bare=True),),
        series=tuple(series),
        summary=f"{len(around)} private nodes that answered the query at node {centre['node']} ({_said(centre)}), with "
        f"{len(ends)} edges among them; the heaviest is node {heavy['node']}, {heavy['name']}, of weight "
        f"{number(heavy['weight'])}.",
        badges=(BADGE,),
        height=460,
    )


def plot(rows: Sequence[Row], theme: str = "light") -> go.Figure:
    """Who answered, as a plotly figure."""
    return draw(chart(rows), theme)


def _said(centre: Row) -> str:
    return "refused by the gate" if centre["class"] is None else f"labelled {centre['name']}"
