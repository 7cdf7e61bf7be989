"""What the fence of capabilities stands on: homes with runs in them, commands as they are
called. Where examples are is known to `example_store` alone.
"""

import contextlib
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import privgraph as pg
from privgraph.runs.records import RunQuery

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("--data-set", "nodes=120", "--data-set", "degree=6")
"""A graph of `social` on which a run takes no time."""


# Homes


def example_store() -> Any:
    """The store of the examples that come along."""
    from privgraph.runs import examples

    return examples.open_store()


@contextlib.contextmanager
def at_home(home: Path) -> Iterator[Path]:
    """That home is the one that commands, pages and `privgraph` use; workers that pull train its runs, and
    nobody starts others."""
    home.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("PRIVGRAPH_WORKERS", "0")
        for name in ("PRIVGRAPH_STORE", "PRIVGRAPH_ARTIFACTS", "PRIVGRAPH_TOKEN", "PRIVGRAPH_PROXY_SECRET"):
            patch.delenv(name, raising=False)
        yield home


@contextlib.contextmanager
def pulling(home: Path) -> Iterator[None]:
    """A `privgraph worker` trains what waits there; told to end, it ends well."""
    flags = ["worker", "--forever", "--device=cpu", "--memory=8GB"]
    with at_home(home), (home / "pulling.log").open("wb") as log:
        process = subprocess.Popen([*shell(), *flags], stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        code = process.wait(timeout=60)
    assert code == 0, (home / "pulling.log").read_text()


def examples(store: Any, **asked: tuple[str, ...]) -> list[pg.Run]:
    """Finished runs of the store of these `methods`, `datasets`, `units`."""
    query = RunQuery(states=("done",), **asked)  # type: ignore[arg-type]
    return [pg.Run(record, store) for record in store.find(query)]


DAMAGES: Mapping[str, str] = {
    "a spec of a newer form": "UPDATE runs SET spec = replace(spec, '{', '{\"cluster\": 1, ') WHERE id = ?",
    "a spec that is cut off": "UPDATE runs SET spec = substr(spec, 1, 20) WHERE id = ?",
    "a statement that is no statement": "UPDATE runs SET statement = '[1]' WHERE id = ?",
    "numbers that are cut off": "UPDATE runs SET metrics = substr(metrics, 1, 9) WHERE id = ?",
    "a state that nobody knows": "UPDATE runs SET state = 'paused' WHERE id = ?",
    "a time that no calendar has": "UPDATE runs SET created = 9e300 WHERE id = ?",
    "an event that cannot be read": "UPDATE events SET payload = '{' WHERE sequence = 3 AND run = "
    "(SELECT number FROM runs WHERE id = ?)",
    "a method that is not here": "UPDATE runs SET spec = replace(spec, '\"progap\"', '\"newgap\"') WHERE id = ?",
}
"""What may have happened to the row of a run, in the tables of SQLite."""


def damage(home: Path, ids: Sequence[str]) -> None:
    """One run after the other is damaged in one way after the other."""
    with contextlib.closing(sqlite3.connect(home / "runs.sqlite")) as tables, tables:
        for change, run in zip(DAMAGES.values(), ids, strict=True):
            assert tables.execute(change, [run]).rowcount == 1


# Commands


@cache
def _main() -> tuple[str, str]:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, name = scripts["privgraph"].partition(":")
    return module, name


def shell() -> list[str]:
    """The command `privgraph` for a process of its own, whoever has installed it."""
    return [sys.executable, "-c", "import sys; from {0} import {1}; sys.exit({1}())".format(*_main())]


@dataclass(frozen=True)
class Told:
    """What a command came to: its exit code, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The last line of standard output, as strict JSON."""
        return json.loads(self.out.splitlines()[-1], parse_constant=_refuse)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def _refuse(token: str) -> None:
    raise AssertionError(f"{token} is no JSON")


def privgraph(*words: str) -> Told:
    """Run a command in this process."""
    module, name = _main()
    main: Callable[[Sequence[str]], int] = getattr(import_module(module), name)
    out, err, handler = io.StringIO(), io.StringIO(), signal.getsignal(signal.SIGTERM)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            signal.signal(signal.SIGTERM, handler)
    return Told(code, out.getvalue(), err.getvalue())


def environment(**more: str) -> dict[str, str]:
    """The environment of a process of ours."""
    return {**os.environ, **more}
