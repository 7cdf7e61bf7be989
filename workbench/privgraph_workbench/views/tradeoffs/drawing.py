"""What the figure of the Trade-offs page draws of finished runs, kept for the next drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import plotly.graph_objects as go

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import composition
from privgraph_workbench.facts.finished import Finished
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.drawing import with_plotly
from privgraph_workbench.figures.runs import neighbours_heatmap, tradeoff, tradeoff_shown, tradeoff_table
from privgraph_workbench.jobs import queue
from privgraph_workbench.words.naming import statements_of


@lru_cache(maxsize=16)
def curve(done: Finished) -> list[Row]:
    """The figure's rows."""
    return tradeoff_shown.with_curves(tradeoff.data(readable(done)))


@lru_cache(maxsize=16)
def behind(done: Finished, graphs: tuple[str, ...], every: bool, sent: frozenset[str]) -> dict[str, PrivacyStatement]:
    """The statements behind the rows that are drawn, and no others: a file of the figure tells them."""
    runs = {run for row in drawn(done, graphs, every, sent) for run in row["runs"].split()}
    return statements_of([one for one in readable(done) if one.id in runs])


def readable(done: Finished) -> list[RunRecord]:
    return done.readable(queue.store())


@lru_cache(maxsize=16)
def plot(
    done: Finished,
    theme_name: str,
    published: bool,
    front: bool,
    graphs: tuple[str, ...],
    every: bool,
    sent: frozenset[str],
    unit: str = "",
) -> go.Figure:
    """The figure of these runs in that theme, with or without published epsilons and front, of that protected
    unit alone where one is named; of many it takes longer to draw than to send."""
    rows = of_unit(drawn(done, graphs, every, sent), unit)
    chart = tradeoff.chart(tradeoff.shown(rows, published=published, front=front))
    told = " ".join([chart.summary, *chart.badges])  # to be heard with the figure, and read below it
    return with_plotly.draw(replace(chart, badges=(), summary=told), theme_name)


@lru_cache(maxsize=16)
def drawn(done: Finished, graphs: tuple[str, ...], every: bool, sent: frozenset[str]) -> list[Row]:
    """The rows that are drawn, with panels in the order of these `graphs`: an outline, or `every` one that
    fits. Of the runs that were just `sent` each."""
    rows = curve(done)
    if not every:
        left = thin(done, sent)
        rows = [row for row in rows if row["graph"] not in left]
        return tradeoff_shown.first_panels(tradeoff_shown.outline(rows, sent), graphs)
    places = {name: place for place, name in enumerate(tradeoff_shown.ordered(rows, graphs))}
    return sorted(tradeoff_shown.fitting(rows, sent), key=lambda row: places[row["graph"]])


def thin(done: Finished, sent: frozenset[str]) -> dict[str, Row]:
    """The graphs with a single point, which have no panel at first, and that point."""
    return tradeoff_shown.thin(curve(done), sent)


def of_unit(rows: Sequence[Row], unit: str) -> list[Row]:
    """Those that protect that unit, with the levels; "": all."""
    return [row for row in rows if not unit or row["reference"] or row["unit"] == unit]


@lru_cache(maxsize=16)
def together(done: Finished) -> str:
    """`composition.together` of these runs."""
    return composition.together(readable(done))


def finished(records: Sequence[RunRecord], rows: Sequence[Row]) -> list[Row]:
    """The rows of a file, which says what all runs behind the figure have shown together, and of each row
    what those have that promise the same."""
    said, each = composition.plain(records), composition.of_each(records)
    return [{**row, tradeoff.TOGETHER: said, **_all_together(row, each)} for row in rows]


def _all_together(row: Row, each: Mapping[str, tuple[float, float]]) -> dict[str, float | None]:
    """The composed epsilon and delta of those that promise what a row does; None where its own runs promise
    different things, or nothing."""
    found = {each.get(run) for run in str(row["runs"]).split()}
    epsilon, delta = (found.pop() if len(found) == 1 else None) or (None, None)
    return dict(zip(tradeoff_table.ALL_TOGETHER, (epsilon, delta), strict=True))


@lru_cache(maxsize=16)
def refused(done: Finished) -> list[RunRecord]:
    """Those of the runs that this version cannot read."""
    return [one for one in done.read(queue.store()) if one.unreadable]


@lru_cache(maxsize=16)
def table(done: Finished) -> tuple[list[Row], dict[str, PrivacyStatement]]:
    """The rows of the table of neighbours, and the statements of its runs."""
    records = [one for one in readable(done) if one.spec.method == neighbours_heatmap.METHOD]
    return neighbours_heatmap.data(records), statements_of(records)
