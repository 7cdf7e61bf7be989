"""Audits as processes of their own, for a page or a command line to start, watch and stop. No torch.

Each audit has a token and a folder of its own below the run's: any number of them may go on at once, and each
outlives whoever started it. What it comes to lies in the store (`RunStore.audits`); here is only how far it
is.
"""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord
from privgraph.home import umask
from privgraph.options import OptionError, values
from privgraph.registry import audit as audit_spec
from privgraph.runs.launch import bury, environment
from privgraph.runs.leases import this_host
from privgraph.runs.processes import alive, how_it_ended, last_words
from privgraph.runs.records import RunRecord, StoreError
from privgraph.runs.store import RunStore

LOG_NAME = "audit.log"
_FOLDER, _STARTED, _STATE, _STOP, _RECORD = "audits", "started.json", "state.json", "stop", "record.json"

_children: list[subprocess.Popen[bytes]] = []
"""Audits that this process started; asked after now and then, so that none stays behind as a zombie."""


@dataclass(frozen=True, kw_only=True)
class Auditing:
    """An audit of a run on its way, or ended.

    `progress` in [0, 1]. `done`: it has ended, one way or another; `error` is one sentence, "" where nothing
    went wrong, and `stopped` says that it was asked to end. `started` in seconds since the epoch.
    """

    token: str
    audit: str
    options: AuditOptions
    started: float
    progress: float = 0.0
    stage: str = "starting"
    error: str = ""
    done: bool = False
    stopped: bool = False


def _unread() -> Any:
    raise RuntimeError("the data of a run are read by the process that audits it, and by no other")


def subject(record: RunRecord, graph: Callable[[], Any] = _unread) -> Subject:
    """What an audit is told of a stored run: enough to ask whether it refuses the run, and what it costs.

    `graph` loads the run's data for the process that audits it. Raises `StoreError` where the run has no
    result.
    """
    if record.state != "done" or record.statement is None:
        raise StoreError(f"only a run that is done can be audited, and {record.id} is {record.state}")
    return Subject(
        run=record.id,
        method=record.spec.method,
        config=record.spec.config(),
        statement=record.statement,
        graph=graph,
        seed=record.spec.seed,
        seconds=record.seconds,
        device=record.device or "cpu",
    )


def start(store: RunStore, run: str, audit: str, options: AuditOptions) -> str:
    """Start an audit of a run as a process of its own, and give its token.

    Raises `StoreError` where the run is not done or no process can be started, and `OptionError` where the
    audit refuses the run.
    """
    record = store.get(run)
    refusal = audit_spec(audit).refuses(subject(record))
    if refusal:
        raise OptionError(refusal)
    available = psutil.virtual_memory().available / 2**20
    if record.peak_memory_mb is not None and record.peak_memory_mb > available:
        raise StoreError(
            f"an audit plays what the run did, which took {record.peak_memory_mb:,.0f} MB of memory, and "
            f"{available:,.0f} MB are free"
        )
    token = secrets.token_hex(8)
    folder = _folder(store, run) / token
    folder.mkdir(parents=True)
    started = {"audit": audit, "options": values(options), "started": time.time(), "host": this_host()}
    flags = [part for name, value in values(options).items() for part in (f"--{name}", str(value))]
    command = [sys.executable, "-P", "-m", "privgraph.runs.audit", run, "--audit", audit, "--token", token, *flags]
    try:
        with (folder / LOG_NAME).open("wb") as log:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=environment(store),
                umask=umask(),
            )
    except OSError as error:
        raise StoreError(f"no audit could be started ({error})") from error
    _children.append(child)
    _write(folder / _STARTED, started | {"pid": child.pid})
    return token


def states(store: RunStore, run: str) -> list[Auditing]:
    """All audits of a run that were started as processes, the oldest first."""
    bury(_children)
    folder = _folder(store, run)
    found = [_state(path) for path in folder.iterdir()] if folder.is_dir() else []
    return sorted((one for one in found if one is not None), key=lambda one: (one.started, one.token))


def state(store: RunStore, run: str, token: str | None = None) -> Auditing | None:
    """How far the audit of that token is, or the last one that was started; None where there is none."""
    found = [one for one in states(store, run) if token in (None, one.token)]
    return found[-1] if found else None


def stop(store: RunStore, run: str, token: str) -> None:
    """Ask an audit to end; it obeys at its next step."""
    folder = _folder(store, run) / token
    if state(store, run, token) is None:
        raise StoreError(f"there is no audit {token} of {run}")
    (folder / _STOP).touch()


def outcome(store: RunStore, run: str, token: str) -> AuditRecord | None:
    """What the audit of that token came to; None where it came to nothing, or not yet."""
    record = _read(_folder(store, run) / token / _RECORD)
    return None if record is None else AuditRecord.from_json(record)


class Diary:
    """What the process of an audit writes of itself, and reads of what it is asked."""

    def __init__(self, store: RunStore, run: str, token: str) -> None:
        self._folder = _folder(store, run) / token
        self._folder.mkdir(parents=True, exist_ok=True)

    @property
    def told_to_stop(self) -> bool:
        return (self._folder / _STOP).exists()

    def keep(self, record: AuditRecord) -> None:
        """What it came to, for the one who started it; the store has it too."""
        _write(self._folder / _RECORD, record.to_json())

    def write(self, progress: float, stage: str, *, error: str = "", done: bool = False, stopped: bool = False) -> None:
        """Say how far it is."""
        _write(
            self._folder / _STATE,
            {"progress": progress, "stage": stage, "error": error, "done": done, "stopped": stopped},
        )


def _folder(store: RunStore, run: str) -> Path:
    return store.folder(store.get(run).id) / _FOLDER


def _state(folder: Path) -> Auditing | None:
    """None of an audit whose process is only just being started."""
    started = _read(folder / _STARTED)
    if started is None:
        return None
    reported = _read(folder / _STATE) or {}
    auditing = Auditing(
        token=folder.name,
        audit=started["audit"],
        options=AuditOptions(**started["options"]),
        started=started["started"],
        **reported,
    )
    if auditing.done or started["host"] != this_host() or alive(started["pid"]):
        return auditing
    reported = _read(folder / _STATE) or {}  # it may have ended between the two looks
    if reported.get("done"):
        return dataclasses.replace(auditing, **reported)
    how = how_it_ended(started["pid"])
    if "signal 9" in how:
        return dataclasses.replace(auditing, done=True, error=f"the audit {how}")
    words = last_words(folder / LOG_NAME).splitlines()
    final = next((line for line in words if line.startswith("Fatal Python error")), words[-1] if words else "")
    said = f"; its last words were: {final.strip()}" if final else " without a last word"
    return dataclasses.replace(auditing, done=True, error=f"the audit's process ended{said}")


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    return found


def _write(path: Path, value: dict[str, Any]) -> None:
    """All or nothing: a reader never sees half of it."""
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps(value))
    draft.replace(path)
