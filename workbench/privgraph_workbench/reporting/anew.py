"""A kept figure made anew from its runs as the store has them: a run that was trained since has the id of the
one that came with the program, and stands in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import compare, depth, tradeoff
from privgraph_workbench.words.naming import describe, statements_of

DATA: Mapping[str, Callable[..., list[Row]]] = {
    "tradeoff": tradeoff.data,
    "compare": compare.data,
    "depth": depth.data,
}
"""Figures whose rows are means over the runs of a setting."""
AS_DRAWN = ("variant", "label", "composed", "front")
"""What hangs on all that a page drew beside a row."""


def made(
    figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement], runs: Sequence[RunRecord]
) -> tuple[list[Row], dict[str, PrivacyStatement]]:
    """Rows, and the statements behind them, of the same `runs`. What is behind a run that is gone, or is no
    mean over runs, stays as it was kept."""
    held = {one.id: one for one in runs}
    ids = [str(row.get("runs") or "").split() for row in rows]
    drawn = [held[run] for run in dict.fromkeys(run for named in ids for run in named) if run in held]
    if figure not in DATA or not drawn:
        return list(rows), dict(statements)
    fresh = by_runs(figure, rows, drawn)
    found = [_again(row, fresh.get(frozenset(named))) for row, named in zip(rows, ids, strict=True)]
    if not statements:
        return found, {}
    names = {describe(one) for one in drawn}
    gone = len(drawn) < len({run for named in ids for run in named})
    left = {
        label: said
        for label, said in statements.items()
        if gone and not any(label == name or label.startswith(f"{name}, ") for name in names)
    }
    return found, left | statements_of(drawn)


def by_runs(figure: str, rows: Sequence[Row], runs: Sequence[RunRecord], **more: Any) -> dict[frozenset[str], Row]:
    """The rows that these runs give a figure of the measure of `rows`, by the ids of the runs behind each.
    `more`: what else the figure is made with."""
    metric = next((str(row["metric"]) for row in rows if row.get("metric")), "")
    if metric and figure != "compare":
        more["metric"] = metric
    return {frozenset(str(row["runs"]).split()): row for row in DATA[figure](runs, **more)}


def _again(row: Row, fresh: Row | None) -> Row:
    """The row with what its runs say now; what a page has emptied, such as times, stays empty."""
    if fresh is None:
        return row
    told = {name: value for name, value in fresh.items() if name not in AS_DRAWN}
    return {**row, **{name: value for name, value in told.items() if row.get(name) is not None}}
