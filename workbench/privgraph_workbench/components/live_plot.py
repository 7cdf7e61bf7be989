"""A plot that may be redrawn once a second and still keeps its zoom and its hidden traces.

Streamlit's own plotly chart loses both whenever its figure changes. This one hands the figure to
`Plotly.react`, which keeps them, and stores what the viewer did in the widget's state, from where it comes
back as data: so it also survives the remounting that a change of theme brings.

The script is plotly's own, from the installed package, served by Streamlit's own component route from this
very server: nothing is fetched from anywhere else, and it is sent once, not with each update.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go

# Streamlit's own modules, which any release may change: pyproject.toml lets in no release that was not
# tested.
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from privgraph_workbench import components

_ASSETS = "privgraph-plotly"


def show(figure: go.Figure | Mapping[str, Any], key: str, on_click: Callable[[str], None] | None = None) -> None:
    """Draw `figure`; calling again with the same `key` redraws it and keeps zoom, hidden traces and legend.

    `figure` may be plotly's JSON. `on_click` is called with the key of a point that was clicked
    (`Series.keys`). Raises `ValueError` for a key with two underscores in a row, which Streamlit keeps for
    itself.
    """
    if "__" in key:
        raise ValueError(f"key must not hold two underscores in a row (got {key})")
    spec = json.loads(figure.to_json()) if isinstance(figure, go.Figure) else figure
    layout = spec["layout"]
    data = {
        "figure": spec,
        "summary": layout["meta"]["summary"],
        "view": components.told(key, "view"),
        "height": layout["height"],
        "name": key,
        "script": _script(),
        "click": on_click is not None,
    }

    def clicked(found: dict[str, Any]) -> None:
        if on_click is not None:
            on_click(str(found["key"]))

    # a name is told to Streamlit only where somebody listens
    components.mount("live_plot", key, data, view=bool, turned=bool, clicked=clicked)


def _script() -> str:
    """Where Streamlit serves plotly's script, relative to the server's root; the asset folder is declared on
    the running server if it is not yet."""
    name = f"{_ASSETS}.bundle"
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(name) is None:
        bundle = ComponentConfig(name="bundle", asset_dir="package_data")
        manifest = ComponentManifest(name=_ASSETS, version=plotly.__version__, components=[bundle])
        manager.register_from_manifest(manifest, Path(plotly.__file__).parent)
    return f"_stcore/bidi-components/{name}/plotly.min.js?v={plotly.__version__}"
