"""Loose words of the command line as values: options, whole numbers, runs by the beginning of their ids."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeVar

from privgraph.options import OptionError, build, nearest, parameters, short
from privgraph.runs.examples import open_store
from privgraph.runs.records import EXAMPLE, RunQuery, RunRecord, StoreIsFull, StoreIsReadOnly, UnknownRun, Unreadable
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.parser import UsageError

OptionsT = TypeVar("OptionsT")
_SHARED = ("unit", "epsilon", "delta", "accounting")


def pairs(words: Sequence[str], flag: str) -> dict[str, object]:
    """`key=value` words as a mapping; a later one wins. Raises `UsageError`."""
    by_key: dict[str, object] = {}
    for word in words:
        key, separator, value = word.partition("=")
        if not separator or not key:
            raise UsageError(f"{flag} takes KEY=VALUE (got {short(word)})")
        by_key[key.strip().replace("-", "_")] = value
    return by_key


def method_options(parsed: argparse.Namespace) -> dict[str, object]:
    """The method's options of a command line; their types and bounds are checked where they are built."""
    shared = {name: getattr(parsed, name) for name in _SHARED if getattr(parsed, name) is not None}
    return shared | pairs(parsed.set, "--set")


def spec_of(parsed: argparse.Namespace, method: str, seed: int = 0, *, without: str = "") -> RunSpec:
    """The run that the command line asks for. Raises `OptionError` or `UsageError`."""
    options = {name: value for name, value in method_options(parsed).items() if name != without}
    data = pairs(parsed.data_set, "--data-set")
    return make_spec(
        method, parsed.data, options, data_options=data, split=parsed.split, seed=seed, device=parsed.device
    )


def options_of(parsed: argparse.Namespace, kind: type[OptionsT]) -> OptionsT:
    """The options of that class that the command line gives. Raises `OptionError`."""
    given = {one.name: getattr(parsed, one.name, None) for one in parameters(kind)}
    return build(kind, {name: value for name, value in given.items() if value is not None})


def several(words: Sequence[str], flag: str) -> dict[str, list[object]]:
    """`name=value,value` words as a grid. Raises `UsageError`."""
    grid: dict[str, list[object]] = {}
    for name, text in pairs(words, flag).items():
        values = [value.strip() for value in str(text).split(",")]
        if not all(values):
            raise UsageError(f"{flag} takes NAME=VALUE,VALUE (got {name}={text})")
        grid[name] = list(values)
    return grid


def whole(name: str, text: str, low: int = 0) -> int:
    """A whole number of at least `low`. Raises `UsageError`."""
    try:
        value = int(text)
    except ValueError:
        raise UsageError(f"{name} must be a whole number (got {short(text)})") from None
    if value < low:
        raise UsageError(f"{name} must be at least {low} (got {short(text)})")
    return value


def number(name: str, text: str) -> float:
    """A finite number. Raises `OptionError`."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise OptionError(f"{name} must be a number (got {short(text)})")
    return value


def settle(store: RunStore) -> None:
    """Mark runs whose worker died as lost; a store that can only be read stays as it is."""
    with suppress(StoreIsFull, StoreIsReadOnly):
        store.sweep_lost()


def store_of(run: str) -> RunStore:
    """The store that has a run of that id: the examples, or one's own runs."""
    return open_store() if run.startswith(EXAMPLE) else RunStore.open()


def _readable(record: RunRecord) -> RunRecord:
    if record.unreadable:
        raise Unreadable(record.unreadable)
    return record


def find_run(store: RunStore, beginning: str) -> RunRecord:
    """The run whose id is, or alone begins with, `beginning`.

    Raises `UsageError` with the nearest id, and `Unreadable` where this version cannot read the run.
    """
    try:
        return _readable(store.get(beginning))
    except UnknownRun:
        ids = [row["id"] for row in store.find_rows(RunQuery(text=beginning))]
    found = [run for run in ids if run.startswith(beginning)]
    if len(found) == 1:
        return _readable(store.get(found[0]))
    if found:
        raise UsageError(f"{len(found)} runs begin with {beginning}: {', '.join(found[:5])}")
    everything = [row["id"] for row in store.find_rows(RunQuery(limit=1000))]
    raise UsageError(f"there is no run {short(beginning)}{nearest(beginning, everything)}")
