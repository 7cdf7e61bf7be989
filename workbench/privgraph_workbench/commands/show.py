"""`privgraph show`: a stored run, for people and for other tools."""

from __future__ import annotations

import argparse

from privgraph.privacy.statements import statement_text
from privgraph.runs.graph_id import GraphId
from privgraph.runs.here import lacking
from privgraph.runs.records import RunRecord
from privgraph_workbench.commands.examine import attack_rows
from privgraph_workbench.commands.output import json_line, lines_text, result
from privgraph_workbench.commands.values import find_run, settle, store_of
from privgraph_workbench.words.statements import refuted


def show_command(parsed: argparse.Namespace) -> int:
    """Print a run."""
    store = store_of(parsed.run)
    settle(store)
    record = find_run(store, parsed.run)
    if not parsed.json:
        print(description(record))
        if record.state == "queued":
            _, needs = store.leases.needing_more(0.0, [record.id])
            waits = {"waits_for_memory": needs and f"{needs:,.0f} MB", "waits_for_a_worker_with": lacking(record.spec)}
            print(lines_text(waits))
        for row in attack_rows(store, record.id):
            print(f"\n{lines_text(row)}")
    if parsed.log:
        print("\nLog", *(one.payload["message"] for one in store.events(record.id, kinds=["log"])), sep="\n")
    if parsed.json:
        print(json_line(result(record)))
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


def description(record: RunRecord) -> str:
    """A run in plain lines, and its privacy statement."""
    statement = "" if record.statement is None else f"\n\n{statement_text(record.statement)}"
    return f"{lines_text(run_lines(record))}{statement}"
