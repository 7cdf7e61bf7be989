"""What commands print: JSON that holds no token beyond the standard, and plain tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunQuery, RunRecord, plain
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Mark
from privgraph_workbench import summary

PRIVACY_KEYS = (
    "unit",
    "relation",
    "released",
    "epsilon",
    "epsilon_as_published",
    "epsilon_audited",
    "delta",
    "accountant",
    "assumptions",
    "data_dependent",
    "ledger",
)
"""What other tools rely on inside `privacy`; the rest of the statement follows them."""
SETTINGS = ("method", "variant", "unit", "asked", "mean", "low", "high", "seeds", "epsilon")
"""Columns of `summary.settings` that are printed."""
Lines = Sequence[tuple[str, object]]
"""Names with values, a line each."""


def json_line(value: Any) -> str:
    """One line of strict JSON: infinity is the text inf, what does not apply is null."""
    return json.dumps(plain(value), allow_nan=False, ensure_ascii=False)


def privacy(statement: PrivacyStatement | None) -> dict[str, Any]:
    """The statement as JSON values; without one, every key is there and null."""
    if statement is None:
        return dict.fromkeys(PRIVACY_KEYS)
    record = statement_to_json(statement)
    return {key: record[key] for key in PRIVACY_KEYS} | record


def result(record: RunRecord) -> dict[str, Any]:
    """A run as other tools rely on it; `tuning` stands there where one tried it."""
    return {
        "run": record.id,
        "method": record.spec.method,
        "dataset": record.spec.dataset,
        "seed": record.spec.seed,
        "state": record.state,
        "metrics": dict(record.metrics),
        "privacy": privacy(record.statement),
        "seconds": record.seconds,
        "peak_memory_mb": record.peak_memory_mb,
        "device": record.device,
        "version": record.version,
        **({} if record.tuning is None else {"tuning": trial(record.tuning)}),
    }


def trial(mark: Mark) -> dict[str, Any]:
    """Which tuning a run was tried in, what became of it, and what the tuning promises."""
    terms = None if mark.terms is None else plain(asdict(mark.terms))
    return {"id": mark.tuning, "trial": mark.trial.name.lower(), "terms": terms}


def print_runs(store: RunStore, ids: Sequence[str], as_json: bool) -> None:
    """Print a line for each run, and the settings of those that are done as a table."""
    records: list[RunRecord] = []
    for start in range(0, len(ids), 400):
        chosen = tuple(ids[start : start + 400])
        found = {record.id: record for record in store.find(RunQuery(ids=chosen))}
        records += [found[run] for run in chosen if run in found]
    for record in records:
        print(json_line(result(record)) if as_json else f"{record.id}  {record.state}  {_stage(record)}".rstrip())
    frame = summary.settings(summary.of_records(one for one in records if one.state == "done"))
    if len(frame) and not as_json:
        print(f"\n{frame_text(frame[list(SETTINGS)])}")


def _stage(record: RunRecord) -> str:
    if not record.pending:
        return record.error
    return f"{record.progress:.0%} {record.stage}" if record.live else record.stage


def frame_text(frame: pd.DataFrame) -> str:
    """A frame as aligned text."""
    return str(frame.to_string(index=False, float_format="{:.4g}".format, na_rep="-"))


def lines_text(lines: Iterable[tuple[str, object]]) -> str:
    """A line for each name with its value; a name without one is left out."""
    return "\n".join(f"{name}: {value}" for name, value in lines if value not in (None, ""))


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Rows as aligned text, with a heading; long last columns run on.

    >>> print(table([{"name": "gap", "units": "edge"}], ["name", "units"]))
    name  units
    gap   edge
    """
    cells = [list(columns), *([_cell(row.get(column)) for column in columns] for row in rows)]
    widths = [max(len(line[position]) for line in cells) for position in range(len(columns))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)
