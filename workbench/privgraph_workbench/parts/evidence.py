"""Attacks and audits as tables, cached by what the store holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import streamlit as st

from privgraph_workbench import leaks
from privgraph_workbench.jobs import queue
from privgraph_workbench.leaks import Claim, Leak
from privgraph_workbench.text import texts
from privgraph_workbench.theme import EPSILONS

Colour = Literal["gray", "blue", "orange", "red", "green"]
COLOURS: Mapping[Leak | Claim, Colour] = {
    Leak.NONE: "gray",
    Leak.UNDECIDED: "blue",
    Leak.SOME: "orange",
    Leak.CLEAR: "red",
    Claim.HOLDS: "gray",
    Claim.UNTESTED: "blue",
    Claim.REFUTED: "red",
}
OF_RUN = ("run", "graph", "method", "unit", "seed")
"""Columns that are the same for all rows of a run."""
LABELS = {
    "epsilon": "ε",
    "area": "AUC",
    "published": EPSILONS["published"].title,
    "published_claim": "claim as published",
    "bound": "ε at least",
    **{name: f"TPR at {false:.1%}".replace(".0%", "%") for name, false in leaks.RATES.items()},
}
PERCENT = (*leaks.RATES, "accuracy", "trained_accuracy", "confidence")
FORMATS = {"area": "%.3f", "low": "%.3f", "high": "%.3f", "epsilon": "%.4g", "published": "%.4g", "bound": "%.3f"}


def attacks() -> pd.DataFrame:
    """The attacks of the store that is shown."""
    store = queue.store()
    return _attacks(store.url, store.evidence_mark())


def audits() -> pd.DataFrame:
    """The audits of the store that is shown."""
    store = queue.store()
    return _audits(store.url, store.evidence_mark())


def unreadable() -> int:
    """How many attacks and audits of the store are in neither table: they, or their runs, cannot be read."""
    mark = queue.store().evidence_mark()
    return int((mark[0] or 0) + (mark[3] or 0)) - len(attacks()) - len(audits())


@st.cache_resource(max_entries=4)
def _attacks(url: str, mark: object) -> pd.DataFrame:
    return leaks.table(queue.store()).sort_values(["graph", "method", "unit", "epsilon"], kind="stable")


@st.cache_resource(max_entries=4)
def _audits(url: str, mark: object) -> pd.DataFrame:
    return leaks.audits(queue.store()).sort_values(["graph", "method", "unit", "epsilon"], kind="stable")


def table(frame: pd.DataFrame, name: Literal["attacks", "audits"], leave_out: Sequence[str] = ()) -> None:
    """Show attacks or audits."""
    cells, config = _drawn(frame, name, leave_out)
    st.dataframe(cells, hide_index=True, column_config=config)


def choose(
    frame: pd.DataFrame, name: Literal["attacks", "audits"], key: str, begin: Sequence[int], *, several: bool = True
) -> list[int]:
    """Show attacks or audits, and give the places of the chosen rows; `begin` until somebody chooses."""
    cells, config = _drawn(frame, name)
    event = st.dataframe(
        cells,
        hide_index=True,
        column_config=config,
        column_order=[one for one in config if one not in ("run", "number")],
        key=key,
        placeholder="",
        on_select="rerun",
        selection_mode="multi-row" if several else "single-row",
        selection_default={"selection": {"rows": list(begin), "columns": [], "cells": []}},
    )
    return [row for row in event.selection.rows if row < len(frame)] or list(begin)


def _drawn(frame: pd.DataFrame, name: str, leave_out: Sequence[str] = ()) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The cells of a table, and how its columns are shown."""
    help_ = {one: text for one, text in texts("columns")[name].items() if one not in leave_out}
    config: dict[str, Any] = {}
    for one, text in help_.items():
        label = LABELS.get(one, one.replace("_", " "))
        if one in PERCENT or one in FORMATS:
            form = "percent" if one in PERCENT else FORMATS[one]
            config[one] = st.column_config.NumberColumn(label, help=text, format=form)
        else:
            config[one] = st.column_config.Column(label, help=text)
    return frame[list(help_)].replace(math.inf, None), config
