"""The examples: finished runs on public graphs that ship with the program, as a read-only store of their own.

The store ships as one file, `FILE`: an SQLite database compressed by xz. `open_store` unpacks it once, below
the home or where `PRIVGRAPH_EXAMPLES` says. Ids of examples begin with `PREFIX`. Their noise is of
`streams.OPEN_KEY`, which is no secret: anybody can repeat each. Curves are thinned. No torch.
"""

import hashlib
import json
import lzma
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from privgraph.home import data_root, home
from privgraph.runs.database import url_of
from privgraph.runs.launch import environment
from privgraph.runs.records import EXAMPLE as PREFIX
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import attacks, audit_turns, audits, events, origins, runs, tags
from privgraph.streams import OPEN_KEY

FILE = Path(__file__).with_name("examples.sqlite.xz")
PLACE = "PRIVGRAPH_EXAMPLES"
"""The variable that names the folder in which examples are unpacked."""
LIMIT = 4_000_000
"""Bytes that the file may have."""
POINTS, FEWER, FIRST = 60, 20, 3
"""Points of a curve that are kept of the first `FIRST` seeds, and of every other one."""
DIGITS = 6
"""Significant digits of what a curve shows."""
FILES = ("answers.npz", "ensemble.npz")
"""Artifacts that pages read, kept of seed 0 where they are small."""
FILE_LIMIT = 60_000
ADAPTER = ("adapter_model.safetensors", "adapter_config.json")
"""What an encoder learnt from relations, kept of the few runs that can then be asked."""
_OF_A_MACHINE = {"worker": "", "host": "", "pid": None, "heartbeat": None, "batch": "", "stack": "", "note": ""}
"""Columns of a run that say where it was made."""


def open_store(path: Path = FILE) -> RunStore:
    """Open the examples to read, and unpack them where that was not done yet.

    Raises:
        StoreError: The store cannot be read.
        OSError: The examples cannot be unpacked.
    """
    return _opened(_unpacked(path))


def _unpacked(path: Path) -> Path:
    """The folder of the unpacked examples of that file."""
    root = Path(os.environ.get(PLACE) or home() / "examples")
    folder = root.resolve() / digest(path)[:16]
    if folder.is_dir():
        return folder
    root.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=root))
    try:
        (made / "runs.sqlite").write_bytes(lzma.decompress(path.read_bytes()))
        with sqlite3.connect(made / "runs.sqlite") as connection:
            kept = connection.execute("SELECT run, name, content FROM files").fetchall()
        connection.close()
        for run, name, content in kept:
            target = made / "runs" / run / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        _opened(made, writes=True).close()  # columns that later versions have added
        made.rename(folder)
    except OSError:
        if not folder.is_dir():  # no other process was first
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def _opened(folder: Path, *, writes: bool = False) -> RunStore:
    read_only = "" if writes else "?uri=true&immutable=1"
    return RunStore.open(url_of(folder / "runs.sqlite") + read_only, folder / "runs")


