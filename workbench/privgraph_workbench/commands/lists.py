"""`privgraph list`: what there is."""

import argparse
import dataclasses
import textwrap
from collections.abc import Mapping
from typing import Any

from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.data.catalogue import DATASETS
from privgraph.data.files import available
from privgraph.data.spec import DatasetSpec
from privgraph.data.uploads import uploads
from privgraph.options import parameters, short
from privgraph.registry import ATTACKS, AUDITS, METHODS, method
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.output import say, table
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.values import settle

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "methods": ("name", "units", "about"),
    "options": ("name", "type", "default", "zero", "low", "high", "choices", "unit", "help"),
    "datasets": ("name", "kind", "available", "nodes", "edges", "features", "classes", "title"),
    "attacks": ("name", "title", "about"),
    "audits": ("name", "covers", "about"),
    "runs": (
        *("id", "state", "unit", "epsilon", "sound_epsilon", "published_epsilon", "audited_epsilon", "seed"),
        *("test_accuracy", "seconds", "tags"),
    ),
}
ABOUT = ("name", "title", "about", "paper")
WIDEST = 60
"""Letters of a list of choices in a table."""
Rows = list[dict[str, Any]]


def list_command(parsed: argparse.Namespace) -> int:
    """Print one of the lists."""
    if parsed.method is not None and parsed.what != "options":
        raise UsageError(f"privgraph list {parsed.what} does not know what to do with {short(parsed.method)}")
    say(parsed.json, rows := _rows(parsed), table(rows, COLUMNS[parsed.what]))
    return 0


def _rows(parsed: argparse.Namespace) -> Rows:
    everything = parsed.json  # configurations import accountants, which a table need not wait for
    match parsed.what:
        case "methods":
            return [
                _fields(spec, *ABOUT, "units", "tasks", "uses_edges")
                | {"options": option_rows(spec.load_config()) if everything else []}
                for spec in METHODS.values()
            ]
        case "options":
            if parsed.method is None:
                raise UsageError("list options needs the name of a method (see: privgraph list methods)")
            rows = option_rows(method(parsed.method).load_config())
            for row in () if everything else rows:
                row["choices"] = textwrap.shorten(", ".join(map(str, row["choices"])), WIDEST, placeholder=" ...")
            return rows
        case "datasets":
            return dataset_rows()
        case "attacks":
            return [_fields(spec, *ABOUT) | {"options": option_rows(AttackOptions)} for spec in ATTACKS.values()]
        case "audits":
            rows = [_fields(spec, *ABOUT, "covers", "methods") for spec in AUDITS.values()]
            return [
                row | {"methods": row["methods"] or list(METHODS), "options": option_rows(AuditOptions)} for row in rows
            ]
    if parsed.limit < 1:
        raise UsageError(f"limit must be at least 1 (got {parsed.limit})")
    store = RunStore.open()
    settle(store)
    return store.find_rows(RunQuery(text=parsed.text, limit=parsed.limit))


def _fields(spec: object, *names: str) -> dict[str, Any]:
    return {name: list(value) if isinstance(value := getattr(spec, name), tuple) else value for name in names}


def option_rows(config: type) -> Rows:
    """The options of a configuration as JSON values: enough to build a form or a command line from."""
    names = ("help", "unit", "low", "high", "low_open", "choices", "zero", "group", "advanced")
    return [
        {"name": one.name, "type": one.type.__name__, "default": one.default, **_fields(one.option, *names)}
        for one in parameters(config)
    ]


def dataset_row(spec: DatasetSpec) -> dict[str, Any]:
    """A data set as JSON values; `available` says whether it can be loaded without a network."""
    kind = spec.load_options()
    options = [] if kind is None else option_rows(kind)
    return dataclasses.asdict(spec) | {"available": available(spec), "options": options}


def dataset_rows() -> Rows:
    """The catalogue and the uploads."""
    return [dataset_row(spec) for spec in (*DATASETS.values(), *uploads())]
