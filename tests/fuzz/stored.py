"""Rows of a kept store, damaged, and read by the store, its lists, the command line and the runs' own
words."""

import contextlib
import io
import json
import random
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast
from unittest import mock

from tests.figures.made_attacks import attack as made_attack
from tests.fuzz import strange
from tests.fuzz.kinds import Crash
from tests.pages.kept_runs import keep, spec

from privgraph.runs.queueing import Wants
from privgraph.runs.records import RunQuery, StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main
from privgraph_workbench.parts import run_rows
from privgraph_workbench.words.numbers import duration

JSON = ("spec", "statement", "metrics")
WORDS = ("state", "method", "dataset", "split", "unit", "accounting", "note", "error", "stage", "device", "batch")
TIMES = ("created", "started", "finished", "heartbeat", "progress_time", "training_since")
AMOUNTS = ("seconds", "peak_memory_mb", "progress", "epsilon", "test_accuracy", "seed")
NO_TIMES = (float("inf"), float("-inf"), float("nan"), 1e308, -1e308, -1.0, 2**62, 5e-324, "", "now")
AUDIT = {
    **{"version": 1, "audit": "mechanism", "title": "Mechanisms", "covers": "run", "delta": 1e-3, "confidence": 0.95},
    **{"epsilon": 0.5, "bounds": [{"route": "threshold", "epsilon": 0.5, "detail": ""}], "sound": 2.0},
    **{"published": None, "trials": 100, "seconds": 1.0, "seed": 0, "score": "sum", "edges": [0.0, 1.0]},
    **{"scores_with": [50], "scores_without": [50], "roc_false": [0.0, 1.0], "roc_true": [0.0, 1.0]},
    **{"area": 0.5, "notes": [], "turn": 0},
}
COMMANDS = (
    "show {run}",
    "show {run} --log",
    "show {run} --json",
    "list runs",
    "list runs --json",
    "export {run} --out {out}",
    "export {run} --out {out} --format csv",
)
Row = tuple[Any, ...]


