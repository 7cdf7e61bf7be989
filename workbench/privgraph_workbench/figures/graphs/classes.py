"""How many nodes each class has."""

from collections.abc import Mapping, Sequence

from privgraph_workbench.figures.chart import Axis, Chart, Flag, Row, Rows
from privgraph_workbench.figures.figure import figure, without
from privgraph_workbench.figures.marks import class_name, distinct, marks, named, single


def data(counts: Mapping[str, int] | Sequence[int], names: Sequence[str] = ()) -> list[Row]:
    """One row per class: class (its number), name, nodes, share. `counts` by name, or by number with
    `names`."""
    every = counts.items() if isinstance(counts, Mapping) else enumerate(counts)
    pairs = [(name if isinstance(name, str) else class_name(name, names), count) for name, count in every]
    total = sum(count for _, count in pairs) or 1
    return [
        {"class": place, "name": name, "nodes": int(count), "share": count / total}
        for place, (name, count) in enumerate(pairs)
    ]


@figure("classes", "Class sizes", data, always=[Flag.RAW], table=without("graph"))
def chart(rows: Rows) -> Chart:
    names, text = distinct(row["name"] for row in rows), tuple(f"{row['share']:.0%}" for row in rows)
    bars = marks(rows, "nodes", names, name="nodes", kind="bars", text=text, hover="name nodes share", legend=False)
    return single(Axis(title="nodes (count)", low=0), named(names), [bars])
