"""Runs that tests of a store put into it, and how many statements that takes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from privgraph.progress import Result
from privgraph.runs.leases import Outcome
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore

NOBODY = 2**22 + 1
"""A process number that Linux never gives."""


@contextmanager
def statements(store: RunStore) -> Iterator[list[str]]:
    """What the database is asked meanwhile."""
    asked: list[str] = []

    def told(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    sa.event.listen(store.database.engine, "before_cursor_execute", told)
    try:
        yield asked
    finally:
        sa.event.remove(store.database.engine, "before_cursor_execute", told)


def a_spec(seed: int = 0, method: str = "mlp", dataset: str = "karate", **options: object) -> RunSpec:
    chosen = {"unit": "edge", "epsilon": 1.0, "accounting": "sound", "hidden": 16} | options
    return RunSpec(method=method, dataset=dataset, seed=seed, options=chosen)  # type: ignore[arg-type]


def running(store: RunStore, seed: int = 0, worker: str = "w") -> str:
    run = store.submit(a_spec(seed))
    assert store.leases.claim([run], worker, pid=os.getpid()) == [run]
    return run


STATEMENT = {"epsilon": "inf", "epsilon_as_published": 1.5, "epsilon_audited": None, "delta": 1e-5}


def done(store: RunStore, seed: int = 0, accuracy: float = 0.5) -> str:
    run = running(store, seed)
    outcome = Outcome(state="done", metrics={"test_accuracy": accuracy}, statement=STATEMENT, seconds=2.0, device="cpu")
    store.leases.finish(run, "w", outcome, [Result(metrics={"test_accuracy": accuracy})])
    return run
