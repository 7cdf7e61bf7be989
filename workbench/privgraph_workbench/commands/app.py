"""`privgraph app`: start the workbench in the browser."""

from __future__ import annotations

import argparse
import importlib.util

from privgraph_workbench.serving import launcher


def app_command(parsed: argparse.Namespace) -> int:
    """Start the app, and wait until it ends. Raises `ModuleNotFoundError` where the extra is not installed.

    The app is a process of its own, whose own words would be many: this one only looks whether it can start.
    """
    for name in ("streamlit", "plotly"):
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
    return launcher.main(host=parsed.host, port=parsed.port, open_browser=not parsed.no_browser)
