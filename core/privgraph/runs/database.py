"""How the run store's database is opened, read and written: SQLite or PostgreSQL. No torch."""

import os
import shutil
import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from privgraph.home import umask
from privgraph.options import short
from privgraph.runs.records import StoreAway, StoreError, StoreIsFull, StoreIsReadOnly, UnknownRun
from privgraph.runs.tables import (
    SCHEMA_VERSION,
    attacks,
    audit_turns,
    audits,
    events,
    metadata,
    origins,
    runs,
    schema,
    tags,
)

BUSY_SECONDS = 60.0
"""How long a writer waits for the others before it gives up."""

# A server that fell silent is given up after so many seconds, and not after the many minutes of TCP.
_PATIENT_CONNECTION = {"connect_timeout": 10, "keepalives_idle": 10, "tcp_user_timeout": 30_000}
_WRITES = {"privgraph_writes": True}
_LITTLE_ROOM = 2**16
_SCHEMA_LOCK, _SUBMIT_LOCK = 727001, 727002


class Database:
    """Transactions on the tables. Every error of the database leaves as a `StoreError` of one sentence."""

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        # Connections are given back with the last reference to the store, also where the lines below raise.
        weakref.finalize(self, self.engine.dispose)
        self.grown = False
        """Whether columns were added to a store of an earlier version just now."""
        if not self._complete():
            self._make()
        elif self._lacking():
            with suppress(StoreIsFull, StoreIsReadOnly):  # nothing that is read stands in them
                self._make()
        self.left: list[str] = []
        """Ids of the examples that a store of 0.5.0 had among its runs, and has no more."""
        with suppress(StoreIsFull, StoreIsReadOnly):
            self._leave_gallery()

    def _complete(self) -> bool:
        """Whether every table is there: then nothing is written, and a store on a full or read-only disk can
        be read."""
        with self.read() as connection:
            there = set(sa.inspect(connection).get_table_names())
            if not set(metadata.tables) <= there:
                return False
            version = connection.scalar(sa.select(sa.func.max(schema.c.version)))
        if version is not None and version != SCHEMA_VERSION:
            raise StoreError(f"the run store has schema {version}, and this version reads schema {SCHEMA_VERSION}")
        return version is not None

    def _make(self) -> None:
        with self.write() as connection:
            # Two processes that open a new database at once would both make the tables.
            self.lock(connection, _SCHEMA_LOCK)
            there = set(sa.inspect(connection).get_table_names())
            version = None
            if schema.name in there:
                version = connection.scalar(sa.select(sa.func.max(schema.c.version)))
            if version not in (None, SCHEMA_VERSION):
                raise StoreError(f"the run store has schema {version}, and this version reads schema {SCHEMA_VERSION}")
            metadata.create_all(connection)
            if version is None:
                connection.execute(schema.insert().values(version=SCHEMA_VERSION))
            self._grow(connection)

    def _lacking(self) -> list[sa.Column[Any]]:
        """The columns that the runs of an earlier version's store do not have."""
        with self.read() as connection:
            return _absent(connection)

    def _grow(self, connection: sa.Connection) -> None:
        """Add the columns that are lacking, which all have defaults, and indexes."""
        lacking = _absent(connection)
        for column in lacking:
            made = sa.schema.CreateColumn(column).compile(dialect=self.engine.dialect)
            connection.execute(sa.text(f"ALTER TABLE {runs.name} ADD COLUMN {made}"))
        for index in runs.indexes:
            index.create(connection, checkfirst=True)
        self.grown = bool(lacking)

    def _leave_gallery(self) -> None:
        """Delete the runs that came with version 0.5.0, which put them among one's own."""
        with self.read() as connection:
            if "gallery" not in sa.inspect(connection).get_table_names():
                return
        with self.write() as connection:
            self.lock(connection, _SCHEMA_LOCK)
            if "gallery" in sa.inspect(connection).get_table_names():
                chosen = sa.select(runs.c.number, runs.c.id).where(sa.text("number IN (SELECT run FROM gallery)"))
                rows = connection.execute(chosen).all()
                connection.execute(sa.text("DROP TABLE gallery"))
                forget(connection, [row.number for row in rows])
                self.left = [row.id for row in rows]

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A connection that sees one consistent state and never waits for writers."""
        try:
            with self.engine.connect() as connection:
                yield connection
        except sa.exc.SQLAlchemyError as error:
            raise self._sentence(error) from error

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction: what is done in it happens wholly or not at all."""
        try:
            with self.engine.connect().execution_options(**_WRITES) as connection, connection.begin():
                yield connection
        except sa.exc.SQLAlchemyError as error:
            raise self._sentence(error) from error

    @contextmanager
    def submitting(self) -> Iterator[sa.Connection]:
        """A write transaction that no other `submitting` runs beside, on this or another machine."""
        with self.write() as connection:
            self.lock(connection, _SUBMIT_LOCK)
            yield connection

    def lock(self, connection: sa.Connection, key: int, what: str = "") -> None:
        """Hold a lock of that number, and name, until the transaction ends; on SQLite a writer is alone
        anyway."""
        if self.engine.dialect.name == "postgresql":
            names = (key, sa.func.hashtext(what)) if what else (key,)
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(*names)))

    def now(self, connection: sa.Connection) -> float:
        """Seconds since the epoch by the database's clock, which all machines that share it agree on."""
        if self.engine.dialect.name == "postgresql":
            return float(connection.execute(sa.text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())
        return time.time()

    def row(self, connection: sa.Connection, run: str) -> Any:
        """The run's bare row, locked until the transaction ends. Raises `UnknownRun`."""
        row = connection.execute(sa.select(runs).where(runs.c.id == run).with_for_update()).first()
        if row is None:
            raise UnknownRun(f"there is no run {run}")
        return row

    def _sentence(self, error: sa.exc.SQLAlchemyError) -> StoreError:
        place = shown(self.engine.url)
        text = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        low = text.lower()
        refused = "readonly" in low or "read-only" in low or "disk i/o" in low or "unable to open" in low
        if "full" in low or "no space left" in low or (refused and self._disk_is_full()):
            return StoreIsFull(f"there is no room left for the run store {place}: free some disk space ({text})")
        if "readonly" in low or "read-only" in low:
            return StoreIsReadOnly(f"the run store {place} can be read, and nothing can be written to it ({text})")
        if "locked" in low or "busy" in low:
            return StoreAway(f"the run store {place} was busy for {BUSY_SECONDS:g} seconds; try again ({text})")
        away = isinstance(error, (sa.exc.OperationalError, sa.exc.InterfaceError, sa.exc.TimeoutError))
        if away and self.engine.dialect.name == "postgresql":
            return StoreAway(f"the run store {place} does not answer ({text})")
        return StoreError(f"the run store {place} cannot be used ({text})")

    def _disk_is_full(self) -> bool:
        """SQLite does not always say so: without room it may not even open its log."""
        if self.engine.dialect.name != "sqlite":
            return False
        folder = Path(self.engine.url.database or "").resolve().parent
        return folder.is_dir() and shutil.disk_usage(folder).free < _LITTLE_ROOM


def forget(connection: sa.Connection, numbers: list[int]) -> None:
    """Delete runs with all that tables hold of them."""
    for start in range(0, len(numbers), 500):
        chosen = numbers[start : start + 500]
        for table in (events, audit_turns, audits, attacks, origins, tags):
            connection.execute(table.delete().where(table.c.run.in_(chosen)))
        connection.execute(runs.delete().where(runs.c.number.in_(chosen)))


def _absent(connection: sa.Connection) -> list[sa.Column[Any]]:
    there = {column["name"] for column in sa.inspect(connection).get_columns(runs.name)}
    return [column for column in runs.c if column.name not in there]


def url_of(file: Path) -> str:
    """The database URL of an SQLite file, whatever letters its path has.

    >>> url_of(Path("/tmp/50%/a?b/runs.sqlite"))
    'sqlite:////tmp/50%25/a%3Fb/runs.sqlite'
    """
    return sa.URL.create("sqlite", database=str(file)).render_as_string(hide_password=False)


def shown(url: sa.URL) -> str:
    """The URL without any password, wherever one stands in it."""
    hidden = {name: "***" if "password" in name.lower() else value for name, value in url.query.items()}
    return url.set(query=hidden).render_as_string(hide_password=True)


def _make(path: Path) -> None:
    """An empty file for SQLite, which would let everybody read its own; what is wrong with the place, SQLite
    says."""
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o666 & ~umask()))


