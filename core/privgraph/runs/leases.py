"""Who works on which run: claims, heartbeats, results, and workers that died. No torch.

A live run belongs to one worker, named by a token. Only that worker can add to the run, and once the run
was finished, or given up as lost, not even that one.
"""

import functools
import os
import secrets
import socket
import time as clock
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from privgraph.progress import Event, Log
from privgraph.runs.database import Database
from privgraph.runs.processes import alive, how_it_ended, last_words
from privgraph.runs.queueing import Wants, at_hand, first_stack, next_attempt, stopped_in_queue, withdraw
from privgraph.runs.records import LIVE, OtherKey, RunIsFixed, StoreError, is_time
from privgraph.runs.rows import append, outcome_row
from privgraph.runs.tables import keys, origins, runs
from privgraph.streams import fingerprint

LOST_AFTER = 15.0
"""Seconds without a heartbeat after which a run is lost, where its process cannot be looked at."""
HUNG_AFTER = 120.0
"""The same for a process that is there: it may be short of disk or time, and then cannot write."""
WATCHED_FOR = 5.0
"""Seconds that a silence is watched before it counts: after a machine has slept, every heartbeat looks
old."""
LOG_NAME = "worker.log"
RESERVE_NAME = ".reserve"
_ROOM_LOCK = 727003


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a run came to; `statement` is its stored form."""

    state: str
    error: str = ""
    metrics: Mapping[str, float] | None = None
    statement: Mapping[str, Any] | None = None
    seconds: float | None = None
    peak_memory_mb: float | None = None
    device: str = ""


def new_worker() -> str:
    """A token that no other worker has."""
    return secrets.token_hex(8)


@functools.cache
def this_host() -> str:
    """A name for everything that sees the same process numbers: this boot of this machine or container."""
    parts = [socket.gethostname()]
    boot, namespace = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
    if boot.exists():
        parts.append(boot.read_text().strip()[:8])
    if namespace.is_symlink():
        parts.append(os.readlink(namespace))
    return "/".join(parts)


class Leases:
    """The part of the run store that launchers and workers use."""

    def __init__(self, database: Database, folders: Path) -> None:
        self._database = database
        self._folders = folders
        self._watched: dict[tuple[str, str], tuple[float, float]] = {}
        self._looked = clock.monotonic()

    def waiting(self, most: int) -> int:
        """How many runs are queued; no more than `most` are counted."""
        first = sa.select(runs.c.number).where(runs.c.state == "queued").limit(most).subquery()
        with self._database.read() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(first)).scalar_one())

    def needing_more(self, memory_mb: float, of: Sequence[str] = ()) -> tuple[int, float]:
        """How many queued runs, or runs of these ids, are known to need more memory than that, and the most
        that one of them needs."""
        chosen = sa.select(sa.func.count(), sa.func.max(runs.c.memory_mb))
        chosen = chosen.where(runs.c.state == "queued", runs.c.memory_mb > memory_mb)
        with self._database.read() as connection:
            count, most = connection.execute(chosen.where(runs.c.id.in_(of)) if of else chosen).one()
        return int(count), float(most or 0.0)

    def busy(self) -> int:
        """How many workers have runs on this machine."""
        with self._database.read() as connection:
            return self._busy(connection)

    @staticmethod
    def _busy(connection: sa.Connection) -> int:
        counted = sa.select(sa.func.count(runs.c.worker.distinct()))
        chosen = counted.where(runs.c.state.in_(LIVE), runs.c.host == this_host())
        return int(connection.execute(chosen).scalar_one())

    def claim(self, ids: Sequence[str], worker: str, *, pid: int | None = None, key: bytes | None = None) -> list[str]:
        """Take those of the runs that are still queued, all in one step; `key` is that of `claim_next`."""
        with self._database.write() as connection:
            chosen = sa.select(runs.c.id).where(runs.c.id.in_(ids), runs.c.state == "queued").with_for_update()
            free = set(connection.scalars(chosen))
            return self._lease(connection, [run for run in ids if run in free], worker, pid, key)

    def claim_next(
        self,
        worker: str,
        wants: Wants | None = None,
        *,
        pid: int | None = None,
        room: int | None = None,
        key: bytes | None = None,
    ) -> list[str]:
        """Take the first runs of the queue that the worker can train, and that are trained together.

        None is taken where `room` workers have runs on this machine already. Which data are at hand is asked
        before, once for each name in the queue: a worker that has none of them locks nothing. `key` is the
        noise key that they will be trained with. Raises `OtherKey` where it does not count, and takes none.
        """
        wants, there = wants or Wants(), None
        if wants.at_hand is not None:
            with self._database.read() as connection:
                there = at_hand(connection, wants.at_hand)
            if not (there.data and there.needs):
                return []
        with self._database.write() as connection:
            if room is not None:
                self._database.lock(connection, _ROOM_LOCK, this_host())
                if self._busy(connection) >= room:
                    return []
            return self._lease(connection, first_stack(connection, wants, there), worker, pid, key)

    def _lease(
        self, connection: sa.Connection, taken: list[str], worker: str, pid: int | None, key: bytes | None
    ) -> list[str]:
        if taken and key is not None:
            _agree(connection.scalar(sa.select(keys.c.fingerprint)), fingerprint(key))
        if taken:
            time = self._database.now(connection)
            lease: dict[str, Any] = {"state": "running", "worker": worker, "host": this_host(), "pid": pid}
            lease |= {"started": time, "heartbeat": time, "stage": "starting"}
            connection.execute(runs.update().where(runs.c.id.in_(taken)).values(**lease))
        return taken

    def agree(self, key: bytes) -> None:
        """Take part in the store with that noise key; the first one counts for all. Raises `OtherKey` for
        another.

        The store holds a fingerprint of it, which tells nothing of the key.
        """
        own = fingerprint(key)
        with self._database.read() as connection:
            theirs = connection.scalar(sa.select(keys.c.fingerprint))
        if theirs is None:
            with self._database.submitting() as connection:
                theirs = connection.scalar(sa.select(keys.c.fingerprint))
                if theirs is None:
                    connection.execute(keys.insert().values(fingerprint=own))
                    theirs = own
        _agree(theirs, own)

    def fingerprint(self) -> str:
        """The fingerprint of the noise key of the store's workers; "" before the first."""
        with self._database.read() as connection:
            return connection.scalar(sa.select(keys.c.fingerprint)) or ""

    def renew(self, key: bytes) -> None:
        """Let that noise key count from now on: the runs of the one before are not repeated by it."""
        with self._database.submitting() as connection:
            connection.execute(keys.delete())
            connection.execute(keys.insert().values(fingerprint=fingerprint(key)))

    def adopt(self, worker: str, pid: int) -> dict[str, str]:
        """Say which process the worker is; answers like `beat`."""
        with self._database.write() as connection:
            connection.execute(runs.update().where(*_leased(worker)).values(pid=pid, host=this_host()))
        return self.beat(worker)

    def beat(self, worker: str) -> dict[str, str]:
        """A heartbeat; answers with the states of the runs that the worker still has."""
        with self._database.write() as connection:
            time = self._database.now(connection)
            connection.execute(runs.update().where(*_leased(worker)).values(heartbeat=time))
            return self._states(connection, worker)

    def states(self, worker: str) -> dict[str, str]:
        """The states of the runs that the worker still has, without a heartbeat."""
        with self._database.read() as connection:
            return self._states(connection, worker)

    @staticmethod
    def _states(connection: sa.Connection, worker: str) -> dict[str, str]:
        return {
            row.id: row.state for row in connection.execute(sa.select(runs.c.id, runs.c.state).where(*_leased(worker)))
        }

    def last_sequences(self, worker: str) -> dict[str, int]:
        """The last sequence number of each of the runs that the worker still has."""
        with self._database.read() as connection:
            found = connection.execute(sa.select(runs.c.id, runs.c.last_sequence).where(*_leased(worker)))
            return {row.id: row.last_sequence for row in found}

    def tried_again(self, worker: str) -> set[str]:
        """Those of the runs that the worker has of which an earlier attempt may have told something: somebody
        had it tried again, or ended its worker, perhaps by that."""
        with self._database.read() as connection:
            return set(connection.scalars(sa.select(runs.c.id).where(*_leased(worker), runs.c.again > 0)))

    def append(self, run: str, new: Sequence[Event], worker: str | None = None, after: int | None = None) -> int:
        """Append events to a live run, all or none, and give the last sequence number.

        With `worker`, only if that worker still has the run. Raises `RunIsFixed` otherwise. With `after`, the
        last sequence number that the worker knows of: what the store has beyond it are the first of `new`,
        from a try whose answer was lost.
        """
        with self._database.write() as connection:
            row = self._live(connection, run, worker)
            return append(connection, row, _beyond(row, new, after), self._database.now(connection))

    def made_by(self, worker: str, version: str) -> None:
        """Say which program makes the noise of the runs that the worker has; said once, before there is
        any."""
        with self._database.write() as connection:
            said = sa.exists().where(origins.c.run == runs.c.number, origins.c.attempt == runs.c.attempt)
            chosen = sa.select(runs.c.number, runs.c.attempt).where(*_leased(worker), ~said)
            held = connection.execute(chosen).all()
            if held:
                rows = [{"run": row.number, "attempt": row.attempt, "version": version} for row in held]
                connection.execute(origins.insert(), rows)

    def device(self, run: str, worker: str, device: str) -> None:
        """Say which device the run uses."""
        with self._database.write() as connection:
            number = self._live(connection, run, worker).number
            connection.execute(runs.update().where(runs.c.number == number).values(device=device))

    def finish(
        self,
        run: str,
        worker: str,
        outcome: Outcome,
        last: Sequence[Event] = (),
        after: int | None = None,
        publish: Callable[[], None] | None = None,
    ) -> None:
        """Append the last events and fix what the run came to, in one step. Raises `RunIsFixed` where it is
        too late.

        `after` is that of `append`. `publish` is called while nobody else can take the run.
        """
        with self._database.write() as connection:
            row = self._live(connection, run, worker)
            time = self._database.now(connection)
            append(connection, row, _beyond(row, last, after), time)
            if publish is not None:
                publish()
            connection.execute(runs.update().where(runs.c.number == row.number).values(**outcome_row(outcome, time)))

    def give_back(self, run: str, worker: str, memory_mb: float | None = None) -> None:
        """Queue a live run again, as if it had never begun: what it has told is forgotten. One that was
        asked to stop is stopped, as it would be in the queue.

        `memory_mb` is what its plan needs, where the worker has too little. Raises `RunIsFixed` where it is
        too late.
        """
        with self._database.write() as connection:
            row = self._live(connection, run, worker)
            withdraw(connection, row)
            change = next_attempt(row) | (
                {} if memory_mb is None else {"memory_mb": memory_mb, "again": row.again}  # it told nothing yet
            )
            if row.state == "stopping":
                change |= stopped_in_queue(self._database.now(connection))
            connection.execute(runs.update().where(runs.c.number == row.number).values(**change))

    def _live(self, connection: sa.Connection, run: str, worker: str | None) -> Any:
        row = self._database.row(connection, run)
        if row.state not in LIVE:
            raise RunIsFixed(f"{run} is {row.state}, and nothing can be added to it")
        if worker is not None and row.worker != worker:
            raise RunIsFixed(f"{run} belongs to another worker by now")
        return row

    def sweep_lost(self) -> list[str]:
        """Mark the live runs whose worker died or fell silent as lost, with its last words, and give their
        ids; one that has retries left is queued again, and one that has used them up has failed."""
        chosen = sa.select(runs.c.id, runs.c.worker, runs.c.pid, runs.c.host, runs.c.heartbeat, runs.c.started)
        with self._watching(), self._database.read() as connection:
            time = self._database.now(connection)
            suspects = connection.execute(chosen.where(runs.c.state.in_(LIVE))).all()
        lost = []
        for suspect in suspects:
            reason = self._why_lost(suspect, time)
            if reason and self._mark_lost(suspect, reason):
                lost.append(suspect.id)
        return lost

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """A look at all heartbeats. One that fails, or comes late, begins the watch anew.

        While the store was away no worker could write either, and the first who is back must not take the
        others for dead.
        """
        seen = clock.monotonic()
        if seen - self._looked > LOST_AFTER:
            self._watched.clear()
        self._looked = seen
        try:
            yield
        except StoreError:
            self._watched.clear()
            raise

    def _why_lost(self, suspect: Any, time: float) -> str:
        """Why a live run's worker must be taken for dead, or "" where it need not be."""
        silence = time - (
            suspect.heartbeat if is_time(suspect.heartbeat) else 0.0
        )  # damaged: nobody is to be waited for
        here = suspect.host == this_host() and suspect.pid is not None
        if here and not alive(suspect.pid):
            how = how_it_ended(suspect.pid)
            return f"the worker {how}" if how else "the worker's process ended"
        if silence <= (HUNG_AFTER if here else LOST_AFTER) or self._silent_here(suspect) < WATCHED_FOR:
            return ""
        return f"the worker {'hung' if here else 'was not heard of'} for {silence:.0f} seconds"

    def _silent_here(self, suspect: Any) -> float:
        """For how long this process itself has seen the same heartbeat, by a clock that nobody sets."""
        key, seen = (suspect.id, suspect.worker), clock.monotonic()
        heartbeat, since = self._watched.get(key, (None, seen))
        if heartbeat != suspect.heartbeat:
            since = seen
        self._watched[key] = (suspect.heartbeat, since)
        return seen - since

    def _mark_lost(self, suspect: Any, reason: str) -> bool:
        """Mark the run as lost, unless it was heard of in the meantime."""
        words = last_words(self._folders / suspect.id / LOG_NAME)
        with self._database.write() as connection:
            row = self._database.row(connection, suspect.id)
            if row.state not in LIVE or (row.worker, row.heartbeat) != (suspect.worker, suspect.heartbeat):
                return False
            time = self._database.now(connection)
            said = [Log(message=f"The worker's last words:\n{words}", level="warning")] if words else []
            again = bool(row.retries) and row.state != "stopping"
            if again:
                withdraw(connection, row)
                said.insert(0, Log(message=f"Tried again, because {reason}.", level="warning"))
            append(connection, row, said, time)
            final = words.splitlines()[-1] if words else ""
            error = f"{reason}; its last words were: {final}" if final else f"{reason} without a last word"
            if "signal" in reason:
                error = reason  # what was said before has nothing to do with it
            change: dict[str, Any] = {"finished": row.heartbeat if is_time(row.heartbeat) else time}
            if row.losses and not row.retries:
                change |= {"state": "failed", "error": f"{row.losses + 1} attempts were lost, and of the last {error}"}
            else:
                change |= {"state": "lost", "error": error}
            if again:
                retry = f"retry {row.losses + 1} of {row.losses + row.retries}"
                change = next_attempt(row) | {"retries": row.retries - 1, "losses": row.losses + 1}
                change |= {"stage": f"{retry}: {reason}"}
            connection.execute(runs.update().where(runs.c.number == row.number).values(**change))
        with suppress(OSError):
            (self._folders / suspect.id / RESERVE_NAME).unlink(missing_ok=True)
        return True


def _agree(theirs: str | None, own: str) -> None:
    if theirs != own:
        raise OtherKey(
            f"the noise.key of this home ({own[:8]}) is not that of the store's other workers "
            f"({(theirs or 'none')[:8]}): copy theirs here, or let this one count from now on (privgraph key --renew)"
        )


def _leased(worker: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (runs.c.worker == worker, runs.c.state.in_(LIVE))


def _beyond(row: Any, new: Sequence[Event], after: int | None) -> Sequence[Event]:
    """Those of the events that the store does not have yet."""
    return new if after is None else new[row.last_sequence - after :]
