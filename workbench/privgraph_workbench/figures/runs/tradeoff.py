"""Accuracy against epsilon: a panel for each graph and unit, methods as lines, references as levels."""

from collections import Counter
from collections.abc import Iterable

from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import COLUMNS, Axis, Chart, Flag, Look, Panel, Row, Rows, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import grouped, intervals, level, logarithmic, marks, pairs, placed
from privgraph_workbench.figures.palette import slots
from privgraph_workbench.figures.settings import setting_rows
from privgraph_workbench.theme import EPSILONS, NEUTRAL, Epsilon
from privgraph_workbench.words.naming import measures

UNITS = {"edge": "edges", "node": "people"}
LARGEST = 1000.0
"""An axis ends there: beyond it an epsilon promises nothing to anybody."""
HOVER = "curve mean low high seeds epsilon epsilon_as_published epsilon_audited"


def data(records: Iterable[RunRecord]) -> list[Row]:
    """The rows of `settings.setting_rows`, and front (no other setting is as private and more accurate)."""
    return on_fronts(setting_rows(records))


def on_fronts(rows: Rows) -> list[Row]:
    """The rows of settings, each with whether it is on the front, and without its options."""
    kept = [{name: value for name, value in row.items() if name != "options"} for row in rows]
    rivals = grouped((row for row in kept if placed(row["epsilon"])), "graph", "unit", "source", "test_nodes")
    front = {id(row) for held in rivals.values() for row in held if not any(_better(one, row) for one in held)}
    return [{**row, "front": id(row) in front} for row in kept]


def _better(one: Row, row: Row) -> bool:
    """Whether a setting is as private (within 1%) and as accurate as another, and not both alike."""
    alike = one["epsilon"] <= 1.01 * row["epsilon"] and one["mean"] >= row["mean"]
    return bool(alike and (one["epsilon"] < row["epsilon"] or one["mean"] > row["mean"]))


@figure("tradeoff", "Accuracy against epsilon", data, needs="runs", settings=True)
def chart(rows: Rows, *, published: bool = True, front: bool = False, wished: float | None = None) -> Chart:
    """Panels side by side, each of one graph and protected unit; with a line at a `wished` accuracy."""
    beside = len({row["source"] for row in rows}) > 1
    rows = [{**row, "curve": _curve(row, beside)} for row in rows]
    private = [row for row in rows if not row["reference"]]
    colours, known = slots({row["curve"]: row["method"] for row in private}), grouped(private, "graph", "unit")
    known = known or {(graph, "none"): [] for graph in grouped(rows, "graph")}
    kinds: tuple[Epsilon, ...] = ("published", "sound") if published else ("sound",)
    panels, series, hidden = [], list[Series](), False
    for place, ((graph, unit), here) in enumerate(known.items()):
        levels = [row for row in rows if row["graph"] == graph and row["reference"]]
        every = here or levels
        found = [row[COLUMNS[kind]] for row in here for kind in kinds if placed(row[COLUMNS[kind]])]
        found = [one for one in found if one <= LARGEST] or found or [0.5, 8.0]
        x = logarithmic("ε (log; left: more private)", found, least=10)
        y = Axis(title=measures(row["method"] for row in every), percent=True)
        panels.append(Panel(title=f"{graph}: {UNITS.get(unit, 'nothing')} protected", x=x, y=y))
        ends, high, own = (x.low, x.high), x.high or LARGEST, {"panel": place}
        drawn, curves = _most_seeds(levels, 6), _most_seeds(here, 12)
        hidden |= len(drawn) + len(curves) < len({row["curve"] for row in (*levels, *here)})
        for shape, row in enumerate((row for held in drawn.values() for row in held), 1):
            look: Look = {"name": row["curve"], "slot": NEUTRAL, "group": row["curve"], **own}
            if row["low"] is not None:
                ground = {**look, "name": "95% interval", "group": "95% interval", "kind": "band", "faint": True}
                series.append(marks([row] * 2, ends, "high", low=(row["low"],) * 2, **ground))
            look |= {"kind": "line", "shape": shape, "hover": "curve mean low high seeds"}
            series.append(marks([row] * 2, ends, "mean", **look))
        guesses = [row["guess"] for row in every if row["guess"] is not None]
        if guesses and guesses[0] >= min(row["low"] or row["mean"] for row in every):  # it is in sight
            series.append(level(ends, guesses[0], "Guessing", NEUTRAL, shape=0, **own))
        for curve, held in curves.items():
            series += _of_curve(held, {"slot": colours[curve], "group": curve, **own}, kinds, high)
        series += _front(here, place, high) if front else []
        if wished is not None:
            series.append(level(ends, wished, "wished", NEUTRAL, shape=2, **own))
    return pairs(panels, series, each=330, flags=(Flag.HIDDEN,) * hidden)


def _curve(row: Row, beside: bool) -> str:
    """What a curve is called; an example beside one's own runs says so."""
    method = METHODS.get(row["method"])
    bare = "no privacy" if row["unit"] == "none" and method and method.uses_edges and len(method.units) > 1 else ""
    example = "example" if beside and row["source"] == "example" else ""
    return ", ".join(filter(None, (row["title"], bare, row["variant"], example)))


def _most_seeds(rows: Rows, most: int) -> dict[str, list[Row]]:
    """So many curves, in their order: those of the most runs."""
    curves = grouped(rows, "curve")
    seeds = Counter({curve: sum(row["seeds"] for row in held) for curve, held in curves.items()})
    drawn = dict(seeds.most_common(most))
    return {curve: held for curve, held in curves.items() if curve in drawn}


def _of_curve(rows: Rows, look: Look, kinds: Iterable[Epsilon], high: float) -> list[Series]:
    """A line through the sound epsilons, or the published ones where none is sound, with bars and marks."""
    rows, name = sorted(rows, key=lambda row: row["epsilon"]), look["group"]
    held = {kind: [row for row in rows if placed(row[COLUMNS[kind]])] for kind in kinds}
    column, own = [(COLUMNS[kind], own) for kind, own in held.items() if own][-1]
    series = [Series(name=name, kind="path", **look)]  # the legend's
    line, look = [row for row in own if row[column] <= high], {**look, "legend": False}
    if len(line) > 1:
        series.append(marks(line, column, "mean", name=name, kind="line", **look))
    series += intervals(own, column, **look)
    for kind, own in held.items():
        if seen := [row for row in own if row[COLUMNS[kind]] <= high]:
            shown: Look = {**look, "name": f"{name}: {EPSILONS[kind].title}", "epsilon": kind, "shape": look["slot"]}
            keys = tuple(str(row.get("runs", "")) for row in seen)
            series.append(marks(seen, COLUMNS[kind], "mean", hover=HOVER, keys=keys, **shown))
    return series


def _front(rows: Rows, panel: int, high: float) -> list[Series]:
    """The highest mean at an epsilon or below it, as a staircase, of the test nodes that most runs share."""
    fronts = grouped((row for row in rows if row["front"]), "source", "test_nodes")
    most = max(fronts.values(), key=lambda held: sum(row["seeds"] for row in held), default=[])
    steps = sorted({(row["epsilon"], row["mean"]) for row in most})
    if len(steps) < 2:
        return []
    across, up = zip(*steps, (high, steps[-1][1]), strict=True)
    look: Look = {"slot": NEUTRAL, "shape": 0, "faint": True, "panel": panel}
    return [Series(name="Pareto front", kind="steps", x=across, y=up, **look)]
