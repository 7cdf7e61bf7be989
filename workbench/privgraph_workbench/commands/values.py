"""Loose words of the command line as values: options, and runs by the beginning of their ids."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeVar

from privgraph.options import build, parameters, short
from privgraph.runs.examples import open_store
from privgraph.runs.records import EXAMPLE, RunQuery, RunRecord, StoreIsFull, StoreIsReadOnly, UnknownRun, Unreadable
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.facts.plans import SHARED

OptionsT = TypeVar("OptionsT")


def pairs(words: Sequence[str], flag: str) -> dict[str, str]:
    """`key=value` words as a mapping; a later one wins. Raises `UsageError`."""
    by_key = {}
    for word in words:
        key, separator, value = word.partition("=")
        if not separator or not key:
            raise UsageError(f"{flag} takes KEY=VALUE (got {short(word)})")
        by_key[key.strip().replace("-", "_")] = value
    return by_key


def several(words: Sequence[str], flag: str) -> dict[str, list[str]]:
    """`name=value,value` words as a grid. Raises `UsageError`."""
    grid = {name: [one.strip() for one in text.split(",")] for name, text in pairs(words, flag).items()}
    for name, values in grid.items():
        if not all(values):
            raise UsageError(f"{flag} takes NAME=VALUE,VALUE (got {short(name)}={short(','.join(values))})")
    return grid


def method_options(parsed: argparse.Namespace) -> dict[str, object]:
    """The method's options of a command line; their types and bounds are checked where they are built."""
    shared = {name: getattr(parsed, name) for name in SHARED if getattr(parsed, name) is not None}
    return shared | pairs(parsed.set, "--set")


def spec_of(parsed: argparse.Namespace, method: str, seed: int = 0) -> RunSpec:
    """The run that the command line asks for. Raises `OptionError` or `UsageError`."""
    options, data = method_options(parsed), pairs(parsed.data_set, "--data-set")
    return make_spec(
        method, parsed.data, options, data_options=data, split=parsed.split, seed=seed, device=parsed.device
    )


def options_of(parsed: argparse.Namespace, kind: type[OptionsT]) -> OptionsT:
    """The options of that class that the command line gives. Raises `OptionError`."""
    given = {one.name: getattr(parsed, one.name, None) for one in parameters(kind)}
    return build(kind, {name: value for name, value in given.items() if value is not None})


def settle(store: RunStore) -> None:
    """Mark runs whose worker died as lost; a store that can only be read stays as it is."""
    with suppress(StoreIsFull, StoreIsReadOnly):
        store.sweep_lost()


def store_of(run: str) -> RunStore:
    """The store that has a run of that id: the examples, or one's own runs."""
    return open_store() if run.startswith(EXAMPLE) else RunStore.open()


def find_run(store: RunStore, beginning: str) -> RunRecord:
    """The run whose id is, or alone begins with, `beginning`. Raises `UsageError` or `Unreadable`."""
    try:
        record = store.get(beginning)
    except UnknownRun:
        ids = [row["id"] for row in store.find_rows(RunQuery(text=beginning)) if row["id"].startswith(beginning)]
        if len(ids) != 1:
            many = f"{len(ids)} runs begin with {beginning}: {', '.join(ids[:5])}"
            raise UsageError(many if ids else f"there is no run {short(beginning)}") from None
        record = store.get(ids[0])
    if record.unreadable:
        raise Unreadable(record.unreadable)
    return record
