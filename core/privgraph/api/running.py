"""Runs from Python: submitted to a store, trained by its workers, and waited for. No torch."""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from privgraph.api.planning import chosen_spec
from privgraph.api.run import Run, RunFailed
from privgraph.calls import in_words
from privgraph.options import OptionError, short
from privgraph.runs.database import url_of
from privgraph.runs.launch import wait
from privgraph.runs.leases import LOG_NAME
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore

if TYPE_CHECKING:
    from privgraph.data.graph import Graph

MEMORY = ":memory:"
"""The store that lasts as long as this Python does."""

_LOOK_SECONDS = 0.1
_LAST_SECONDS = 5.0


@in_words
def open_store(where: str | PathLike[str] | RunStore | None = None) -> RunStore:
    """Open a store of runs, and make it where there is none.

    Args:
        where: None: that of the app and the command line (`PRIVGRAPH_STORE`, or the home). A folder: one of
            its own there, database and files. `":memory:"`: one that ends with this Python. A database URL. A
            store.

    Returns:
        The store: `find`, `get`, `events`, `delete` and others.

    Raises:
        OptionError: `where` names a file, and not a folder.
        StoreError: The database cannot be opened.
    """
    if isinstance(where, RunStore):
        return where
    if where is None or (isinstance(where, str) and "://" in where):
        return RunStore.open(where)
    if where == MEMORY:
        return _memory(os.getpid())
    if not isinstance(where, str | PathLike):
        raise OptionError(f"store must be a folder, a database URL or a store (got {short(where)})")
    folder = Path(where).expanduser().resolve()
    if folder.exists() and not folder.is_dir():
        raise OptionError(f"store must be a folder, and {folder.name} is a file")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return RunStore.open(url_of(folder / "runs.sqlite"), folder / "runs")


@lru_cache(maxsize=1)
def _memory(_process: int) -> RunStore:
    """Workers are processes of their own, so that even this store lies in a folder, which nobody else may
    enter."""
    folder = Path(tempfile.mkdtemp(prefix="privgraph-"))
    store = RunStore.open(url_of(folder / "runs.sqlite"), folder / "runs")
    atexit.register(_forget, store, folder, os.getpid())
    return store


def _forget(store: RunStore, folder: Path, process: int) -> None:
    if os.getpid() != process:  # a fork leaves its parent's folder alone
        return
    with suppress(StoreError):
        _stop(store, [record.id for record in store.find(RunQuery(states=("queued", "running")))])
        ends = time.monotonic() + _LAST_SECONDS
        while store.count(RunQuery(states=("running", "stopping"))) and time.monotonic() < ends:
            time.sleep(_LOOK_SECONDS)
    store.close()
    shutil.rmtree(folder, ignore_errors=True)


def _stop(store: RunStore, runs: Iterable[str]) -> None:
    for run in runs:
        store.request_stop(run)


@in_words
def run(
    method: str | RunSpec,
    *,
    on: str | Graph | None = None,
    split: str | None = None,
    seed: int | None = None,
    device: str = "auto",
    data_options: Mapping[str, object] | None = None,
    store: str | PathLike[str] | RunStore | None = None,
    tags: Sequence[str] = (),
    timeout: float | None = None,
    progress: bool = False,
    **options: object,
) -> Run:
    """Train a method on a graph, and wait for it; a run that exists is opened, and not trained again.

    A worker trains it, a process of its own, like every run of the app and the command line. Its noise comes
    from the secret key of this installation. Interrupting the wait (Ctrl-C) stops the run.

    Args:
        method: A method of `privgraph.METHODS`, or a spec, which needs nothing of the next five.
        on: The name of a data set, or a graph as `privgraph.load` returned it, which stands for its data set,
            its options and its split.
        split: `random` (default), `public` or `inductive`; a graph has one already.
        seed: Seed of every random choice of the run that everybody may know, the split included, 0 or more.
            The default is the split seed of a graph, and 0 for a name.
        device: `auto`, `cpu` or `cuda`.
        data_options: Options of an embedded data set that is given by its name.
        store: Where it is kept: as in `privgraph.open_store` (default: where the app keeps its runs).
        tags: Words to find it by.
        timeout: Seconds to wait at most; None waits for as long as it takes.
        progress: Whether to draw a bar on standard error.
        **options: Options of the method; those that are left out have their defaults.

    Returns:
        The run, which is done: `metrics`, `statement`, `epsilon`, `curve(name)`, `folder`.

    Raises:
        UnknownName: There is no such method or data set; the message offers the nearest name.
        OptionError: There is no such option, or not such a value of it, or the method refuses the data.
        StoreError: The store cannot keep the run.
        RunFailed: It failed, was stopped or was lost; the message says why.
        TimeoutError: It was not done within `timeout`; it goes on all the same.
    """
    rest = {"split": split, "seed": seed, "device": device, "data_options": data_options, **options}
    chosen = chosen_spec(method, on, rest)
    return run_all([chosen], store=store, tags=tags, timeout=timeout, progress=progress)[0]