class Kept:
    """A store with a run of each sort, whose rows can be damaged and put back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = RunStore.open(f"sqlite:///{folder}/runs.sqlite")
        self.ids = [
            keep(self.store, spec()),
            keep(self.store, spec("gap", unit="node")),
            keep(self.store, spec("dp-gpl", queries=8)),
            keep(self.store, spec(seed=1), state="queued"),
            keep(self.store, spec(seed=2), state="failed", error="out of memory", tags=["a"]),
        ]
        self.raw = sqlite3.connect(folder / "runs.sqlite", isolation_level=None)
        audit = json.dumps({**AUDIT, "run": self.ids[0]})
        self.raw.execute("INSERT INTO audits VALUES (NULL, 1, 0, 'mechanism', 'run', 0.001, 0.5, 0.95, ?)", (audit,))
        attack = json.dumps(made_attack(self.ids[0]).to_json())
        self.raw.execute("INSERT INTO attacks VALUES (NULL, 1, 0, 'bavaria', ?)", (attack,))
        names = ("runs", "events", "audits", "attacks")
        self.tables = {name: self.raw.execute(f"SELECT * FROM {name}").fetchall() for name in names}
        self.columns = [row[1] for row in self.raw.execute("PRAGMA table_info(runs)")]

    def rows(self, table: str, run: int) -> list[Row]:
        return [row for row in self.tables[table] if row[0 if table == "events" else 1] == run]

    def value(self, run: int, column: str) -> Any:
        return self.tables["runs"][run - 1][self.columns.index(column)]

    @contextlib.contextmanager
    def damaged(self, run: int, table: str, key: int, column: str, value: Any) -> Iterator[None]:
        """The run with another value in that column of one of its rows."""
        where = {"runs": "number = ?2", "events": f"run = {run} AND sequence = ?2", "audits": "number = ?2",
                 "attacks": "number = ?2"}[table]  # fmt: skip
        self.raw.execute(f"UPDATE {table} SET {column} = ?1 WHERE {where}", (value, key))
        try:
            yield
        finally:
            self.raw.execute("BEGIN")
            marks = ", ".join("?" * len(self.columns))
            self.raw.execute("DELETE FROM events WHERE run = ?", (run,))
            self.raw.execute(
                f"UPDATE runs SET ({', '.join(self.columns)}) = ({marks}) WHERE number = {run}",
                self.tables["runs"][run - 1],
            )
            self.raw.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", self.rows("events", run))
            if table in ("audits", "attacks"):
                self.raw.execute(f"UPDATE {table} SET record = ? WHERE number = 1", (self.tables[table][0][-1],))
            self.raw.execute("COMMIT")


_kept: list[Kept] = []


def kept() -> Kept:
    """The store, made when it is first asked for."""
    if not _kept:
        _kept.append(Kept(Path(tempfile.mkdtemp(prefix="privgraph-fuzz-"))))
    return _kept[0]


def make(rng: random.Random) -> object:
    """A command that reads a run, and the damage: which run, table, row and column, and what stands there
    instead."""
    return rng.choice(COMMANDS), _damage(rng, kept())


def _damage(rng: random.Random, store: Kept) -> tuple[int, str, int, str, Any]:
    run = rng.randrange(1, len(store.ids) + 1)
    table = rng.choices(("runs", "events", "audits", "attacks"), (65, 25, 5, 5))[0]
    if table in ("audits", "attacks"):
        return 1, table, 1, "record", strange.text_of_json(rng, store.tables[table][0][-1])
    if table == "events" and (rows := store.rows("events", run)):
        row = rng.choice(rows)
        if rng.random() < 0.1:
            return run, table, row[1], "time", rng.choice(NO_TIMES)
        if rng.random() < 0.3:
            kinds = (*strange.TEXTS, "log", "metric", "progress", "spent", "result")
            return run, table, row[1], "kind", rng.choice(kinds)
        return run, table, row[1], "payload", strange.text_of_json(rng, row[-1])
    chance = rng.random()
    if chance < 0.6:
        column = rng.choice(JSON)
        return run, "runs", run, column, strange.text_of_json(rng, store.value(run, column) or "{}")
    if chance < 0.9:
        states = ("queued", "running", "stopping", "done", "stopped", "failed", "lost", "paused")
        column = rng.choice(WORDS)
        return run, "runs", run, column, rng.choice(states if column == "state" else strange.TEXTS)
    if chance < 0.95:
        return run, "runs", run, rng.choice(TIMES), rng.choice(NO_TIMES)
    return run, "runs", run, rng.choice(AMOUNTS), rng.choice((-1, 0, 1e308, -1e308, float("inf"), 2**62, 5e-324))


def take(given: object) -> Sequence[str]:
    """Read the run in all ways; gives what is said of it."""
    command, (run, table, key, column, value) = cast(tuple[str, tuple[int, str, int, str, Any]], given)
    here = kept()
    id_ = here.ids[run - 1]
    with contextlib.suppress(UnicodeEncodeError, sqlite3.IntegrityError):
        if isinstance(value, str):
            value.encode()
        with here.damaged(run, table, key, column, value):
            return _read(here.store, id_) + _command(here.store, command.format(run=id_, out=here.folder / "out"))
    return ()  # a text that no database takes, or nothing where there must be something


def _read(store: RunStore, run: str) -> list[str]:
    said: list[str] = []
    record = store.get(run)
    if record.unreadable:
        said.append(record.unreadable)
    duration(record.seconds), duration(record.eta_seconds)
    with _told(said):
        _ = record.statement
    with _told(said):
        for event in store.events(run):
            with _told(said):
                _ = event.event
    with _told(said):
        store.audits(run)
    with _told(said):
        store.attacks(run)
    for group in run_rows.by_setting(store.find_rows(RunQuery(), graphs=True), "newest"):
        run_rows.rows([group], {one.id: one for one in store.find(RunQuery(ids=(group[0]["id"],)))})
    assert store.leases.claim_next("nobody", Wants(at_hand=lambda _name: False)) == []
    return said


@contextlib.contextmanager
def _told(said: list[str]) -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        said.append(str(error))


def _command(store: RunStore, command: str) -> list[str]:
    """What the command says on standard error, to streams as strict as those of a terminal."""
    printed = io.TextIOWrapper(io.BytesIO(), "utf-8")
    stderr = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")
    opened = mock.patch.object(RunStore, "open", return_value=store)
    with opened, contextlib.redirect_stdout(printed), contextlib.redirect_stderr(stderr):
        code = main(command.split())
    printed.flush()
    stderr.flush()
    sentence = cast(io.BytesIO, stderr.buffer).getvalue().decode()
    if code == 0:
        return []
    if code not in (1, 2) or not sentence.startswith("privgraph: ") or sentence.count("\n") != 1:
        raise Crash(f"{command} ends with {code} and says {sentence[:200]!r}")
    return [sentence.rstrip("\n")]
