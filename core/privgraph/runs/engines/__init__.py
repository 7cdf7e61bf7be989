"""Where the runs of a sweep are trained: on this machine, by Slurm, or by Ray. No torch.

An engine starts workers, and knows nothing of runs: all of its workers pull from the store, which alone says
what is done. What an engine needs beside is imported when it is asked for.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

from privgraph import home
from privgraph.options import OptionError, Table
from privgraph.runs.engine_options import EngineOptions
from privgraph.runs.launch import children, environment
from privgraph.runs.pull_options import flags
from privgraph.runs.queueing import LOCAL
from privgraph.runs.records import FINISHED, StoreAway, StoreError
from privgraph.runs.store import ARTIFACTS, RunStore
from privgraph.streams import noise_key

MOST_CREWS = 5
"""How often in a row workers are started for one sweep, where all of them ended and none of its runs had."""


class EngineError(StoreError):
    """An engine cannot train the runs; the message is one sentence."""


class Crew(Protocol):
    """The workers of one sweep."""

    def look(self, left: Sequence[str], /) -> bool:
        """Look after them, of whose runs these are left; False once all have ended."""

    def leave(self) -> None:
        """Nothing is left for them: let those that can end by themselves."""

    def stop(self) -> None:
        """End those that are left, which give their runs back."""


class Room(Protocol):
    """The module of an engine."""

    def check(self, store: RunStore, options: EngineOptions) -> None:
        """Raise `EngineError` for what the engine cannot do, whatever its cluster says."""

    def start(self, store: RunStore, options: EngineOptions) -> Crew:
        """Start workers. Raises `EngineError` in one sentence where that cannot be."""


@dataclass(frozen=True, kw_only=True)
class EngineSpec:
    """An engine: `package` is what must be installed for it, which the extra of its own name brings."""

    name: str
    about: str
    package: str = ""

    @property
    def configured(self) -> bool:
        """Whether what it needs is installed."""
        return not self.package or find_spec(self.package) is not None

    def check(self, store: RunStore, options: EngineOptions) -> Room:
        """Its module. Raises `EngineError` in one sentence for what is known to be in vain before any run is
        submitted."""
        if not self.configured:
            raise EngineError(f"{self.name} needs a package that is not here: pip install 'privgraph[{self.name}]'")
        room = cast(Room, import_module(f"privgraph.runs.engines.{self.name}"))
        room.check(store, options)
        return room

    def start(self, store: RunStore, options: EngineOptions) -> Crew:
        """Start workers. Raises `EngineError` in one sentence where that cannot be."""
        return self.check(store, options).start(store, options)


ENGINES: Mapping[str, EngineSpec] = Table(
    "engine",
    lambda: {
        one.name: one
        for one in (
            EngineSpec(name=LOCAL, about="processes of this machine"),
            EngineSpec(name="slurm", about="an array of workers in Slurm's queue", package="submitit"),
            EngineSpec(name="ray", about="tasks of a Ray cluster", package="ray"),
        )
    },
)


def configured() -> tuple[str, ...]:
    """The engines that can be used here."""
    return tuple(name for name, engine in ENGINES.items() if engine.configured)


def offered() -> tuple[str, ...]:
    """The engines that a page offers: this machine, and those whose cluster is there. That is Slurm's sbatch
    among the commands, or an address in RAY_ADDRESS."""
    there = {LOCAL: True, "slurm": shutil.which("sbatch") is not None, "ray": bool(os.environ.get("RAY_ADDRESS"))}
    return tuple(name for name in configured() if there[name])


def log_path() -> Path:
    """Where the processes that `send` starts say what becomes of them."""
    return home.home() / "engines.log"


def decide_key(store: RunStore) -> None:
    """Where no noise key counts for the store yet, let that of this home count: who submits runs is not to be
    refused because another machine began first."""
    if not store.leases.fingerprint():
        store.leases.agree(noise_key(home.home()))


def send(store: RunStore, engine: str, options: EngineOptions) -> None:
    """Start the process that has the engine train what was given to it; it outlives this one."""
    decide_key(store)
    command = [sys.executable, "-P", "-m", "privgraph.runs.engines", engine, *flags(options)]
    with log_path().open("ab") as log:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment(store),
            umask=home.umask(),
        )
    children.append(child)


def surroundings(store: RunStore) -> dict[str, str]:
    """What the environment of an engine's worker must say: where the store is."""
    found = environment(store)
    told = ("PRIVGRAPH_STORE",) if store.artifacts else ("PRIVGRAPH_STORE", ARTIFACTS)
    return {name: found[name] for name in told}


def train(
    name: str,
    store: RunStore,
    ids: Sequence[str],
    options: EngineOptions | None = None,
    *,
    watch: Callable[[dict[str, str]], None] | None = None,
    every: float = 0.5,
) -> dict[str, str]:
    """Have an engine train queued runs, and wait until all have ended; their states, in order of `ids`.

    Args:
        name: An engine of `ENGINES`.
        store: The store that holds the runs.
        ids: The runs; others of the queue may be trained as well.
        options: What is asked of the engine.
        watch: Given the states at each look, `every` seconds.
        every: Seconds between two looks.

    Raises:
        UnknownName: There is no such engine.
        EngineError: It cannot start workers, or they ended again and again while runs were left, and of these
            none had ended meanwhile.
    """
    chosen, engine = options or EngineOptions(), ENGINES[name]
    crew: Crew | None = None
    states: dict[str, str] = {}
    over, idle, before = False, 0, 0
    try:
        while True:
            began = time.monotonic()
            try:
                left = [run for run in ids if states.get(run) not in FINISHED]
                there = crew is not None and crew.look(left)
                store.sweep_lost()
                states |= store.states(left)
                if watch is not None:
                    watch(states)
                ended = sum(states.get(run) in FINISHED for run in ids)
                over = ended == len(ids)
                if over:
                    return {run: states[run] for run in ids}
                if not there:
                    idle = 0 if crew is None or ended > before else idle + 1
                    if idle == MOST_CREWS:
                        raise EngineError(_idle(name, store, left, idle))
                    crew, before = engine.start(store, chosen), ended
            except StoreAway:
                pass  # workers wait for it as well
            time.sleep(max(every, time.monotonic() - began))
    finally:
        if crew is not None:
            (crew.leave if over else crew.stop)()


def _idle(name: str, store: RunStore, left: Sequence[str], times: int) -> str:
    """Why an engine is given up; runs that its workers leave have a reason that is known."""
    said = f"the workers of {name} ended {times} times in a row without one run done"
    _, most = store.leases.needing_more(0.0, left[:500])
    return f"{said}; a run that waits needs about {most:,.0f} MB of memory" if most else said


def numbers(text: str) -> list[int]:
    """Seeds as a command line writes them. Raises `OptionError`.

    >>> numbers("0-3,7")
    [0, 1, 2, 3, 7]
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or (dash and int(last) < int(first)):
            raise OptionError(f"seeds must be whole numbers and ranges, such as 0-9 or 0,3,5 (got {part or 'nothing'})")
        if dash and int(last) - int(first) > 100_000:
            raise OptionError("seeds must be 100,000 at most")
        found.extend(range(int(first), int(last if dash else first) + 1))
    return found
