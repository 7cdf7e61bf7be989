"""`privgraph sweep`: a grid of options and seeds, trained here or by an engine, and what it came to."""

from __future__ import annotations

import argparse
import secrets
import shlex
import sys

from privgraph.runs.engine_options import EngineOptions
from privgraph.runs.engines import ENGINES, decide_key, log_path, numbers, send, train
from privgraph.runs.queueing import LOCAL
from privgraph.runs.records import FINISHED
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep
from privgraph_workbench.commands.output import print_runs
from privgraph_workbench.commands.values import options_of, several, spec_of
from privgraph_workbench.commands.watching import STOPPED, counting


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
        for run, state in store.states(ids).items():
            if state not in FINISHED:
                store.request_stop(run)
    print_runs(store, ids, parsed.json)
    return code


def requested(parsed: argparse.Namespace) -> dict[str, RunSpec]:
    """The runs that the command line asks for, by id. Raises `OptionError` or `UsageError`."""
    over, seeds = several(parsed.over, "--over"), numbers(parsed.seeds)
    bases = [spec_of(parsed, name.strip()) for name in parsed.method.split(",")]
    return {spec.id: spec for base in bases for spec in sweep(base, over, seeds)}
