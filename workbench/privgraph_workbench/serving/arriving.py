"""How a page was come to, and what its fields begin with then."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx


def by_link() -> bool:
    """Whether this drawing answers a link, Back or Forward. Fields then begin with what the address says of
    them, and with their defaults where it says nothing: Streamlit drops what the session has for them."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def begin(values: Mapping[str, str]) -> None:
    """Write the values of fields that are drawn after this into the address, from which they begin."""
    context = get_script_run_ctx()
    if context is None:
        return
    for name, text in values.items():
        st.query_params[name] = text
    with context.session_state.query_params() as address:
        address.set_initial_query_params_from_current()
