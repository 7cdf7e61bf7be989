"""The component's Python half: hands the world and its settings to the browser, which draws noise and
pictures.

Nothing is asked of the server while noise is drawn. The browser tells it who was clicked, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from privgraph_workbench.components import component


def show(key: str, data: Mapping[str, Any], on_pick: Callable[[int | None], None]) -> None:
    """Draw the world. `on_pick` is called with the person who was clicked (None: nobody any more), before the
    page is drawn again.

    `data`: names, groups, hints (-1: blank), friends (pairs), places (x, y in a unit square), guesses
    (without noise, of the first world), b (of the noise, 0: none), hops, seed, protects, colours, and `gone`:
    None, or what is taken out, {"who": n} or {"who": n, "friend": m}.
    """

    def picked() -> None:
        found = dict(st.session_state[key]).get("picked")
        if found is not None:
            on_pick(None if found["who"] is None else int(found["who"]))

    component("live_world", "privgraph-world")(key=key, data=dict(data), height="content", on_picked_change=picked)
