"""Settings of methods with teachers side by side: accuracy against the sound epsilon, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from privgraph.runs.records import RunRecord
from privgraph_workbench import theme
from privgraph_workbench.facts import teacher_settings
from privgraph_workbench.figures.axes import placed, spans
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Series, empty, percentages, shared
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import intervals, marks
from privgraph_workbench.figures.needs import RUNS
from privgraph_workbench.figures.palette import COLOURS, slots
from privgraph_workbench.figures.runs import tradeoff

ROUNDED = 1e-3
"""An epsilon that was asked for is met to within so much: 1.0004 is no more than 1."""
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
RING = theme.MARKERS.index("octagon")
HOVER = ("title", "release", "weights", "mean", "low", "high", "seeds", "epsilon", "queries", "teachers", "also")


def data(records: Iterable[RunRecord], opened: str = "") -> list[Row]:
    """One row per setting that guarantees something, the most accurate first: what `tradeoff.data` says of
    it, `weights`, `release`, `queries`, `teachers` (`teacher_settings`), `also` (what else tells it from
    others) and `open` (whether the run `opened` is one of its seeds). A method whose votes have unequal
    weights has a title of its own."""
    done = [record for record in records if record.state == "done" and "test_accuracy" in record.metrics]
    known, rest = {record.id: record for record in done}, teacher_settings.rest(done)
    rows = []
    for row in tradeoff.data(done):
        if not placed(row["epsilon"]):
            continue
        ids = str(row["runs"]).split()
        own = {**teacher_settings.columns(known[ids[0]]), "also": rest[ids[0]], "open": opened in ids}
        rows.append({**row, **own, "title": teacher_settings.title(known[ids[0]])})
    return sorted(rows, key=lambda row: (row["graph"], -row["mean"], row["epsilon"]))


@figure(
    "teachers_compared",
    "Methods with teachers, compared",
    data,
    needs=RUNS,
    settings=True,
)
def chart(rows: Sequence[Row]) -> Chart:
    """A panel a graph, a mark a setting: its colour is the method's, its shape that of what is released."""
    if not rows:
        return empty("no setting with teachers guarantees anything")
    styles = slots({row["title"]: row["method"] for row in sorted(rows, key=lambda row: str(row["title"]))})
    if teacher_settings.TITLE_WEIGHTED in styles:  # further slots repeat the colours of others
        taken = {slot % COLOURS for title, slot in styles.items() if title != teacher_settings.TITLE_WEIGHTED}
        styles[teacher_settings.TITLE_WEIGHTED] = next((one for one in FREE if one not in taken), FREE[0])
    parts = {graph: [row for row in rows if row["graph"] == graph] for graph in dict.fromkeys(r["graph"] for r in rows)}
    seen = {graph: [row for row in held if row["epsilon"] <= tradeoff.LARGEST] or held for graph, held in parts.items()}
    bounds = shared([row[key] for row in held for key in ("mean", "low", "high") if row[key]] for held in seen.values())
    panels, series = [], list[Series]()
    for place, (graph, held) in enumerate(seen.items()):
        epsilons = [row["epsilon"] for row in held]
        middle = math.sqrt(min(epsilons) * max(epsilons))
        low, high = spans(min(*epsilons, middle / 3.2), max(*epsilons, middle * 3.2))
        x = Axis(title="sound ε per node (logarithmic)", scale="log", low=low, high=high)
        y = percentages("student's accuracy (percent of public test nodes)", bounds)
        panels.append(Panel(title=graph if len(seen) > 1 else "", x=x, y=y))
        for title, slot in styles.items():
            series += _of_title([row for row in held if row["title"] == title], title, slot, place)
        look: Look = {"slot": theme.NEUTRAL, "shape": RING, "hollow": True, "size": 19.0, "panel": place}
        if opened := [row for row in held if row["open"]]:
            series.append(marks(opened, "epsilon", "mean", name=OPEN, group=OPEN, **look))
    named: set[str] = set()
    for at, one in enumerate(series):
        series[at] = replace(one, legend=one.legend and one.name not in named)
        named |= {one.name} if one.legend else set()
    height = 110 + 330 * math.ceil(len(seen) / 2)
    return Chart(panels=tuple(panels), series=tuple(series), columns=2, height=height, legend=True)


def met(row: Row) -> float:
    """The epsilon that was asked for, where its own is that to within `ROUNDED`.

    >>> met({"asked": 0.25, "epsilon": 0.24995}), met({"asked": 0.25, "epsilon": 0.2})
    (0.25, 0.2)
    """
    asked, own = row["asked"], float(row["epsilon"])
    return float(asked) if asked is not None and math.isclose(own, asked, rel_tol=ROUNDED) else own


def ahead(rows: Sequence[Row]) -> list[Row]:
    """The settings of one method that are more accurate than all others of a smaller or equal epsilon."""
    found: list[Row] = []
    for row in sorted(rows, key=lambda row: (met(row), -row["mean"])):
        if not found or row["mean"] > found[-1]["mean"]:
            found.append(row)
    return found


def _of_title(rows: Sequence[Row], title: str, slot: int, panel: int) -> list[Series]:
    """The settings of one method: a line through the best, with intervals; others are small."""
    first, look = ahead(rows), Look(slot=slot, panel=panel)
    drawn = intervals(first, "epsilon", legend=False, group=title, **look)
    if len(first) > 1:
        drawn.append(marks(first, "epsilon", "mean", name=title, kind="line", legend=False, group=title, **look))
    for release in dict.fromkeys(row["release"] for row in rows):
        own = [row for row in rows if row["release"] == release]
        shape = SHAPES.get(own[0]["weights"], SHAPES.get(release, SHAPES["label"]))
        look = {"name": f"{title}: {release}", "group": f"{title}: {release}", "shape": shape, "slot": slot}
        look["panel"] = panel
        best, rest = [row for row in own if row in first], [row for row in own if row not in first]
        if not best:  # nobody would see a faint mark in a legend
            drawn.append(Series(kind="points", x=(None,), y=(None,), **look))
        if rest:
            drawn.append(marks(rest, "epsilon", "mean", hover=HOVER, size=6, faint=True, legend=False, **look))
        if best:
            drawn.append(marks(best, "epsilon", "mean", hover=HOVER, size=10, **look))
    return drawn
