"""One worker: takes runs, trains them, and stores what they tell. `python -m privgraph.runs.worker ID [ID
...]`.

Several runs that can be trained together are. Whatever happens, every run of the worker ends as done, stopped
or failed with one sentence; a worker that is killed leaves its runs to be found as lost. While the store is
away, training goes on, and what is told waits (`backlog`); only a run that the store gave to somebody else,
or holds for lost, is given up.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from privgraph.data import catalogue
from privgraph.data.errors import DataError
from privgraph.home import home
from privgraph.options import OptionError
from privgraph.program import program
from privgraph.progress import Log, Progress, Result
from privgraph.registry import UnknownName, method
from privgraph.runs.ending import Ending
from privgraph.runs.final_statement import tried_again, with_public_noise
from privgraph.runs.launch import launch
from privgraph.runs.leases import LOG_NAME, RESERVE_NAME, new_worker
from privgraph.runs.machine import choose_device, share_cores
from privgraph.runs.memory import fits_at_once, machine_mb
from privgraph.runs.queueing import stack_name, stacks
from privgraph.runs.records import OtherKey, StoreError, StoreIsFull
from privgraph.runs.reporting import FLUSH_SECONDS, Job, say
from privgraph.runs.retrying import patiently
from privgraph.runs.store import RunStore
from privgraph.streams import OPEN_KEY, noise_key

if TYPE_CHECKING:
    from privgraph.data.graph import Graph
    from privgraph.methods.base import MethodConfig
    from privgraph.methods.training import Member

BEAT_SECONDS = 2.0
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2)
"""Signals that tell a worker to end; the last is that of Slurm before time is up, as submitit asks for it."""
RESERVE_BYTES = 2**20
"""Room that is kept free on the disk, so that a run can still be marked when the disk is full."""


class _Over(Exception):
    """All runs were stopped before they were trained."""


class Worker(Ending):
    """Trains runs that were claimed under one token."""

    def __init__(
        self,
        store: RunStore,
        token: str,
        jobs: Sequence[Job],
        *,
        gives_back: bool = False,
        memory_mb: float | None = None,
    ) -> None:
        """`gives_back`: told to end, it queues its runs again for others, and does not stop them.
        `memory_mb`: a run whose plan needs more is left to others as well."""
        super().__init__(store, token, jobs, gives_back)
        self._memory_mb = memory_mb
        self._ended = threading.Event()
        self._open = False
        """Whether the noise of this home is no secret."""
        self._again: set[str] = set()
        """Runs of which an earlier attempt was made."""
        self._desks: dict[str, Path] = {}
        """Where each run's files are written."""

    def work(self) -> bool:
        """Train all; True if every run is done or stopped, or given back."""
        for number in ENDING:
            signal.signal(number, self._told)
        pulse = threading.Thread(target=self._pulse, daemon=True)
        pulse.start()
        try:
            self._prepare()
            self._train()
        except _Over:
            pass
        except OtherKey as error:  # another counts since the runs were claimed: there is no noise yet
            say(error)
            for job in self._jobs:
                if not job.over:
                    self._leave(job)
        except Exception as error:  # the last line of defence: whatever it is, the run must say it
            self._fail(error, traceback.format_exc())
        finally:
            self._ended.set()
            pulse.join()
            self._clear_up()
        return not self._failed

    def _told(self, number: int, _frame: object) -> None:
        say(f"told to end by signal {number}")
        self._told_to_end = time.monotonic()

    def _pulse(self) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            try:
                self._store.leases.beat(self._token)
            except StoreError as error:
                # Not the end: the process is seen to live, and the next beat may get through.
                say(f"no heartbeat: {error}")

    # Before training

    def _prepare(self) -> None:
        """Say which program this is, clear what an earlier attempt left behind, and set some disk space
        aside."""
        self._patiently(lambda: self._store.leases.made_by(self._token, program()))
        last = self._patiently(lambda: self._store.leases.last_sequences(self._token))
        self._again = self._patiently(lambda: self._store.leases.tried_again(self._token))
        for job in self._jobs:
            job.backlog.after = last.get(job.id, 0)
            folder = self._store.folder(job.id)
            desk = self._reach(job, partial(self._store.begin, job.id, self._token))
            if desk is None:
                continue
            self._desks[job.id] = desk
            for path in folder.iterdir():
                if path.name != LOG_NAME and path.is_file():
                    path.unlink()
        try:
            (self._store.folder(self._jobs[0].id) / RESERVE_NAME).write_bytes(bytes(RESERVE_BYTES))
        except OSError as error:
            raise StoreIsFull(f"there is no room left on the disk for a run ({error})") from error
        if all(job.over for job in self._jobs):
            raise _Over

    def _members(self) -> tuple[list[Job], list[Member[MethodConfig]]]:
        """The jobs that were not stopped while data were loaded, and what the trainer is given for each."""
        from privgraph.methods.keys import run_keys
        from privgraph.methods.training import Context, Member

        spec = self._jobs[0].spec
        configs = [job.spec.config() for job in self._jobs]
        device = choose_device(spec.device)
        threads = self._patiently(lambda: share_cores(self._store))
        # of a trial, the number of threads would tell how many others there are, which its price keeps secret
        shared = "" if spec.trial else f", {threads} threads"
        self._tell_all(Log(message=f"worker {os.getpid()} on {device}{shared}"))
        self._tell_all(Progress(step=0, total=1, stage="loading data"))
        self._flush()
        graphs = list(self._graphs())
        members = []
        installation = noise_key(home())
        self._patiently(lambda: self._store.leases.agree(installation))
        self._open = installation == OPEN_KEY
        if self._open and catalogue.dataset(spec.dataset).kind == "upload":
            raise DataError("the noise key of this home is public: graphs of one's own need a home with a secret one")
        keys = run_keys(installation, [job.spec.text for job in self._jobs], graphs, device.type)
        for job, config, graph, key in zip(self._jobs, configs, graphs, keys, strict=True):
            plan = config.plan(graph.facts)
            job.memory_mb = plan.memory_mb
            job.planned = with_public_noise(plan.statement) if self._open else plan.statement
            job.planned = tried_again(job.planned) if job.id in self._again else job.planned
            job.device = str(device)
            job.since = time.monotonic()
            self._tell(job, Progress(step=0, total=max(1, plan.steps), stage="training"))
            context = Context(
                seed=job.spec.seed,
                noise_key=key.noise,
                shared_key=key.shared,
                open=key.open,
                device=device,
                ledger=job.ledger,
                folder=self._desks.get(job.id),
            )
            members.append(Member(config=config, plan=plan, graph=graph, context=context))
        self._look()
        for job in self._jobs:
            if self._memory_mb is not None and job.memory_mb > self._memory_mb and not job.over:
                self._leave(job, job.memory_mb)
        kept = [(job, member) for job, member in zip(self._jobs, members, strict=True) if not job.over]
        return [job for job, _ in kept], [member for _, member in kept]

    def _graphs(self) -> Iterator[Graph]:
        """Each run's graph: the first is loaded, the others share its tensors where their splits cut no
        edges."""
        from privgraph.data.load import load
        from privgraph.data.splits import with_split

        first = None
        for job in self._jobs:
            spec = job.spec
            if first is not None and spec.split != "inductive":
                yield with_split(first, spec.seed) if spec.split == "random" else first
                continue
            first = load(
                spec.dataset,
                split=spec.split,
                split_seed=spec.seed,
                data_options=spec.data_options,
                progress=self._loading,
            )
            yield first

    def _loading(self, progress: Progress) -> None:
        """Progress of a download: shown as the stage, since no training step is done yet."""
        share = f" {progress.step / progress.total:.0%}" if progress.total else ""
        stage = f"loading data: {progress.stage or 'fetching'}{share}"
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self._tell_all(Progress(step=0, total=1, stage=stage))
            self._look()
            if all(job.over for job in self._jobs):
                raise _Over

    # Training

    def _train(self) -> None:
        jobs, members = self._members()
        if not members:
            return
        size = fits_at_once([job.memory_mb for job in jobs], self._memory_mb)
        for start in range(0, len(jobs), size):
            self._train_together(jobs[start : start + size], members[start : start + size])

    def _train_together(self, jobs: list[Job], members: list[Member[MethodConfig]]) -> None:
        from privgraph.methods.keys import in_company

        texts = [job.spec.text for job in jobs]
        together = members
        if not self._open:  # a run with public noise is repeated alone
            contexts = [replace(one.context, noise_key=in_company(one.context.noise_key, texts)) for one in members]
            together = [replace(one, context=context) for one, context in zip(members, contexts, strict=True)]
        steps = method(jobs[0].spec.method).load_train()(together)
        try:
            for index, event in steps:
                job = jobs[index]
                if not job.over:
                    self._tell(job, event)
                    if isinstance(event, Result):
                        self._done(job, event)
                if self._due():
                    self._look()
                    if all(job.over for job in jobs):
                        return
        finally:
            steps.close()
        for job in jobs:
            if not job.over:
                raise RuntimeError("the method ended without a result")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the runs of those ids; exit code 0 where all are done or stopped, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m privgraph.runs.worker", description="Train queued runs.")
    parser.add_argument("ids", nargs="+", metavar="ID", help="ids of queued runs")
    parser.add_argument("--worker", help="the token under which a launcher has claimed the runs already")
    gives_back = "told to end, or with too little memory, queue its runs again"
    parser.add_argument("--gives-back", action="store_true", help=gives_back)
    parser.add_argument("--alone", action="store_true", help="leave the rest of the queue as it is at the end")
    parsed = parser.parse_args(arguments)
    try:
        store = patiently(RunStore.open, say=say)
        patiently(lambda: store.leases.agree(noise_key(home())), say=say)
    except (StoreError, ValueError) as error:
        say(error)
        return 1
    workers = list[Worker]()
    try:
        if parsed.worker:
            worker = _claimed(store, parsed.worker, gives_back=parsed.gives_back)
            if worker is None:
                return 1
            workers.append(worker)
            return 0 if worker.work() else 1
        fine = True
        for group in _groups(store, parsed.ids):
            token = new_worker()
            taken = store.leases.claim(group, token, pid=os.getpid(), key=noise_key(home()))
            for run in set(group) - set(taken):
                say(f"{run} is {store.get(run).state}, not queued")
                fine = False
            if taken:
                workers.append(Worker(store, token, jobs_of(store, taken)))
                fine &= workers[-1].work()
        return 0 if fine else 1
    except (StoreError, OptionError, UnknownName) as error:
        say(error)
        return 1
    finally:
        if not (parsed.alone or any(one.told_to_end for one in workers)):
            _next(store)


