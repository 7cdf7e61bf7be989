"""Every setting of a figure in numbers, with what the advice says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from privgraph_workbench import theme
from privgraph_workbench.facts.row_words import protects_of, spread
from privgraph_workbench.figures.axes import COLUMNS
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import percent, stated

LETTER, WIDEST = 7, 420
"""Pixels of a letter, and at most of a column of words, which go on where one points at them."""
ROW, MOST = 35, 60
"""Pixels of a row, and how many of them are in sight at once: of more the table is moved."""
DIFFERS_IN = "differs in"
WORDS = ("graph", "method", theme.EPSILONS["sound"].title, "advice", DIFFERS_IN)
"""Columns that are as wide as their words."""


def show(rows: Sequence[Row], advice: Mapping[str, str], unit: str) -> None:
    """A line each, where that unit is to be hidden; `advice` by a row's runs. What all share stands above."""
    shown = [_shown(row, advice.get(row["runs"], ""), unit) for row in rows]
    common = set() if any(row[DIFFERS_IN] for row in shown) else {DIFFERS_IN}
    if len({row["graph"] for row in rows}) == 1:
        st.caption(f"All on {markup.literal(rows[0]['graph'])}.")
        common.add("graph")
    st.dataframe(
        [{name: value for name, value in row.items() if name not in common} for row in shown],
        hide_index=True,
        alt="Accuracy and epsilons of each setting",
        height=height(len(shown)),
        row_height=ROW,
        column_config={name: st.column_config.TextColumn(width=_width(name, shown)) for name in WORDS},
    )


def height(count: int) -> int:
    """Pixels of a table of so many rows, with its head: all of them, up to `MOST`."""
    return ROW + 3 + min(count, MOST) * ROW


def _width(name: str, rows: Sequence[Mapping[str, Any]]) -> int:
    """Pixels of a column of words: what the longest of them takes.

    >>> _width("advice", [{"advice": ""}]), _width("advice", [{"advice": "take " * 99}])
    (70, 420)
    """
    return min(WIDEST, LETTER * max(10, *(len(row[name]) + 3 for row in rows)))


def _shown(row: Row, advice: str, unit: str) -> dict[str, Any]:
    """A setting in numbers, where that unit is to be hidden."""
    protects, epsilon = protects_of(row, unit)
    return {
        "graph": row["graph"],
        "method": row["title"],
        "protects": protects,
        theme.EPSILONS["sound"].title: epsilon,
        theme.EPSILONS["published"].title: stated("published", row[COLUMNS["published"]]),
        "accuracy (mean)": percent(row["mean"]),
        "95% over seeds": spread(row),
        "advice": advice,
        "seeds": row["seeds"],
        "of them yours": row["seeds"] - row["gallery"],
        "test nodes": row["test_nodes"],
        DIFFERS_IN: row["variant"],
    }
