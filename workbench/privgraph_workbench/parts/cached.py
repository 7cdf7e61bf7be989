"""What pages read of the store that is shown, kept until that store changes."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from privgraph_workbench.jobs import queue

P = ParamSpec("P")
T = TypeVar("T")


def kept(function: Callable[P, T]) -> Callable[P, T]:
    """Read once for all sessions; pages are scripts, which define their functions anew at each drawing."""
    place = function.__code__.co_filename, function.__qualname__

    @wraps(function)
    def read(*given: P.args, **named: P.kwargs) -> T:
        store = queue.store()
        marks = store.url, store.done_mark(), store.evidence_mark()
        found: T = _kept(place, given, named, marks, function)
        return found

    return read


@st.cache_resource(max_entries=128, show_spinner=False)
def _kept(place: object, given: object, named: object, marks: object, _function: Callable[..., Any]) -> Any:
    return _function(*given, **named)  # type: ignore[misc, arg-type]
