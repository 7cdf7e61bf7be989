"""Audits and attacks of runs as processes of their own, to be started, watched and stopped by a page or a
command line. No torch.

Each has a token and a folder of its own below the run's: any number of them may go on at once, and each
outlives whoever started it. What it comes to lies in the store; here is only how far it is.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, final

import psutil

from privgraph.home import umask
from privgraph.options import values
from privgraph.runs.launch import bury, environment
from privgraph.runs.leases import this_host
from privgraph.runs.processes import alive, how_it_ended, last_words
from privgraph.runs.records import RunRecord, StoreError
from privgraph.runs.store import RunStore

LOOK_SECONDS = 0.1
_STARTED, _STATE, _STOP, _RECORD = "started.json", "state.json", "stop", "record.json"

OptionsT = TypeVar("OptionsT")


class Record(Protocol):
    """What an examination comes to."""

    def to_json(self) -> dict[str, Any]:
        """As strict JSON."""


RecordT = TypeVar("RecordT", bound=Record)


@dataclass(frozen=True, kw_only=True)
class Examination(Generic[OptionsT]):
    """An audit or attack of a run on its way, or ended; `name` is its key in `AUDITS` or `ATTACKS`.

    `progress` in [0, 1]. `done`: it has ended, one way or another; `error` is one sentence, "" where nothing
    went wrong, and `stopped` says that it was asked to end and did; `stopping` that it was asked, and has not
    yet. `started` and `reported`, when it last said how far it is (None: not yet), in seconds since the
    epoch."""

    token: str
    name: str
    options: OptionsT
    started: float
    progress: float = 0.0
    stage: str = "starting"
    error: str = ""
    done: bool = False
    stopped: bool = False
    stopping: bool = False
    reported: float | None = None


@final
class Examiner(Generic[OptionsT, RecordT]):
    """Starts, watches and stops examinations of one kind.

    Args:
        noun: What people call one: audit or attack. Its processes are `python -m privgraph.runs.<noun> RUN
            --<noun> NAME --token TOKEN`, and their folders lie in `<noun>s` of the run's.
        options: The class of their options.
        read: Makes a record of its JSON.
    """

    def __init__(
        self,
        noun: str,
        options: type[OptionsT],
        read: Callable[[Mapping[str, Any]], RecordT],
    ) -> None:
        self.noun, self._options, self._read = noun, options, read
        self.children: list[subprocess.Popen[bytes]] = []
        """Processes that this one started; asked after now and then, so that none stays as a zombie."""

    def start(self, store: RunStore, record: RunRecord, name: str, options: OptionsT) -> str:
        """Start one as a process of its own, and give its token. Raises `StoreError` where that cannot be."""
        available = psutil.virtual_memory().available / 2**20
        if record.peak_memory_mb is not None and record.peak_memory_mb > available:
            raise StoreError(
                f"an {self.noun} plays what the run did, which took {record.peak_memory_mb:,.0f} MB of memory, and "
                f"{available:,.0f} MB are free"
            )
        token = secrets.token_hex(8)
        folder = self.folder(store, record.id) / token
        folder.mkdir(parents=True)
        chosen = values(options)
        started = {"name": name, "options": chosen, "started": time.time(), "host": this_host()}
        flags = [part for one, value in chosen.items() for part in (f"--{one}", str(value))]
        module = f"privgraph.runs.{self.noun}"
        command = [sys.executable, "-P", "-m", module, record.id, f"--{self.noun}", name, "--token", token, *flags]
        try:
            with (folder / self.log_name).open("wb") as log:
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
            raise StoreError(f"no {self.noun} could be started ({error})") from error
        self.children.append(child)
        write(folder / _STARTED, started | {"pid": child.pid})
        return token

    @property
    def log_name(self) -> str:
        return f"{self.noun}.log"

    def states(self, store: RunStore, run: str) -> list[Examination[OptionsT]]:
        """All of a run that were started as processes, the oldest first."""
        bury(self.children)
        folder = self.folder(store, run)
        found = [self._state(path) for path in folder.iterdir()] if folder.is_dir() else []
        return sorted((one for one in found if one is not None), key=lambda one: (one.started, one.token))

    def state(self, store: RunStore, run: str, token: str | None = None) -> Examination[OptionsT] | None:
        """How far the one of that token is, or the last one that was started; None where there is none."""
        found = [one for one in self.states(store, run) if token in (None, one.token)]
        return found[-1] if found else None

    def wait(
        self,
        store: RunStore,
        run: str,
        token: str,
        look: Callable[[Examination[OptionsT]], None] = lambda state: None,
        timeout: float | None = None,
    ) -> Examination[OptionsT]:
        """Wait until one ends, and let `look` see each time how far it is. Raises `StoreError` where it was
        deleted, and `TimeoutError`."""
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while (state := self.state(store, run, token)) is not None:
            if state.done:
                return state
            look(state)
            if time.monotonic() > deadline:
                raise TimeoutError(f"the {self.noun} was not finished within {timeout:g} seconds")
            time.sleep(LOOK_SECONDS)
        raise StoreError(f"the {self.noun} of {run} was deleted while it went on")

    def stop(self, store: RunStore, run: str, token: str) -> None:
        """Ask one to end; it obeys at its next step."""
        folder = self.folder(store, run) / token
        if self.state(store, run, token) is None:
            raise StoreError(f"there is no {self.noun} {token} of {run}")
        (folder / _STOP).touch()

    def outcome(self, store: RunStore, run: str, token: str) -> RecordT | None:
        """What the one of that token came to; None where it came to nothing, or not yet."""
        record = read(self.folder(store, run) / token / _RECORD)
        return None if record is None else self._read(record)

    def folder(self, store: RunStore, run: str) -> Path:
        return store.folder(store.get(run).id) / f"{self.noun}s"

    def diary(self, store: RunStore, run: str, token: str) -> Diary:
        return Diary(self.folder(store, run) / token)

    def _state(self, folder: Path) -> Examination[OptionsT] | None:
        """None of one whose process is only just being started."""
        started = read(folder / _STARTED)
        if started is None:
            return None
        reported = read(folder / _STATE) or {}
        going = Examination(
            token=folder.name,
            name=started.get("name") or started[self.noun],  # as versions before 0.6 wrote it
            options=self._options(**started["options"]),
            started=started["started"],
            reported=_written(folder / _STATE),
            **reported,
        )
        if not going.done and (folder / _STOP).exists():
            going = dataclasses.replace(going, stopping=True)
        if going.done or started["host"] != this_host() or alive(started["pid"]):
            return going
        reported = read(folder / _STATE) or {}  # it may have ended between the two looks
        if reported.get("done"):
            return dataclasses.replace(going, stopping=False, **reported)
        going = dataclasses.replace(going, stopping=False)
        how = how_it_ended(started["pid"])
        if "signal 9" in how:
            return dataclasses.replace(going, done=True, error=f"the {self.noun} {how}")
        words = last_words(folder / self.log_name).splitlines()
        final = next((line for line in words if line.startswith("Fatal Python error")), words[-1] if words else "")
        said = f"; its last words were: {final.strip()}" if final else " without a last word"
        return dataclasses.replace(going, done=True, error=f"the {self.noun}'s process ended{said}")


@final
class Diary:
    """What the process of an examination writes of itself, and reads of what it is asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder.mkdir(parents=True, exist_ok=True)

    @property
    def told_to_stop(self) -> bool:
        return (self._folder / _STOP).exists()

    def keep(self, record: Record) -> None:
        """What it came to, for the one who started it; the store has it too."""
        write(self._folder / _RECORD, record.to_json())

    def write(self, progress: float, stage: str, *, error: str = "", done: bool = False, stopped: bool = False) -> None:
        """Say how far it is."""
        write(
            self._folder / _STATE,
            {"progress": progress, "stage": stage, "error": error, "done": done, "stopped": stopped},
        )


def read(path: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    return found


def _written(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return None


def write(path: Path, value: dict[str, Any]) -> None:
    """All or nothing: a reader never sees half of it, nor of two that are written at once."""
    draft = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    draft.write_text(json.dumps(value))
    draft.replace(path)
