"""What a figure of a report says to take, wherever it says so, by the runs of the report alone: what a page
said when the figure was kept is by other runs as well, and a mean over some of them tells of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import advice_lines, advised
from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs.tradeoff_shown import ADVISED
from privgraph_workbench.reporting.asked import Drawn
from privgraph_workbench.words.naming import graph_of

COLUMN = "advice"
"""What is said of a row."""


def without(one: Drawn) -> Drawn:
    """The figure without any."""
    told = (ADVISED, COLUMN)
    rows = [{name: value for name, value in row.items() if name not in told} for row in one.rows]
    return replace(one, advice="", rows=rows)


def by(one: Drawn, runs: Sequence[RunRecord]) -> Drawn:
    """The figure, with what `runs` say in its advice, in the lines that its files carry and in the column of
    its rows; without what was said before where they say nothing."""
    if not one.advice and not any(row.get(ADVISED) or row.get(COLUMN) for row in one.rows):
        return one
    said = advised.by_graph(runs)
    graphs = {run.id: graph_of(run) for run in runs}

    def of(row: Row) -> str:
        found = {graphs[run] for run in str(row.get("runs") or "").split() if run in graphs}
        return advice_lines.of_row(row, said.get(found.pop(), ())) if len(found) == 1 else ""

    rows = [{**row, COLUMN: of(row)} if COLUMN in row else row for row in one.rows]
    if any(ADVISED in row for row in rows):
        lines = "\n".join(filter(None, (_lines(graph, held, len(said) > 1) for graph, held in said.items())))
        rows = [{name: value for name, value in row.items() if name != ADVISED} for row in rows]
        rows[0] = {**rows[0], ADVISED: lines}
    return replace(one, rows=rows, advice=advised.of_runs(runs) if one.advice else "")


def _lines(graph: str, said: Sequence[Verdict], several: bool) -> str:
    told = advice_lines.plain(said)
    return f"{graph}\n{told}" if told and several else told