@lru_cache(maxsize=4)
def digest(path: Path = FILE) -> str:
    """A digest of the file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def chapters(store: RunStore) -> dict[str, list[str]]:
    """The ids of the examples by chapter: each is a tag."""
    queries = {tag: RunQuery(tags=(tag,), descending=False) for tag in store.tags()}
    found = {tag: [row["id"] for row in store.find_rows(query)] for tag, query in queries.items()}
    return dict(sorted(found.items(), key=lambda one: one[1][0]))


def again(record: RunRecord, folder: Path) -> RunRecord:
    """Train an example again in a home of its own at `folder`, with the same noise; how it ended.

    Numbers are the same up to the order of sums, which depends on the machine and the libraries.
    """
    (folder / "noise.key").write_bytes(OPEN_KEY)
    store = RunStore.open(url_of(folder.resolve() / "runs.sqlite"), folder.resolve() / "runs")
    run = store.submit(record.spec)
    surroundings = {**environment(store), "PRIVGRAPH_HOME": str(folder.resolve())}
    surroundings.setdefault("PRIVGRAPH_DATA", str(data_root().resolve()))
    command = [sys.executable, "-P", "-m", "privgraph.runs.worker", run]
    subprocess.run(command, env=surroundings, check=False, capture_output=True)  # the record says how it ended
    try:
        return store.get(run)
    finally:
        store.close()


def write(
    store: RunStore, chapters: Mapping[str, Sequence[RunSpec]], path: Path = FILE, *, whole: Collection[str] = ()
) -> str:
    """Write the file of those of the specs that are done in the store, and say how large it is.

    Args:
        store: Where they were trained, under `streams.OPEN_KEY`.
        chapters: The runs of each chapter.
        path: Where to.
        whole: Ids of runs whose `ADAPTER` is kept.

    Raises:
        ValueError: The file would be larger than `LIMIT`.
    """
    specs = {spec.id: spec for held in chapters.values() for spec in held}
    with tempfile.TemporaryDirectory() as folder:
        made = RunStore.open(url_of(Path(folder) / "runs.sqlite"), Path(folder) / "runs")
        with store.database.read() as source, made.database.write() as target:
            target.execute(sa.text("CREATE TABLE files (run TEXT, name TEXT, content BLOB)"))
            numbers: dict[str, int] = {}
            for spec in specs.values():
                if (number := _copied(store, source, target, spec, len(numbers) + 1, spec.id in whole)) is not None:
                    numbers[spec.id] = number
            marks = [
                {"run": numbers[spec], "tag": chapter}
                for chapter, held in chapters.items()
                for spec in dict.fromkeys(one.id for one in held)
                if spec in numbers
            ]
            if marks:
                target.execute(tags.insert(), marks)
        made.close()
        with sqlite3.connect(Path(folder) / "runs.sqlite") as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("VACUUM INTO ?", [str(Path(folder) / "packed.sqlite")])
        connection.close()
        data = lzma.compress((Path(folder) / "packed.sqlite").read_bytes(), preset=9 | lzma.PRESET_EXTREME)
    if len(data) > LIMIT:
        raise ValueError(f"the examples may have {LIMIT:,} bytes, and {len(numbers):,} runs have {len(data):,}")
    path.write_bytes(data)
    return f"{path.name} holds {len(numbers):,} runs in {len(data):,} bytes"


def _copied(
    store: RunStore, source: sa.Connection, target: sa.Connection, spec: RunSpec, number: int, whole: bool
) -> int | None:
    """Copy the run of the spec with all that is kept of it; its number, or None where it is not done."""
    row = source.execute(sa.select(runs).where(runs.c.id == spec.id, runs.c.state == "done")).mappings().first()
    if row is None:
        return None
    old, run, folder = row["number"], PREFIX + spec.id, store.folders / spec.id
    target.execute(runs.insert().values({**row, **_OF_A_MACHINE, "number": number, "id": run}))
    names = [name for name in FILES if spec.seed == 0 and _is_small(folder / name)]
    names += [name for name in ADAPTER if whole and (folder / name).is_file()]
    for name in names:
        kept = {"run": run, "name": name, "content": (folder / name).read_bytes()}
        target.execute(sa.text("INSERT INTO files VALUES (:run, :name, :content)"), kept)
    told = [dict(one) for one in source.execute(_of(events, old).order_by(events.c.sequence)).mappings()]
    thinned = _thinned(told, names, POINTS if spec.seed < FIRST else FEWER)
    _add(target, events, [{**one, "run": number, "payload": _rounded(one)} for one in thinned])
    _copy_evidence(source, target, old, number, run)
    return number


def _copy_evidence(source: sa.Connection, target: sa.Connection, old: int, number: int, run: str) -> None:
    """Copy origins, attacks and audits of a run to the one of that number and id."""
    _add(target, origins, [{**one, "run": number} for one in source.execute(_of(origins, old)).mappings()])
    _add(target, attacks, [_moved(one, number, run) for one in source.execute(_of(attacks, old)).mappings()])
    placed = {None: None}
    for one in source.execute(_of(audits, old).order_by(audits.c.number)).mappings():
        moved = audits.insert().values(_moved(one, number, run)).returning(audits.c.number)
        placed[one["number"]] = target.scalar(moved)
    turns = source.execute(_of(audit_turns, old).order_by(audit_turns.c.turn)).mappings()
    _add(target, audit_turns, [{**one, "run": number, "audit": placed[one["audit"]]} for one in turns])


def begin(store: RunStore, path: Path = FILE) -> int:
    """Copy the runs that ship into a store of examples that has none of their specs; how many.

    A chapter that changed is then made again by itself: its runs are deleted first.
    """
    shipped, count = open_store(path), 0
    with shipped.database.read() as source, store.database.write() as target:
        known = set(target.scalars(sa.select(runs.c.id)))
        for row in source.execute(sa.select(runs).order_by(runs.c.number)).mappings():
            run = row["id"].removeprefix(PREFIX)
            if run in known:
                continue
            new = {name: value for name, value in row.items() if name != "number"} | {"id": run}
            number = int(target.scalar(runs.insert().values(new).returning(runs.c.number)) or 0)
            told = source.execute(_of(events, row["number"]).order_by(events.c.sequence)).mappings()
            _add(target, events, [{**one, "run": number} for one in told])
            _copy_evidence(source, target, row["number"], number, run)
            if (kept := shipped.folders / row["id"]).is_dir():
                shutil.copytree(kept, store.folders / run, dirs_exist_ok=True)
            count += 1
    shipped.close()
    return count


def _is_small(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= FILE_LIMIT


def _of(table: sa.Table, number: int) -> sa.Select[Any]:
    return sa.select(table).where(table.c.run == number)


def _add(target: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        target.execute(table.insert(), [dict(one) for one in rows])


def _moved(row: Mapping[Any, Any], number: int, run: str) -> dict[str, Any]:
    """An audit or attack as one of the example."""
    record = json.dumps({**json.loads(row["record"]), "run": run}, allow_nan=False)
    return {name: value for name, value in row.items() if name != "number"} | {"run": number, "record": record}


def _rounded(event: Mapping[str, Any]) -> str:
    """What an event says; a loss or an accuracy on a curve in `DIGITS` digits."""
    payload = json.loads(event["payload"])
    of_curve = event["kind"] == "metric" and payload["name"].endswith(("_loss", "_accuracy"))
    if of_curve and isinstance(payload["value"], float):
        payload["value"] = float(f"{payload['value']:.{DIGITS}g}")
    return json.dumps(payload)


def _thinned(told: Sequence[dict[str, Any]], files: Sequence[str], points: int) -> Iterator[dict[str, Any]]:
    """The events without progress, lost points of curves, files that are not kept and a worker's machine."""
    curves: dict[tuple[str, str], list[int]] = defaultdict(list)
    kept = set()
    for position, event in enumerate(told):
        payload = json.loads(event["payload"])
        if event["kind"] == "metric":
            curves[payload["name"], payload.get("stage", "")].append(position)
        elif event["kind"] == "artifact":
            kept |= {position} if payload["name"] in files else set()
        elif event["kind"] == "log":
            kept |= set() if payload["message"].startswith("worker ") else {position}
        elif event["kind"] != "progress":
            kept.add(position)
    for positions in curves.values():
        kept |= {*_spread(_spread(positions, POINTS), points)}  # of the same steps: means are of what all measured
    return (told[position] for position in sorted(kept))


def _spread(positions: Sequence[int], points: int) -> Sequence[int]:
    """That many of them at even distances, from the first to the last."""
    last = len(positions) - 1
    return [positions[round(at * last / (points - 1))] for at in range(points)] if last >= points else positions
