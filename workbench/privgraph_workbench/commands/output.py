"""What commands print: JSON that holds no token beyond the standard, and plain tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from privgraph.privacy.rounding import upper
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunQuery, RunRecord, plain
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Mark
from privgraph_workbench.words.naming import run_labels, setting

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
        **({} if record.tuning is None else {"tuning": tried(record.tuning)}),
    }


def tell(store: RunStore, ids: Sequence[str], as_json: bool) -> None:
    """A line for each run: its state, what it is beside the others, its accuracy and epsilon, or why it has
    none yet; and the mean of each setting that has several seeds."""
    records: list[RunRecord] = []
    for start in range(0, len(ids), 400):
        chosen = tuple(ids[start : start + 400])
        found = {record.id: record for record in store.find(RunQuery(ids=chosen))}
        records += [found[run] for run in chosen if run in found]
    if as_json:
        for record in records:
            print(json_line(result(record)))
        return
    for record, label in zip(records, run_labels(records), strict=True):
        print(f"{record.id}  {record.state}  {label}: {_told(record)}".rstrip(" :"))
    settings: dict[str, list[RunRecord]] = {}
    for record in records:
        if record.state == "done" and record.tuning is None and _accuracy(record) is not None:
            settings.setdefault(setting(record), []).append(record)
    several = [held for held in settings.values() if len(held) > 1]
    names = run_labels([held[0] for held in several], seeds=False)
    for held, name in zip(several, names, strict=True):
        values = [value for one in held if (value := _accuracy(one)) is not None]
        print(
            f"Mean of {len(values)} seeds, {name}: accuracy {fmean(values):.3f} "
            f"({min(values):.3f} to {max(values):.3f})"
        )


def _accuracy(record: RunRecord) -> float | None:
    return record.metrics.get("test_accuracy")


def _told(record: RunRecord) -> str:
    if record.pending:
        return f"{record.progress:.0%} {record.stage}" if record.live else record.stage
    accuracy = _accuracy(record)
    said = record.error if accuracy is None else f"accuracy {accuracy:.3f}"
    if record.state == "done" and record.statement is not None:
        said += f", epsilon {upper(record.statement.epsilon)}"
    return said


def tried(mark: Mark) -> dict[str, Any]:
    """Which tuning a run was tried in, what became of it, and what the tuning promises."""
    terms = None if mark.terms is None else plain(asdict(mark.terms))
    return {"id": mark.tuning, "trial": mark.trial.name.lower(), "terms": terms}


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
