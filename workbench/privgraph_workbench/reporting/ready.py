"""What is reported as all of its files have it."""

from __future__ import annotations

from dataclasses import replace

from privgraph_workbench.figures.runs import tradeoff_shown
from privgraph_workbench.reporting import bounds, noises, same_titles
from privgraph_workbench.reporting.asked import Asked, Drawn
from privgraph_workbench.reporting.first_page import Together
from privgraph_workbench.reporting.withholding import without_seeds


def ready(asked: Asked) -> tuple[Asked, Together]:
    """What is reported, with one kind of noise a row, each bound counted once, and one name a graph; for
    others without what tells seeds. And what is said of all of it together, which ids and seeds tell."""
    asked = same_titles.settled(bounds.counted(noises.apart(asked)))
    together = Together.of(asked)
    if not asked.share:
        return asked, together
    shared = without_seeds(asked)
    return replace(shared, figures=[_for_others(one) for one in shared.figures]), together


def _for_others(one: Drawn) -> Drawn:
    """The figure, whose runs are its author's and not the reader's own."""
    if one.figure != "tradeoff":
        return one
    return replace(one, rows=[{**row, tradeoff_shown.FOR_OTHERS: True} for row in one.rows])
