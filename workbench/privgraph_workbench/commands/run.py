"""`privgraph run`: submit a run, watch the worker that trains it, print what it came to."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from types import FrameType
from typing import Never

from tqdm import tqdm

from privgraph.runs.launch import wait
from privgraph.runs.leases import LOG_NAME
from privgraph.runs.processes import last_words
from privgraph.runs.records import RunQuery, RunRecord, StoreAway, StoreError
from privgraph.runs.retrying import patiently
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.output import json_line, result
from privgraph_workbench.commands.show import describe
from privgraph_workbench.commands.values import find_run, method_options, pairs, whole

STOPPED = 130
AT_FIRST_SECONDS = 60.0
"""How long a store may be away before its first answer."""


def run_command(parsed: argparse.Namespace) -> int:
    """Train in the foreground: the worker is a process of its own, and this one watches it."""
    spec = asked(parsed)
    try:
        store = RunStore.open()
        record = patiently(lambda: _submitted(store, spec, parsed.tag), enough=lambda waited: waited > AT_FIRST_SECONDS)
        run = record.id
        interrupted = False
        if record.pending:
            record, interrupted = _follow(store, run)
    except StoreError as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    if parsed.json:
        print(json_line(result(record)))
    else:
        print(describe(record))
    if record.state == "done":
        return 0
    if record.error:
        print(f"privgraph: {record.error}", file=sys.stderr)
    if record.state == "failed":
        print(f"privgraph: the run's log is in {store.folder(run) / LOG_NAME}", file=sys.stderr)
    elif record.state == "lost":
        print(last_words(store.folder(run) / LOG_NAME), file=sys.stderr)
    return STOPPED if interrupted else 1


def asked(parsed: argparse.Namespace) -> RunSpec:
    """The run that the command line asks for. Raises `OptionError` or `UsageError`."""
    return make_spec(
        parsed.method,
        parsed.data,
        method_options(parsed),
        data_options=pairs(parsed.data_set, "--data-set"),
        split=parsed.split,
        seed=whole("seed", parsed.seed),
        device=parsed.device,
    )


def _submitted(store: RunStore, spec: RunSpec, tags: Sequence[str]) -> RunRecord:
    """The run of that spec, queued unless it is done or under way. May be tried again where an answer was
    lost."""
    run = store.submit(spec, tags=tags)
    _greet(store, find_run(store, run))
    return store.get(run)


def _greet(store: RunStore, record: RunRecord) -> None:
    """Say on standard error what becomes of a run that exists already, and queue it again where it had no
    result."""
    if record.state == "done":
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.finished))
        print(f"{record.id} was done on {when}; this is its stored result", file=sys.stderr)
    elif record.state in ("stopped", "failed", "lost"):
        print(f"{record.id} was {record.state} before; this is attempt {record.attempt + 1}", file=sys.stderr)
        store.retry(record.id)
    elif record.live:
        print(f"{record.id} is running already; watching it", file=sys.stderr)


def _follow(store: RunStore, run: str) -> tuple[RunRecord, bool]:
    """Watch the run until it ends, and stop it where this process is interrupted; a second time, leave it
    alone."""
    signal.signal(signal.SIGTERM, interrupt)
    # A log of a batch system wants a line now and then, not ten a second.
    pause = 0.1 if sys.stderr.isatty() else 10.0
    layout = "{desc} |{bar}| {percentage:3.0f}% [{elapsed}{postfix}]"
    with tqdm(total=1.0, file=sys.stderr, mininterval=pause, bar_format=layout, leave=False) as bar:
        watch = _Watch(store, bar)
        try:
            return wait(store, [run], watch=watch.look, away=watch.away)[0], False
        except KeyboardInterrupt:
            bar.write(f"stopping {run}; interrupt again to leave it to its worker", file=sys.stderr)
        try:
            patiently(lambda: store.request_stop(run), say=watch.away)
            return wait(store, [run], watch=watch.look, away=watch.away)[0], True
        except KeyboardInterrupt:
            return store.get(run), True


def interrupt(_number: int, _frame: FrameType | None) -> None:
    """Take a request to end as Ctrl-C."""
    raise KeyboardInterrupt


class _Watch:
    """Draws the progress of a run."""

    def __init__(self, store: RunStore, bar: tqdm[Never]) -> None:
        self._store = store
        self._bar = bar
        self._is_away = False

    def away(self, error: StoreAway) -> None:
        """Say, once an outage, that the store is away: the run's worker goes on, and what it tells waits."""
        if not self._is_away:
            self._bar.write(f"privgraph: {error}; the run goes on, and is looked for again", file=sys.stderr)
        self._is_away = True

    def look(self, records: list[RunRecord]) -> None:
        """Draw the run as it stands."""
        self._is_away = False
        record = records[0]
        if record.state == "queued":
            ahead = self._store.count(RunQuery(states=("running", "stopping")))
            stage = f"{record.stage or 'waiting for room'}: {ahead} running"
        else:
            stage = record.stage or record.state
        left = f", {record.eta_seconds:.0f} s left" if record.eta_seconds is not None else ""
        self._bar.set_description_str(stage, refresh=False)
        self._bar.set_postfix_str(left.removeprefix(", "), refresh=False)
        self._bar.update(max(0.0, record.progress - self._bar.n))
        if sys.stderr.isatty():
            self._bar.refresh()
