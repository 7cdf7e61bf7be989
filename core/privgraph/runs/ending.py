"""How the runs of a worker end: done, stopped, failed, or left to another worker. No torch."""

import contextlib
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.progress import Log, Result
from privgraph.runs.backlog import BATCH, BacklogLost
from privgraph.runs.final_statement import LedgerMismatch, final_statement, interrupted_statement
from privgraph.runs.leases import RESERVE_NAME, Outcome
from privgraph.runs.machine import peak_memory_mb
from privgraph.runs.records import ArtifactsAway, RunIsFixed, StoreAway, StoreError, StoreIsFull
from privgraph.runs.reporting import Job, Telling, say
from privgraph.runs.retrying import RETRY_SECONDS, Given
from privgraph.runs.store import RunStore

FILES_WAIT = 3600.0
"""Seconds for which a run waits for artifacts that do not answer."""


class _NotPublished(Exception):
    """The files of a run that is done could not be moved."""


class Ending(Telling):
    """The part of a worker that ends its runs, each of them once."""

    def __init__(self, store: RunStore, token: str, jobs: Sequence[Job], gives_back: bool) -> None:
        """`gives_back`: told to end, it queues its runs again for others, and does not stop them."""
        super().__init__(store, token, jobs)
        self._gives_back = gives_back
        self._failed = False
        self.left = 0
        """How many of its runs it gave back."""

    @property
    def told_to_end(self) -> bool:
        return self._told_to_end is not None

    def _look(self) -> None:
        """Store what was told, and obey: this is where a run is stopped, or found to be somebody else's."""
        self._flush()
        states = self._states()
        for job in self._jobs:
            if job.over:
                continue
            if states is not None and job.id not in states:
                say(f"{job.id} was taken away from this worker")
                job.over = True
            elif states is not None and states[job.id] == "stopping":
                self._stopped(job)
            elif self.told_to_end:
                if self._gives_back:
                    self._leave(job)
                else:
                    self._stopped(job)

    def _reach(self, job: Job, act: Callable[[], Given]) -> Given | None:
        """What `act` gives, tried again while the artifacts do not answer; None where the run was ended
        meanwhile. Raises the `ArtifactsAway` of the last try."""
        began, told = time.monotonic(), False
        while not job.over:
            try:
                return self._patiently(act)
            except ArtifactsAway as error:
                if time.monotonic() - began > FILES_WAIT:
                    raise
                if not told:
                    self._tell(job, Log(message=f"The run waits: {error}.", level="warning"))
                told = True
            time.sleep(RETRY_SECONDS)
            self._look()
        return None

    def _done(self, job: Job, result: Result) -> None:
        assert job.planned is not None
        try:
            statement = final_statement(job.planned, job.ledger)
            self._reach(job, partial(self._store.keep, job.id, self._token))
        except RunIsFixed as refused:
            say(refused)
            job.over = True
        except (LedgerMismatch, StoreError) as error:
            self._finish(job, "failed", error=str(error), statement=self._interrupted(job))
        else:
            if not job.over:
                self._finish(job, "done", metrics=result.metrics, statement=statement)

    def _stopped(self, job: Job) -> None:
        error = "" if self._told_to_end is None else "the worker was told to end"
        self._finish(job, "stopped", error=error, statement=self._interrupted(job, stopped=True))

    def _leave(self, job: Job, memory_mb: float | None = None) -> None:
        """Leave the run to another worker: it is queued again, and nothing of it stays."""
        job.over = True
        self.left += 1
        job.backlog.clear()
        try:
            self._patiently(lambda: self._store.leases.give_back(job.id, self._token, memory_mb))
        except StoreAway as error:
            say(f"{job.id} could not be given back: {error}")
        except RunIsFixed as refused:
            say(refused)

    @staticmethod
    def _interrupted(job: Job, *, stopped: bool = False) -> PrivacyStatement | None:
        return None if job.planned is None else interrupted_statement(job.planned, job.ledger, stopped=stopped)

    def _fail(self, error: Exception, trace: str) -> None:
        """Mark every run that is not over as failed, with one sentence, and its trace in the log."""
        full = isinstance(error, StoreIsFull)
        self._free_reserve()
        say(trace)
        for job in self._jobs:
            if job.over:
                continue
            if full:
                job.backlog.clear()  # it did not fit before either
            else:
                self._tell(job, Log(message=trace, level="warning"))
            self._finish(job, "failed", error=one_sentence(error), statement=self._interrupted(job))

    def _finish(self, job: Job, state: str, *, error: str = "", metrics: Any = None, statement: Any = None) -> None:
        outcome = Outcome(
            state=state,
            error=error,
            metrics=metrics,
            statement=statement_to_json(statement) if statement is not None else None,
            seconds=time.monotonic() - job.since,
            peak_memory_mb=peak_memory_mb(),
            device=job.device,
        )

        def publish() -> None:
            if state == "done":
                try:
                    self._store.publish(job.id, self._token)
                except OSError as error:
                    raise _NotPublished(f"its files cannot be kept ({error.strerror})") from error

        def finish() -> None:
            self._store_backlog(job, leave=BATCH)
            self._store.leases.finish(
                job.id, self._token, outcome, job.backlog.rest(), after=job.backlog.after, publish=publish
            )

        job.over = True
        self._failed |= state == "failed"
        try:
            self._patiently(finish)
        except (_NotPublished, BacklogLost) as error:  # nothing was stored, and the run is still held
            # once: a run that has failed publishes nothing, and a backlog that was lost is empty
            self._finish(job, "failed", error=str(error), statement=self._interrupted(job))
            return
        except StoreAway as error:
            say(f"the end of {job.id} could not be stored: {error}")
        except RunIsFixed as refused:
            say(refused)
        job.backlog.clear()

    def _free_reserve(self) -> None:
        with contextlib.suppress(OSError):
            (self._store.folders / self._jobs[0].id / RESERVE_NAME).unlink(missing_ok=True)

    def _clear_up(self) -> None:
        """Nothing stays of what was not published. Not before all runs are over: a method that trains them
        together writes files of one that was stopped, too."""
        self._free_reserve()
        for job in self._jobs:
            job.backlog.clear()
            try:
                self._store.leave(job.id, self._token)
            except StoreError as error:
                say(f"files of {job.id} may be left: {error}")


def one_sentence(error: Exception) -> str:
    """What went wrong, for people: our own errors as they are, others with their kind."""
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return f"there was not enough memory: choose a smaller graph, batch or hidden size ({text or 'out of memory'})"
    if type(error).__module__.startswith("privgraph."):
        return text
    short = text if len(text) <= 300 else f"{text[:300]}..."
    return f"{type(error).__name__}: {short}" if short else type(error).__name__
