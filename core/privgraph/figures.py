"""Figures by name: `privgraph.figures.tradeoff(runs)`. Who draws them registers them; the engine draws
nothing.

What a figure needs is said by its `needs` and its repr, and of all figures by `help(privgraph.figures)`:

- runs, one or a list, as `privgraph.run` and `privgraph.run_all` return them (`tradeoff`, `compare`,
  `convergence`);
- one run, or its events (`curves`), or its ledger (`ledger`);
- an audit, as `privgraph.audit` returns it, or the run that was audited (`audit_roc`, `audit_scores`,
  `audit_bounds`);
- one run with teachers (`answers`, `teacher_epsilons` and others);
- plain numbers, where no run is needed (`degrees`, `classes`, `noise_shapes`).

Called, a figure is drawn with plotly; `data` gives its rows, and `save` writes a file (svg, pdf, png, csv or
json) with the privacy statements of its runs:

    runs = pg.run_all(pg.sweep(pg.spec("progap", on="social"), over={"epsilon": (0.5, 2)}))
    pg.figures.tradeoff(runs).show()
    pg.figures.tradeoff.save("tradeoff.svg", runs)

>>> import privgraph as pg
>>> pg.figures.degrees.needs
'degrees'
>>> [(row["low"], row["high"], row["nodes"]) for row in pg.figures.degrees.data([0, 1, 2, 3, 3])]
[(0, 0, 1), (1, 1, 1), (2, 3, 3)]

An entry point of the group `privgraph.figures` names a module with `names()` and `figure(name)`. The
workbench has one for every plot of its pages.
"""

from functools import lru_cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from privgraph.options import listed, nearest

GROUP = "privgraph.figures"


class NoFigures(ImportError):
    """Whoever draws figures is not installed, or cannot be imported; the message is one sentence."""


@lru_cache(maxsize=1)
def drawers() -> tuple[ModuleType, ...]:
    drawers = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            drawers.append(entry.load())
        except ModuleNotFoundError as error:
            raise NoFigures(
                f"figures need the extra app, for {error.name} is missing: pip install 'privgraph[app]'",
                name=error.name,
            ) from error
    if not drawers:
        raise NoFigures("nobody has registered figures here: pip install 'privgraph[app]', once more where it is there")
    return tuple(drawers)


def names() -> list[str]:
    """All figures that there are. Raises `NoFigures` where the extra is not installed."""
    return sorted({name for drawer in drawers() for name in drawer.names()})


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"there is no figure {name}")
    for drawer in drawers():
        if name in drawer.names():
            return drawer.figure(name)
    known = names()
    raise AttributeError(f"there is no figure {name}; figures are {listed(known)}{nearest(name, known)}", name=name)


def __dir__() -> list[str]:
    return ["GROUP", "NoFigures", "names", *names()]
