"""Long curves with fewer points."""

from __future__ import annotations

from privgraph_workbench.figures.chart import Row, Rows

LIMIT = 1000


def thin(rows: Rows, limit: int = LIMIT) -> list[Row]:
    """At most `limit` (4 or more) of the rows, in order: the first, the last, and of each stretch the lowest
    and highest value."""
    if len(rows) <= limit:
        return list(rows)
    inner, stretches = range(1, len(rows) - 1), (limit - 2) // 2
    keep = {0, len(rows) - 1}
    for stretch in range(stretches):
        part = inner[len(inner) * stretch // stretches : len(inner) * (stretch + 1) // stretches]
        keep |= {find(part, key=lambda place: rows[place]["value"]) for find in (min, max)}
    return [rows[place] for place in sorted(keep)]
