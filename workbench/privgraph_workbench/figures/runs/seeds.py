"""How many seeds each setting has."""

from __future__ import annotations

from collections.abc import Iterable

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import distinct, marks, named, single
from privgraph_workbench.figures.settings import setting_rows, target


def data(records: Iterable[RunRecord]) -> list[Row]:
    """The rows of `settings.setting_rows`."""
    return setting_rows(records)


@figure("seeds", "Seeds of each setting", data, needs="runs", settings=True)
def chart(rows: Rows) -> Chart:
    names = distinct(", ".join(filter(None, (row["title"], target(row), row["variant"]))) for row in rows)
    bars = marks(rows, "seeds", names, name="seeds", kind="bars")
    return single(Axis(title="seeds (count)", low=0), named(names), [bars], height=170 + 26 * len(rows))
