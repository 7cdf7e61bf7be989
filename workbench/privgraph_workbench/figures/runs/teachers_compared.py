"""Settings of methods with teachers side by side: accuracy against the sound epsilon, with intervals, and
which is the most accurate up to each epsilon."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from privgraph.runs.records import RunRecord
from privgraph_workbench import theme
from privgraph_workbench.facts import teacher_settings
from privgraph_workbench.figures.axes import placed, spans
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty, percentages, shared
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.notes import badges_of
from privgraph_workbench.figures.palette import slots
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import kept, number, percent

TITLE = "Methods with teachers, compared"
BUDGETS = (1.0, 2.0, 4.0, 8.0)
"""Epsilons up to which the most accurate setting is named."""
ROUNDED = 1e-3
"""An epsilon that was asked for is met to within so much: 1.0004 is no more than 1."""
RING = theme.MARKERS.index("octagon")
OPEN = "the run that is open"


def data(records: Iterable[RunRecord], opened: str = "") -> list[Row]:
    """One row per setting that guarantees something, the most accurate first: what `tradeoff.data` says of
    it, `weights`, `release`, `queries`, `teachers` (`teacher_settings`), `also` (what else tells it from
    others) and `open` (whether the run `opened` is one of its seeds)."""
    done = [record for record in records if record.state == "done" and "test_accuracy" in record.metrics]
    known, rest = {record.id: record for record in done}, teacher_settings.rest(done)
    rows = []
    for row in tradeoff.data(done):
        if not placed(row["epsilon"]):
            continue
        ids = str(row["runs"]).split()
        own = {**teacher_settings.columns(known[ids[0]]), "also": rest[ids[0]], "open": opened in ids}
        rows.append({**row, **own})
    return sorted(rows, key=lambda row: (row["graph"], -row["mean"], row["epsilon"]))


def chart(rows: Sequence[Row]) -> Chart:
    """A panel a graph, a mark a setting, colour and shape a method's, with 95% intervals over seeds."""
    if not rows:
        return empty(TITLE, "no setting with teachers guarantees anything")
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    styles = slots({row["title"]: row["method"] for row in rows})
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
                y=percentages("student's test accuracy (percent of nodes)", bounds),
            )
        )
        for title, slot in styles.items():
            series += _marks([row for row in held if row["title"] == title], title, slot, place)
        series += _ring([row for row in held if row["open"]], place)
    named: set[str] = set()
    for at, one in enumerate(series):
        series[at] = replace(one, legend=one.legend and one.name not in named)
        named |= {one.name} if one.legend else set()
    return Chart(
        title=TITLE,
        panels=tuple(panels),
        series=tuple(series),
        summary=f"Accuracy against the sound epsilon for {len(rows)} settings. {best_words(rows)}",
        badges=badges_of(rows),
        columns=2,
        height=110 + 330 * math.ceil(len(graphs) / 2),
        legend=True,
        notes=(
            "A mark is a setting, its bar the 95% interval over seeds (Student's t; none for fewer than three).",
            *_out_of_sight(rows, [row for held in seen for row in held]),
        ),
    )


plot = plotted(chart)


def best(rows: Sequence[Row], budget: float) -> Row | None:
    """The most accurate setting of a sound epsilon of at most this budget."""
    within = [row for row in rows if row["epsilon"] <= budget * (1 + ROUNDED)]
    return max(within, key=lambda row: (row["mean"], -row["epsilon"]), default=None)


def best_words(rows: Sequence[Row]) -> str:
    """Which setting is the most accurate up to each of the `BUDGETS`, in one sentence a graph."""
    said = []
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    for graph in graphs:
        held = [row for row in rows if row["graph"] == graph]
        told: list[tuple[list[float], Row]] = []
        for budget in BUDGETS:
            found = best(held, budget)
            if found is None:
                continue
            if told and told[-1][1] is found:
                told[-1][0].append(budget)
            else:
                told.append(([budget], found))
        if told:
            parts = "; ".join(f"ε ≤ {_span(budgets)}: {name(row)}, {accuracy(row)}" for budgets, row in told)
            said.append(f"Most accurate{f' on {graph}' * (len(graphs) > 1)} at {parts}.")
    return " ".join(said)


def _span(budgets: Sequence[float]) -> str:
    told = [number(one) for one in budgets]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def name(row: Row) -> str:
    """A setting in a few words."""
    weights = f"{row['weights']} weights, " if row["method"] == "dp-gpl" else ""
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


def _marks(rows: Sequence[Row], title: str, slot: int, panel: int) -> list[Series]:
    sure = [row for row in rows if row["low"] is not None]
    drawn = []
    if sure:
        drawn.append(
            Series(
                name="95% interval",
                kind="links",
                x=tuple(row["epsilon"] for row in sure for _ in range(2)),
                y=tuple(end for row in sure for end in (row["low"], row["high"])),
                slot=slot,
                panel=panel,
                legend=False,
                group=title,
            )
        )
    if rows:
        drawn.append(
            Series(
                name=title,
                kind="points",
                x=tuple(row["epsilon"] for row in rows),
                y=tuple(row["mean"] for row in rows),
                slot=slot,
                shape=slot,
                panel=panel,
                group=title,
                size=9,
                hover=tuple(_hover(row) for row in rows),
            )
        )
    return drawn


def _ring(rows: Sequence[Row], panel: int) -> list[Series]:
    if not rows:
        return []
    return [
        Series(
            name=OPEN,
            kind="points",
            x=tuple(row["epsilon"] for row in rows),
            y=tuple(row["mean"] for row in rows),
            slot=NEUTRAL,
            shape=RING,
            hollow=True,
            size=19,
            panel=panel,
            group=OPEN,
        )
    ]


def _out_of_sight(rows: Sequence[Row], seen: Sequence[Row]) -> list[str]:
    beyond = len(rows) - len(seen)
    many = f"{beyond} setting{'s' * (beyond > 1)} with ε over {tradeoff.LARGEST:,.0f}"
    return [f"{many}: out of sight, for so large an ε promises nothing."] if beyond else []


def _hover(row: Row) -> str:
    also = f"\n{row['also']}" if row["also"] else ""
    return (
        f"{name(row)}\n{accuracy(row)}\nsound ε {kept(row['asked'], row['epsilon'])}\n{row['teachers']} teachers{also}"
    )
