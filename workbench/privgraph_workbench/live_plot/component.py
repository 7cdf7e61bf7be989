"""The component's Python half: registers it with Streamlit and mounts it.

Streamlit's own plotly chart loses zoom and hidden traces whenever its figure changes. This one hands the
figure to `Plotly.react`, which keeps them, and stores what the viewer did in the widget's state, from where
it comes back as data: so it also survives the remounting that a change of theme brings.

The script is plotly's own, from the installed package, served by Streamlit's own component route from this
very server: nothing is fetched from anywhere else, and it is sent once, not with each update.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go
import streamlit as st

# Streamlit's own modules, which any release may change: pyproject.toml lets in no release that was not
# tested.
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from privgraph_workbench.components import component

_ASSETS = "privgraph-plotly"
_SCRIPT = "plotly.min.js"
HEIGHT = 420
"""In pixels, of a figure that says none."""


def show(
    figure: go.Figure,
    key: str,
    height: int | None = None,
    *,
    summary: str = "",
    on_click: Callable[[str], None] | None = None,
) -> None:
    """Draw `figure`; calling again with the same `key` redraws it and keeps zoom, hidden traces and legend.

    `height` is in pixels (none: the figure's own, else 420). `summary` is what a screen reader says of the
    figure; none: the sentence that our figures carry in their layout's `meta`. With `on_click` it is called
    with the key of a point that was clicked (`Series.keys`). Raises `ValueError` for a key with two
    underscores in a row, which Streamlit keeps for itself.
    """
    spec = json.loads(figure.to_json())
    pixels = height or spec["layout"].get("height") or HEIGHT
    spec["layout"]["height"] = pixels
    clicked = partial(_clicked, key, on_click) if on_click else None
    _mounted(key, {"figure": spec, "summary": summary or _summary(spec)}, int(pixels), clicked)


def grow(base: str, figure: Mapping[str, Any], tail: Mapping[str, Any], key: str) -> None:
    """Draw a figure that grows: `figure`, plotly's JSON, goes to a browser once, and then only the `tail`.

    `base` is the figure's name, another for another figure; `tail` maps names of its traces to points (`x`,
    `y`, `text`) that follow theirs. A browser that has not got the figure of that name asks for it.
    """
    kept = st.session_state.get(key)
    asked = (dict(kept).get("missing") if kept else None) or {}
    had, has = st.session_state.get(f"{key}.sent"), (base, asked.get("at"))
    st.session_state[f"{key}.sent"] = has
    whole = {"figure": figure} if had != has else {}
    height = int(figure["layout"].get("height") or HEIGHT)
    _mounted(key, {**whole, "base": base, "tail": tail, "summary": _summary(figure)}, height)


def _summary(figure: Mapping[str, Any]) -> str:
    meta = figure["layout"].get("meta") or {}
    return (meta.get("summary") if isinstance(meta, dict) else "") or "figure"


def _mounted(
    key: str,
    data: dict[str, Any],
    height: int,
    clicked: Callable[[], None] | None = None,
) -> None:
    if "__" in key:
        raise ValueError(f"key must not hold two underscores in a row (got {key})")
    kept = st.session_state.get(key)
    view = dict(kept).get("view") if kept else None
    component("live_plot", "privgraph-live-plot")(
        key=key,
        data={
            **data,
            "view": view,
            "height": height,
            "name": key,
            "script": _asset_path(),
            "click": clicked is not None,
        },
        height="content",  # on a narrow page a figure is higher: panels stand one below the other
        on_view_change=_nothing,
        on_missing_change=_nothing,
        on_clicked_change=clicked or _nothing,
    )


def _clicked(key: str, on_click: Callable[[str], None]) -> None:
    """Hand on which point was clicked."""
    found = dict(st.session_state[key]).get("clicked")
    if found:
        on_click(str(found["key"]))


def _nothing() -> None:
    """A state key exists for Streamlit only where somebody listens; nobody needs to do anything."""


def _asset_path() -> str:
    """Where Streamlit serves plotly's script, relative to the server's root; the asset folder is declared on
    the running server if it is not yet."""
    name = f"{_ASSETS}.bundle"
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(name) is None:
        manifest = ComponentManifest(
            name=_ASSETS,
            version=plotly.__version__,
            components=[ComponentConfig(name="bundle", asset_dir="package_data")],
        )
        manager.register_from_manifest(manifest, Path(plotly.__file__).parent)
    return f"_stcore/bidi-components/{name}/{_SCRIPT}?v={plotly.__version__}"
