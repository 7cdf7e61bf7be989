"""A worker that pulls: takes runs from the store until it is told to end, or nothing was left for a while.

`python -m privgraph.runs.pulling [--forever] [--idle S] [--device D] [--memory M] [--fetch]`, which
`privgraph worker` starts. Any number of them, on one machine or many, share a store. Torch is imported once,
before anything is claimed. Told to end, it gives its runs back to the queue; killed, it leaves them to be
found.
"""

import argparse
import faulthandler
import gc
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from privgraph import home
from privgraph.options import OptionError, UnknownName, build, parameters
from privgraph.runs.here import at_hand
from privgraph.runs.launch import open_log
from privgraph.runs.leases import new_worker
from privgraph.runs.memory import machine_mb
from privgraph.runs.pull_options import PullOptions
from privgraph.runs.queueing import Wants
from privgraph.runs.records import StoreAway, StoreError
from privgraph.runs.reporting import say
from privgraph.runs.retrying import patiently
from privgraph.runs.store import RunStore
from privgraph.runs.worker import ENDING, Worker, jobs_of
from privgraph.streams import noise_key

FIRST_SECONDS = 60.0
"""How long the first answer of the store is waited for; later it may be away for longer (`patiently`)."""
LOOK_SECONDS = 0.5
"""Between two looks into an empty queue."""


def pull(store: RunStore, options: PullOptions, asks: tuple[str, ...], ends: threading.Event) -> bool:
    """Take runs and train them until `ends` is set, or the queue was empty for long enough; True if every run
    of it is done, stopped or given back. Runs that need more memory than the machine has are left to others,
    which is said once it has nothing else to do. Raises `OtherKey` at the first claim where its noise key
    does not count any more."""
    memory_mb = min(machine_mb(), math.inf if options.memory_mb is None else options.memory_mb)
    wants = Wants(devices=asks, memory_mb=memory_mb, at_hand=lambda name: at_hand(name, fetch=options.fetch))
    fine, since, count, told = True, time.monotonic(), 0, ""
    while not ends.is_set():
        token = new_worker()
        patiently(store.sweep_lost, say=say, enough=lambda _waited: ends.is_set())
        taken = patiently(
            lambda token=token: store.leases.claim_next(token, wants, pid=os.getpid(), key=_key()),  # type: ignore[misc]
            say=say,
            enough=lambda _waited: ends.is_set(),
        )
        if not taken:
            told = _tell_of_large_ones(store, memory_mb, told)
            if not options.forever and time.monotonic() - since >= options.idle:
                break
            ends.wait(LOOK_SECONDS)
            continue
        say(f"takes {', '.join(taken)}")
        with _into_log(store, taken):
            worker = Worker(store, token, jobs_of(store, taken), gives_back=True, memory_mb=memory_mb)
            fine &= worker.work()
            _hear(ends)
            if worker.told_to_end:
                ends.set()
        count += len(taken) - worker.left
        if worker.left:
            say(f"{worker.left} of them were given back")
        _free()
        if count <= len(taken):
            gc.freeze()  # modules and caches stay: the next collections need not walk them, 0.3 s for each stack
        since = time.monotonic()
    say(f"ends after {count} runs")
    return fine


def _key() -> bytes:
    """The noise key of this home, read anew: it may be another by now."""
    return noise_key(home.home())


def _tell_of_large_ones(store: RunStore, memory_mb: float, told: str) -> str:
    """Say which runs of the queue this worker leaves, unless that is what it `told` last."""
    try:
        count, most = store.leases.needing_more(memory_mb)
    except StoreAway:
        return told
    waits = "1 run waits" if count == 1 else f"{count} runs wait"
    said = f"{waits} for a worker with {most:,.0f} MB of memory: this one may use {memory_mb:,.0f} MB" if count else ""
    if said and said != told:
        say(said)
    return said


def _hear(ends: threading.Event) -> None:
    """Take signals as a word to end; between two runs nobody else does."""
    for number in ENDING:
        signal.signal(number, lambda _number, _frame: ends.set())


@contextmanager
def _into_log(store: RunStore, ids: Sequence[str]) -> Iterator[None]:
    """Whatever the process says goes into the log of the runs meanwhile, where its last words are looked
    for."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    with open_log(store, ids) as log:
        for own in (1, 2):
            os.dup2(log.fileno(), own)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for own, before in zip((1, 2), kept, strict=True):
            os.dup2(before, own)
            os.close(before)


def _free() -> None:
    """Give back what the runs left in memory, on a GPU too."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _devices(options: PullOptions) -> tuple[str, ...]:
    """The devices that runs may ask for here. Raises `DeviceError` where the named one is not there."""
    from privgraph.runs.machine import choose_device

    if options.asks:
        choose_device(options.asks[1])
        return options.asks
    return ("auto", "cpu") if choose_device("auto").type == "cpu" else ("auto", "cpu", "cuda")


def main(arguments: Sequence[str] | None = None) -> int:
    """Pull until told to end; exit code 0 where every run is done, stopped or given back, else 1."""
    parser = argparse.ArgumentParser(prog="python -m privgraph.runs.pulling", description="Pull queued runs.")
    for one in parameters(PullOptions):
        if one.type is bool:
            parser.add_argument(f"--{one.name}", action="store_true", help=one.option.help)
        else:
            parser.add_argument(f"--{one.name}", default=one.default, help=one.option.help)
    ends = threading.Event()
    _hear(ends)
    try:
        options = build(PullOptions, vars(parser.parse_args(arguments)))
        visible = options.visible(os.environ)
        if visible is not None:
            os.environ["CUDA_VISIBLE_DEVICES"] = visible
        os.umask(home.umask())
        faulthandler.enable()
        asks = _devices(options)
        store = patiently(
            RunStore.open,
            say=lambda error: say(f"{error}; it is asked again for {FIRST_SECONDS:.0f} seconds"),
            enough=lambda waited: ends.is_set() or waited > FIRST_SECONDS,
        )
        patiently(lambda: store.leases.agree(_key()), say=say, enough=lambda _waited: ends.is_set())
        return 0 if pull(store, options, asks, ends) else 1
    except (StoreError, OptionError, UnknownName, ValueError) as error:
        say(error)
        return 1


if __name__ == "__main__":
    sys.exit(main())
