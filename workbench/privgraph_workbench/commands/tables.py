"""`privgraph list`: what there is."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from typing import Any

from privgraph.data.catalogue import DATASETS
from privgraph.data.files import available
from privgraph.data.spec import DatasetSpec
from privgraph.data.uploads import uploads
from privgraph.options import nearest, parameters, short
from privgraph.registry import ATTACKS, METHODS
from privgraph.runs.records import RunQuery, StoreError
from privgraph_workbench.commands.output import json_line, table
from privgraph_workbench.commands.parser import LISTS, UsageError
from privgraph_workbench.commands.values import settle

_RUN_COLUMNS = (
    "id",
    "state",
    "unit",
    "epsilon",
    "sound_epsilon",
    "published_epsilon",
    "audited_epsilon",
    "seed",
    "test_accuracy",
    "seconds",
    "tags",
)


def list_command(parsed: argparse.Namespace) -> int:
    """Print one of the lists."""
    if parsed.what not in LISTS:
        raise UsageError(
            f"there is no list of {short(parsed.what)}; lists are {', '.join(LISTS)}{nearest(parsed.what, LISTS)}"
        )
    try:
        rows, columns = _LISTS[parsed.what](parsed)
    except StoreError as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    if parsed.json:
        print(json_line(rows))
    elif rows:
        print(table(rows, columns))
    else:
        print(f"there are no {parsed.what} yet", file=sys.stderr)
    return 0


Listing = tuple[list[dict[str, Any]], tuple[str, ...]]


def _methods(parsed: argparse.Namespace) -> Listing:
    rows = [
        {
            "name": spec.name,
            "title": spec.title,
            "about": spec.about,
            "paper": spec.paper,
            "units": list(spec.units),
            "tasks": list(spec.tasks),
            "uses_edges": spec.uses_edges,
            # Configurations import accountants, which a table need not wait for.
            "options": option_rows(spec.load_config()) if parsed.json else [],
        }
        for spec in METHODS.values()
    ]
    return rows, ("name", "units", "about")


def option_rows(config: type) -> list[dict[str, Any]]:
    """The options of a configuration as JSON values: enough to build a form or a command line from."""
    return [
        {
            "name": parameter.name,
            "type": parameter.type.__name__,
            "default": parameter.default,
            "help": parameter.option.help,
            "unit": parameter.option.unit,
            "low": parameter.option.low,
            "high": parameter.option.high,
            "low_open": parameter.option.low_open,
            "choices": list(parameter.option.choices),
            "zero": parameter.option.zero,
            "group": parameter.option.group,
            "advanced": parameter.option.advanced,
        }
        for parameter in parameters(config)
    ]


def dataset_row(spec: DatasetSpec) -> dict[str, Any]:
    """A data set as JSON values; `available` says whether it can be loaded without a network."""
    row = dataclasses.asdict(spec) | {"available": available(spec), "options": []}
    kind = spec.load_options()
    if kind is not None:
        row["options"] = option_rows(kind)
    return row


def dataset_rows() -> list[dict[str, Any]]:
    """The catalogue and the uploads."""
    return [dataset_row(spec) for spec in (*DATASETS.values(), *uploads())]


def _datasets(_parsed: argparse.Namespace) -> Listing:
    rows = dataset_rows()
    return rows, ("name", "kind", "available", "nodes", "edges", "features", "classes", "title")


def _attacks(_parsed: argparse.Namespace) -> Listing:
    return [{"name": name, "title": spec.title, "about": spec.about} for name, spec in ATTACKS.items()], (
        "name",
        "about",
    )


def _runs(parsed: argparse.Namespace) -> Listing:
    # Imported here: the other lists need no database.
    from privgraph.runs.store import RunStore

    if parsed.limit < 1:
        raise UsageError(f"limit must be at least 1 (got {parsed.limit})")
    store = RunStore.open()
    settle(store)
    return store.find_rows(RunQuery(text=parsed.text, limit=parsed.limit)), _RUN_COLUMNS


_LISTS = {"methods": _methods, "datasets": _datasets, "attacks": _attacks, "runs": _runs}
