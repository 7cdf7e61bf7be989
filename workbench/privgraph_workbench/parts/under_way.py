"""An attack or audit under way: how far it is, how long it will take, and the button that stops it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from privgraph.runs.examining import Examination
from privgraph.runs.records import StoreError
from privgraph_workbench.text import texts
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import duration, roughly


def show(one: Examination[Any], titles: Mapping[str, str], noun: str, stop: Callable[[], None], of: str = "") -> None:
    """Draw a bar below its button.

    Args:
        one: The job.
        titles: Of attacks or audits, by name.
        noun: What it is.
        stop: Asks its process to stop.
        of: Which run it is on.
    """
    st.button(
        "Stopping…" if one.stopping else f"Stop the {noun}",
        key=f"stop_{noun}.{one.token}",
        icon=":material/hourglass_bottom:" if one.stopping else ":material/stop:",
        disabled=one.stopping,
        on_click=_stop,
        args=(stop,),
        help=texts("labels")["asked_to_stop"] if one.stopping else None,
    )
    parts = (titles.get(one.name, one.name), f"{one.progress:.0%}", one.stage or "starting")
    told = " · ".join(map(markup.literal, parts))
    st.progress(min(1.0, max(0.0, one.progress)), text=f"{of}{told}{_rest(one, time.time())}")


def _stop(stop: Callable[[], None]) -> None:
    try:
        stop()
    except (StoreError, OSError) as error:
        st.error(markup.sentence(error))


def _rest(one: Examination[Any], now: float) -> str:
    """The time that is left, by the pace so far; at first the time since the start."""
    if one.stopping:
        return ""
    if one.progress <= 0.05:
        return f" · {duration(max(0.0, now - one.started))}"
    reported = now if one.reported is None else one.reported
    left = (reported - one.started) * (1 - one.progress) / one.progress - (now - reported)
    return f" · {roughly(max(1.0, left))} left"
