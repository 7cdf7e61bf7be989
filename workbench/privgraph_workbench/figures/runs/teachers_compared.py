"""Settings of methods with teachers side by side: accuracy against the sound epsilon, with intervals, and
which is the most accurate up to each epsilon."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from privgraph.options import listed as both
from privgraph.runs.records import RunRecord
from privgraph_workbench import theme
from privgraph_workbench.facts import teacher_settings
from privgraph_workbench.figures import seeds
from privgraph_workbench.figures.axes import placed, spans
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty, percentages, shared
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.needs import RUNS
from privgraph_workbench.figures.palette import slots
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words.numbers import kept, number, percent, signed

TITLE = "Methods with teachers, compared"
BUDGETS = (1.0, 2.0, 4.0, 8.0)
"""Epsilons up to which the most accurate setting is named."""
ROUNDED = 1e-3
"""An epsilon that was asked for is met to within so much: 1.0004 is no more than 1."""
RELEASES = {
    name: theme.MARKERS.index(mark)
    for name, mark in {
        "label": "square",
        "noisy counts": "pentagon",
        "table": "triangle-down",
        "votes": "cross",
        "ensemble": "hexagon",
        "posterior": "x",
    }.items()
}
"""The mark of each release, whatever the method, whose colour says which it is."""
UNEQUAL, OTHER = theme.MARKERS.index("star"), theme.MARKERS.index("square")
COLOURS = len(theme.LIGHT.lines)
FREE = (3, 4, 2, 6)
"""Colours of which unequal weights have the first that no method of the figure has."""
OPEN = "ring: the setting that is open"
RING = theme.MARKERS.index("octagon")


def data(records: Iterable[RunRecord], opened: str = "") -> list[Row]:
    """One row per setting that guarantees something, the most accurate first: what `tradeoff.data` says of
    it, `weights`, `release`, `queries`, `teachers` (`teacher_settings`), `also` (what else tells it from
    others), `open` (whether the run `opened` is one of its seeds) and `error` (standard error of the mean;
    None for too few seeds). A method whose votes have unequal weights has a title of its own."""
    done = [record for record in records if record.state == "done" and "test_accuracy" in record.metrics]
    known, rest = {record.id: record for record in done}, teacher_settings.rest(done)
    rows = []
    for row in tradeoff.data(done):
        if not placed(row["epsilon"]):
            continue
        ids = str(row["runs"]).split()
        own = {**teacher_settings.columns(known[ids[0]]), "also": rest[ids[0]], "open": opened in ids}
        error = seeds.standard_error([known[one].metrics["test_accuracy"] for one in ids])
        rows.append({**row, **own, "title": teacher_settings.title(known[ids[0]]), "error": error})
    return sorted(rows, key=lambda row: (row["graph"], -row["mean"], row["epsilon"]))


@figure(
    "teachers_compared",
    "Methods with teachers, compared",
    data,
    needs=RUNS.also("runs of privgnn, pate or dp-gpl: a list of privgraph.Run"),
    settings=True,
)
def chart(rows: Sequence[Row]) -> Chart:
    """A panel a graph, a mark a setting: its colour is the method's, its shape that of what is released."""
    if not rows:
        return empty("no setting with teachers guarantees anything")
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    styles = slots({row["title"]: row["method"] for row in sorted(rows, key=lambda row: str(row["title"]))})
    if teacher_settings.TITLE_WEIGHTED in styles:  # further slots repeat the colours of others
        taken = {slot % COLOURS for title, slot in styles.items() if title != teacher_settings.TITLE_WEIGHTED}
        styles[teacher_settings.TITLE_WEIGHTED] = next((one for one in FREE if one not in taken), FREE[0])
    parts = [[row for row in rows if row["graph"] == graph] for graph in graphs]
    seen = [[row for row in held if row["epsilon"] <= tradeoff.LARGEST] or held for held in parts]
    bounds = shared(
        [row[key] for row in held for key in ("mean", "low", "high") if row[key] is not None] for held in seen
    )
    panels, series = [], []
    for place, (graph, held) in enumerate(zip(graphs, seen, strict=True)):
        epsilons = [row["epsilon"] for row in held]
        middle = math.sqrt(min(epsilons) * max(epsilons))
        low, high = spans(min(*epsilons, middle / 3.2), max(*epsilons, middle * 3.2))
        panels.append(
            Panel(
                title=graph if len(graphs) > 1 else "",
                x=Axis(title="sound ε per node (logarithmic; left is more private)", scale="log", low=low, high=high),
                y=percentages("student's accuracy (percent of public test nodes)", bounds),
            )
        )
        for title, slot in styles.items():
            series += _marks([row for row in held if row["title"] == title], title, slot, place)
        opened = [row for row in held if row["open"]]
        if opened:
            look: dict[str, Any] = {"slot": theme.NEUTRAL, "shape": RING, "hollow": True, "size": 19.0, "group": OPEN}
            x, y = tuple(row["epsilon"] for row in opened), tuple(row["mean"] for row in opened)
            series.append(Series(name=OPEN, kind="points", x=x, y=y, panel=place, **look))
    named: set[str] = set()
    for at, one in enumerate(series):
        series[at] = replace(one, legend=one.legend and one.name not in named)
        named |= {one.name} if one.legend else set()
    return Chart(
        panels=tuple(panels),
        series=tuple(series),
        columns=2,
        height=110 + 330 * math.ceil(len(graphs) / 2),
        legend=True,
    )