def _claimed(store: RunStore, token: str, *, gives_back: bool) -> Worker | None:
    """The worker of what a launcher has claimed; none where nothing of it is left."""
    held = patiently(lambda: store.leases.adopt(token, os.getpid()), say=say)
    if not held:
        say("this worker has no runs: they were taken away before it began, or it looks into another store")
        return None
    jobs = patiently(lambda: jobs_of(store, list(held)), say=say)
    return Worker(store, token, jobs, gives_back=gives_back, memory_mb=machine_mb() if gives_back else None)


def jobs_of(store: RunStore, ids: Sequence[str]) -> list[Job]:
    return [Job(run, store.get(run).spec) for run in ids]


def _groups(store: RunStore, ids: Sequence[str]) -> list[list[str]]:
    """The runs in groups that can be trained together."""
    unique = list(dict.fromkeys(ids))
    groups: dict[str, list[str]] = {}
    for run, stack in zip(unique, stacks(stack_name(store.get(run).spec, "together") for run in unique), strict=True):
        groups.setdefault(stack or run, []).append(run)
    return list(groups.values())


def _next(store: RunStore) -> None:
    """Let the next runs of the queue begin."""
    try:
        launch(store)
    except StoreError as error:
        say(error)


if __name__ == "__main__":
    sys.exit(main())
