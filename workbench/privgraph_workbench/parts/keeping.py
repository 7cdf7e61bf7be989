"""What somebody has set stays set while the part of the page that holds it is closed.

Streamlit forgets the fields of a part that is not drawn: a tab that is left, a fold that is shut.
"""

from __future__ import annotations

import streamlit as st

from privgraph_workbench.serving import shell


def keep(page: str, prefixes: tuple[str, ...]) -> None:
    """Hold on to all fields whose names begin so; on a new visit of the page, what its address says goes
    before. Called before any of them is drawn."""
    visit, seen = shell.visit(), f"kept.{page}"
    fresh = st.session_state.get(seen) != visit
    st.session_state[seen] = visit
    for name in [name for name in st.session_state if isinstance(name, str) and name.startswith(prefixes)]:
        if fresh and name in st.query_params:
            del st.session_state[name]
        else:
            st.session_state[name] = st.session_state[name]  # no longer a field's alone: it outlives the field


def within(name: str, offered: list[str]) -> None:
    """Forget a held choice that is not offered any more."""
    if name in st.session_state and st.session_state[name] not in offered:
        del st.session_state[name]
