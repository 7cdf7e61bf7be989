"""In which settings runs differ, by the names that people know them by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from privgraph.options import Scalar, parameters
from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.words import settings
from privgraph_workbench.words.naming import graph_title, method_title, options_read
from privgraph_workbench.words.numbers import option


def settings_of(record: RunRecord) -> dict[str, Scalar]:
    """What was asked of a run, by name: method, graph, seed and the options that something reads."""
    spec = record.spec
    return {
        "method": method_title(spec.method),
        "graph": graph_title(record),
        "seed": spec.seed,
        **options_read(record),
    }


def shown(record: RunRecord) -> dict[str, Scalar]:
    """The settings with words for what was left to the method."""
    found, words = settings_of(record), settings.shown(record)
    return {name: words.get(name, value) for name, value in found.items()}


def changes(before: RunRecord, after: RunRecord) -> list[tuple[str, str, str]]:
    """The settings in which two runs differ: name, value before, value after; "none" where one has no such
    setting."""
    asked, old, new = (settings_of(before), settings_of(after)), shown(before), shown(after)
    names = [name for name in dict.fromkeys([*old, *new]) if len({str(one.get(name, "")) for one in asked}) > 1]
    methods = (before.spec.method, after.spec.method)
    return [(title(name, methods), _said(old, name), _said(new, name)) for name in names]


def _said(held: Mapping[str, Scalar], name: str) -> str:
    return option(held[name]) if name in held else "none"


def title(name: str, methods: Iterable[str]) -> str:
    """A setting's name for people, as the form of one of the methods has it; a budget is what was asked for,
    which is not always what holds."""
    if name == "epsilon":
        return "ε asked for"
    known = (one for method in methods if method in METHODS for one in parameters(METHODS[method].load_config()))
    return next((one.label for one in known if one.name == name), name)
