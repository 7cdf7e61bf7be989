"""Accuracy against epsilon: a panel for each graph and unit, methods as lines, references as levels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.axes import COLUMNS, placed, spans
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, Series, empty
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.hover import hovers
from privgraph_workbench.figures.marks import intervals, marks
from privgraph_workbench.figures.needs import RUNS
from privgraph_workbench.figures.palette import slots
from privgraph_workbench.figures.settings import setting_rows
from privgraph_workbench.theme import EPSILONS, NEUTRAL, Epsilon

UNITS = {"edge": "edges", "node": "people"}
LARGEST = 1000.0
"""An axis ends there: beyond it an epsilon promises nothing to anybody."""
ALIKE = 0.01
"""Epsilons within this share of each other are as private."""
HOVER = ("curve", "mean", "low", "high", "seeds", "epsilon", "epsilon_as_published", "epsilon_audited")
LEVELS, CURVES = 6, 12
"""Levels and curves that a panel draws."""
_SCORE = {"relation prediction": "PREC@1"}


def data(records: Iterable[RunRecord]) -> list[Row]:
    """The rows of `settings.setting_rows`, and front (no other setting is as private and more accurate)."""
    return on_fronts(setting_rows(records))


def on_fronts(rows: Sequence[Row]) -> list[Row]:
    """The rows of settings, each with whether it is on the front, and without its options."""
    kept = [{name: value for name, value in row.items() if name != "options"} for row in rows]
    return [{**row, "front": _on_front(row, kept)} for row in kept]


def _on_front(row: Row, rows: Sequence[Row]) -> bool:
    """Whether no setting of its graph, unit, source and test nodes is as private and more accurate."""
    if not placed(row["epsilon"]):
        return False
    keys = ("graph", "unit", "source", "test_nodes")
    rivals = [one for one in rows if all(one[key] == row[key] for key in keys) and placed(one["epsilon"])]
    return not any(
        one["epsilon"] <= (1 + ALIKE) * row["epsilon"]
        and one["mean"] >= row["mean"]
        and (one["epsilon"] < row["epsilon"] or one["mean"] > row["mean"])
        for one in rivals
    )


@figure("tradeoff", "Accuracy against epsilon", data, needs=RUNS, settings=True)
def chart(rows: Sequence[Row], *, published: bool = True, front: bool = False, wished: float | None = None) -> Chart:
    """Panels side by side, each of one graph and protected unit; with a line at a `wished` accuracy."""
    if not rows:
        return empty("no finished run to compare yet")
    beside = len({row["source"] for row in rows}) > 1
    rows = [{**row, "curve": _curve(row, beside)} for row in rows]
    places = list(dict.fromkeys((row["graph"], row["unit"]) for row in rows if not row["reference"]))
    places = places or list(dict.fromkeys((row["graph"], "none") for row in rows))
    colours = slots({row["curve"]: row["method"] for row in rows if not row["reference"]})
    kinds: tuple[Epsilon, ...] = ("published", "sound") if published else ("sound",)
    panels, series, hidden = [], list[Series](), 0
    for place, (graph, unit) in enumerate(places):
        here = [row for row in rows if row["graph"] == graph and not row["reference"] and row["unit"] == unit]
        levels = [row for row in rows if row["graph"] == graph and row["reference"]]
        low, high = _ends(here, kinds)
        panels.append(
            Panel(
                title=f"{graph}: {UNITS.get(unit, 'nothing')} protected",
                x=Axis(title="ε (log; left: more private)", scale="log", low=low, high=high),
                y=Axis(title=_score(here or levels), percent=True),
            )
        )
        drawn = _most_seeds(levels, LEVELS)
        for at, row in enumerate(row for row in levels if row["curve"] in drawn):
            series += _level(row, at, place, (low, high))
        series += _guess(here or levels, place, (low, high))
        curves = _most_seeds(here, CURVES)
        hidden += len({row["curve"] for row in (*levels, *here)} - {*drawn, *curves})
        for curve in curves:
            series += _of_curve([row for row in here if row["curve"] == curve], colours[curve], place, kinds, high)
        series += _front(here, place, high) if front else []
        if wished is not None:
            look: Look = {"slot": NEUTRAL, "shape": 2, "group": "wished"}
            series.append(Series(name="wished", kind="level", x=(low, high), y=(wished,), panel=place, **look))
    return Chart(
        panels=tuple(panels),
        series=tuple(_once(series)),
        flags=(Flag.HIDDEN,) * bool(hidden),
        columns=2,
        height=110 + 330 * math.ceil(len(places) / 2),
        legend=True,
    )


def _curve(row: Row, beside: bool) -> str:
    """What a curve is called; an example beside one's own runs says so."""
    method = METHODS.get(row["method"])
    bare = "no privacy" if row["unit"] == "none" and method and method.uses_edges and len(method.units) > 1 else ""
    example = "example" if beside and row["source"] == "example" else ""
    return ", ".join(filter(None, (row["title"], bare, row["variant"], example)))


