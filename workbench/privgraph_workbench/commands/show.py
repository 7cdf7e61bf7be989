"""`privgraph show`: a stored run, for people and for other tools."""

from __future__ import annotations

import argparse

from privgraph.privacy.statements import statement_text
from privgraph.runs.here import lacking
from privgraph.runs.records import RunRecord
from privgraph_workbench.commands.output import Lines, json_line, lines_text, result
from privgraph_workbench.commands.values import find_run, settle, store_of
from privgraph_workbench.leaks import outcomes
from privgraph_workbench.words.metrics import metric_title
from privgraph_workbench.words.naming import describe as what_was_run
from privgraph_workbench.words.naming import made_by
from privgraph_workbench.words.numbers import lower, metric
from privgraph_workbench.words.statements import refutations


def show_command(parsed: argparse.Namespace) -> int:
    """Print a run."""
    store = store_of(parsed.run)
    settle(store)
    record = find_run(store, parsed.run)
    if not parsed.json:
        lines: list[tuple[str, object]] = []
        if record.state == "queued":
            _, needs = store.leases.needing_more(0.0, [record.id])
            lines.append(("Waits for memory", needs and f"{needs:,.0f} MB"))
            lines.append(("Waits for a worker with", ", ".join(lacking(record.spec))))
        for one, outcome in outcomes(store, record.id) if store.attacks(record.id) else ():
            value, low, high = one.found
            bound = "" if one.bound is None else f", epsilon at least {lower(one.bound)}"
            lines.append((f"Attack {one.title}", f"{value:.3f} ({low:.3f} to {high:.3f}), {outcome}{bound}"))
        print("\n".join(filter(None, [description(record), lines_text(lines)])))
    if parsed.log:
        print("\n".join(["", "Log", *(one.payload["message"] for one in store.events(record.id, kinds=["log"]))]))
    if parsed.json:
        print(json_line(result(record)))
    return 0


def run_lines(record: RunRecord) -> Lines:
    """What a run is, and what it came to."""
    memory = record.peak_memory_mb
    return [
        ("Run", record.id),
        ("Setting", what_was_run(record)),
        ("Split", record.spec.split),
        ("Seed", record.spec.seed),
        ("State", record.state),
        ("Tuning", None if record.tuning is None else f"{record.tuning} {record.tuning.tuning}".rstrip()),
        ("Made by", None if record.statement is None else made_by(record)),
        ("Error", record.error),
        ("Progress", f"{record.progress:.0%} {record.stage}" if record.live else None),
        ("Waits", record.stage if record.state == "queued" else None),
        *((metric_title(name), metric(name, value)) for name, value in record.metrics.items()),
        ("Seconds", None if record.seconds is None else f"{record.seconds:.1f}"),
        ("Device", record.device),
        ("Memory", None if memory is None else f"{memory:.0f} MB"),
        ("Tags", ", ".join(record.tags)),
        ("Note", record.note),
    ]


def description(record: RunRecord) -> str:
    """A run in plain lines, and its privacy statement."""
    said = record.statement
    statement = () if said is None else ("", statement_text(said), *refutations(said))
    return "\n".join([lines_text(run_lines(record)), *statement])
