"""What the page Report has computed of what is asked for, kept in its tab: few drawings change that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

MOST = 4
"""Of each kind the latest: who undoes something, or turns to others and back, does not wait again."""
Made = TypeVar("Made")


def of(what: str, mark: str, make: Callable[[], Made]) -> Made:
    """What was made of that kind for what has this mark (`making.mark`); else it is made."""
    held: dict[str, Made] = st.session_state.setdefault(f"report.{what}", {})
    if mark in held:
        held[mark] = held.pop(mark)  # the latest stand last
    else:
        held[mark] = make()
        for old in list(held)[:-MOST]:
            del held[old]
    return held[mark]
