"""`privgraph sweep`: a grid of options and seeds, trained here or by an engine, and what it came to."""

from __future__ import annotations

import argparse
import secrets
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Never

from tqdm import tqdm

from privgraph.options import build, parameters
from privgraph.privacy.rounding import upper
from privgraph.runs.engine_options import EngineOptions
from privgraph.runs.engines import ENGINES, EngineSpec, log_path, numbers, send, train
from privgraph.runs.queueing import LOCAL
from privgraph.runs.records import FINISHED, RunQuery
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep
from privgraph_workbench.commands.output import json_line, result
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
    told = f"{len(ids)} runs, {done} of them done before; "
    if parsed.detach:
        print(told + _detached(store, engine, options), file=sys.stderr)
        print("\n".join(ids))
        return 0
    print(f"{told}trained by {engine.about}", file=sys.stderr)
    states, interrupted = _train(store, engine.name, ids, options)
    _tell(store, ids, parsed.json)
    if interrupted:
        return STOPPED
    return 0 if all(state == "done" for state in states.values()) else 1


def asked(parsed: argparse.Namespace) -> tuple[list[RunSpec], EngineSpec, EngineOptions, int]:
    """The runs that the command line asks for, and who trains them, how, and how often again. Raises
    `OptionError` or `UsageError`."""
    base = make_spec(
        parsed.method,
        parsed.data,
        method_options(parsed),
        data_options=pairs(parsed.data_set, "--data-set"),
        split=parsed.split,
        device=parsed.device,
    )
    options = build(EngineOptions, {one.name: getattr(parsed, one.name) for one in parameters(EngineOptions)})
    specs = sweep(base, _over(parsed.over), numbers(parsed.seeds))
    return specs, ENGINES[parsed.on], options, whole("retries", parsed.retries)


def _detached(store: RunStore, engine: EngineSpec, options: EngineOptions) -> str:
    """Have the engine train them without this process, and say who does."""
    if engine.name == LOCAL:
        return "they wait for workers that pull (privgraph worker)"
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


def _train(store: RunStore, engine: str, ids: Sequence[str], options: EngineOptions) -> tuple[dict[str, str], bool]:
    """The states at the end, and whether this process was interrupted, which stops what is left."""
    signal.signal(signal.SIGTERM, interrupt)
    pause = 0.1 if sys.stderr.isatty() else 10.0
    layout = "{desc} |{bar}| {n:.0f} of {total:.0f} [{elapsed}]"
    with tqdm(total=float(len(ids)), file=sys.stderr, mininterval=pause, bar_format=layout, leave=False) as bar:
        try:
            return train(engine, store, ids, options, watch=lambda states: _draw(bar, states)), False
        except KeyboardInterrupt:
            bar.write("stopping what is left of the sweep", file=sys.stderr)
    for run, state in store.states(ids).items():
        if state not in FINISHED:
            store.request_stop(run)
    return store.states(ids), True


def _draw(bar: tqdm[Never], states: dict[str, str]) -> None:
    counts = Counter(states.values())
    bar.set_description_str(", ".join(f"{counts[one]} {one}" for one in ("running", "failed") if counts[one]))
    bar.update(sum(counts[state] for state in FINISHED) - bar.n)
    if sys.stderr.isatty():
        bar.refresh()


def _tell(store: RunStore, ids: Sequence[str], json: bool) -> None:
    """A line for each run: its state, accuracy and epsilon, or why it has none."""
    for start in range(0, len(ids), 400):
        chosen = tuple(ids[start : start + 400])
        found = {record.id: record for record in store.find(RunQuery(ids=chosen))}
        for record in (found[run] for run in chosen):
            if json:
                print(json_line(result(record)))
                continue
            accuracy = record.metrics.get("test_accuracy")
            said = record.error if accuracy is None else f"accuracy {accuracy:.3f}"
            if record.state == "done" and record.statement is not None:
                said += f", epsilon {upper(record.statement.epsilon)}"
            print(f"{record.id}  {record.state}  {said}".rstrip())
