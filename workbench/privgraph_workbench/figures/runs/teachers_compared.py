"""Settings of methods with teachers side by side: accuracy against the sound epsilon, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from privgraph.runs.records import RunRecord
from privgraph_workbench import theme
from privgraph_workbench.facts import teacher_settings
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import grouped, intervals, marks, percentages, placed
from privgraph_workbench.figures.palette import COLOURS, slots
from privgraph_workbench.figures.runs import tradeoff

_MARKS = {
    "label": "square",
    "noisy counts": "pentagon",
    "table": "triangle-down",
    "votes": "cross",
    "ensemble": "hexagon",
    "posterior": "x",
    teacher_settings.UNEQUAL: "star",
}
SHAPES = {name: theme.MARKERS.index(mark) for name, mark in _MARKS.items()}
"""The mark of each release, and of unequal weights, whatever the method."""
FREE = (3, 4, 2, 6)
"""Colours of which unequal weights have the first that no method of the figure has."""
OPEN = "ring: the setting that is open"
HOVER = ("title", "release", "weights", "mean", "low", "high", "seeds", "epsilon", "queries", "teachers", "also")


def data(records: Iterable[RunRecord], opened: str = "") -> list[Row]:
    """One row per setting that guarantees something, the most accurate first: what `tradeoff.data` says of
    it, `weights`, `release`, `queries`, `teachers` (`teacher_settings`), `also` (what else tells it from
    others) and `open` (whether the run `opened` is one of its seeds). A method whose votes have unequal
    weights has a title of its own."""
    done = [record for record in records if record.state == "done" and "test_accuracy" in record.metrics]
    known, rest, rows = {record.id: record for record in done}, teacher_settings.rest(done), []
    for row in tradeoff.data(done):
        if placed(row["epsilon"]):
            ids = str(row["runs"]).split()
            own = {**teacher_settings.columns(known[ids[0]]), "also": rest[ids[0]], "open": opened in ids}
            rows.append({**row, **own, "title": teacher_settings.title(known[ids[0]])})
    return sorted(rows, key=lambda row: (row["graph"], -row["mean"], row["epsilon"]))


@figure("teachers_compared", "Methods with teachers, compared", data, needs="runs", settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """A panel a graph, a mark a setting: its colour is the method's, its shape that of what is released."""
    colours = slots({row["title"]: row["method"] for row in sorted(rows, key=lambda row: str(row["title"]))})
    if teacher_settings.TITLE_WEIGHTED in colours:  # further slots repeat the colours of others
        taken = {slot % COLOURS for title, slot in colours.items() if title != teacher_settings.TITLE_WEIGHTED}
        colours[teacher_settings.TITLE_WEIGHTED] = next((one for one in FREE if one not in taken), FREE[0])
    rows = [row for row in rows if row["epsilon"] <= tradeoff.LARGEST] or list(rows)
    y = percentages("student's accuracy (percent of public test nodes)", rows, "mean", "low", "high")
    panels, series, graphs = [], list[Series](), grouped(rows, "graph")
    for place, (graph, held) in enumerate(graphs.items()):
        low, high = min(row["epsilon"] for row in held), max(row["epsilon"] for row in held)
        wider = 1.4 * max(1.0, math.sqrt(10 * low / high))  # a decade at least
        x = Axis(title="sound ε per node (logarithmic)", scale="log", low=low / wider, high=high * wider)
        panels.append(Panel(title=graph, x=x, y=y))
        for title, own in grouped(held, "title").items():
            series += _of_title(own, title, colours[title], place)
        ring: Look = {"slot": theme.NEUTRAL, "shape": theme.MARKERS.index("octagon"), "hollow": True, "size": 19.0}
        if opened := [row for row in held if row["open"]]:
            series.append(marks(opened, "epsilon", "mean", name=OPEN, panel=place, **ring))
    height = 110 + 330 * math.ceil(len(graphs) / 2)
    return Chart(panels=tuple(panels), series=tuple(series), columns=2, height=height, legend=True)


def _of_title(rows: Sequence[Row], title: str, slot: int, panel: int) -> list[Series]:
    """The settings of one method: a line through those that are more accurate than all of a smaller or equal
    epsilon, with their intervals; others are small."""
    best: list[Row] = []
    for row in sorted(rows, key=lambda row: (row["epsilon"], -row["mean"])):
        if not best or row["mean"] > best[-1]["mean"]:
            best.append(row)
    look: Look = {"slot": slot, "panel": panel, "legend": False, "group": title}
    drawn = intervals(best, "epsilon", **look)
    if len(best) > 1:
        drawn.append(marks(best, "epsilon", "mean", name=title, kind="line", **look))
    for release, own in grouped(rows, "release").items():
        name = f"{title}: {release}"
        shape = SHAPES.get(own[0]["weights"], SHAPES.get(release, SHAPES["label"]))
        look = {"name": name, "shape": shape, "slot": slot, "panel": panel, "hover": HOVER}
        drawn.append(marks([row for row in own if row in best], "epsilon", "mean", size=10, **look))
        rest = [row for row in own if row not in best]
        drawn.append(marks(rest, "epsilon", "mean", size=6, faint=True, legend=False, group=name, **look))
    return drawn
