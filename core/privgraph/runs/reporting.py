"""What the runs of a worker tell, on its way into the store: in time where it answers, put aside while it is
away. No torch."""

import contextlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from privgraph.privacy.ledger import Ledger
from privgraph.privacy.statement import PrivacyStatement
from privgraph.progress import Event
from privgraph.runs.backlog import BATCH, Backlog
from privgraph.runs.records import RunIsFixed, StoreAway
from privgraph.runs.retrying import PATIENCE, RETRY_SECONDS, Given, patiently
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore

FLUSH_SECONDS = 0.25
TOLD_TO_END_SECONDS = 10.0
"""How long a worker that is told to end waits for a store that is away."""


@dataclass
class Job:
    """A run of this worker, and what it has told that is not stored yet."""

    id: str
    spec: RunSpec
    backlog: Backlog = field(default_factory=Backlog)
    ledger: Ledger = field(default_factory=Ledger)
    planned: PrivacyStatement | None = None
    since: float = field(default_factory=time.monotonic)
    device: str = ""
    memory_mb: float = 0.0
    over: bool = False


class Telling:
    """The half of a worker that tells: it knows when to store, and waits for a store that is away."""

    def __init__(self, store: RunStore, token: str, jobs: Sequence[Job]) -> None:
        self._store = store
        self._token = token
        self._jobs = list(jobs)
        self._flushed = time.monotonic()
        self._told_to_end: float | None = None
        self._away_since: float | None = None

    def _due(self) -> bool:
        since = time.monotonic() - self._flushed
        if self._away_since is not None:
            return since > RETRY_SECONDS or self._told_to_end is not None
        return (
            since > FLUSH_SECONDS
            or self._told_to_end is not None
            or any(job.backlog.in_memory >= BATCH for job in self._jobs)
        )

    def _states(self) -> dict[str, str] | None:
        """What is asked of the runs; None while nobody can be asked."""
        if self._away_since is not None:
            return None
        try:
            return self._store.leases.states(self._token)
        except StoreAway as error:
            self._is_away(error)
            return None

    def _tell(self, job: Job, event: Event) -> None:
        job.backlog.add(event)

    def _tell_all(self, event: Event) -> None:
        for job in self._jobs:
            self._tell(job, event)

    def _flush(self) -> None:
        """Store what was told; while the store is away put it aside, and wait only where there is no room for
        that."""
        try:
            self._store_all()
        except StoreAway as error:
            self._is_away(error)
            if not all(job.backlog.put_aside() for job in self._jobs if not job.over):
                self._patiently(self._store_all)

    def _store_all(self) -> None:
        self._flushed = time.monotonic()
        for job in self._jobs:
            if not job.over:
                try:
                    self._store_backlog(job)
                except RunIsFixed as error:
                    say(error)
                    job.over = True
            if job.over:
                job.backlog.clear()
        self._away_since = None

    def _store_backlog(self, job: Job, leave: int = 0) -> None:
        job.backlog.store(lambda batch, after: self._store.append(job.id, batch, self._token, after=after), leave=leave)

    def _is_away(self, error: StoreAway) -> None:
        self._flushed = time.monotonic()
        if self._away_since is None:
            say(f"what is told waits: {error}")
            self._away_since = self._flushed

    def _patiently(self, act: Callable[[], Given]) -> Given:
        """What `act` gives, once the store is there; a worker that is told to end does not wait long."""

        def enough(_waited: float) -> bool:
            now, told = time.monotonic(), self._told_to_end
            return now - (self._away_since or now) > PATIENCE or (told is not None and now - told > TOLD_TO_END_SECONDS)

        return patiently(act, say=self._is_away, enough=enough)


def say(text: object) -> None:
    """A line in the worker's log. On a full disk the log is full too, and that must not be the end of the
    run."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)
