"""`privgraph run`, `sweep`, `watch` and `stop`: runs are submitted, watched while they train, and stopped."""

import argparse
import secrets
import shlex
import sys
import time
from contextlib import suppress
from typing import Never

from tqdm import tqdm

from privgraph.options import short
from privgraph.runs.engine_options import EngineOptions
from privgraph.runs.engines import ENGINES, decide_key, log_path, numbers, send, train
from privgraph.runs.launch import wait
from privgraph.runs.leases import LOG_NAME
from privgraph.runs.processes import last_words
from privgraph.runs.queueing import LOCAL
from privgraph.runs.records import FINISHED, RunQuery, RunRecord, StoreAway
from privgraph.runs.retrying import patiently
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep
from privgraph_workbench.commands.output import print_runs, result, say
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.show import told_of
from privgraph_workbench.commands.values import find_run, options_of, settle, spec_of
from privgraph_workbench.commands.watching import STOPPED, counting, draw, follow, sentence

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
    interrupted = record.pending and _follow(store, record.id)
    record = patiently(lambda: store.get(record.id), enough=lambda waited: waited > AT_FIRST_SECONDS)
    say(parsed.json, result(record), *told_of(record))
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


def _follow(store: RunStore, run: str) -> bool:
    """Watch the run until it ends, and whether this process was interrupted."""

    def away(error: StoreAway) -> None:  # the worker goes on, and what it tells waits
        print(f"privgraph: {error}; the run goes on, and is looked for again", file=sys.stderr)

    def watch(bar: "tqdm[Never]") -> object:
        def look(records: list[RunRecord]) -> None:
            (record,) = records
            left = record.eta_seconds
            bar.set_postfix_str("" if left is None else f"{left:.0f} s left", refresh=False)
            draw(bar, record.stage or record.state, record.progress)

        return wait(store, [run], watch=look, away=away)

    return follow(run, watch, lambda: patiently(lambda: store.request_stop(run), say=away))


def sweep_command(parsed: argparse.Namespace) -> int:
    """Submit all in one step, have them trained, and print a line for each run."""
    specs = requested(parsed)
    engine, options = ENGINES[parsed.on], options_of(parsed, EngineOptions)
    store = RunStore.open()
    engine.check(store, options)
    before, batch = store.states(list(specs)), f"batch-{secrets.token_hex(4)}"
    tags = [*parsed.tag, "sweep"]
    ids = store.submit_all(list(specs.values()), tags, batch, engine=engine.name, retries=parsed.retries)
    store.retry_undone(ids)
    done = sum(state == "done" for state in before.values())
    print(f"{len(ids):,} runs, {done:,} done before; trained by {engine.about}", file=sys.stderr)
    if parsed.detach:
        if engine.name == LOCAL:
            decide_key(store)  # they wait for workers that pull
        else:
            send(store, engine.name, options)
            print(f"log: {log_path()}", file=sys.stderr)
        print(f"privgraph watch --tag {shlex.quote(tags[-2] if parsed.tag else 'sweep')}", file=sys.stderr)
        print("\n".join(ids))
        return 0
    code = STOPPED
    try:
        with counting(len(ids), done) as look:
            states = train(engine.name, store, ids, options, watch=look)
        code = 0 if all(state == "done" for state in states.values()) else 1
    except KeyboardInterrupt:
        print("stopping what is left of the sweep", file=sys.stderr)
        for run in store.states(ids):
            store.request_stop(run)
    print_runs(store, ids, parsed.json)
    return code


def requested(parsed: argparse.Namespace) -> dict[str, RunSpec]:
    """The runs that the command line asks for, by id. Raises `OptionError` or `UsageError`."""
    over, seeds = dict(parsed.over), numbers(parsed.seeds)
    bases = [spec_of(parsed, name.strip()) for name in parsed.method.split(",")]
    return {spec.id: spec for base in bases for spec in sweep(base, over, seeds)}


def watch_command(parsed: argparse.Namespace) -> int:
    """Wait until the runs are over, or with --once say how they stand; starts no worker and stops none."""
    store, ids = _chosen(parsed)
    states = store.states(ids)
    if not parsed.once:
        try:
            with counting(len(ids), sum(state in FINISHED for state in states.values())) as look:
                while not all(state in FINISHED for state in states.values()):
                    time.sleep(0.5)
                    with suppress(StoreAway):  # the runs go on, and so does the wait
                        store.sweep_lost()
                        states = store.states(ids)  # one that is deleted meanwhile is waited for no longer
                        look(states)
        except KeyboardInterrupt:
            print("the runs go on; privgraph stop ends them", file=sys.stderr)
            return STOPPED
    print_runs(store, [run for run in ids if run in states], parsed.json)
    print(sentence(states), file=sys.stderr)
    return 0 if all(state == "done" or (parsed.once and state not in FINISHED) for state in states.values()) else 1


def stop_command(parsed: argparse.Namespace) -> int:
    """Ask the runs to stop: those that wait are stopped at once, the others at their next step."""
    store, ids = _chosen(parsed)
    for run in store.states(ids):
        print(f"{run}  {store.request_stop(run)}")
    return 0


def _chosen(parsed: argparse.Namespace) -> tuple[RunStore, list[str]]:
    """The ids of the runs that the command line names, one by one or by tags. Raises `UsageError`."""
    store = RunStore.open()
    settle(store)
    if not (parsed.runs or parsed.tag):
        raise UsageError(f"say which runs: ids, or --tag TAG, as privgraph {parsed.name} --tag sweep")
    found = [find_run(store, beginning).id for beginning in parsed.runs]
    for tag in parsed.tag:
        tagged = [row["id"] for row in store.find_rows(RunQuery(tags=(tag,), descending=False))]
        if not tagged:
            raise UsageError(f"no run has the tag {short(tag)}")
        found += tagged
    return store, list(dict.fromkeys(found))
