"""What warns of a figure of accuracy against epsilon: other test nodes, and marks out of sight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privgraph_workbench.figures.axes import COLUMNS, placed
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.theme import EPSILONS

LARGEST = 1000.0
"""An axis ends there: beyond it an epsilon promises nothing to anybody."""


def other_nodes(panels: Iterable[Sequence[Row]]) -> list[str]:
    """The warning where accuracies of one panel were measured on other nodes: methods that draw their own
    parts of a graph have test nodes of their own."""
    for held in panels:
        counts = sorted({row["test_nodes"] for row in held} - {None})
        if len(counts) > 1:
            return [
                f"accuracies of one panel were measured on different test nodes ({counts[0]:,} to {counts[-1]:,} of "
                "them): methods that draw their own parts of a graph have their own"
            ]
    return []


def out_of_sight(panels: Sequence[Sequence[Row]], ends: Sequence[tuple[float, float]]) -> list[str]:
    """How many marks lie beyond the end of their panel, and why."""
    found = []
    for column, what in ((COLUMNS["sound"], "ε"), (COLUMNS["published"], EPSILONS["published"].title)):
        beyond = sum(
            placed(row[column]) and row[column] > end
            for held, (_, end) in zip(panels, ends, strict=True)
            for row in held
        )
        if beyond:
            many = f"{beyond} setting{'s' * (beyond > 1)} with {what} over {LARGEST:,.0f}"
            found.append(f"{many}: out of sight, for so large an ε promises nothing")
    return found
