"""`privgraph sweep`: a grid of options and seeds, trained here or by an engine, and what it came to."""

from __future__ import annotations

import argparse
import secrets
import shlex
import signal
import sys
from collections.abc import Sequence

from privgraph.options import build, parameters
from privgraph.runs.engine_options import EngineOptions
from privgraph.runs.engines import ENGINES, EngineSpec, decide_key, log_path, numbers, send, train
from privgraph.runs.queueing import LOCAL
from privgraph.runs.records import FINISHED
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep
from privgraph_workbench.commands.counting import Counting
from privgraph_workbench.commands.output import tell
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.run import STOPPED, interrupt
from privgraph_workbench.commands.values import method_options, pairs, whole

_AGAIN = ("stopped", "failed", "lost")


def sweep_command(parsed: argparse.Namespace) -> int:
    """Submit all in one step, have them trained, and print a line for each setting."""
    specs, engine, options, retries = asked(parsed)
    store = RunStore.open()
    engine.check(store, options)
    before = store.states([spec.id for spec in specs])
    ids = store.submit_all(
        specs, [*parsed.tag, "sweep"], f"batch-{secrets.token_hex(4)}", engine=engine.name, retries=retries
    )
    for run in (run for run, state in before.items() if state in _AGAIN):
        store.retry(run)
    done = sum(state == "done" for state in before.values())
    told = f"{'1 run' if len(ids) == 1 else f'{len(ids)} runs'}, {done or 'none'} done before; "
    if parsed.detach:
        print(told + _detached(store, engine, options), file=sys.stderr)
        tag = parsed.tag[-1] if parsed.tag else "sweep"
        print(f"see how far they are: privgraph watch --tag {shlex.quote(tag)}", file=sys.stderr)
        print("\n".join(ids))
        return 0
    print(f"{told}trained by {engine.about}", file=sys.stderr)
    states, interrupted = _train(store, engine.name, ids, options, done)
    tell(store, ids, parsed.json)
    if interrupted:
        return STOPPED
    return 0 if all(state == "done" for state in states.values()) else 1


def asked(parsed: argparse.Namespace) -> tuple[list[RunSpec], EngineSpec, EngineOptions, int]:
    """The runs that the command line asks for, and who trains them, how, and how often again. Raises
    `OptionError` or `UsageError`."""
    over, seeds = _over(parsed.over), numbers(parsed.seeds)
    specs = []
    for name in parsed.method.split(","):
        base = make_spec(
            name.strip(),
            parsed.data,
            method_options(parsed),
            data_options=pairs(parsed.data_set, "--data-set"),
            split=parsed.split,
            device=parsed.device,
        )
        specs += sweep(base, over, seeds)
    options = build(EngineOptions, {one.name: getattr(parsed, one.name) for one in parameters(EngineOptions)})
    unique = list({spec.id: spec for spec in specs}.values())
    return unique, ENGINES[parsed.on], options, whole("retries", parsed.retries)


def _detached(store: RunStore, engine: EngineSpec, options: EngineOptions) -> str:
    """Have the engine train them without this process, and say who does."""
    if engine.name == LOCAL:
        decide_key(store)
        return "they wait for workers (privgraph worker), or for a page of the workbench that looks at them"
    send(store, engine.name, options)
    return f"trained by {engine.about}, of which {log_path()} tells"


def _over(words: Sequence[str]) -> dict[str, list[object]]:
    """`name=value,value` words as the grid. Raises `UsageError`."""
    grid: dict[str, list[object]] = {}
    for name, text in pairs(words, "--over").items():
        values = [value.strip() for value in str(text).split(",")]
        if not all(values):
            raise UsageError(f"--over takes NAME=VALUE,VALUE (got {name}={text})")
        grid[name] = list(values)
    return grid


def _train(
    store: RunStore, engine: str, ids: Sequence[str], options: EngineOptions, done: int
) -> tuple[dict[str, str], bool]:
    """The states at the end, and whether this process was interrupted, which stops what is left; `done` of
    the runs were done before."""
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
