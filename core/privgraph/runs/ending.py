"""How the runs of a worker end: done, stopped, failed, or left to another worker. No torch."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.progress import Log, Result
from privgraph.runs.backlog import BATCH
from privgraph.runs.final_statement import LedgerMismatch, final_statement, interrupted_statement
from privgraph.runs.leases import RESERVE_NAME, Outcome
from privgraph.runs.machine import peak_memory_mb
from privgraph.runs.records import RunIsFixed, StoreAway, StoreError, StoreIsFull
from privgraph.runs.reporting import Job, Telling, say
from privgraph.runs.store import RunStore


class Ending(Telling):
    """The part of a worker that ends its runs, each of them once."""

    def __init__(self, store: RunStore, token: str, jobs: Sequence[Job]) -> None:
        super().__init__(store, token, jobs)
        self._failed = False
        self.left = 0
        """How many of its runs it gave back."""

    def _done(self, job: Job, result: Result) -> None:
        assert job.planned is not None
        try:
            statement = final_statement(job.planned, job.ledger)
            self._store.keep(job.id, self._token)
        except (LedgerMismatch, StoreError) as error:
            self._finish(job, "failed", error=str(error), statement=self._interrupted(job))
        else:
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
                self._store.publish(job.id, self._token)

        def finish() -> None:
            self._store_backlog(job, leave=BATCH)
            self._store.leases.finish(
                job.id, self._token, outcome, job.backlog.rest(), after=job.backlog.after, publish=publish
            )

        job.over = True
        self._failed |= state == "failed"
        try:
            self._patiently(finish)
        except OSError as error:  # its files could not be moved: nothing was stored, and the run is still held
            failed = f"its files cannot be kept ({error.strerror})"
            self._finish(job, "failed", error=failed, statement=self._interrupted(job))
            return
        except StoreAway as error:
            say(f"the end of {job.id} could not be stored: {error}")
            return
        except RunIsFixed as refused:
            say(refused)
        else:
            self._store.leave(job.id)
        job.backlog.clear()

    def _free_reserve(self) -> None:
        (self._store.folder(self._jobs[0].id) / RESERVE_NAME).unlink(missing_ok=True)


def one_sentence(error: Exception) -> str:
    """What went wrong, for people: our own errors as they are, others with their kind."""
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return f"there was not enough memory: choose a smaller graph, batch or hidden size ({text or 'out of memory'})"
    if type(error).__module__.startswith("privgraph."):
        return text
    short = text if len(text) <= 300 else f"{text[:300]}..."
    return f"{type(error).__name__}: {short}" if short else type(error).__name__