def _engine(url: str) -> sa.Engine:
    """An engine for SQLite or PostgreSQL. Raises `StoreError` where the URL names neither, or its driver is
    missing."""
    try:
        parsed = sa.make_url(url)
        backend = parsed.get_backend_name()
        if backend == "postgresql":
            return sa.create_engine(parsed, pool_pre_ping=True, connect_args=_PATIENT_CONNECTION)
    except (sa.exc.ArgumentError, ValueError):  # the error itself may show a password
        raise StoreError("the run store must be a database URL such as postgresql+psycopg://user@host/name") from None
    except ImportError as error:
        raise StoreError(
            f"this run store needs a driver that is not here: install privgraph[postgres] ({error})"
        ) from None
    if backend != "sqlite":
        raise StoreError(f"the run store must be SQLite or PostgreSQL (got {short(backend)})")
    if not parsed.database or parsed.database == ":memory:":
        raise StoreError("the run store must lie in a file: workers are processes of their own, and look there too")
    return _sqlite(parsed)


def _sqlite(url: sa.URL) -> sa.Engine:
    """An engine whose writers queue up instead of failing.

    A write-ahead log, so that readers never wait; BEGIN IMMEDIATE for writers, because a transaction that
    starts by reading cannot become a writer while another one writes, and fails at once.
    """
    path = Path(url.database or "").resolve()
    if url.query.get("immutable"):
        engine = sa.create_engine(url, creator=lambda: _opened(f"{path.as_uri()}?mode=ro&immutable=1"))
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        _make(path)
        engine = sa.create_engine(url, creator=lambda: _connection(path))

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("privgraph_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    @event.listens_for(engine, "checkin")
    def _back(connection: Any, record: Any) -> None:
        if isinstance(connection, _ReadOnly):  # the next one may be able to write
            record.invalidate()

    return engine


class _ReadOnly(sqlite3.Connection):
    """A connection that was opened to read alone."""


def _connection(path: Path) -> sqlite3.Connection:
    """A connection that can write, or else one that can read: a disk may be full, or admit no writing."""
    try:
        return _opened(f"{path.as_uri()}?mode=rwc", "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON")
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or not path.is_file():
            raise
        refused = error
    # To read through a write-ahead log takes a file beside it that may be written. Without a log nobody
    # writes now.
    log = path.with_name(f"{path.name}-wal")
    ways = ["mode=ro"] if log.exists() and log.stat().st_size else ["mode=ro", "mode=ro&immutable=1"]
    for way in ways:
        with suppress(sqlite3.OperationalError):
            return _opened(f"{path.as_uri()}?{way}", factory=_ReadOnly)
    raise refused


def _opened(uri: str, *pragmas: str, factory: type[sqlite3.Connection] = sqlite3.Connection) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, timeout=BUSY_SECONDS, uri=True, check_same_thread=False, factory=factory)
    connection.isolation_level = None  # transactions are begun above, not by the driver
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").close()
        connection.execute("SELECT count(*) FROM sqlite_master").close()
    except sqlite3.Error:
        connection.close()
        raise
    return connection
