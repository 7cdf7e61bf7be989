"""What pages ask of the engine: submit and watch runs, facts of data sets, plans, command lines. No Streamlit, no torch.

Whatever needs tensors happens in a process of its own, so that no run and no data set can take the browser
process down.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

from privgraph.data.spec import PublicFacts
from privgraph.home import home
from privgraph.methods.plan import Plan
from privgraph.options import Scalar, build, parameters
from privgraph.registry import METHODS, method
from privgraph.runs.launch import launch
from privgraph.runs.records import StoreError, StoreIsFull, StoreIsReadOnly
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph_workbench import words

LAUNCH_EVERY = 1.0
_last_launch: dict[str, float] = {}
_launching = threading.Lock()


def store() -> RunStore:
    """The run store that the environment names; one for each, for the life of the process."""
    return _store(os.environ.get("PRIVGRAPH_STORE", ""), str(home()))


@lru_cache(maxsize=8)
def _store(url: str, folder: str) -> RunStore:
    return RunStore.open(url or None)


def submit(specs: Iterable[RunSpec], tags: Sequence[str] = ()) -> list[str]:
    """Store the specs as runs of one batch, start workers where there is room, and give the ids in order."""
    chosen = list(specs)
    batch = f"batch-{secrets.token_hex(4)}" if len(chosen) > 1 else ""
    ids = [store().submit(spec, tags=tags, batch=batch) for spec in chosen]
    launch(store())
    return ids


def tick() -> None:
    """Look after the queue, as every page that shows runs does: at most once a second in a process."""
    current = store()
    with _launching:
        if time.monotonic() - _last_launch.get(current.url, -LAUNCH_EVERY) < LAUNCH_EVERY:
            return
        _last_launch[current.url] = time.monotonic()
    with suppress(StoreIsFull, StoreIsReadOnly):  # such a store is shown all the same; whoever submits a run is told
        launch(current)


def retry(run: str) -> None:
    """Queue a stopped, failed or lost run again, and start it where there is room. Raises `StoreError`."""
    store().retry(run)
    launch(store())


def delete(runs: Iterable[str]) -> list[str]:
    """Delete the runs, and give a sentence for each that could not be deleted."""
    refused = []
    for run in runs:
        try:
            store().delete(run)
        except StoreError as error:
            refused.append(f"{str(error)[:1].upper()}{str(error)[1:]}.")
    return refused


def plan(method_name: str, options: Mapping[str, Scalar], facts: PublicFacts) -> Plan:
    """What a run would do to privacy. Raises `OptionError` where the options do not go together."""
    return _plan(method_name, json.dumps(dict(sorted(options.items()))), facts)


@lru_cache(maxsize=512)
def _plan(method_name: str, options: str, facts: PublicFacts) -> Plan:
    found: Plan = build(method(method_name).load_config(), json.loads(options)).plan(facts)
    return found


def command_line(spec: RunSpec) -> str:
    """The command that makes the same run, with what differs from the defaults."""
    line = ["privgraph", "run", spec.method, "--data", spec.dataset]
    known = parameters(METHODS[spec.method].load_config()) if spec.method in METHODS else ()
    defaults = {parameter.name: parameter.default for parameter in known}
    shared = ("unit", "epsilon", "delta", "accounting")
    # said even at their defaults; a budget that nothing reads would promise what the noise does not keep
    always = {"unit"} if spec.asked_epsilon is None else {"unit", "epsilon"}
    for name in shared:
        if name in spec.options and (name in always or defaults.get(name) != spec.options[name]):
            line += [f"--{name}", words.option(spec.options[name])]
    rest = []
    for name, value in spec.options.items():
        if name not in shared and defaults.get(name) != value:
            rest += ["--set", f"{name}={words.option(value)}"]
    line += ["--seed", str(spec.seed)]
    if spec.split != "random":
        line += ["--split", spec.split]
    if spec.device != "auto":
        line += ["--device", spec.device]
    for name, value in spec.data_options.items():
        line += ["--data-set", f"{name}={words.option(value)}"]
    return shlex.join(line + rest)
