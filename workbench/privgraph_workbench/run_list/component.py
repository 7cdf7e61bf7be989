"""The component's Python half: hands the rows to the browser, and hears which are ticked and which column
they are to be ordered by.

Streamlit's own table is a canvas: it has no rows that open, its links open another tab, and on a phone most
of it lies outside the window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from privgraph_workbench.components import component


def show(
    key: str,
    rows: Sequence[dict[str, Any]],
    chosen: Sequence[str],
    ordered: str,
    on_choose: Callable[[list[str], list[str]], None],
    on_order: Callable[[str], None],
) -> None:
    """Draw the table. `on_choose` is called with the runs that were ticked and those that were unticked,
    `on_order` with the name of a column's order, before the page is drawn again.

    A row: title, told, graph, unit, epsilons (kind, glyph, text, `public` noise), mean, low, high (in [0, 1],
    or None), accuracy, measure (its name where it is no accuracy) and spread (texts), state, when, tags,
    marks, and `runs`: id, seed, text of each.
    """

    def ticked() -> None:
        found = dict(st.session_state[key]).get("ticked")
        if found:
            on_choose([str(run) for run in found["on"]], [str(run) for run in found["off"]])

    def turned() -> None:
        found = dict(st.session_state[key]).get("turned")
        if found:
            on_order(str(found["order"]))

    kept = st.session_state.get(key)
    last = (dict(kept).get("ticked") if kept else None) or {}
    component("run_list", "privgraph-runs")(
        key=key,
        data={"rows": list(rows), "chosen": list(chosen), "ordered": ordered, "heard": last.get("at", 0)},
        height="content",
        on_ticked_change=ticked,
        on_turned_change=turned,
    )
