"""The gallery: finished runs on public graphs that ship with the program, as one compact file. No torch.

`write` makes the file from a store, `bring_in` puts its runs into another, where they stand beside one's own
and are marked. A run of the gallery is read and never changed: who asks for one of the same spec trains it
here, with noise of this installation, and that run takes its place once it is done (`aside`).

The file is JSON, compressed by xz: no pickles, and nothing of the machine that made it but the program's
version, its device and how long each run took. Curves are thinned to `POINTS` points, or `FEWER`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sqlalchemy as sa

from privgraph.attacks.record import AttackRecord
from privgraph.home import data_root
from privgraph.runs.launch import environment
from privgraph.runs.records import RunQuery, RunRecord, plain
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import attacks, audit_turns, audits, events, gallery, origins, runs, tags
from privgraph.streams import OPEN_KEY

FILE = Path(__file__).with_name("gallery.json.xz")
FORM = 1
LIMIT = 3_000_000
"""Bytes that the file may have."""
POINTS = 60
"""Points of a curve that are kept of the first seeds."""
FEWER = 20
"""Points of a curve that are kept of a seed after `FIRST`, which are there for what comes out."""
FIRST = 3
DIGITS = 6
"""Significant digits of what a curve shows: more would be half of the file, and nobody can see them."""
FILES = ("answers.npz", "ensemble.npz")
"""Artifacts that pages read: what teachers said. They are kept of the first seed, where they are small."""
FILE_LIMIT = 60_000
ADAPTER = ("adapter_model.safetensors", "adapter_config.json")
"""What an encoder learnt from relations, kept of the few runs that can then be asked at once."""
_NOT_KEPT = (
    "number",
    "worker",
    "host",
    "pid",
    "heartbeat",
    "progress_time",
    "training_since",
    "training_from",
    "batch",
    "stack",
    "asked",
    "memory_mb",
    "engine",
    "retries",
    "needs",
    "losses",
    "again",
)
_COLUMNS = tuple(column.name for column in runs.c if column.name not in _NOT_KEPT)
_JSON = ("spec", "metrics", "statement")
"""Columns whose text is JSON, which the file holds as it is."""
_NUMBERS = tuple(column.name for column in runs.c if isinstance(column.type, sa.Double))
"""Columns of numbers, which may be infinite."""
_ENCODER = json.JSONEncoder(allow_nan=False)


def write(
    store: RunStore, chapters: Mapping[str, Sequence[RunSpec]], path: Path = FILE, *, whole: Collection[str] = ()
) -> str:
    """Write the file of those of the specs that are done in the store; give a sentence about it.

    `whole` are ids of runs whose `ADAPTER` is kept, too. Raises `ValueError` where the file would be larger
    than `LIMIT`.
    """
    with store.database.read() as connection:
        packed = {
            chapter: [one for spec in specs for one in _packed(store, connection, spec, whole)]
            for chapter, specs in chapters.items()
        }
    text = json.dumps({"form": FORM, "chapters": packed}, separators=(",", ":"), sort_keys=True, allow_nan=False)
    data = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    count = sum(len(chapter) for chapter in packed.values())
    if len(data) > LIMIT:
        raise ValueError(f"the gallery may have {LIMIT:,} bytes, and {count:,} runs have {len(data):,}")
    path.write_bytes(data)
    return f"{path.name} holds {count:,} runs in {len(data):,} bytes"


def _packed(
    store: RunStore, connection: sa.Connection, spec: RunSpec, whole: Collection[str]
) -> Iterator[dict[str, Any]]:
    """The run of the spec as JSON, where it is done."""
    row = connection.execute(sa.select(runs).where(runs.c.id == spec.id, runs.c.state == "done")).mappings().first()
    if row is None:
        return
    number, folder = row["number"], store.folders / row["id"]
    told = [dict(event) for event in connection.execute(_of(events, number).order_by(events.c.sequence)).mappings()]
    files = [
        name
        for name in FILES
        if spec.seed == 0 and (folder / name).is_file() and (folder / name).stat().st_size <= FILE_LIMIT
    ]
    if spec.id in whole:
        files += [name for name in ADAPTER if (folder / name).is_file()]
    kept = list(connection.execute(_of(audits, number).order_by(audits.c.number)).mappings())
    places = {one["number"]: place for place, one in enumerate(kept)}
    version = connection.scalar(
        sa.select(origins.c.version).where(origins.c.run == number, origins.c.attempt == row["attempt"])
    )
    yield {
        "run": {name: _read(row[name]) if name in _JSON else plain(row[name]) for name in _COLUMNS},
        "version": version or "",
        "events": [
            [event["sequence"], round(event["time"] - row["created"], 2), event["kind"], _told(event)]
            for event in _thinned(told, files, POINTS if spec.seed < FIRST else FEWER)
        ],
        "audits": [_record(one) for one in kept],
        "turns": [
            [one.turn, None if one.audit is None else places[one.audit]]
            for one in connection.execute(_of(audit_turns, number).order_by(audit_turns.c.turn))
        ],
        "attacks": [
            _record(one) for one in connection.execute(_of(attacks, number).order_by(attacks.c.number)).mappings()
        ],
        "files": {name: base64.b64encode((folder / name).read_bytes()).decode() for name in files},
    }


def _of(table: sa.Table, number: int) -> sa.Select[Any]:
    return sa.select(table).where(table.c.run == number)


def _read(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _told(event: Mapping[str, Any]) -> Any:
    """What the event says; of a loss or an accuracy on a curve, `DIGITS` digits."""
    payload = json.loads(event["payload"])
    if (
        event["kind"] == "metric"
        and payload["name"].endswith(("_loss", "_accuracy"))
        and isinstance(payload["value"], float)
    ):
        payload["value"] = float(f"{payload['value']:.{DIGITS}g}")
    return payload


def _record(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        name: _read(value) if name == "record" else value
        for name, value in row.items()
        if name not in ("number", "run")
    }


def _thinned(told: Sequence[dict[str, Any]], files: Sequence[str], points: int) -> list[dict[str, Any]]:
    """The events without what nobody reads of a finished run: the way, all but `points` points of a curve,
    files that are not kept, and what the worker said of its machine."""
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
    return [told[position] for position in sorted(kept)]


def _spread(positions: Sequence[int], points: int) -> Sequence[int]:
    """That many of them at even distances, from the first to the last."""
    last = len(positions) - 1
    return [positions[round(at * last / (points - 1))] for at in range(points)] if last >= points else positions


@lru_cache(maxsize=4)
def digest(path: Path = FILE) -> str:
    """A digest of the file; "" where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def content(path: Path = FILE) -> dict[str, list[dict[str, Any]]]:
    """The runs of the file by chapter. Raises `ValueError` for a file of another form."""
    found = json.loads(lzma.decompress(path.read_bytes()))
    if found.get("form") != FORM:
        raise ValueError(f"the gallery has form {found.get('form')}, and form {FORM} is read here")
    chapters: dict[str, list[dict[str, Any]]] = found["chapters"]
    return chapters


