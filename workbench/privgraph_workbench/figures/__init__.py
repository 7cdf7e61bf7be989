"""Figures: each is one module with `data(...) -> rows` and `chart(rows) -> Chart`, registered by `@figure`.

Rows are plain records, which tests and exports read; a chart says what is drawn; two renderers draw it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from privgraph.options import UnknownName, listed, nearest

if TYPE_CHECKING:
    from privgraph_workbench.figures.figure import Figure


@cache
def catalogue() -> Mapping[str, Figure]:
    """All figures by name."""
    return _registered("[a-z]*")


def figure_of(name: str) -> Figure:
    """The figure of that name. Raises `UnknownName` with the nearest match."""
    found = _registered(name) if name.isidentifier() else {}
    if name not in found:
        known = catalogue()
        raise UnknownName(f"there is no figure {name}; figures are {listed(known)}{nearest(name, known)}")
    return found[name]


def _registered(name: str) -> dict[str, Figure]:
    """What is registered when the modules of that name are imported, but for what draws."""
    from privgraph_workbench.figures.figure import REGISTERED

    for path in sorted(Path(__file__).parent.glob(f"*/{name}.py")):
        if path.parent.name != "drawing" and name not in REGISTERED:
            import_module(f"{__name__}.{path.parent.name}.{path.stem}")
    return REGISTERED
