"""Links that hand out files, which are made when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import streamlit as st

from privgraph_workbench.serving.offered_files import File, Shelf

_TAB = 'target="_blank" rel="noopener"'


def offer(offered: Mapping[str, File], folder: str = "", *, primary: bool = False) -> None:
    """A link for each file, by its label; one that is shown has a tab of its own. `folder` tells files apart
    that leave with the same name; `primary`: it is what the page is for."""
    looks = "privgraph-file privgraph-primary" if primary else "privgraph-file"
    shelf: Shelf = st.session_state.setdefault("shelf", Shelf())
    st.html(
        "".join(
            f'<a class="{looks}" href="{escape(shelf.offer(file, folder + file.name))}" '
            f"{_TAB if file.shown else 'download'}>{escape(label)}</a>"
            for label, file in offered.items()
        )
    )