def _by_id(path: Path) -> dict[str, dict[str, Any]]:
    """The same by their ids: a run may stand in several chapters."""
    return {one["run"]["id"]: one for chapter in content(path).values() for one in chapter}


def bring_in(store: RunStore, path: Path = FILE) -> int:
    """Put the file's runs into the store, and give how many came; nothing where it has them already.

    Runs of an earlier gallery make room, but for those that somebody has attacked, audited, tagged or noted:
    they stay, as runs of the store's own. A spec that was run here has its own run, and keeps it.
    """
    mark = digest(path)
    with store.database.read() as connection:
        if not mark or connection.scalar(sa.select(sa.func.count()).where(gallery.c.file == mark)):
            return 0
    packed = _by_id(path)
    with store.database.submitting() as connection:
        if connection.scalar(sa.select(sa.func.count()).where(gallery.c.file == mark)):
            return 0  # another process was first
        gone = _make_room(connection)
        there = set(connection.scalars(sa.select(runs.c.id).where(runs.c.id.in_(list(packed)))))
        fresh = [one for run, one in packed.items() if run not in there]
        _insert(connection, fresh, mark)
    for run in gone - packed.keys():
        store.clear(run)
    for one in fresh:
        for name, coded in one["files"].items():
            (store.folder(one["run"]["id"]) / name).write_bytes(base64.b64decode(coded))
    return len(fresh)


def shipped(ids: Collection[str], path: Path = FILE) -> tuple[list[RunRecord], list[AttackRecord]]:
    """These runs of the file and the attacks on them as they came, whatever a store has in their place."""
    packed = [one for run, one in _by_id(path).items() if run in ids]
    with TemporaryDirectory() as folder:
        store = RunStore.open(f"sqlite:///{Path(folder) / 'runs.sqlite'}", Path(folder) / "runs")
        try:
            with store.database.submitting() as connection:
                _insert(connection, packed, digest(path))
            found = store.find(RunQuery(limit=max(1, len(packed))))
            return found, [attack for one in found for attack in store.attacks(one.id)]
        finally:
            store.close()


