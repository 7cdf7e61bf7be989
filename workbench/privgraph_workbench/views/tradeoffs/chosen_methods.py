"""A figure of some methods beside advice on all: how many it leaves out, and what it compares with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from privgraph.runs.records import RunQuery
from privgraph_workbench.figures.runs.tradeoff_shown import COMPARED
from privgraph_workbench.views.tradeoffs.known import rows_of
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph

KEY = "curve"
"""The methods that are chosen, in the address."""


def levels(query: RunQuery, graph: OneGraph | None) -> list[Mapping[str, Any]]:
    """The finished runs of the levels that everything is compared with, and that are not among the methods
    that were chosen."""
    others = tuple(name for name in COMPARED if name not in query.methods)
    if not others:
        return []
    return rows_of(replace(query, methods=others, units=("none",), states=("done",)), graph)


def told(query: RunQuery, graph: OneGraph | None) -> None:
    """How many of the methods with finished runs are shown, and the button that shows all; nothing where all
    are."""
    if not query.methods:
        return
    private = replace(query, methods=(), units=query.units[1:], states=("done",))
    ran = {str(row["method"]) for row in rows_of(private, graph)}
    shown = ran & set(query.methods)
    if shown == ran:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**The advice compares all methods; the figure shows {len(shown)} of {len(ran)}.**", width="content"
        )
        st.button("Show all methods", key="every_method", icon=":material/filter_alt_off:", on_click=_all)


def _all() -> None:
    st.query_params.pop(KEY, None)
