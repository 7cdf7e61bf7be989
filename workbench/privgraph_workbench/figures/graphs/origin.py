"""Of which graph a figure is: said in the file that leaves with it."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph_workbench.figures.chart import Row

OF = "graph"
"""The column of rows that says it; all rows share what it says."""


def words(name: str, *, nodes: int, source: str) -> str:
    """Name, number of nodes and source of a graph. Its number of edges is private.

    >>> words("karate", nodes=34, source="Zachary 1977")
    'The graph karate has 34 nodes. Source: Zachary 1977.'
    """
    return f"The graph {name} has {nodes:,} nodes. Source: {source.rstrip('.')}."


def with_origin(rows: Sequence[Row], said: str) -> list[Row]:
    """Rows that say of which graph they are."""
    return [{**row, OF: said} for row in rows]


def without_origin(rows: Sequence[Row]) -> list[Row]:
    """The rows as a table has them: what all share stands in the text beside it."""
    return [{name: value for name, value in row.items() if name != OF} for row in rows]


def beside(rows: Sequence[Row]) -> tuple[str, ...]:
    """What a file says below its figure."""
    return tuple(dict.fromkeys(str(row[OF]) for row in rows if row.get(OF)))
