"""What warns of a figure of accuracy against epsilon: other test nodes, and marks out of sight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privgraph_workbench.figures.axes import COLUMNS, placed
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.words.numbers import kept, lower, number

KINDS: tuple[Epsilon, ...] = ("sound", "published")
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


def out_of_sight(
    panels: Sequence[Sequence[Row]], ends: Sequence[tuple[float, float]], kinds: Sequence[Epsilon] = KINDS
) -> list[str]:
    """How many marks at epsilons of these kinds lie beyond the end of their panel, and why."""
    found = []
    for kind in kinds:
        column, what = COLUMNS[kind], "ε" if kind == "sound" else EPSILONS[kind].title
        beyond = sum(
            placed(row[column]) and row[column] > end
            for held, (_, end) in zip(panels, ends, strict=True)
            for row in held
        )
        if beyond:
            many = f"{beyond} setting{'s' * (beyond > 1)} with {what} over {LARGEST:,.0f}"
            found.append(f"{many}: out of sight, for so large an ε promises nothing")
    return found


def refuted(rows: Iterable[Row]) -> list[str]:
    """Which published epsilons lie below what an attack has shown of the same runs, and what that takes for
    granted."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        shown, published = row.get("epsilon_audited"), row["epsilon_as_published"]
        if shown is not None and published is not None and shown > published:
            said = f"at least {lower(shown)} was shown, {number(published, 4)} published"
            granted = str(row.get("audit_premise") or "")
            whose = f"{row['title']} at {row['unit']} ε {kept(row['asked'], row['epsilon'])}"
            found.setdefault((f", {granted}" if granted else "", said), []).append(whose)
    return [
        f"an attack refutes the published ε{granted}: {said} ({', '.join(dict.fromkeys(whose))})"
        for (granted, said), whose in found.items()
    ]
