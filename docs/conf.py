"""What Sphinx is told. Its source folder is made by `build.py`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import plotly

from privgraph import __version__

project = "privgraph"
author = "privgraph contributors"
copyright = f"2026, {author}"
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
nb_execution_mode = "off"  # build.py executes them, with the runner of the tests
myst_heading_anchors = 4
default_role = "py:obj"  # one backtick, as docstrings here write code: a link where it names something
autodoc_member_order = "bysource"
autodoc_use_type_comments = False  # there are none; looking for them compiles every function once more
# A docstring's one backtick is a name or a word of code; where several things have that name, any of them
# will do.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"privgraph {release}"
html_static_path = ["_static", str(Path(plotly.__file__).parent / "package_data" / "plotly.min.js")]
html_theme_options = {"navigation_with_keys": True}
html_copy_source = False
html_show_sphinx = False


def as_restructured(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are prose with code in backticks: |V|, a * b and trailing_ mean what they say."""
    parts = re.split(r"(``[^`]+``|`[^`]+`|^\s*>>>.*$|^\s*\.\.\. .*$)", "\n".join(lines), flags=re.M)
    for n in range(0, len(parts), 2):
        parts[n] = re.sub(r"_(?=\W|$)", r"\\_", re.sub(r"([*|])", r"\\\1", parts[n]))
    lines[:] = "".join(parts).split("\n")


def with_figures(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Pages of notebooks, and no others, load what draws their figures."""
    if page.startswith("notebooks/"):
        app.add_js_file("plotly.min.js")
        app.add_js_file("figures.js")


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", as_restructured, priority=400)  # before its sections are read
    app.connect("html-page-context", with_figures)