def adopt(store: RunStore, path: Path = FILE) -> int:
    """Put the file's runs into the store as runs of its own, so that more can be trained beside them and all
    be packed anew; how many came. Their noise is of `OPEN_KEY`: so must be the store's.
    """
    count = bring_in(store, path)
    with store.database.submitting() as connection:
        connection.execute(gallery.delete())
    return count


def again(one: Mapping[str, Any], folder: Path) -> RunRecord:
    """Run one of the file's runs again in a home of its own at `folder`, with the same noise; how it ended.

    Numbers are the same up to the order of sums, which depends on the machine and the libraries.
    """
    (folder / "noise.key").write_bytes(OPEN_KEY)
    store = RunStore.open(f"sqlite:///{folder.resolve() / 'runs.sqlite'}", folder.resolve() / "runs")
    run = store.submit(RunSpec.from_json(one["run"]["spec"]))
    surroundings = {**environment(store), "PRIVGRAPH_HOME": str(folder.resolve())}
    if "PRIVGRAPH_DATA" not in surroundings:
        surroundings["PRIVGRAPH_DATA"] = str(data_root().resolve())
    command = [sys.executable, "-P", "-m", "privgraph.runs.worker", run]
    subprocess.run(command, env=surroundings, check=False, capture_output=True)  # the record says how it ended
    try:
        return store.get(run)
    finally:
        store.close()


def _make_room(connection: sa.Connection) -> set[str]:
    """Delete the runs of an earlier gallery to which nobody has added anything; their ids."""
    own = connection.execute(sa.select(gallery.c.run, gallery.c.added, runs.c.id, runs.c.note).join(runs)).all()
    numbers, gone = [], set()
    for row in own:
        found = sum(
            connection.scalar(sa.select(sa.func.count()).select_from(table).where(table.c.run == row.run)) or 0
            for table in (audits, attacks, tags)
        )
        if found == row.added and not row.note:
            numbers.append(row.run)
            gone.add(row.id)
    for table in (events, audit_turns, audits, attacks, origins, tags):
        connection.execute(table.delete().where(table.c.run.in_(numbers)))
    connection.execute(gallery.delete())
    connection.execute(runs.delete().where(runs.c.number.in_(numbers)))
    return gone


def _insert(connection: sa.Connection, fresh: Sequence[Mapping[str, Any]], mark: str) -> None:
    """Put these runs into the tables: a statement a table, as one for each run takes most of the time."""
    if not fresh:
        return
    rows = [
        {
            name: _text(value) if name in _JSON else float(value) if name in _NUMBERS and value is not None else value
            for name, value in one["run"].items()
            if name in _COLUMNS
        }
        for one in fresh
    ]
    numbers = _numbered(connection, runs, rows)
    numbered = list(zip(fresh, rows, numbers, strict=True))
    told: dict[sa.Table, list[dict[str, Any]]] = {
        gallery: [
            {"run": number, "file": mark, "added": len(one["audits"]) + len(one["attacks"])}
            for one, _, number in numbered
        ],
        origins: [
            {"run": number, "attempt": row["attempt"], "version": one["version"]}
            for one, row, number in numbered
            if one["version"]
        ],
        events: [
            {
                "run": number,
                "sequence": sequence,
                "attempt": row["attempt"],
                "time": row["created"] + after,
                "kind": kind,
                "payload": _text(payload),
            }
            for one, row, number in numbered
            for sequence, after, kind, payload in one["events"]
        ],
        attacks: [
            {"run": number, **record, "record": _text(record["record"])}
            for one, _, number in numbered
            for record in one["attacks"]
        ],
        audit_turns: [],
    }
    made = iter(
        _numbered(
            connection,
            audits,
            [
                {"run": number, **record, "record": _text(record["record"])}
                for one, _, number in numbered
                for record in one["audits"]
            ],
        )
    )
    for one, _, number in numbered:
        of_run = [next(made) for _ in one["audits"]]
        told[audit_turns] += [
            {"run": number, "turn": turn, "audit": None if place is None else of_run[place]}
            for turn, place in one["turns"]
        ]
    for table, lines in told.items():
        if lines:
            connection.execute(table.insert(), lines)


def _numbered(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> Sequence[int]:
    """The numbers that the database gave to these rows, in their order."""
    if not rows:
        return []
    inserted = table.insert().returning(table.c.number, sort_by_parameter_order=True)
    return connection.scalars(inserted, rows).all()


def _text(value: Any) -> str | None:
    return None if value is None else _ENCODER.encode(value)
