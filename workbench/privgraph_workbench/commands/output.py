"""What commands print: JSON that holds no token beyond the standard, lines, and plain tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from privgraph.privacy.rounding import lower, upper
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunQuery, RunRecord, plain
from privgraph.runs.store import RunStore
from privgraph_workbench import summary

PRIVACY_KEYS = (
    *("unit", "relation", "released", "epsilon", "epsilon_as_published", "epsilon_audited", "delta"),
    *("accountant", "assumptions", "data_dependent", "ledger"),
)
"""What other tools rely on inside `privacy`; the rest of the statement follows them."""
SETTINGS = ("method", "variant", "unit", "asked", "mean", "low", "high", "seeds", "epsilon")
"""Columns of `summary.settings` that are printed."""
ROUNDED = dict.fromkeys(("epsilon", "epsilon_paid_in_all", "sound_epsilon", "delta"), upper) | dict.fromkeys(
    ("bound", "epsilon_audited", "audited_epsilon"), lower
)
"""Numbers that are bounds: rounded so that they still hold."""


def json_line(value: Any) -> str:
    """One line of strict JSON: infinity is the text inf, what does not apply is null."""
    return json.dumps(plain(value), allow_nan=False, ensure_ascii=False)


def privacy(statement: PrivacyStatement | None) -> dict[str, Any]:
    """The statement as JSON values; without one, every key is there and null."""
    return dict.fromkeys(PRIVACY_KEYS) | ({} if statement is None else statement_to_json(statement))


def result(record: RunRecord) -> dict[str, Any]:
    """A run as other tools rely on it; `tuning` stands there where one tried it."""
    found = {
        "run": record.id,
        **{name: getattr(record.spec, name) for name in ("method", "dataset", "seed")},
        "state": record.state,
        "metrics": dict(record.metrics),
        "privacy": privacy(record.statement),
        **{name: getattr(record, name) for name in ("seconds", "peak_memory_mb", "device", "version")},
    }
    if mark := record.tuning:
        terms = mark.terms and plain(asdict(mark.terms))
        found["tuning"] = {"id": mark.tuning, "trial": mark.trial.name.lower(), "terms": terms}
    return found


def print_runs(store: RunStore, ids: Sequence[str], as_json: bool) -> None:
    """Print a line for each run, and the settings of those that are done as a table."""
    chunks = (tuple(ids[start : start + 400]) for start in range(0, len(ids), 400))
    found = {record.id: record for chunk in chunks for record in store.find(RunQuery(ids=chunk))}
    records = [found[run] for run in ids if run in found]
    for record in records:
        far = f"{record.progress:.0%} " if record.live else ""
        stage = f"{far}{record.stage}" if record.pending else record.error
        print(json_line(result(record)) if as_json else f"{record.id}  {record.state}  {stage}".rstrip())
    frame = summary.settings(summary.of_records(one for one in records if one.state == "done"))
    if len(frame) and not as_json:
        print(f"\n{table(frame.to_dict('records'), SETTINGS)}")


def lines(told: Mapping[str, object]) -> Iterator[str]:
    """A line for each name with its value; a name without one is left out."""
    for name, value in told.items():
        if isinstance(value, Mapping):
            yield from lines({f"{name} {one}": held for one, held in value.items()})
        elif (cell := _cell(name, value)) not in ("", "-"):
            yield f"{name.replace('_', ' ').capitalize()}: {cell}"


def say(as_json: bool, value: Any, *told: str | Mapping[str, object]) -> None:
    """Print a value as JSON, or what is told of it instead: texts and `lines`, an empty line between two."""
    parts = (one if isinstance(one, str) else "\n".join(lines(one)) for one in told)
    if text := json_line(value) if as_json else "\n\n".join(filter(None, parts)):
        print(text)


def table(rows: Sequence[Mapping[Any, Any]], columns: Sequence[str]) -> str:
    """Rows as aligned text, with a heading; long last columns run on.

    >>> print(table([{"name": "gap", "units": "edge"}], ["name", "units"]))
    name  units
    gap   edge
    """
    cells = [list(columns), *([_cell(column, row.get(column)) for column in columns] for row in rows)]
    widths = [max(len(line[position]) for line in cells) for position in range(len(columns))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )


def _cell(name: str, value: Any) -> str:
    if value is None or value != value:
        return "-"
    if isinstance(value, float):
        return ROUNDED[name](value) if name in ROUNDED else f"{value:.4g}"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