plot = plotted(chart)


def best(rows: Sequence[Row], budget: float) -> Row | None:
    """The most accurate setting of a sound epsilon of at most this budget."""
    within = [row for row in rows if row["epsilon"] <= budget * (1 + ROUNDED)]
    return max(within, key=lambda row: (row["mean"], -row["epsilon"]), default=None)


@dataclass(frozen=True, kw_only=True)
class Apart:
    """By how much one setting is above another, in shares of 1, with its 95% interval; `same_nodes`: whether
    both were measured on as many test nodes. low and high are None where seeds are too few."""

    mean: float
    low: float | None
    high: float | None
    same_nodes: bool

    @property
    def told(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def apart(one: Row, other: Row) -> Apart:
    """The difference of two settings' means over seeds (Welch): their test nodes need not be the same."""
    same = one["test_nodes"] is not None and one["test_nodes"] == other["test_nodes"]
    if one["error"] is None or other["error"] is None:
        return Apart(mean=one["mean"] - other["mean"], low=None, high=None, same_nodes=same)
    mine, theirs = ((row["mean"], row["error"], row["seeds"]) for row in (one, other))
    mean, low, high = seeds.difference(mine, theirs)
    return Apart(mean=mean, low=low, high=high, same_nodes=same)


def leaders(rows: Sequence[Row], budget: float) -> list[Row]:
    """The most accurate setting of each method within a budget, the highest first."""
    found = (best([row for row in rows if row["title"] == title], budget) for title in {row["title"] for row in rows})
    return sorted((row for row in found if row is not None), key=lambda row: (-row["mean"], row["title"]))


def by_budget(rows: Sequence[Row]) -> list[tuple[str, list[float], list[Row]]]:
    """Graph, budgets and the `leaders` within them: budgets that have the same ones stand together."""
    told: list[tuple[str, list[float], list[Row]]] = []
    for graph in dict.fromkeys(row["graph"] for row in rows):
        held = [row for row in rows if row["graph"] == graph]
        for budget in BUDGETS:
            found = leaders(held, budget)
            if not found:
                continue
            if told and told[-1][0] == graph and [id(row) for row in told[-1][2]] == [id(row) for row in found]:
                told[-1][1].append(budget)
            else:
                told.append((graph, [budget], found))
    return told


def best_words(rows: Sequence[Row]) -> list[str]:
    """Which setting measured highest up to each of the `BUDGETS`, and the best of which other methods it is
    not told apart from: a sentence for each."""
    graphs = {row["graph"] for row in rows}
    return [
        f"{f'{graph}, ' * (len(graphs) > 1)}ε ≤ {span(budgets)}: highest measured {name(found[0])}, "
        f"{accuracy(found[0])}; {_beside(found)}."
        for graph, budgets, found in by_budget(rows)
    ]


def highest_words(rows: Sequence[Row]) -> list[str]:
    """Which setting measured highest within the `BUDGETS`, and which other methods it is not told apart from:
    one sentence for each graph."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    told = [f"{f'{graph}: ' * (len(graphs) > 1)}{said}" for graph in graphs if (said := _highest(rows, graph))]
    return [said[:1].upper() + said[1:] for said in told]


def _highest(rows: Sequence[Row], graph: str) -> str:
    held = [(budget, found) for one, budgets, found in by_budget(rows) if one == graph for budget in budgets]
    won: dict[str, list[tuple[float, float]]] = {}
    level: dict[str, list[float]] = {}
    for budget, (first, *others) in held:
        won.setdefault(name(first), []).append((budget, first["mean"]))
        for row in others:
            if not apart(first, row).told:
                level.setdefault(row["title"], []).append(budget)
    if not won:
        return ""
    each = []
    for title, measured in won.items():
        budgets, means = zip(*measured, strict=True)
        ends = dict.fromkeys((percent(min(means)), percent(max(means))))
        each.append(f"at ε ≤ {span(budgets)}: {title}, {' to '.join(ends)}")
    said = f"highest measured {'; '.join(each)}"
    if level:
        said += "; not told apart from " + ", nor from ".join(f"{one} at ε ≤ {span(at)}" for one, at in level.items())
    said += "".join(f"; {one}" for one in _told(held))
    return f"{said}{'' if any(len(found) > 1 for _, found in held) else '; no other method has a run there'}."


def _told(held: Sequence[tuple[float, list[Row]]]) -> list[str]:
    """Where the highest is told apart from the best of every other method, and by how much from the next."""
    found: dict[str, list[float]] = {}
    for budget, (first, *others) in held:
        if others and all(apart(first, row).told for row in others):
            by = f"above {others[0]['title']}, the next, {apart_words(apart(first, others[0]))}"
            found.setdefault(by, []).append(budget)
    return [f"told apart from every other method at ε ≤ {span(at)} ({by})" for by, at in found.items()]


def _beside(found: Sequence[Row]) -> str:
    first, *others = found
    if not others:
        return "no other method has a run there"
    level = [(row, one) for row in others if not (one := apart(first, row)).told]
    if not level:
        return "above the best of every other method (95% interval of each difference)"
    return "not told apart from " + " nor ".join(f"{row['title']} ({apart_words(one)})" for row, one in level)


def apart_words(one: Apart) -> str:
    """A difference in words.

    >>> apart_words(Apart(mean=0.05, low=-0.01, high=0.11, same_nodes=False))
    'difference 5.0 points, 95% interval −1.0 to 11.0; other test nodes'
    >>> apart_words(Apart(mean=0.05, low=None, high=None, same_nodes=True))
    'difference 5.0 points, too few seeds for an interval'
    """
    said = f"difference {signed(100 * one.mean)} points, "
    if one.low is None or one.high is None:
        said += "too few seeds for an interval"
    else:
        said += f"95% interval {signed(100 * one.low)} to {signed(100 * one.high)}"
    return said + "; other test nodes" * (not one.same_nodes)


def span(budgets: Sequence[float]) -> str:
    """Budgets in words."""
    return both([number(one) for one in budgets])


def name(row: Row) -> str:
    """A setting in a few words."""
    told = row["method"] == "dp-gpl" and row["weights"] != teacher_settings.UNEQUAL  # that one's title says it
    weights = f"{row['weights']} weights, " if told else ""
    return f"{row['title']} ({weights}release {row['release']}, {row['queries']} queries)"


def accuracy(row: Row) -> str:
    """The mean over seeds, and its interval where there is one.

    >>> accuracy({"mean": 0.5, "low": 0.4, "high": 0.6, "seeds": 3})
    '50.0% (95% interval 40.0% to 60.0%, 3 seeds)'
    >>> accuracy({"mean": 0.5, "low": None, "high": None, "seeds": 1})
    '50.0% (1 seed: no interval)'
    """
    if row["low"] is None:
        return f"{percent(row['mean'])} ({row['seeds']} seed{'s' * (row['seeds'] > 1)}: no interval)"
    return (
        f"{percent(row['mean'])} (95% interval {percent(row['low'])} to {percent(row['high'])}, {row['seeds']} seeds)"
    )


def met(row: Row) -> float:
    """The epsilon that was asked for, where its own is that to within `ROUNDED`: 0.24995 and 0.24994 are both
    the 0.25 that was asked for, and neither is the smaller one.

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


def _marks(rows: Sequence[Row], title: str, slot: int, panel: int) -> list[Series]:
    first = ahead(rows)
    sure = [row for row in first if row["low"] is not None]
    shared: dict[str, Any] = {"slot": slot, "panel": panel, "group": title}
    drawn = []
    if sure:
        drawn.append(
            Series(
                name="95% interval",
                kind="links",
                x=tuple(row["epsilon"] for row in sure for _ in range(2)),
                y=tuple(end for row in sure for end in (row["low"], row["high"])),
                legend=False,
                **shared,
            )
        )
    if len(first) > 1:
        drawn.append(
            Series(
                name=f"{title}: its best",
                kind="line",
                x=tuple(row["epsilon"] for row in first),
                y=tuple(row["mean"] for row in first),
                legend=False,
                **shared,
            )
        )
    for release in dict.fromkeys(row["release"] for row in rows):
        named = f"{title}: {release}"
        if not any(row["release"] == release for row in first):  # nobody would see a faint mark in a legend
            entry: dict[str, Any] = {"x": (None,), "y": (None,), "slot": slot, "group": named}
            shape = _shape(next(row for row in rows if row["release"] == release))
            drawn.append(Series(name=named, kind="points", shape=shape, panel=panel, **entry))
        for faint in (True, False):
            own = [row for row in rows if row["release"] == release]
            held = [row for row in own if (row not in first) == faint]
            if held:
                drawn.append(
                    Series(
                        name=named,
                        kind="points",
                        x=tuple(row["epsilon"] for row in held),
                        y=tuple(row["mean"] for row in held),
                        shape=_shape(held[0]),
                        size=6 if faint else 10,
                        faint=faint,
                        legend=not faint,
                        hover=tuple(_hover(row) for row in held),
                        slot=slot,
                        panel=panel,
                        group=named,
                    )
                )
    return drawn


def _shape(row: Row) -> int:
    """The mark of a release; unequal weights have one of their own."""
    if row["weights"] == teacher_settings.UNEQUAL:
        return UNEQUAL
    return RELEASES.get(row["release"], OTHER)


def _hover(row: Row) -> str:
    also = f"\n{row['also']}" if row["also"] else ""
    return (
        f"{name(row)}\n{accuracy(row)}\nsound ε {kept(row['asked'], row['epsilon'])}\n{row['teachers']} teachers{also}"
    )
