"""What a browser draws by a script of ours: NAME.js and NAME.css beside this file, in an element of the class
privgraph-NAME. A script tells by `setStateValue`, and says on top what its data are."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent


def mount(name: str, key: str, data: Mapping[str, Any], **heard: Callable[[dict[str, Any]], object]) -> None:
    """Draw the component of that name.

    Args:
        name: `live_plot`, `world` or `runs`.
        key: Tells it from others of the page.
        data: What the script is given.
        heard: By name of what the script tells, what is called with it before the page is drawn again.
    """

    def hear(what: str) -> None:
        if found := told(key, what):
            heard[what](found)

    on_change = {f"on_{what}_change": partial(hear, what) for what in heard}
    _registered(name)(key=key, data=dict(data), height="content", **on_change)


def told(key: str, what: str) -> dict[str, Any]:
    """What the script of that key has told last; {} for nothing."""
    return dict(st.session_state.get(key) or {}).get(what) or {}


@lru_cache(maxsize=8)
def _registered(name: str) -> Callable[..., Any]:
    script, styles = ((_HERE / f"{name}.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    html = f'<div class="privgraph-{name.replace("_", "-")}"></div>'
    return st.components.v2.component(f"privgraph_{name}", html=html, css=styles, js=script, isolate_styles=False)
