"""Parts of pages that a browser draws by a script of ours, each in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parents[1]


@lru_cache(maxsize=8)
def component(folder: str, root: str) -> Callable[..., Any]:
    """What mounts the script and the styles of that folder, in an element of the class `root`."""
    script, styles = ((_HERE / folder / f"{folder}.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    return st.components.v2.component(
        f"privgraph_{folder}", html=f'<div class="{root}"></div>', css=styles, js=script, isolate_styles=False
    )
