"""Graphs of one title, such as a made-up one in two sizes: told apart by one name over all of a report, also
where a table or figure has one of them alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.reporting.asked import Asked, Drawn
from privgraph_workbench.words.naming import data_title, graph_names, graph_of, run_labels

NO_TEXT = ("graph", "dataset", "runs", "metric", "method")
"""Columns of a row that hold no words about a graph."""


def every_graph(asked: Asked) -> list[RunRecord]:
    """A run on each graph of the report, in figures too."""
    figures = (run for one in asked.figures for run in (*one.runs, *(told.record for told in one.beside)))
    found: dict[str, RunRecord] = {}
    for record in (*(one.record for one in asked.runs), *figures):
        found.setdefault(graph_of(record), record)
    return list(found.values())


def names(asked: Asked, records: Sequence[RunRecord]) -> dict[str, str]:
    """What the graphs of these are called in the report, by `graph_of`."""
    return graph_names([*every_graph(asked), *records])


def labels(asked: Asked, records: Sequence[RunRecord], *, privacy_too: bool = True, seeds: bool = True) -> list[str]:
    """`naming.run_labels` of these, with a graph by the name that no other has in the report."""
    own, titles = {graph_of(one) for one in records}, {data_title(one.spec.dataset) for one in records}
    others = [one for one in every_graph(asked) if graph_of(one) not in own and data_title(one.spec.dataset) in titles]
    return run_labels([*records, *others], privacy_too=privacy_too, seeds=seeds)[: len(records)]


def settled(asked: Asked) -> Asked:
    """What is reported, each figure with the graphs that others of the report share their title with
    (`Drawn.same_title`), and its words by their whole names."""
    called = names(asked, [])
    titles = {graph_of(one): data_title(one.spec.dataset) for one in every_graph(asked)}
    shared = {graph: title for graph, title in titles.items() if called[graph] != title}
    return replace(asked, figures=[_figure(one, titles, shared) for one in asked.figures]) if shared else asked


def _figure(one: Drawn, titles: dict[str, str], shared: dict[str, str]) -> Drawn:
    graphs = {graph_of(run) for run in one.runs}
    held = [titles[graph] for graph in graphs]
    alone = {titles[graph]: graph for graph in graphs if graph in shared and held.count(titles[graph]) == 1}
    if not alone:
        return one
    title = one.title or told(one.name, alone)
    return replace(one, same_title=alone, title=title, rows=[_row(row, alone) for row in one.rows])


def _row(row: Row, alone: dict[str, str]) -> Row:
    return {
        name: told(value, alone) if isinstance(value, str) and name not in NO_TEXT else value
        for name, value in row.items()
    }


def told(text: str, alone: Mapping[str, str]) -> str:
    """A text that speaks of graphs by their titles, by their whole names.

    >>> told("GAP, Net, edge ε 2 on Net (nodes 600)", {"Net": "Net (nodes 600)"})
    'GAP, Net (nodes 600), edge ε 2 on Net (nodes 600)'
    """
    for title, graph in alone.items():
        text = re.sub(rf"(?<!\w){re.escape(title)}(?![\w-]| \()", graph.replace("\\", r"\\"), text)
    return text
