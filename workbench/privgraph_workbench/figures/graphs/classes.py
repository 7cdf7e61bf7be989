"""How many nodes each class has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph_workbench.figures.chart import Axis, Chart, Row, distinct, empty, named, single
from privgraph_workbench.figures.figure import figure, without
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks


def data(counts: Mapping[str, int] | Sequence[int], names: Sequence[str] = ()) -> list[Row]:
    """One row per class: class (its number), name, nodes, share. `counts` by name, or by number with
    `names`."""
    pairs = (
        list(counts.items())
        if isinstance(counts, Mapping)
        else [(names[place] if place < len(names) else f"class {place}", count) for place, count in enumerate(counts)]
    )
    total = sum(count for _, count in pairs)
    return [
        {"class": place, "name": name, "nodes": int(count), "share": count / total if total else 0.0}
        for place, (name, count) in enumerate(pairs)
    ]


@figure("classes", "Class sizes", data, flags=(Flag.RAW,), table=without("graph"))
def chart(rows: Sequence[Row]) -> Chart:
    """Horizontal bars of node counts by class."""
    if not rows:
        return empty("this graph has no classes")
    names, text = distinct(row["name"] for row in rows), tuple(f"{row['share']:.0%}" for row in rows)
    hover = ("name", "nodes", "share")
    bars = marks(rows, "nodes", names, name="nodes", kind="bars", legend=False, text=text, hover=hover)
    return single(Axis(title="nodes (count)", low=0), named(names), [bars], height=170 + 26 * len(rows))
