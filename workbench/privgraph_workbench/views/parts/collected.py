"""What a visitor has kept for a report: runs by their ids, and figures as they were when they were kept. It
lives as long as the tab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.figures.chart import Row

_KEY = "collected"
MOST = 60
"""Runs and figures that a report holds."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A run (`run`) or a figure (`figure`, with its rows and statements)."""

    run: str = ""
    figure: str = ""
    rows: Sequence[Row] = field(default=(), repr=False)
    statements: Mapping[str, PrivacyStatement] = field(default_factory=dict, repr=False)


def everything() -> list[Kept]:
    """All that was kept, in order."""
    found: list[Kept] = st.session_state.setdefault(_KEY, [])
    return found


def add_runs(ids: Sequence[str]) -> None:
    """Keep runs, each once."""
    held = {one.run for one in everything() if one.run}
    _add([Kept(run=run) for run in ids if run not in held])


def add_figure(figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> None:
    """Keep a figure as it is now; one that is the same already is kept once."""
    one = Kept(figure=figure, rows=list(rows), statements=dict(statements))
    _add([one] if one not in everything() else [])


def _add(fresh: Sequence[Kept]) -> None:
    room = MOST - len(everything())
    everything().extend(fresh[:room])
    if len(fresh) > room:
        st.toast(f"A report holds {MOST} runs and figures at most.", icon=":material/error:")
    elif fresh:
        st.toast(f"Kept for the report: {len(everything())} in all.", icon=":material/post_add:")


def remove(place: int) -> None:
    """Take one out."""
    del everything()[place]


def move(place: int, by: int) -> None:
    """Move one up (-1) or down (1), where there is room."""
    kept, there = everything(), place + by
    if 0 <= there < len(kept):
        kept[place], kept[there] = kept[there], kept[place]


def clear() -> None:
    """Begin anew."""
    everything().clear()
