"""Start workers for queued runs, as many at once as the machine has room for. No torch.

Every worker is a process of its own (`python -m privgraph.runs.worker`) in a session of its own: it outlives
the page, the command line or the notebook that started it. Nothing else keeps the queue: whoever submits
calls `launch`, so does a page that looks at its runs, and so does each worker when it ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import IO

import psutil

from privgraph import home
from privgraph.options import OptionError
from privgraph.registry import UnknownName
from privgraph.runs.leases import LOG_NAME, Outcome, Waiting, new_worker
from privgraph.runs.processes import note_exit
from privgraph.runs.records import RunQuery, RunRecord, StoreAway, StoreError
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import ARTIFACTS, RunStore

STACK_LIMIT = 10
"""How many runs one worker trains together at most."""
MEMORY_PER_WORKER = 3 * 2**30
"""Bytes of memory that a worker is taken to need: PyTorch, a graph of a few million edges, its
activations."""
MOST_WORKERS = 8

_children: list[subprocess.Popen[bytes]] = []
"""Workers that this process started; asked after now and then, so that none stays behind as a zombie."""


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def capacity() -> int:
    """How many workers this machine runs at once: `PRIVGRAPH_WORKERS`, or what cores and memory allow.

    Raises `StoreError` where the variable is not a whole number from 1 on.
    """
    named = os.environ.get("PRIVGRAPH_WORKERS", "").strip()
    if named:
        if not named.isdecimal() or int(named) < 1:
            raise StoreError(f"PRIVGRAPH_WORKERS must be a whole number of at least 1 (got {named})")
        return int(named)
    return max(1, min(cores(), psutil.virtual_memory().total // MEMORY_PER_WORKER, MOST_WORKERS))


def launch(store: RunStore) -> list[str]:
    """Start workers for queued runs while there is room, and give the ids of the runs that were started.

    Safe to call at any time, from any number of processes: a run is started once.
    """
    bury(_children)
    store.sweep_lost()
    room, started = capacity(), list[str]()
    while (busy := store.leases.busy()) < room and (busy == 0 or _memory_left()):
        waiting = store.leases.waiting()
        if not waiting:
            break
        worker = new_worker()
        taken = store.leases.claim(stack(waiting), worker, room=room)
        if taken:
            _start(store, taken, worker)
            started.extend(taken)
    return started


def bury(children: list[subprocess.Popen[bytes]]) -> None:
    """Ask after the children, and keep how those that ended did."""
    for child in list(children):
        code = child.poll()
        if code is not None:
            note_exit(child.pid, code)
            children.remove(child)


def _memory_left() -> bool:
    return bool(psutil.virtual_memory().available >= MEMORY_PER_WORKER // 2)


def stack(waiting: Sequence[Waiting]) -> list[str]:
    """The first of the queue, and those of its batch that can be trained together with it.

    They are of one method, data set and device, and their configurations have equal stacking keys. An
    inductive split changes the topology with the seed, so such runs are trained one by one.
    """
    first, *others = waiting
    if not first.batch or first.spec.split == "inductive":
        return [first.id]
    key = _stack_key(first.spec)
    together = [
        other.id
        for other in others
        if other.batch == first.batch and _same_graph(other.spec, first.spec) and _stack_key(other.spec) == key
    ]
    return [first.id, *(together[: STACK_LIMIT - 1] if key is not None else [])]


def _same_graph(one: RunSpec, other: RunSpec) -> bool:
    names = ("method", "dataset", "data_options", "split", "device")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _stack_key(spec: RunSpec) -> tuple[object, ...] | None:
    """The configuration's stacking key; None for one that is trained alone, and for a spec that this version
    refuses, which its worker will say."""
    try:
        config = spec.config()
    except (OptionError, UnknownName):
        return None
    key: tuple[object, ...] | None = config.stack_key() if config.stacks else None
    return key


def _start(store: RunStore, ids: Sequence[str], worker: str) -> None:
    """Start the worker of runs that were claimed for it; a run whose worker cannot be started has failed."""
    try:
        with _log(store, ids) as log:
            child = subprocess.Popen(
                [sys.executable, "-P", "-m", "privgraph.runs.worker", "--worker", worker, *ids],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=environment(store),
                umask=home.umask(),
            )
    except OSError as error:
        for run in ids:
            store.leases.finish(run, worker, Outcome(state="failed", error=f"no worker could be started ({error})"))
        return
    _children.append(child)
    # From here on a worker that dies before its first word is missed at once, not after a silence.
    store.leases.adopt(worker, child.pid)


def _log(store: RunStore, ids: Sequence[str]) -> IO[bytes]:
    """One fresh log file that lies in the folder of each of the runs."""
    paths = [store.folder(run) / LOG_NAME for run in ids]
    for path in paths:
        path.unlink(missing_ok=True)
    log = os.fdopen(os.open(paths[0], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 & ~home.umask()), "wb")
    for path in paths[1:]:
        try:
            path.hardlink_to(paths[0])
        except OSError:  # a disk that knows no links, such as exFAT
            path.write_text(f"This worker trains several runs: its log is that of {ids[0]}.\n")
    return log


def environment(store: RunStore) -> dict[str, str]:
    """The worker's environment: this store (by the environment, for its URL may hold a password), and last
    words."""
    return {
        **home.environment(),
        "PRIVGRAPH_STORE": store.url,
        ARTIFACTS: str(store.folders),
        "PYTHONUNBUFFERED": "1",
        "PYTHONFAULTHANDLER": "1",
    }


def wait(
    store: RunStore,
    ids: Sequence[str],
    *,
    timeout: float | None = None,
    every: float = 0.25,
    watch: Callable[[list[RunRecord]], None] | None = None,
    away: Callable[[StoreAway], None] | None = None,
) -> list[RunRecord]:
    """Wait until none of the runs is pending, starting workers where there is room; give their records, in
    order of `ids`.

    `watch` is given the records at each look, `every` seconds. The runs go on while the store is away, and so
    does the wait: `away` is told at each look that failed. Raises `TimeoutError` after `timeout` seconds; the
    runs go on all the same.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        try:
            launch(store)
            found = {record.id: record for record in store.find(RunQuery(ids=tuple(ids)))}
            records = [found[run] if run in found else store.get(run) for run in ids]
            if watch is not None:
                watch(records)
            if not any(record.pending for record in records):
                return records
        except StoreAway as error:
            if away is not None:
                away(error)
        if deadline is not None and time.monotonic() > deadline:
            raise TimeoutError(f"the runs were not finished within {timeout:g} seconds")
        time.sleep(every)