@in_words
def run_all(
    specs: Iterable[RunSpec],
    *,
    store: str | PathLike[str] | RunStore | None = None,
    tags: Sequence[str] = (),
    timeout: float | None = None,
    progress: bool = False,
) -> list[Run]:
    """Train many runs, together where their methods allow it, and wait for all of them.

    Ten seeds of one setting take the time of a few. Runs that exist are opened, and not trained again.

    Args:
        specs: What to run, such as `privgraph.sweep` gives.
        store: Where they are kept: as in `privgraph.open_store` (default: where the app keeps its runs).
        tags: Words to find them by.
        timeout: Seconds to wait at most; None waits for as long as it takes.
        progress: Whether to draw a bar on standard error.

    Returns:
        The runs, all done, in the order of `specs`.

    Raises:
        OptionError: `specs` is no list of specs, or `tags` no list of words.
        StoreError: The store cannot keep the runs.
        RunFailed: Some failed, were stopped or were lost; the message says why the first did, and `runs` are
            all.
        TimeoutError: Some were not done within `timeout`; they go on all the same.
    """
    chosen, words = _specs(specs), _words(tags)
    opened = open_store(store)
    batch = f"batch-{secrets.token_hex(4)}" if len(chosen) > 1 else ""
    there = opened.states([one.id for one in chosen])
    ids = opened.submit_all(chosen, words, batch)
    ours = [*opened.retry_undone(there), *(run for run in dict.fromkeys(ids) if run not in there)]
    try:
        records = _watched(opened, ids, timeout, progress) if ids else []
    except KeyboardInterrupt:
        _stop(opened, ours)
        raise
    runs = [Run(record, opened) for record in records]
    for ended in runs:
        if ended.record.state != "done":
            log = f" (its log: {ended.folder / LOG_NAME})" if ended.record.state in ("failed", "lost") else ""
            why = ended.record.error or "somebody stopped it"
            did = "failed" if ended.record.state == "failed" else f"was {ended.record.state}"
            raise RunFailed(f"{ended.id} {did}: {why}{log}", runs)
    return runs


def _specs(given: object) -> list[RunSpec]:
    """What `run_all` was given, as a list. Raises `OptionError` where it is none, or holds something else."""
    if isinstance(given, RunSpec):
        raise OptionError("run_all takes a list of specs: write run_all([spec]), or run(spec) for one run")
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise OptionError(f"specs must be a list of specs, such as privgraph.sweep returns (got {short(given)})")
    specs = list(given)
    for one in specs:
        if not isinstance(one, RunSpec):
            raise OptionError(f"specs must hold specs alone, which privgraph.spec makes (got {short(one)} among them)")
    return specs


def _words(tags: object) -> tuple[str, ...]:
    """Tags as a tuple: a single text is refused, since it would be taken apart into its letters."""
    if isinstance(tags, str):
        raise OptionError(f'tags must be a list of words, such as tags=["mine"] (got {short(tags)})')
    if not isinstance(tags, Iterable):
        raise OptionError(f"tags must be a list of words (got {short(tags)})")
    words = tuple(tags)
    for word in words:
        if not isinstance(word, str):
            raise OptionError(f"tags must be words (got {short(word)} among them)")
    return words


def _watched(store: RunStore, ids: Sequence[str], timeout: float | None, progress: bool) -> list[RunRecord]:
    unique = list(dict.fromkeys(ids))
    if not progress:
        finished = wait(store, unique, timeout=timeout)
    else:
        from tqdm import tqdm

        with tqdm(total=float(len(unique)), bar_format="{desc} |{bar}| {percentage:3.0f}% [{elapsed}]") as bar:

            def look(records: list[RunRecord]) -> None:
                ended = sum(not record.pending for record in records)
                bar.set_description_str(f"{ended} of {len(records)} runs", refresh=False)
                bar.n = sum(record.progress if record.pending else 1.0 for record in records)
                bar.refresh()

            finished = wait(store, unique, timeout=timeout, watch=look)
    by_id = {record.id: record for record in finished}
    return [by_id[run] for run in ids]
