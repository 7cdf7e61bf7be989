"""The run store: a spec is written once, events are only appended, a finished run never changes. No torch.

>>> import tempfile
>>> from privgraph.progress import Progress
>>> from privgraph.runs.spec import RunSpec
>>> store = RunStore.open(f"sqlite:///{tempfile.mkdtemp()}/runs.sqlite")
>>> run = store.submit(RunSpec(method="mlp", dataset="karate"))
>>> run == store.submit(RunSpec(method="mlp", dataset="karate"))
True
>>> store.get(run).state
'queued'
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from privgraph.home import home
from privgraph.progress import Event, Log
from privgraph.runs import listing, queueing
from privgraph.runs.artifacts import QUERY, Artifacts, clear, opened, parted
from privgraph.runs.database import Database, forget, url_of
from privgraph.runs.evidence import Evidence, number_of
from privgraph.runs.leases import Leases
from privgraph.runs.queueing import LOCAL
from privgraph.runs.records import (
    EXAMPLE,
    LIVE,
    UNDONE,
    RunIsFixed,
    RunQuery,
    RunRecord,
    StoredEvent,
    StoreError,
    UnknownRun,
)
from privgraph.runs.rows import append
from privgraph.runs.spec import RunSpec
from privgraph.runs.tables import runs, tags
from privgraph.runs.trials import Trial

_ID = re.compile(rf"({EXAMPLE})?[A-Za-z0-9][A-Za-z0-9._-]{{0,199}}")
_TAG_LENGTH, _NOTE_LENGTH = 60, 4000
ALL_RUNS = RunQuery()
ARTIFACTS = "PRIVGRAPH_ARTIFACTS"
"""The variable that tells a worker where the artifacts of its store lie; for processes of ours, and not for
people."""


class RunStore(Evidence):
    """All runs of a person (SQLite) or a team (PostgreSQL). Safe to use from several threads and processes.

    Every method raises `StoreError`, whose message is one sentence, where the database refuses:
    `UnknownRun`, `RunIsFixed` and `StoreIsFull` are such errors.
    """

    def __init__(self, database: Database, artifacts: Artifacts, named: str = "") -> None:
        """`named`: the place of the artifacts as the store's URL names it."""
        super().__init__(database)
        self._artifacts = artifacts
        self._named = named
        self.leases = Leases(database, artifacts.folder)

    def __repr__(self) -> str:
        return f"RunStore({self.folders})"  # never the URL, which may hold a password

    @staticmethod
    def open(url: str | None = None, folders: Path | None = None) -> RunStore:
        """The store of that database URL; None: `PRIVGRAPH_STORE`, or else one SQLite file under `home()`.

        Artifacts lie in `folders`, and below `home()` where it is None, unless the URL names their place
        (`artifacts`): a team that shares a database shares that too, or sees numbers without files. A store
        whose artifacts lie elsewhere tells its workers so (`launch.environment`): two stores that shared the
        folder of a run would clear each other's files.
        """
        chosen = url or os.environ.get("PRIVGRAPH_STORE") or url_of(home().resolve() / "runs.sqlite")
        told = os.environ.get(ARTIFACTS)
        bare, named = parted(chosen)
        database = Database(bare)
        if database.grown:
            with database.write() as connection:
                queueing.restack(connection)
        here = folders or (Path(told) if told else home().resolve() / "runs")
        store = RunStore(database, opened(named, here), named)
        for run in database.left:
            store.clear(run)
        return store

    @property
    def url(self) -> str:
        """The database URL, with its password, for another process to open the same store."""
        url = self._database.engine.url
        if self._named:
            url = url.update_query_dict({QUERY: self._named})
        return url.render_as_string(hide_password=False)

    @property
    def artifacts(self) -> str:
        """The place of the artifacts as the store's URL names it; "" where they lie beside the store."""
        return self._named

    @property
    def folders(self) -> Path:
        """The folder of this machine that has a folder of artifacts for each run."""
        return self._artifacts.folder

    @property
    def database(self) -> Database:
        """The transactions under the store, for those who keep it (`examples`)."""
        return self._database

    def close(self) -> None:
        """Give back the connections; the store opens new ones when it is used again."""
        self._database.engine.dispose()

    # Runs

    def submit(
        self, spec: RunSpec, tags: Iterable[str] = (), batch: str = "", *, engine: str = LOCAL, retries: int = 0
    ) -> str:
        """Store a spec as a queued run and give its id; see `submit_all`."""
        return self.submit_all([spec], tags, batch, engine=engine, retries=retries)[0]

    def submit_all(
        self,
        specs: Iterable[RunSpec],
        tags: Iterable[str] = (),
        batch: str = "",
        *,
        engine: str = LOCAL,
        retries: int = 0,
    ) -> list[str]:
        """Store specs as queued runs in one step, all or none, and give their ids in order.

        A run of an equal spec is left as it is, but for tags; one that is still queued is given to
        `engine`. Runs of one batch that can be trained together are (`queueing`). `retries` is how often a
        run is queued again by itself when its worker was lost.
        """
        labels = list(dict.fromkeys(_tag(tag) for tag in tags))
        if retries < 0:
            raise StoreError(f"retries must be at least 0 (got {retries})")
        chosen = list(specs)
        unique = {spec.id: spec for spec in chosen}
        for run in unique:
            if not _ID.fullmatch(run):
                raise StoreError(f"a run id is made of letters, digits, dots and dashes (got {run})")
        rows = [queueing.row_of(spec) for spec in unique.values()]
        names = [queueing.stack_name(spec, batch) for spec in unique.values()]
        with self._database.submitting() as connection:
            there = queueing.known(connection, list(unique))
            moved = [there[run] for run in unique if run in there]
            if moved:
                queueing.give(connection, moved, engine)
            fresh = [place for place, row in enumerate(rows) if row["id"] not in there]
            placed = queueing.stacks((names[place] for place in fresh), queueing.submitted(connection, batch))
            common = {"batch": batch, "created": self._database.now(connection), "engine": engine, "retries": retries}
            new = [{**rows[place], **common, "stack": stack} for place, stack in zip(fresh, placed, strict=True)]
            if new:
                connection.execute(runs.insert(), new)
            if labels:
                _add_tags(connection, list(queueing.known(connection, list(unique)).values()), labels)
        return [spec.id for spec in chosen]

    def get(self, run: str) -> RunRecord:
        """The run of that id. Raises `UnknownRun`."""
        found = self.find(RunQuery(ids=(run,)))
        if not found:
            raise UnknownRun(f"there is no run {run}")
        return found[0]

    def find(self, query: RunQuery = ALL_RUNS) -> list[RunRecord]:
        """The runs that the query asks for, in its order."""
        with self._database.read() as connection:
            return listing.find_records(connection, query, self._database.now(connection))

    def find_rows(self, query: RunQuery = ALL_RUNS, graphs: bool = False) -> list[dict[str, Any]]:
        """Plain rows for lists and figures, with the names of `listing.LIGHT` and `tags`; cheaper than
        `find`.

        `epsilon` is what was asked for (None where nothing is protected, or the noise was given),
        `sound_epsilon` and `published_epsilon` are what the statement says; accuracies lie in [0, 1]. With
        `graphs` the rows also hold `spec`, None where it cannot be read, `graph`, the graph in words,
        `nodes`, its size where that is known, and `people` (`GraphId.people`).
        """
        with self._database.read() as connection:
            return listing.find_light(connection, query, graphs)

    def states(self, ids: Sequence[str]) -> dict[str, str]:
        """The states of those of the runs that are there."""
        found: dict[str, str] = {}
        with self._database.read() as connection:
            for start in range(0, len(ids), 500):
                query = RunQuery(ids=tuple(ids[start : start + 500]))
                chosen = sa.select(runs.c.id, runs.c.state).where(*listing.conditions(query))
                found |= {row.id: row.state for row in connection.execute(chosen)}
        return found

    def given_to(self, engine: str) -> list[str]:
        """The queued runs that were given to an engine, in order."""
        chosen = sa.select(runs.c.id).where(runs.c.state == "queued", runs.c.engine == engine).order_by(runs.c.number)
        with self._database.read() as connection:
            return list(connection.scalars(chosen))

    def count(self, query: RunQuery = ALL_RUNS) -> int:
        """How many runs the query asks for, whatever its limit and offset."""
        with self._database.read() as connection:
            counted = sa.select(sa.func.count()).select_from(runs).where(*listing.conditions(query))
            return int(connection.execute(counted).scalar_one())

    def request_stop(self, run: str) -> str:
        """Ask a run to stop, and give its new state: a queued run is stopped at once, a live one soon."""
        with self._database.write() as connection:
            row = self._database.row(connection, run)
            state = {"queued": "stopped", "running": "stopping"}.get(row.state, row.state)
            if state != row.state:
                change: dict[str, Any] = {"state": state}
                if state == "stopped":
                    change = queueing.stopped_in_queue(self._database.now(connection))
                connection.execute(runs.update().where(runs.c.number == row.number).values(**change))
            return str(state)

    def retry_undone(self, ids: Iterable[str]) -> list[str]:
        """Queue those of the runs again that ended without a result, and give their ids."""
        undone = [run for run, state in self.states(list(ids)).items() if state in UNDONE]
        for run in undone:
            self.retry(run)
        return undone

    def retry(self, run: str) -> None:
        """Queue a stopped, failed or lost run again as its next attempt.

        What it told before is deleted (`queueing.withdraw`), but for how it ended, and its statement will
        assume that nobody chose to try again by it. Raises `RunIsFixed` where the run is done or still under
        way.
        """
        with self._database.write() as connection:
            row = self._database.row(connection, run)
            if row.state not in UNDONE:
                raise RunIsFixed(f"only a stopped, failed or lost run can be tried again, and {run} is {row.state}")
            queueing.withdraw(connection, row)
            ended = Log(message=f"Attempt {row.attempt} was {row.state}{f': {row.error}' if row.error else ''}.")
            append(connection, row, [ended], self._database.now(connection))
            fresh = queueing.next_attempt(row) | {"losses": 0}
            connection.execute(runs.update().where(runs.c.number == row.number).values(**fresh))

    def delete(self, run: str) -> None:
        """Remove a run with its events, audits, attacks, tags and artifacts. Raises `RunIsFixed` while a
        worker has it, or a tuning that is not done."""
        with self._database.write() as connection:
            row = self._database.row(connection, run)
            if row.state in LIVE:
                raise RunIsFixed(f"{run} is {row.state}; stop it before you delete it")
            if (mark := listing.find_marks(connection, [run]).get(run)) and mark.trial is Trial.GOING_ON:
                raise RunIsFixed(f"{run} is tried by {mark.tuning}, which is not done: its trials stay until it is")
            forget(connection, [row.number])
        self.clear(run)

    def clear(self, run: str) -> None:
        """Remove the folder of a run's artifacts, if it is there."""
        clear(self._path(run))
        self._artifacts.remove(run)

    def tag(self, run: str, tag: str) -> None:
        """Put a tag on a run; tags and the note are the reader's, and may change at any time."""
        label = _tag(tag)
        with self._database.write() as connection:
            _add_tags(connection, [self._database.row(connection, run).number], [label])

    def untag(self, run: str, tag: str) -> None:
        """Take a tag off a run, if it is there."""
        with self._database.write() as connection:
            number = self._database.row(connection, run).number
            connection.execute(tags.delete().where(tags.c.run == number, tags.c.tag == tag))

    def tags(self) -> list[str]:
        """All tags in use."""
        with self._database.read() as connection:
            return list(connection.scalars(sa.select(tags.c.tag).distinct().order_by(tags.c.tag)))

    def note(self, run: str, text: str) -> None:
        """Write the reader's note on a run in place of the one before."""
        if len(text) > _NOTE_LENGTH:
            raise StoreError(f"a note has at most {_NOTE_LENGTH} characters (got {len(text)})")
        with self._database.write() as connection:
            number = self._database.row(connection, run).number
            connection.execute(runs.update().where(runs.c.number == number).values(note=text))

    def folder(self, run: str) -> Path:
        """The folder of the run's artifacts, made if missing, with copies of those that lie elsewhere."""
        path = self._path(run)
        if self._artifacts.remote:
            with self._database.read() as connection:
                finished = sa.select(runs.c.worker).where(runs.c.id == run, runs.c.state == "done")
                if worker := connection.scalar(finished):
                    self._artifacts.get(run, worker)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def begin(self, run: str, worker: str) -> Path:
        """The folder where a worker puts its files of the run; what earlier attempts left elsewhere is taken
        away."""
        self._path(run)
        with self._database.read() as connection:
            # one that was told to stop this run may train others with it, and writes there until they end
            at_work = list(connection.scalars(sa.select(runs.c.worker).where(runs.c.state.in_(LIVE)).distinct()))
        self._artifacts.remove(run)
        self._artifacts.clear_desks(run, at_work)
        desk = self._artifacts.desk(run, worker)
        desk.mkdir(parents=True, exist_ok=True)
        return desk

    def keep(self, run: str, worker: str) -> None:
        """Put a worker's files where all machines find them once it has finished the run, if that is
        elsewhere. Raises `RunIsFixed` where the worker has the run no more, `ArtifactsAway` and
        `StoreError`."""
        if run not in self.leases.states(worker):
            raise RunIsFixed(f"{run} was taken away from this worker")
        self._artifacts.put(run, worker)

    def publish(self, run: str, worker: str) -> None:
        """Make a worker's files those of the run: for whoever holds the run, while it does."""
        self._artifacts.publish(run, worker)

    def leave(self, run: str, worker: str) -> None:
        """Remove a worker's files, here and elsewhere, of a run that it did not finish; it writes no more."""
        self._artifacts.clear_desk(run, worker)
        if self._artifacts.remote:
            finished = sa.select(runs.c.number).where(runs.c.id == run, runs.c.worker == worker, runs.c.state == "done")
            with self._database.read() as connection:
                if connection.scalar(finished) is not None:
                    return
            self._artifacts.remove(run, worker)

    def _path(self, run: str) -> Path:
        if not _ID.fullmatch(run):
            raise UnknownRun(f"there is no run {run}")
        return self.folders / run

    # Events

    def events(
        self, run: str, after: int = 0, kinds: Sequence[str] | None = None, limit: int | None = None
    ) -> list[StoredEvent]:
        """The run's events with a sequence number greater than `after`, of those kinds, oldest first."""
        with self._database.read() as connection:
            number = number_of(connection, run)
            return listing.find_events(connection, number, after, tuple(kinds) if kinds is not None else None, limit)

    def append(self, run: str, new: Sequence[Event], worker: str | None = None, after: int | None = None) -> int:
        """Append events to a live run; see `Leases.append`."""
        return self.leases.append(run, new, worker, after)

    def sweep_lost(self) -> list[str]:
        """Mark the live runs whose worker died or fell silent as lost, with its last words, and give their
        ids."""
        return self.leases.sweep_lost()


def _tag(tag: str) -> str:
    label = " ".join(tag.split())
    if not 0 < len(label) <= _TAG_LENGTH:
        raise StoreError(f"a tag has 1 to {_TAG_LENGTH} characters (got {len(label)})")
    return label


def _add_tags(connection: sa.Connection, numbers: Sequence[int], labels: Sequence[str]) -> None:
    """Put each of the tags on each of the runs, unless it is there."""
    there: set[tuple[int, str]] = set()
    for start in range(0, len(numbers), 500):
        chosen = sa.select(tags.c.run, tags.c.tag).where(tags.c.run.in_(numbers[start : start + 500]))
        there |= {(row.run, row.tag) for row in connection.execute(chosen)}
    new = [{"run": run, "tag": tag} for run in numbers for tag in labels if (run, tag) not in there]
    if new:
        connection.execute(tags.insert(), new)
