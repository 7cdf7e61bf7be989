"""`privgraph list`: what there is."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Callable, Mapping
from typing import Any

from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.data.catalogue import DATASETS
from privgraph.data.files import available
from privgraph.data.spec import DatasetSpec
from privgraph.data.uploads import uploads
from privgraph.options import Parameter, Scalar, nearest, parameters, short
from privgraph.registry import ATTACKS, AUDITS, METHODS, method
from privgraph.runs.records import RunQuery
from privgraph_workbench.commands.output import json_line, table
from privgraph_workbench.commands.parser import LISTS, UsageError
from privgraph_workbench.commands.values import settle

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "methods": ("name", "units", "about"),
    "options": ("option", "type", "default", "values", "unit", "meaning"),
    "datasets": ("name", "kind", "available", "nodes", "edges", "features", "classes", "title"),
    "attacks": ("name", "title", "about"),
    "audits": ("name", "covers", "about"),
    "runs": (
        *("id", "state", "unit", "epsilon", "sound_epsilon", "published_epsilon", "audited_epsilon", "seed"),
        *("test_accuracy", "seconds", "tags"),
    ),
}
_WIDEST = 60
"""Letters of a list of choices in a table."""
Rows = list[dict[str, Any]]


def list_command(parsed: argparse.Namespace) -> int:
    """Print one of the lists."""
    if parsed.what not in LISTS:
        raise UsageError(
            f"there is no list of {short(parsed.what)}; lists are {', '.join(LISTS)}{nearest(parsed.what, LISTS)}"
        )
    if parsed.method is not None and parsed.what != "options":
        raise UsageError(f"privgraph list {parsed.what} does not know what to do with {short(parsed.method)}")
    rows = _LISTS[parsed.what](parsed)
    if parsed.json:
        print(json_line(rows))
    elif rows:
        print(table(rows, COLUMNS[parsed.what]))
    else:
        print(f"there are no {parsed.what} yet", file=sys.stderr)
    return 0


def _fields(spec: object, *names: str) -> dict[str, Any]:
    return {name: list(value) if isinstance(value := getattr(spec, name), tuple) else value for name in names}


def _methods(parsed: argparse.Namespace) -> Rows:
    # Configurations import accountants, which a table need not wait for.
    return [
        _fields(spec, "name", "title", "about", "paper", "units", "tasks", "uses_edges")
        | {"options": option_rows(spec.load_config()) if parsed.json else []}
        for spec in METHODS.values()
    ]


def option_rows(config: type) -> Rows:
    """The options of a configuration as JSON values: enough to build a form or a command line from."""
    names = ("help", "unit", "low", "high", "low_open", "choices", "zero", "group", "advanced")
    return [
        {"name": one.name, "type": one.type.__name__, "default": one.default, **_fields(one.option, *names)}
        for one in parameters(config)
    ]


def _options(parsed: argparse.Namespace) -> Rows:
    if parsed.method is None:
        raise UsageError("list options needs the name of a method (see: privgraph list methods)")
    config = method(parsed.method).load_config()
    if parsed.json:
        return option_rows(config)
    return [
        {
            "option": one.name,
            "type": one.type.__name__,
            "default": _typed(one.default) + (f" ({one.option.zero})" if one.option.zero and one.default == 0 else ""),
            "values": admitted(one),
            "unit": one.option.unit or "-",
            "meaning": one.option.help,
        }
        for one in parameters(config)
    ]


def _typed(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).removesuffix(".0")


def admitted(parameter: Parameter) -> str:
    """Which values an option admits: its choices, as many as fit, or its bounds."""
    option = parameter.option
    if option.choices or parameter.type is bool:
        choices = [_typed(choice) for choice in option.choices or (True, False)]
        fitting = choices
        while len(", ".join(fitting)) > _WIDEST and len(fitting) > 1:
            fitting = fitting[:-1]
        return ", ".join(fitting) + f" and {len(choices) - len(fitting)} others" * (len(fitting) < len(choices))
    low, high = ("" if bound is None else _typed(bound) for bound in (option.low, option.high))
    if option.least:
        return f"0, or {_typed(option.least)} to {high}" if high else f"0, or at least {_typed(option.least)}"
    if low and high and not option.low_open:
        return f"{low} to {high}"
    least = low and (f"above {low}" if option.low_open else f"at least {low}")
    return ", ".join(part for part in (least, high and f"at most {high}") if part) or "-"


def dataset_row(spec: DatasetSpec) -> dict[str, Any]:
    """A data set as JSON values; `available` says whether it can be loaded without a network."""
    kind = spec.load_options()
    options = [] if kind is None else option_rows(kind)
    return dataclasses.asdict(spec) | {"available": available(spec), "options": options}


def dataset_rows(_parsed: argparse.Namespace | None = None) -> Rows:
    """The catalogue and the uploads."""
    return [dataset_row(spec) for spec in (*DATASETS.values(), *uploads())]


def _attacks(parsed: argparse.Namespace) -> Rows:
    options = option_rows(AttackOptions) if parsed.json else []
    return [_fields(spec, "name", "title", "about", "paper") | {"options": options} for spec in ATTACKS.values()]


def _audits(parsed: argparse.Namespace) -> Rows:
    options = option_rows(AuditOptions) if parsed.json else []
    return [
        _fields(spec, "name", "title", "about", "paper", "covers")
        | {"methods": list(spec.methods or METHODS), "options": options}
        for spec in AUDITS.values()
    ]


def _runs(parsed: argparse.Namespace) -> Rows:
    # Imported here: the other lists need no database.
    from privgraph.runs.store import RunStore

    if parsed.limit < 1:
        raise UsageError(f"limit must be at least 1 (got {parsed.limit})")
    store = RunStore.open()
    settle(store)
    return store.find_rows(RunQuery(text=parsed.text, limit=parsed.limit))


_LISTS: Mapping[str, Callable[[argparse.Namespace], Rows]] = {
    "methods": _methods,
    "options": _options,
    "datasets": dataset_rows,
    "attacks": _attacks,
    "audits": _audits,
    "runs": _runs,
}
