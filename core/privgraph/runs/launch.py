"""Start workers for queued runs, as many at once as the machine has room for. No torch.

Every worker is a process of its own (`python -m privgraph.runs.worker`) in a session of its own: it outlives
the page, the command line or the notebook that started it. Nothing else keeps the queue: whoever submits
calls `launch`, so does a page that looks at its runs, and so does each worker that it started when it ends.
Whoever waits for runs of their own (`wait`) has those started and no others, which a store may hold for other
people.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import IO

import psutil

from privgraph import home
from privgraph.runs.here import wants
from privgraph.runs.leases import LOG_NAME, Outcome, new_worker
from privgraph.runs.processes import note_exit
from privgraph.runs.queueing import LOCAL, Wants
from privgraph.runs.records import RunQuery, RunRecord, StoreAway, StoreError
from privgraph.runs.store import ARTIFACTS, RunStore
from privgraph.streams import noise_key

MEMORY_PER_WORKER = 3 * 2**30
"""Bytes of memory that a worker is taken to need: PyTorch, a graph of a few million edges, its
activations."""
MOST_WORKERS = 8
LOOKED_AT_ONCE = 400
"""Of how many runs one query asks."""

children: list[subprocess.Popen[bytes]] = []
"""Workers that this process started; asked after now and then, so that none stays behind as a zombie."""


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def capacity() -> int:
    """How many workers this machine runs at once: `PRIVGRAPH_WORKERS`, or what cores and memory allow.

    0 leaves all runs to workers that pull (`privgraph worker`), here or elsewhere. Raises `StoreError` where
    the variable is not a whole number.
    """
    named = os.environ.get("PRIVGRAPH_WORKERS", "").strip()
    if named:
        if not (named.isascii() and named.isdecimal()):
            raise StoreError(f"PRIVGRAPH_WORKERS must be a whole number of at least 0 (got {named})")
        return int(named)
    return max(1, min(cores(), psutil.virtual_memory().total // MEMORY_PER_WORKER, MOST_WORKERS))


def launch(store: RunStore, own: Sequence[str] = (), *, others: bool = True) -> list[str]:
    """Start workers for queued runs while there is room, and give the ids of the runs that were started.

    A run that this machine cannot train (`here.wants`) is left to others, unless it is one of `own`, those
    that the caller asked for: its worker fails, and says what is lacking. Safe to call at any time, from any
    number of processes: a run is started once.

    Args:
        store: The store that holds the queue.
        own: Ids of the runs that the caller asked for.
        others: Whether runs of the queue that are none of `own` are started as well, in the order of the
            queue, now and when the workers end.
    """
    bury(children)
    store.sweep_lost()
    room, started = capacity(), list[str]()
    while (busy := store.leases.busy()) < room and (busy == 0 or _memory_left()) and store.leases.waiting(1):
        key, worker = noise_key(home.home()), new_worker()
        store.leases.agree(key)
        for asked, gives_back in _claims(own, others):
            if taken := store.leases.claim_next(worker, asked, room=room, key=key):
                _start(store, taken, worker, gives_back=gives_back, others=others)
                started.extend(taken)
                break
        else:
            break
    return started


def _claims(own: Sequence[str], others: bool) -> Iterator[tuple[Wants, bool]]:
    """What is claimed, the first first, and whether its worker may give it back: what this machine can train,
    and at the end what the caller asked for, whatever it lacks."""
    chunks = [tuple(own[start : start + LOOKED_AT_ONCE]) for start in range(0, len(own), LOOKED_AT_ONCE)]
    able = wants()
    if others:
        yield able, True
    else:
        yield from ((replace(able, ids=ids, whole=True), True) for ids in chunks)
    yield from ((Wants(engines=(LOCAL,), ids=ids), False) for ids in chunks)


def bury(children: list[subprocess.Popen[bytes]]) -> None:
    """Ask after the children, and keep how those that ended did."""
    for child in list(children):
        code = child.poll()
        if code is not None:
            note_exit(child.pid, code)
            children.remove(child)


def _memory_left() -> bool:
    return bool(psutil.virtual_memory().available >= MEMORY_PER_WORKER // 2)


def _start(store: RunStore, ids: Sequence[str], worker: str, *, gives_back: bool, others: bool) -> None:
    """Start the worker of runs that were claimed for it; a run whose worker cannot be started has failed."""
    flags = ["--gives-back"] * gives_back + ["--alone"] * (not others)
    try:
        with open_log(store, ids) as log:
            child = subprocess.Popen(
                [sys.executable, "-P", "-m", "privgraph.runs.worker", "--worker", worker, *flags, *ids],
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
    children.append(child)
    # From here on a worker that dies before its first word is missed at once, not after a silence.
    store.leases.adopt(worker, child.pid)


def open_log(store: RunStore, ids: Sequence[str]) -> IO[bytes]:
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
    """Wait until none of the runs is pending, starting workers for them where there is room; give their
    records, in order of `ids`.

    `watch` is given the records at each look, `every` seconds. The runs go on while the store is away, and so
    does the wait: `away` is told at the first look that failed. Raises `TimeoutError` after `timeout`
    seconds; the runs go on all the same.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    records: dict[str, RunRecord] = {}
    left, told = list(dict.fromkeys(ids)), False
    while True:
        began = time.monotonic()
        try:
            launch(store, left, others=False)
            for start in range(0, len(left), LOOKED_AT_ONCE):
                chosen = tuple(left[start : start + LOOKED_AT_ONCE])
                found = {record.id: record for record in store.find(RunQuery(ids=chosen))}
                records |= {run: found[run] if run in found else store.get(run) for run in chosen}
            if watch is not None:
                watch([records[run] for run in ids])
            left = [run for run in left if records[run].pending]
            if not left:
                return [records[run] for run in ids]
            told = False
        except StoreAway as error:
            if away is not None and not told:
                away(error)
            told = True
        if deadline is not None and time.monotonic() > deadline:
            raise TimeoutError(f"the runs were not finished within {timeout:g} seconds")
        time.sleep(max(every, time.monotonic() - began))  # of thousands of runs a look takes long
