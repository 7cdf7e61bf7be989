"""A row of accuracy against epsilon in words. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.registry import METHODS
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.words.naming import reads_no_edge
from privgraph_workbench.words.numbers import percent


def at(row: Row) -> str:
    return f" at ε {row['asked']:g}"


def title_of(row: Row) -> str:
    return METHODS[row["method"]].title


def reader(row: Row) -> str:
    """The method, and that it reads no edge where it reads none."""
    return title_of(row) + " (reads no edge)" * reads_no_edge(row["method"])


def with_interval(row: Row) -> str:
    span = "" if row["low"] is None else f" ({percent(row['low'])} to {percent(row['high'])})"
    return f"{percent(row['mean'])}{span}"


def both(names: Sequence[str]) -> str:
    """Names with an and before the last.

    >>> both(["A"]), both(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
