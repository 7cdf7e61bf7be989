"""The degree distribution of a graph, in bins that double in width."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from privgraph_workbench.figures.chart import Axis, Chart, Flag, Row, Rows
from privgraph_workbench.figures.figure import figure, without
from privgraph_workbench.figures.marks import marks, named, single


def data(degrees: Mapping[int, int] | Mapping[str, int] | Sequence[int]) -> list[Row]:
    """One row per bin: low, high (inclusive degrees; of the last bin the largest that there is), nodes,
    share.

    `degrees` is the number of nodes of each degree, or the degree of each node. Bins are 0, 1, 2 to 3,
    4 to 7, and so on up to the largest degree.

    >>> [(row["low"], row["high"], row["nodes"]) for row in data([0, 1, 2, 3, 3, 9])]
    [(0, 0, 1), (1, 1, 1), (2, 3, 3), (4, 7, 0), (8, 9, 1)]
    """
    found: Counter[Any] = Counter(degrees)
    counts = {int(degree): count for degree, count in found.items()}
    if not counts:
        return []
    if min(counts) < 0:
        raise ValueError("a degree must not be negative")
    bins = [(0, 0)] + [(2**power, 2 ** (power + 1) - 1) for power in range(max(counts).bit_length())]
    bins[-1] = (bins[-1][0], max(counts))
    nodes = [sum(count for degree, count in counts.items() if low <= degree <= high) for low, high in bins]
    return [
        {"low": low, "high": high, "nodes": count, "share": count / sum(nodes)}
        for (low, high), count in zip(bins, nodes, strict=True)
    ]


@figure("degrees", "Degree distribution", data, always=[Flag.RAW], table=without("graph"))
def chart(rows: Rows) -> Chart:
    names = [str(row["low"]) if row["low"] == row["high"] else f"{row['low']}–{row['high']}" for row in rows]
    bars = marks(rows, names, "nodes", name="nodes", kind="bars", legend=False)
    x = named(names, "degree (neighbours per node; bins double)")
    return single(x, Axis(title="nodes (count)", low=0), [bars])