def _most_seeds(rows: Sequence[Row], most: int) -> list[str]:
    """So many curves, in their order: those of the most runs."""
    seeds = Counter[str]()
    for row in rows:
        seeds[row["curve"]] += row["seeds"]
    drawn = dict(seeds.most_common(most))
    return [one for one in seeds if one in drawn]


def _score(rows: Sequence[Row]) -> str:
    tasks = METHODS[rows[0]["method"]].tasks if rows and rows[0]["method"] in METHODS else ()
    return next((score for task, score in _SCORE.items() if task in tasks), "test accuracy")


def _ends(rows: Sequence[Row], kinds: Sequence[Epsilon]) -> tuple[float, float]:
    """Of the axis: around the epsilons, a decade at least."""
    found = [row[COLUMNS[kind]] for row in rows for kind in kinds if placed(row[COLUMNS[kind]])]
    found = [one for one in found if one <= LARGEST] or found or [0.5, 8.0]
    wider = max(1.0, math.sqrt(10 * min(found) / max(found)))
    return spans(min(found) / wider, max(found) * wider)


def _of_curve(rows: Sequence[Row], slot: int, panel: int, kinds: Sequence[Epsilon], high: float) -> list[Series]:
    """A line through the sound epsilons, or the published ones where none is sound, with bars and marks."""
    name = rows[0]["curve"]
    shared: dict[str, Any] = {"slot": slot, "panel": panel, "group": name}
    at = {
        kind: sorted((row for row in rows if placed(row[COLUMNS[kind]])), key=lambda row: row["epsilon"])
        for kind in kinds
    }
    kind: Epsilon = "sound" if at["sound"] else kinds[0]
    column = COLUMNS[kind]
    series = [Series(name=name, kind="path", x=(None, None), y=(None, None), **shared)]  # the legend's
    line = [row for row in at[kind] if row[column] <= high]
    if len(line) > 1:
        series.append(marks(line, column, "mean", name=name, kind="line", legend=False, **shared))
    series += intervals(at[kind], column, legend=False, **shared)
    for kind, held in at.items():
        if seen := [row for row in held if row[COLUMNS[kind]] <= high]:
            keys = tuple(str(row.get("runs", "")) for row in seen)
            look: Look = {"shape": slot, "epsilon": kind, "legend": False, "keys": keys, **shared}
            title = f"{name}: {EPSILONS[kind].title}"
            series.append(marks(seen, COLUMNS[kind], "mean", name=title, hover=HOVER, **look))
    return series


def _level(row: Row, at: int, panel: int, ends: tuple[float, float]) -> list[Series]:
    name = row["curve"]
    shared: dict[str, Any] = {"slot": NEUTRAL, "panel": panel, "group": name, "x": ends}
    hover = hovers([row], "curve", "mean", "low", "high", "seeds") * 2
    level = Series(name=name, kind="level", y=(row["mean"],), shape=1 + at, hover=hover, **shared)
    if row["low"] is None:
        return [level]
    low, high = (row["low"],) * 2, (row["high"],) * 2
    return [Series(name="95% interval", kind="band", low=low, y=high, legend=False, faint=True, **shared), level]


def _guess(rows: Sequence[Row], panel: int, ends: tuple[float, float]) -> list[Series]:
    """What guessing reaches, where it is in sight."""
    known = [row for row in rows if row["guess"] is not None]
    if not known or known[0]["guess"] < min(row["mean"] if row["low"] is None else row["low"] for row in rows):
        return []
    level = known[0]["guess"]
    look: Look = {"slot": NEUTRAL, "shape": 0, "group": "Guessing"}
    return [Series(name="Guessing", kind="level", x=ends, y=(level,), panel=panel, **look)]


def _front(rows: Sequence[Row], panel: int, high: float) -> list[Series]:
    """The highest mean at an epsilon or below it, as a staircase, of the test nodes that most runs share."""
    seeds = Counter[tuple[str, float]]()
    for row in rows:
        seeds[row["source"], row["test_nodes"]] += row["seeds"]
    most = max(seeds, key=seeds.__getitem__, default=None)
    steps = sorted(
        {(row["epsilon"], row["mean"]) for row in rows if row["front"] and (row["source"], row["test_nodes"]) == most}
    )
    if len(steps) < 2:
        return []
    corners = [steps[0]]
    for (_, before), (x, y) in pairwise(steps):
        corners += [(x, before), (x, before), (x, y), (x, y)]
    corners.append((high, steps[-1][1]))
    across, up = zip(*corners, strict=True)
    look: Look = {"slot": NEUTRAL, "width": 7.0, "panel": panel, "group": "Pareto front"}
    return [Series(name="Pareto front", kind="links", x=across, y=up, **look)]


def _once(series: Iterable[Series]) -> Iterable[Series]:
    """Entries of the legend once, though a curve has several panels."""
    seen = set[tuple[str, str]]()
    for one in series:
        key = (one.name, one.kind)
        if not (one.kind == "path" and key in seen):
            yield one
        seen.add(key)
