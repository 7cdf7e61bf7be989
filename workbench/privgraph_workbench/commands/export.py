"""`privgraph export`: a run's numbers, curves and statement as files, with no network and no browser."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from privgraph.attacks.record import AttackRecord
from privgraph.audits.record import AuditRecord
from privgraph.options import nearest, short
from privgraph.privacy.statements import statement_text
from privgraph.runs.records import RunRecord, StoredEvent
from privgraph_workbench.commands.examine import attack_lines, audit_lines
from privgraph_workbench.commands.output import Lines, json_line, result
from privgraph_workbench.commands.parser import FORMATS, UsageError
from privgraph_workbench.commands.show import run_lines
from privgraph_workbench.commands.values import find_run, store_of
from privgraph_workbench.words import settings
from privgraph_workbench.words.statements import refutations

_EVERYTHING = 10**9
"""More points than a curve has: files are not thinned."""


@dataclass(frozen=True)
class _Told:
    """What a run told, and what examinations of it came to."""

    events: list[StoredEvent]
    audits: list[AuditRecord]
    attacks: list[AttackRecord]


def export_command(parsed: argparse.Namespace) -> int:
    """Write the files, and print the path of each."""
    formats = list(dict.fromkeys(parsed.format or ("json", "csv", "md")))
    for name in formats:
        if name not in FORMATS:
            raise UsageError(f"format must be one of {', '.join(FORMATS)} (got {short(name)}){nearest(name, FORMATS)}")
    store = store_of(parsed.run)
    record = find_run(store, parsed.run)
    told = _Told(store.events(record.id), store.audits(record.id), store.attacks(record.id))
    folder = Path(parsed.out)
    folder.mkdir(parents=True, exist_ok=True)
    for name in formats:
        for path, content in _files(record, told, name).items():
            (folder / path).write_bytes(content)
            print(folder / path)
    return 0


def _files(record: RunRecord, told: _Told, kind: str) -> dict[str, bytes]:
    """File name -> content."""
    if kind == "json":
        return {f"{record.id}.json": f"{json_line(_record(record, told))}\n".encode()}
    if kind == "md":
        return {f"{record.id}.md": _report(record, told).encode()}
    # Imported here: matplotlib and plotly take longer to import than most commands take to run.
    from privgraph_workbench.figures import thinning
    from privgraph_workbench.figures.costs import ledger
    from privgraph_workbench.figures.export import export
    from privgraph_workbench.figures.runs import curves

    statements = {record.id: record.statement} if record.statement is not None else {}
    limit = _EVERYTHING if kind == "csv" else thinning.LIMIT
    figures = {"curves": curves.data(told.events, run=record.id, limit=limit, record=record)}
    if record.statement is not None and record.statement.ledger:
        figures["ledger"] = ledger.data(record.statement.ledger, record.statement.delta)
    kinds = ("csv", "txt") if kind == "csv" else (kind,)  # a CSV is numbers alone: what it states stands beside it
    return {
        f"{record.id}-{name}.{one}": export(name, rows, statements, one)
        for name, rows in figures.items()
        for one in kinds
    }


_TIMED = ("seconds", "peak_memory_mb", "attempt", "created", "started", "finished")
"""What hangs on how many others ran beside it."""


def _record(record: RunRecord, told: _Told) -> dict[str, object]:
    """Everything that is known of the run; its first keys are those of `privgraph run --json`.

    Of a run that was tried in a tuning, what tells how many trials there were is left out: their number is
    kept secret for the price of the tuning.
    """
    known = _everything(record, told)
    return known if record.tuning is None else {name: value for name, value in known.items() if name not in _TIMED}


def _everything(record: RunRecord, told: _Told) -> dict[str, object]:
    timed = record.tuning is None
    return result(record) | {
        "spec": record.spec.to_json(),
        "chosen": settings.chosen(record),
        "attempt": record.attempt,
        "created": record.created,
        "started": record.started,
        "finished": record.finished,
        "error": record.error,
        "tags": list(record.tags),
        "note": record.note,
        "statement": statement_text(record.statement) if record.statement is not None else "",
        "audits": [audit.to_json() for audit in told.audits],
        "attacks": [_outside(attack.to_json()) for attack in told.attacks],
        "events": [
            {
                "sequence": event.sequence,
                **({"attempt": event.attempt, "time": event.time} if timed else {}),
                "kind": event.kind,
                **event.payload,
            }
            for event in told.events
            if timed or event.kind != "log"
        ],
    }


def _outside(attack: dict[str, Any]) -> dict[str, Any]:
    """An attack without what only the evaluator may see: single nodes, and the edges between them."""
    return {name: value for name, value in attack.items() if name not in ("exposed", "map_nodes", "map_edges")}


def _report(record: RunRecord, told: _Told) -> str:
    """The run as Markdown: its lines as a list below each heading."""
    shown = record if record.tuning is None else replace(record, seconds=None, peak_memory_mb=None)
    said = record.statement
    parts: dict[str, Lines] = {
        f"# Run {record.id}": run_lines(shown)[1:],
        "## Options": sorted({**settings.shown(record), **record.spec.data_options}.items()),
    }
    parts |= {f"## Audit {number}": audit_lines(one) for number, one in enumerate(told.audits, start=1)}
    parts |= {f"## Attack {number}": attack_lines(one) for number, one in enumerate(told.attacks, start=1)}
    text = "\n\n".join(
        "\n".join([title, *(f"- {name}: {value}" for name, value in lines if value not in (None, ""))])
        for title, lines in parts.items()
    )
    if said is not None:
        statement = [*statement_text(said).splitlines(), *refutations(said)]
        text += "\n\n" + "\n".join(["## Privacy statement", *(f"- {line}" for line in statement)])
    return f"{text}\n"
