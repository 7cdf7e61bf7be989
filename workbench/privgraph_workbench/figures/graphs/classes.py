"""How many nodes each class has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph_workbench.figures.chart import Axis, Chart, Flag, Row, Rows
from privgraph_workbench.figures.figure import figure, without
from privgraph_workbench.figures.marks import distinct, marks, named, single


def data(counts: Mapping[str, int] | Sequence[int], names: Sequence[str] = ()) -> list[Row]:
    """One row per class: class (its number), name, nodes, share. `counts` by name, or by number with
    `names`."""
    pairs = (
        list(counts.items()) if isinstance(counts, Mapping) else list(zip(_names(counts, names), counts, strict=True))
    )
    total = sum(count for _, count in pairs) or 1
    return [
        {"class": place, "name": name, "nodes": int(count), "share": count / total}
        for place, (name, count) in enumerate(pairs)
    ]


def _names(counts: Sequence[int], names: Sequence[str]) -> list[str]:
    return [*names[: len(counts)], *(f"class {place}" for place in range(len(names), len(counts)))]


@figure("classes", "Class sizes", data, always=[Flag.RAW], table=without("graph"))
def chart(rows: Rows) -> Chart:
    names, text = distinct(row["name"] for row in rows), tuple(f"{row['share']:.0%}" for row in rows)
    hover = ("name", "nodes", "share")
    bars = marks(rows, "nodes", names, name="nodes", kind="bars", text=text, hover=hover)
    return single(Axis(title="nodes (count)", low=0), named(names), [bars], height=170 + 26 * len(rows))
