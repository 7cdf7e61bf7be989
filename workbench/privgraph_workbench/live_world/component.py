"""The component's Python half: hands the world and its settings to the browser, which draws noise and
pictures.

Nothing is asked of the server while noise is drawn. The browser tells it who was clicked, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_mount: Callable[..., Any] | None = None


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

    _component()(key=key, data=dict(data), height="content", on_picked_change=picked)


def _component() -> Callable[..., Any]:
    global _mount
    if _mount is None:
        _mount = st.components.v2.component(
            "privgraph_live_world",
            html='<div class="privgraph-world"></div>',
            css=(_HERE / "live_world.css").read_text(encoding="utf-8"),
            js=(_HERE / "live_world.js").read_text(encoding="utf-8"),
            isolate_styles=False,
        )
    return _mount
