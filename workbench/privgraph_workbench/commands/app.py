"""`privgraph app`: start the workbench in the browser."""

import argparse
import importlib.util

from privgraph_workbench.serving import launcher


def app_command(parsed: argparse.Namespace) -> int:
    """Serve the app until it ends. Raises `ModuleNotFoundError` where the extra is not installed."""
    for name in ("streamlit", "plotly"):
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
    return launcher.main(host=parsed.host, port=parsed.port, open_browser=not parsed.no_browser)
