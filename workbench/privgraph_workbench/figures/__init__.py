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

SUBJECTS = ("runs", "costs", "noise", "graphs", "teachers", "audits", "attacks", "play", "relations")
"""Folders of figures."""


@cache
def catalogue() -> Mapping[str, Figure]:
    """All figures by name."""
    for subject in SUBJECTS:
        for path in sorted((Path(__file__).parent / subject).glob("[a-z]*.py")):
            import_module(f"{__name__}.{subject}.{path.stem}")
    return _registered()


def figure_of(name: str) -> Figure:
    """The figure of that name. Raises `UnknownName` with the nearest match."""
    subject = next((one for one in SUBJECTS if (Path(__file__).parent / one / f"{name}.py").is_file()), None)
    if subject is not None and name.isidentifier():
        import_module(f"{__name__}.{subject}.{name}")
    if name not in _registered():
        known = catalogue()
        raise UnknownName(f"there is no figure {name}; figures are {listed(known)}{nearest(name, known)}")
    return _registered()[name]


def _registered() -> dict[str, Figure]:
    from privgraph_workbench.figures.figure import REGISTERED

    return REGISTERED
