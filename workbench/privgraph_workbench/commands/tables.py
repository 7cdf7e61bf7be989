"""`privgraph list`: what there is."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from typing import Any

from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.data.catalogue import DATASETS
from privgraph.data.files import available
from privgraph.data.spec import DatasetSpec
from privgraph.data.uploads import uploads
from privgraph.options import Parameter, Scalar, nearest, parameters, short
from privgraph.registry import ATTACKS, AUDITS, METHODS, method
from privgraph.runs.records import RunQuery, StoreError
from privgraph_workbench.commands.output import json_line, table
from privgraph_workbench.commands.parser import LISTS, UsageError
from privgraph_workbench.commands.values import settle

_WIDEST = 60
"""Letters of a list of choices in a table."""
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
    if parsed.method is not None and parsed.what != "options":
        raise UsageError(f"privgraph list {parsed.what} does not know what to do with {short(parsed.method)}")
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


def _options(parsed: argparse.Namespace) -> Listing:
    if parsed.method is None:
        raise UsageError("list options needs the name of a method (see: privgraph list methods)")
    config = method(parsed.method).load_config()
    if parsed.json:
        return option_rows(config), ()
    rows = [
        {
            "option": one.name,
            "type": one.type.__name__,
            "default": _default(one),
            "values": admitted(one),
            "unit": one.option.unit or "-",
            "meaning": one.option.help,
        }
        for one in parameters(config)
    ]
    return rows, ("option", "type", "default", "values", "unit", "meaning")


def _default(parameter: Parameter) -> str:
    """The default as it is typed after `--set`; what 0 stands for where it is no number."""
    zero = parameter.option.zero if parameter.default == 0 else ""
    return _typed(parameter.default) + (f" ({zero})" if zero else "")


def _typed(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).removesuffix(".0")


def admitted(parameter: Parameter) -> str:
    """Which values an option admits, in few words: its choices, or its bounds."""
    option = parameter.option
    if option.choices or parameter.type is bool:
        return _few([_typed(choice) for choice in option.choices or (True, False)])
    low, high = ("" if bound is None else _typed(bound) for bound in (option.low, option.high))
    if option.least:
        return f"0, or {_typed(option.least)} to {high}" if high else f"0, or at least {_typed(option.least)}"
    if low and high and not option.low_open:
        return f"{low} to {high}"
    least = low and (f"above {low}" if option.low_open else f"at least {low}")
    return ", ".join(part for part in (least, high and f"at most {high}") if part) or "-"


def _few(choices: list[str]) -> str:
    """As many choices as a column has room for; `--json` lists all."""
    fitting = choices
    while len(", ".join(fitting)) > _WIDEST and len(fitting) > 1:
        fitting = fitting[:-1]
    return ", ".join(fitting) + (f" and {len(choices) - len(fitting)} others" if len(fitting) < len(choices) else "")


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


def _audits(parsed: argparse.Namespace) -> Listing:
    rows = [
        {
            "name": spec.name,
            "title": spec.title,
            "about": spec.about,
            "paper": spec.paper,
            "covers": spec.covers,
            "methods": list(spec.methods or METHODS),
            "options": option_rows(AuditOptions) if parsed.json else [],
        }
        for spec in AUDITS.values()
    ]
    return rows, ("name", "covers", "about")


def _attacks(parsed: argparse.Namespace) -> Listing:
    rows = [
        {
            "name": spec.name,
            "title": spec.title,
            "about": spec.about,
            "paper": spec.paper,
            "options": option_rows(AttackOptions) if parsed.json else [],
        }
        for spec in ATTACKS.values()
    ]
    return rows, ("name", "title", "about")


def _runs(parsed: argparse.Namespace) -> Listing:
    # Imported here: the other lists need no database.
    from privgraph.runs.store import RunStore

    if parsed.limit < 1:
        raise UsageError(f"limit must be at least 1 (got {parsed.limit})")
    store = RunStore.open()
    settle(store)
    return store.find_rows(RunQuery(text=parsed.text, limit=parsed.limit)), _RUN_COLUMNS


_LISTS = {
    "methods": _methods,
    "options": _options,
    "datasets": _datasets,
    "attacks": _attacks,
    "audits": _audits,
    "runs": _runs,
}
