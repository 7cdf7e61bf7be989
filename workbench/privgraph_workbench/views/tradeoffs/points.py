"""A click on a point of the figure, or its choice in a list, opens its runs."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.runs.records import RunQuery
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import curve_names
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.words.numbers import option

_OPENED = "tradeoffs.opened"
"""The runs of the point that was chosen, until the page that shows them is opened."""


def clicked(runs: str) -> None:
    """A point of the figure was clicked: the next drawing opens its runs."""
    st.session_state[_OPENED] = runs


def open_clicked() -> None:
    """One run opens itself; several stand beside each other on the page Runs."""
    runs = str(st.session_state.pop(_OPENED, "")).split()
    if len(runs) == 1:
        st.switch_page(shell.page("train"), query_params={"run": runs[0]})
    elif runs:
        st.switch_page(shell.page("runs"), query_params={"chosen": ",".join(runs), **_narrowed(runs)})


def _narrowed(runs: Sequence[str]) -> dict[str, str]:
    """The filters of the page Runs that leave little but these."""
    first = next((one for one in queue.store().find(RunQuery(ids=tuple(runs))) if not one.unreadable), None)
    if first is None:
        return {}
    one = first.spec
    asked = {} if one.asked_epsilon is None else {"find": f"asked={option(one.asked_epsilon)}"}
    return {"of_method": one.method, "of_data": one.dataset, "of_unit": one.unit, **asked}


def open_by_name(rows: Sequence[Row]) -> None:
    """The same without a pointer."""
    called = curve_names.names(rows)
    titles = {str(row["runs"]): curve_names.point_of(row, called) for row in rows}

    def choose() -> None:
        if st.session_state.get("point"):
            clicked(st.session_state.pop("point"))

    st.selectbox(
        "Open the runs of a point",
        list(titles),
        index=None,
        key="point",
        format_func=lambda runs: titles.get(runs, runs),
        placeholder="Open the runs of a point",
        label_visibility="collapsed",
        on_change=choose,
        width=420,
    )
