"""`privgraph show`: a stored run, for people and for other tools."""

from __future__ import annotations

import argparse
import sys

from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statements import statement_text
from privgraph.registry import sides
from privgraph.runs.here import lacking
from privgraph.runs.records import RunRecord, StoreError
from privgraph_workbench.commands.output import json_line, result
from privgraph_workbench.commands.values import find_run, settle, store_of
from privgraph_workbench.leaks import Leak, outcomes
from privgraph_workbench.words.metrics import metric_title
from privgraph_workbench.words.naming import describe as what_was_run
from privgraph_workbench.words.naming import made_by
from privgraph_workbench.words.numbers import lower, metric
from privgraph_workbench.words.statements import refutations


def show_command(parsed: argparse.Namespace) -> int:
    """Print a run."""
    try:
        store = store_of(parsed.run)
        settle(store)
        record = find_run(store, parsed.run)
        attacks = outcomes(store, record.id) if store.attacks(record.id) else []
        _, needs = store.leases.needing_more(0.0, [record.id]) if record.state == "queued" else (0, 0.0)
        log = [event.payload["message"] for event in store.events(record.id, kinds=["log"])] if parsed.log else []
    except StoreError as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    if not parsed.json:
        waits = [f"Waits: for a worker that may use {needs:,.0f} MB of memory"] if needs else []
        if record.state == "queued" and (names := lacking(record.spec)):
            waits.append(f"Waits: for a worker that has {' and '.join(names)}, which this machine has not")
        print("\n".join([describe(record), *waits, *(told(*one) for one in attacks)]))
    if log:
        print("\n".join(["", "Log", *log]))
    if parsed.json:
        print(json_line(result(record)))
    return 0


def told(attack: AttackRecord, outcome: Leak) -> str:
    """What an outsider found, in a line; `privgraph attack` tells all of it."""
    value, low, high = attack.found
    bound = "" if attack.bound is None else f", epsilon at least {lower(attack.bound)}"
    return (
        f"Attack {attack.title}, {sides(attack.attack).asks}: area under the curve {value:.3f} "
        f"({low:.3f} to {high:.3f}), outcome {outcome}{bound}"
    )


def describe(record: RunRecord) -> str:
    """A run in plain lines: what it is, what it came to, and what its guarantee says."""
    lines = [
        f"Run {record.id}",
        f"{what_was_run(record)}, {record.spec.split} split, seed {record.spec.seed}: {record.state}",
    ]
    if record.tuning is not None:
        lines.append(f"Tuning: {record.tuning}{record.tuning.tuning and f' ({record.tuning.tuning})'}")
    if record.statement is not None:
        lines.append(f"Made by: {made_by(record)}")
    if record.error:
        lines.append(f"Error: {record.error}")
    if record.live:
        lines.append(f"Progress: {record.progress:.0%} {record.stage}")
    elif record.pending and record.stage:
        lines.append(f"Waits: {record.stage}")
    lines += [f"{metric_title(name)}: {metric(name, value)}" for name, value in record.metrics.items()]
    if record.seconds is not None:
        memory = f", at most {record.peak_memory_mb:.0f} MB of memory" if record.peak_memory_mb is not None else ""
        lines.append(f"Time: {record.seconds:.1f} s on {record.device or 'no device'}{memory}")
    if record.tags:
        lines.append(f"Tags: {', '.join(record.tags)}")
    if record.note:
        lines.append(f"Note: {record.note}")
    if record.statement is not None:
        lines += ["", statement_text(record.statement), *refutations(record.statement)]
    return "\n".join(lines)
