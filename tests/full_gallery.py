"""A store with all runs of the gallery, as `gallery.bring_in` makes it: made once by a process of tests, and
copied, as each test's own takes seconds (tests/runs/test_gallery.py looks at how it is made)."""

from __future__ import annotations

import base64
import sqlite3
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import sqlalchemy as sa

from privgraph.runs import gallery
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs

Files = Mapping[tuple[str, str], bytes]


def fill(store: RunStore) -> None:
    """Put the gallery into an empty store of SQLite by a copy; into any other one as the product does."""
    with store.database.read() as connection:
        empty = not connection.scalar(sa.select(sa.func.count()).select_from(runs))
    if not empty or store.database.engine.dialect.name != "sqlite":
        gallery.bring_in(store)
        return
    tables, files = _made()
    with store.database.engine.connect() as connection:
        tables.backup(_driver(connection))
    for (run, name), content in files.items():
        (store.folder(run) / name).write_bytes(content)


@cache
def _made() -> tuple[sqlite3.Connection, Files]:
    """Tables and files of such a store, in memory."""
    held = sqlite3.connect(":memory:", check_same_thread=False)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        store = RunStore.open(f"sqlite:///{home / 'runs.sqlite'}", home / "runs")
        gallery.bring_in(store)
        with store.database.engine.connect() as connection:
            _driver(connection).backup(held)
        store.close()
    packed = [one for chapter in gallery.content().values() for one in chapter]
    return held, {
        (one["run"]["id"], name): base64.b64decode(coded) for one in packed for name, coded in one["files"].items()
    }


def _driver(connection: sa.Connection) -> sqlite3.Connection:
    found = connection.connection.driver_connection
    assert isinstance(found, sqlite3.Connection)
    return found
