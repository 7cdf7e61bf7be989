"""`privgraph show` and `privgraph export`: what is known of a stored run, printed or as files."""

import argparse
from dataclasses import replace
from pathlib import Path

from privgraph.privacy.statements import statement_text
from privgraph.runs.graph_id import GraphId
from privgraph.runs.here import lacking
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.examine import told
from privgraph_workbench.commands.output import json_line, lines, result, say
from privgraph_workbench.commands.values import look_up
from privgraph_workbench.words import settings
from privgraph_workbench.words.statements import refuted

TIMED = ("seconds", "peak_memory_mb", "attempt", "created", "started", "finished")
"""What hangs on how many others ran beside it."""
OF_THE_EVALUATOR = ("exposed", "map_nodes", "map_edges")
"""What an attack tells of single nodes, and of the edges between them."""


def show_command(parsed: argparse.Namespace) -> int:
    """Print a run."""
    store, record = look_up(parsed.run)
    log = ["Log", *(one.payload["message"] for one in store.events(record.id, kinds=["log"]))] if parsed.log else []
    waits: dict[str, object] = {}
    if record.state == "queued":
        _, needs = store.leases.needing_more(0.0, [record.id])
        waits = {"waits_for_memory": needs and f"{needs:,.0f} MB", "waits_for_a_worker_with": lacking(record.spec)}
    if parsed.json:
        say(False, None, "\n".join(log))
        say(True, result(record))
    else:
        say(False, None, *told_of(record), waits, *told(store, record.id, "attack"), "\n".join(log))
    return 0


def run_lines(record: RunRecord) -> dict[str, object]:
    """What a run is, and what it came to, by name."""
    spec, known = record.spec, result(record)
    return {
        **{name: known[name] for name in ("run", "method")},
        "graph": GraphId.of(spec).words(),
        "unit": spec.unit,
        "target_epsilon": spec.asked_epsilon,
        "split": spec.split,
        "seed": spec.seed,
        "state": record.state,
        "tuning": record.tuning and f"{record.tuning} {record.tuning.tuning}".rstrip(),
        "error": record.error,
        "progress": f"{record.progress:.0%} {record.stage}" if record.live else None,
        "waits": record.stage if record.state == "queued" else None,
        **record.metrics,
        "refuted": record.statement and refuted(record.statement),
        **{name: known[name] for name in ("seconds", "device", "peak_memory_mb", "version")},
        "tags": record.tags,
        "note": record.note,
    }


def told_of(record: RunRecord) -> tuple[dict[str, object], str]:
    """A run by name, and its privacy statement."""
    return run_lines(record), statement_text(record.statement) if record.statement is not None else ""


def export_command(parsed: argparse.Namespace) -> int:
    """Write the files, and print the path of each."""
    store, record = look_up(parsed.run)
    folder = Path(parsed.out)
    folder.mkdir(parents=True, exist_ok=True)
    for kind in dict.fromkeys(parsed.format or ("json", "csv", "md")):
        for path, content in _files(store, record, kind).items():
            (folder / path).write_bytes(content)
            print(folder / path)
    return 0


def _files(store: RunStore, record: RunRecord, kind: str) -> dict[str, bytes]:
    """File name -> content."""
    if kind == "json":
        return {f"{record.id}.json": f"{json_line(_record(store, record))}\n".encode()}
    if kind == "md":
        return {f"{record.id}.md": _report(store, record).encode()}
    # Imported here: matplotlib and plotly take longer to import than most commands take to run.
    from privgraph_workbench.figures.costs import ledger
    from privgraph_workbench.figures.export import export
    from privgraph_workbench.figures.runs import curves

    statements = {record.id: record.statement} if record.statement is not None else {}
    limit = 10**9 if kind == "csv" else curves.LIMIT  # numbers are not thinned
    figures = {"curves": curves.data(store.events(record.id), run=record.id, limit=limit, record=record)}
    if record.statement is not None and record.statement.ledger:
        figures["ledger"] = ledger.data(record.statement.ledger, record.statement.delta)
    kinds = ("csv", "txt") if kind == "csv" else (kind,)  # a CSV is numbers alone: what it states stands beside it
    return {
        f"{record.id}-{name}.{one}": export(name, rows, statements, one)
        for name, rows in figures.items()
        for one in kinds
    }


def _record(store: RunStore, record: RunRecord) -> dict[str, object]:
    """Everything that is known of the run; its first keys are those of `privgraph run --json`.

    Of a run that was tried in a tuning, what tells how many trials there were is left out: their number is
    kept secret for the price of the tuning.
    """
    tried, attacks = record.tuning is not None, [attack.to_json() for attack in store.attacks(record.id)]
    of_events = ("sequence", "kind") if tried else ("sequence", "attempt", "time", "kind")
    known = result(record) | {
        "spec": record.spec.to_json(),
        "chosen": settings.chosen(record),
        **{name: getattr(record, name) for name in ("attempt", "created", "started", "finished", "error", "note")},
        "tags": list(record.tags),
        "statement": told_of(record)[1],
        "audits": [audit.to_json() for audit in store.audits(record.id)],
        "attacks": [_without(attack, OF_THE_EVALUATOR) for attack in attacks],
        "events": [
            {**{name: getattr(one, name) for name in of_events}, **one.payload}
            for one in store.events(record.id)
            if not (tried and one.kind == "log")
        ],
    }
    return _without(known, TIMED) if tried else known


def _without(told: dict[str, object], names: tuple[str, ...]) -> dict[str, object]:
    return {name: value for name, value in told.items() if name not in names}


def _report(store: RunStore, record: RunRecord) -> str:
    """The run as Markdown: its lines as a list below each heading."""
    tried = record.tuning is not None
    shown = run_lines(replace(record, seconds=None, peak_memory_mb=None) if tried else record)
    parts = {
        f"# Run {shown.pop('run')}": lines(shown),
        "## Options": lines(dict(sorted({**settings.shown(record), **record.spec.data_options}.items()))),
    }
    for noun in ("audit", "attack"):
        parts |= {f"## {noun.capitalize()} {row['number']}": lines(row) for row in told(store, record.id, noun)}
    if record.statement is not None:
        parts["## Privacy statement"] = iter(statement_text(record.statement).splitlines())
    return "\n\n".join("\n".join([title, *(f"- {line}" for line in told)]) for title, told in parts.items()) + "\n"
