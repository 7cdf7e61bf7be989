"""`privgraph sweep`: a grid of options and seeds, trained here or by an engine, and what it came to."""

from __future__ import annotations

import argparse
import secrets
import shlex
import signal
import sys
from collections.abc import Sequence

from privgraph.runs.engine_options import EngineOptions
from privgraph.runs.engines import ENGINES, EngineSpec, decide_key, log_path, numbers, send, train
from privgraph.runs.queueing import LOCAL
from privgraph.runs.records import FINISHED
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep
from privgraph_workbench.commands.output import print_runs
from privgraph_workbench.commands.values import options_of, several, spec_of, whole
from privgraph_workbench.commands.watching import STOPPED, Counting, interrupt

_AGAIN = ("stopped", "failed", "lost")


def sweep_command(parsed: argparse.Namespace) -> int:
    """Submit all in one step, have them trained, and print a line for each run."""
    specs = requested(parsed)
    engine, options = ENGINES[parsed.on], options_of(parsed, EngineOptions)
    retries = whole("retries", parsed.retries)
    store = RunStore.open()
    engine.check(store, options)
    before = store.states(list(specs))
    ids = store.submit_all(
        list(specs.values()),
        [*parsed.tag, "sweep"],
        f"batch-{secrets.token_hex(4)}",
        engine=engine.name,
        retries=retries,
    )
    for run in (run for run, state in before.items() if state in _AGAIN):
        store.retry(run)
    done = sum(state == "done" for state in before.values())
    print(f"{len(ids):,} runs, {done:,} done before; trained by {engine.about}", file=sys.stderr)
    if parsed.detach:
        _detach(store, engine, options)
        print(f"privgraph watch --tag {shlex.quote(parsed.tag[-1] if parsed.tag else 'sweep')}", file=sys.stderr)
        print("\n".join(ids))
        return 0
    states, interrupted = _train(store, engine.name, ids, options, done)
    print_runs(store, ids, parsed.json)
    if interrupted:
        return STOPPED
    return 0 if all(state == "done" for state in states.values()) else 1


def requested(parsed: argparse.Namespace) -> dict[str, RunSpec]:
    """The runs that the command line asks for, by id. Raises `OptionError` or `UsageError`."""
    over, seeds = several(parsed.over, "--over"), numbers(parsed.seeds)
    bases = [spec_of(parsed, name.strip()) for name in parsed.method.split(",")]
    return {spec.id: spec for base in bases for spec in sweep(base, over, seeds)}


def _detach(store: RunStore, engine: EngineSpec, options: EngineOptions) -> None:
    """Have the engine train them without this process; those of `local` wait for workers that pull."""
    if engine.name == LOCAL:
        decide_key(store)
    else:
        send(store, engine.name, options)
        print(f"log: {log_path()}", file=sys.stderr)


def _train(
    store: RunStore, engine: str, ids: Sequence[str], options: EngineOptions, done: int
) -> tuple[dict[str, str], bool]:
    """The states at the end, and whether this process was interrupted, which stops what is left."""
    signal.signal(signal.SIGTERM, interrupt)
    with Counting(len(ids), done) as counting:
        try:
            return train(engine, store, ids, options, watch=counting.look), False
        except KeyboardInterrupt:
            counting.say("stopping what is left of the sweep")
    for run, state in store.states(ids).items():
        if state not in FINISHED:
            store.request_stop(run)
    return store.states(ids), True
