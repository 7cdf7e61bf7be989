"""How the run store's database is opened, read and written: SQLite or PostgreSQL. No torch."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from privgraph.home import umask
from privgraph.runs.records import StoreError, StoreIsFull, UnknownRun
from privgraph.runs.tables import SCHEMA_VERSION, metadata, runs, schema

BUSY_SECONDS = 60.0
"""How long a writer waits for the others before it gives up."""

_WRITES = {"privgraph_writes": True}
_SCHEMA_LOCK, _CLAIM_LOCK = 727001, 727002


class Database:
    """Transactions on the tables. Every error of the database leaves as a `StoreError` of one sentence."""

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        # Connections are given back with the last reference to the store, also where the lines below raise.
        weakref.finalize(self, self.engine.dispose)
        with self.write() as connection:
            # Two processes that open a new database at once would both make the tables.
            self.lock(connection, _SCHEMA_LOCK)
            metadata.create_all(connection)
            version = connection.scalar(sa.select(sa.func.max(schema.c.version)))
            if version is None:
                connection.execute(schema.insert().values(version=SCHEMA_VERSION))
            elif version != SCHEMA_VERSION:
                raise StoreError(f"the run store has schema {version}, and this version reads schema {SCHEMA_VERSION}")

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
    def claiming(self) -> Iterator[sa.Connection]:
        """A write transaction that no other `claiming` runs beside, on this or another machine."""
        with self.write() as connection:
            self.lock(connection, _CLAIM_LOCK)
            yield connection

    def lock(self, connection: sa.Connection, key: int) -> None:
        """Hold a named lock until the transaction ends; on SQLite a writer is alone anyway."""
        if self.engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))

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
        place = self.engine.url.render_as_string(hide_password=True)
        text = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        if "full" in text.lower() or "no space left" in text.lower():
            return StoreIsFull(f"there is no room left for the run store {place}: free some disk space ({text})")
        if "locked" in text.lower() or "busy" in text.lower():
            return StoreError(f"the run store {place} was busy for {BUSY_SECONDS:g} seconds; try again ({text})")
        return StoreError(f"the run store {place} cannot be used ({text})")


def _make(path: Path) -> None:
    """An empty file for SQLite, which would let everybody read its own; what is wrong with the place, SQLite says."""
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o666 & ~umask()))


def _engine(url: str) -> sa.Engine:
    """An engine whose writers queue up instead of failing.

    On SQLite: a write-ahead log, so that readers never wait; BEGIN IMMEDIATE for writers, because a
    transaction that starts by reading cannot become a writer while another one writes, and fails at once.
    Raises `StoreError` where the URL names neither SQLite nor PostgreSQL.
    """
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise StoreError("the run store must be a database URL such as postgresql+psycopg://user@host/name") from None
    if parsed.get_backend_name() == "postgresql":
        return sa.create_engine(parsed, pool_pre_ping=True)
    if parsed.get_backend_name() != "sqlite":
        raise StoreError(f"the run store must be SQLite or PostgreSQL (got {parsed.get_backend_name()})")
    if parsed.database:
        path = Path(parsed.database)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not parsed.database.startswith((":memory:", "file:")):
            _make(path)
    engine = sa.create_engine(parsed, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("privgraph_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
