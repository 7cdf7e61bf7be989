"""Long curves with fewer points."""

from __future__ import annotations

from privgraph_workbench.figures.chart import Row, Rows

LIMIT = 1000


def thin(rows: Rows, limit: int = LIMIT) -> list[Row]:
    """At most `limit` of the rows, in order: the first, the last, and of each stretch the lowest and highest
    value.

    >>> points = [{"step": step, "value": float(step == 70)} for step in range(100)]
    >>> kept = thin(points, 10)
    >>> len(kept) <= 10, max(point["value"] for point in kept), kept[0]["step"], kept[-1]["step"]
    (True, 1.0, 0, 99)
    """
    if limit < 4:
        raise ValueError(f"limit must be at least 4 (got {limit})")
    if len(rows) <= limit:
        return list(rows)
    inner = range(1, len(rows) - 1)
    stretches = (limit - 2) // 2
    keep = {0, len(rows) - 1}
    for stretch in range(stretches):
        part = inner[len(inner) * stretch // stretches : len(inner) * (stretch + 1) // stretches]
        keep.add(min(part, key=lambda place: rows[place]["value"]))
        keep.add(max(part, key=lambda place: rows[place]["value"]))
    return [rows[place] for place in sorted(keep)]
