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

ADVICE, DIFFERS = 190, 420
"""Pixels in which advice, and what a setting differs in, are read whole on the lines of a row."""
ROW, ROW_TALL, TALL = 35, 66, 640
"""Pixels of a row of one line, of one whose words are wrapped (above 4rem alone), and of the table."""
DIFFERS_IN = "differs in"
LINE = 24
"""Letters of advice that stand in a line, of what a setting differs in twice as many."""


def show(rows: Sequence[Row], advice: Mapping[str, str], unit: str) -> None:
    """A line each, where that unit is to be hidden; `advice` by a row's runs. What all share stands above."""
    shown = [_shown(row, advice.get(row["runs"], ""), unit) for row in rows]
    common = set() if any(row[DIFFERS_IN] for row in shown) else {DIFFERS_IN}
    if len({row["graph"] for row in rows}) == 1:
        st.caption(f"All on {markup.literal(rows[0]['graph'])}.")
        common.add("graph")
    wrapped = any(len(row["advice"]) > LINE or len(row[DIFFERS_IN]) > 2 * LINE for row in shown)
    tall = ROW_TALL if wrapped else ROW
    st.dataframe(
        [{name: value for name, value in row.items() if name not in common} for row in shown],
        hide_index=True,
        alt="Accuracy and epsilons of each setting",
        height=min(TALL, ROW + 3 + len(shown) * tall),
        row_height=tall,
        column_config={
            "advice": st.column_config.TextColumn(width=ADVICE),
            DIFFERS_IN: st.column_config.TextColumn(width=DIFFERS),
        },
    )


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
