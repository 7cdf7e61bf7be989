"""Runs submitted, looked after and tried again. No Streamlit, no torch."""

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache

from privgraph.home import home
from privgraph.runs.engine_options import RETRIES, EngineOptions
from privgraph.runs.engines import ENGINES, send
from privgraph.runs.examples import PLACE, open_store
from privgraph.runs.launch import launch
from privgraph.runs.queueing import LOCAL, STACK_LIMIT
from privgraph.runs.records import EXAMPLE, StoreIsFull, StoreIsReadOnly
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore

LAUNCH_EVERY = 1.0
MOST_CREW = 16
"""Workers that a page asks an engine for at most: one for each stack of runs, up to so many."""
_last_launch: dict[str, float] = {}
_launching = threading.Lock()
_shown: list[Callable[[], bool]] = []


def show_examples(when: Callable[[], bool]) -> None:
    """Who says, at each look, whether pages show the examples."""
    _shown[:] = [when]


def store() -> RunStore:
    """The store that pages show: the examples, which nothing is written to, or one's own runs."""
    return examples() if any(when() for when in _shown) else own()


def of(run: str) -> RunStore:
    """The store that has a run of that id, if any has."""
    return examples() if run.startswith(EXAMPLE) else own()


def own() -> RunStore:
    """The run store that the environment names."""
    return _opened(RunStore.open, os.environ.get("PRIVGRAPH_STORE", ""), str(home()))


def examples() -> RunStore:
    """The examples."""
    return _opened(open_store, os.environ.get(PLACE, ""), str(home()))


@lru_cache(maxsize=16)
def _opened(open_: Callable[[], RunStore], *_where: str) -> RunStore:
    """One for each place, for the life of the process."""
    return open_()


def submit(specs: Iterable[RunSpec], tags: Sequence[str] = (), engine: str = LOCAL) -> list[str]:
    """Store the specs as runs of one batch, have them trained where there is room, and give the ids in order.

    Of several runs, one whose worker is lost is queued again by itself; one that was asked for alone has
    somebody who watches it. Raises `StoreError`: none is stored then.
    """
    chosen = list(specs)
    batch = f"batch-{secrets.token_hex(4)}" if len(chosen) > 1 else ""
    options = EngineOptions(workers=min(MOST_CREW, max(1, -(-len(chosen) // STACK_LIMIT))))
    ENGINES[engine].check(own(), options)
    retries = RETRIES if batch or engine != LOCAL else 0
    ids = own().submit_all(chosen, tags, batch, engine=engine, retries=retries)
    if engine == LOCAL:
        launch(own(), ids)
    else:
        send(own(), engine, options)
    return ids


def tick() -> None:
    """Look after the queue, as every page that shows runs does: at most once a second in a process."""
    current = own()
    with _launching:
        if time.monotonic() - _last_launch.get(current.url, -LAUNCH_EVERY) < LAUNCH_EVERY:
            return
        _last_launch[current.url] = time.monotonic()
    with suppress(StoreIsFull, StoreIsReadOnly):  # such a store is shown all the same; whoever submits a run is told
        launch(current)


def retry(run: str) -> None:
    """Queue a stopped, failed or lost run again, and start it where there is room. Raises `StoreError`."""
    own().retry(run)
    launch(own(), [run])
