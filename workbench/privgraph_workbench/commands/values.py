"""Loose words of the command line as values: options, and runs by the beginning of their ids."""

import argparse
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


def method_options(parsed: argparse.Namespace) -> dict[str, object]:
    """The method's options of a command line; their types and bounds are checked where they are built."""
    shared = {name: getattr(parsed, name) for name in SHARED if getattr(parsed, name) is not None}
    return shared | dict(parsed.set)


def spec_of(parsed: argparse.Namespace, method: str, seed: int = 0) -> RunSpec:
    """The run that the command line asks for. Raises `OptionError` or `UsageError`."""
    given = {"data_options": dict(parsed.data_set), "split": parsed.split, "device": parsed.device}
    return make_spec(method, parsed.data, method_options(parsed), seed=seed, **given)


def options_of(parsed: argparse.Namespace, kind: type[OptionsT]) -> OptionsT:
    """The options of that class that the command line gives. Raises `OptionError`."""
    given = {one.name: getattr(parsed, one.name, None) for one in parameters(kind)}
    return build(kind, {name: value for name, value in given.items() if value is not None})


def settle(store: RunStore) -> None:
    """Mark runs whose worker died as lost; a store that can only be read stays as it is."""
    with suppress(StoreIsFull, StoreIsReadOnly):
        store.sweep_lost()


def look_up(run: str) -> tuple[RunStore, RunRecord]:
    """The run as it is now, and the store that has it: the examples, or one's own runs."""
    store = open_store() if run.startswith(EXAMPLE) else RunStore.open()
    settle(store)
    return store, find_run(store, run)


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
