"""Which delta a run uses, and why."""

from __future__ import annotations

EDGE_ENTRIES = {True: "entries of the adjacency matrix, two for each edge", False: "edges"}
"""What the rule counts where edges are protected, by whether they are undirected: entries, as the papers and
their code do."""


def delta_rule(units: int, asked: float = 0.0, *, what: str = "nodes") -> tuple[float, str]:
    """Delta and the sentence that explains it.

    `asked` above 0 is taken as it is; 0 chooses a power of ten below one over `units`: how many there are of
    `what`.

    >>> delta_rule(2000)
    (0.0001, 'a power of ten below 1 in 2,000 nodes')
    >>> delta_rule(9600, what=EDGE_ENTRIES[True])
    (0.0001, 'a power of ten below 1 in 9,600 entries of the adjacency matrix, two for each edge')
    """
    if units < 1:
        raise ValueError(f"delta_rule needs at least one of what it counts (got {units})")
    if not 0 <= asked < 1:
        raise ValueError(f"delta must lie in [0, 1) (got {asked})")
    if asked > 0:
        return asked, "as asked for"
    return float(f"1e-{len(str(units))}"), f"a power of ten below 1 in {units:,} {what}"
