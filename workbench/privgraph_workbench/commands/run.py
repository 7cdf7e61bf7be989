"""`privgraph run`: submit a run, watch the worker that trains it, print what it came to."""

from __future__ import annotations

import argparse
import sys
from typing import Never

from tqdm import tqdm

from privgraph.runs.launch import wait
from privgraph.runs.leases import LOG_NAME
from privgraph.runs.processes import last_words
from privgraph.runs.records import RunRecord, StoreAway
from privgraph.runs.retrying import patiently
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.output import json_line, result
from privgraph_workbench.commands.show import print_run
from privgraph_workbench.commands.values import find_run, spec_of
from privgraph_workbench.commands.watching import STOPPED, draw, follow

AT_FIRST_SECONDS = 60.0
"""How long a store may be away before its first answer."""


def run_command(parsed: argparse.Namespace) -> int:
    """Train in the foreground: the worker is a process of its own, and this one watches it."""
    spec = spec_of(parsed, parsed.method, parsed.seed)
    store = RunStore.open()

    def submitted() -> RunRecord:  # may be tried again where an answer was lost
        record = find_run(store, store.submit(spec, tags=parsed.tag))
        if record.state != "queued":
            print(f"{record.id} is stored already, and {record.state}", file=sys.stderr)
        store.retry_undone([record.id])
        return store.get(record.id)

    record = patiently(submitted, enough=lambda waited: waited > AT_FIRST_SECONDS)
    interrupted = False
    if record.pending:
        record, interrupted = _follow(store, record.id)
    if parsed.json:
        print(json_line(result(record)))
    else:
        print_run(record)
    if record.state == "done":
        return 0
    log = store.folder(record.id) / LOG_NAME
    if record.error:
        print(f"privgraph: {record.error}", file=sys.stderr)
    if record.state == "failed":
        print(f"privgraph: the run's log is in {log}", file=sys.stderr)
    if record.state == "lost":
        print(last_words(log), file=sys.stderr)
    return STOPPED if interrupted else 1


def _follow(store: RunStore, run: str) -> tuple[RunRecord, bool]:
    """Watch the run until it ends, and whether this process was interrupted."""
    away = False

    def say_away(error: StoreAway) -> None:  # once an outage: the worker goes on, and what it tells waits
        nonlocal away
        if not away:
            print(f"privgraph: {error}; the run goes on, and is looked for again", file=sys.stderr)
        away = True

    def watch(bar: tqdm[Never]) -> RunRecord:
        def look(records: list[RunRecord]) -> None:
            nonlocal away
            away, (record,) = False, records
            left = record.eta_seconds
            bar.set_postfix_str("" if left is None else f"{left:.0f} s left", refresh=False)
            draw(bar, record.stage or record.state, record.progress)

        return wait(store, [run], watch=look, away=say_away)[0]

    return follow(run, watch, lambda: patiently(lambda: store.request_stop(run), say=say_away), lambda: store.get(run))
