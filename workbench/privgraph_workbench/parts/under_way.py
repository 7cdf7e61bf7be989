"""Audits and attacks under way: how far each is, how long it will still take, and the button that stops
it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import streamlit as st

from privgraph.runs.examining import Examination
from privgraph.runs.records import StoreError
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import duration, roughly

Drawn = Callable[[], None] | None
"""Draws, where an audit or attack is under way, how far it is: in place of the form and of all buttons that
start another."""


def show(
    one: Examination[Any],
    titles: Mapping[str, str],
    noun: str,
    stop: Callable[[], None],
    of: str = "",
    lost: str = "",
) -> None:
    """One bar below its button; whoever has pressed it reads so at once, and until the process obeys.
    `titles` are those of audits or attacks by name, `of` says which run it is on; where stopping costs
    something (`lost`), the button asks once more."""
    label, asks = f"Stop the {noun}", bool(lost) and not one.stopping
    with st.popover(label, icon=":material/stop:") if asks else nullcontext():
        if asks:
            st.markdown(lost)
        st.button(
            "Stopping…" if one.stopping else f"{label} for good" if asks else label,
            key=f"stop_{noun}.{one.token}",
            icon=":material/hourglass_bottom:" if one.stopping else ":material/stop:",
            disabled=one.stopping,
            on_click=_stop,
            args=(stop,),
            help=f"The {noun} was asked to stop, and will at its next step" if one.stopping else None,
        )
    said = told(one, titles.get(one.name, one.name), time.time())
    st.progress(min(1.0, max(0.0, one.progress)), text=f"{of}{said}")


def _stop(stop: Callable[[], None]) -> None:
    try:
        stop()
    except (StoreError, OSError) as error:
        st.error(markup.sentence(error))


def told(one: Examination[Any], title: str, now: float) -> str:
    """Title, share, stage and what is left, which counts down between two reports of the process; how long it
    has been under way until that can be told."""
    if one.stopping:
        return f"{markup.literal(title)} · stopping at its next step"
    left = seconds_left(one, now)
    if left is None:
        rest = f" · {duration(max(0.0, now - one.started))}"
    else:
        rest = f" · about {roughly(left)} left" if left >= 1 else " · nearly done"
    begun = f"{one.progress:.0%} · {markup.literal(one.stage)}" if one.progress > 0 else "starting"
    return f"{markup.literal(title)} · {begun}{rest}"


def stopped(one: Examination[Any], noun: str, turn: int | None, models: int = 0) -> str:
    """That it was stopped, how far it was, and what is left of it: so many of its `models`. `turn` is that of
    the next one, where this one took a turn."""
    far = f" at {one.progress:.0%}" if one.progress > 0 else ""
    spent = "" if turn is None else f" It has used up its turn: the next one takes turn {turn}."
    kept = f"Its first {models} models are kept for the same {noun}" if models else "Nothing that it had found is kept"
    return f"The last {noun} was stopped{far}. {kept}.{spent}"


def seconds_left(one: Examination[Any], now: float) -> float | None:
    """How long it will still take, as fast as it was until it last said how far it is, less the time since
    then; None before it is far enough to tell."""
    if one.progress <= 0.05:
        return None
    reported = now if one.reported is None else one.reported
    return max(0.0, (reported - one.started) * (1 - one.progress) / one.progress - (now - reported))
