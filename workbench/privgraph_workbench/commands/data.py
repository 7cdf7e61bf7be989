"""`privgraph data`: the catalogue, and the folder that raw files are taken from."""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path
from typing import Any

from privgraph.data.catalogue import DATASETS, dataset
from privgraph.data.files import find, missing
from privgraph.data.spec import DatasetSpec
from privgraph.home import data_root
from privgraph.options import nearest, short
from privgraph_workbench.commands.output import json_line, table
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.tables import dataset_row, dataset_rows

_WHAT = ("list", "show", "check", "path")


def data_command(parsed: argparse.Namespace) -> int:
    """Print what was asked for."""
    if parsed.what not in _WHAT:
        raise UsageError(
            f"privgraph data takes one of {', '.join(_WHAT)} (got {short(parsed.what)}){nearest(parsed.what, _WHAT)}"
        )
    if parsed.what == "path":
        print(json_line(str(data_root())) if parsed.json else data_root())
        return 0
    if parsed.what == "check":
        return _check([dataset(parsed.dataset)] if parsed.dataset else list(DATASETS.values()), parsed.json)
    if parsed.what == "list":
        rows = dataset_rows()
        columns = ("name", "kind", "available", "nodes", "edges", "features", "classes", "title")
        print(json_line(rows) if parsed.json else table(rows, columns))
        return 0
    if not parsed.dataset:
        raise UsageError("privgraph data show needs the name of a data set")
    spec = dataset(parsed.dataset)
    print(json_line(dataset_row(spec)) if parsed.json else _text(spec))
    return 0


def _check(specs: list[DatasetSpec], as_json: bool) -> int:
    """Whether the raw files are there, and are those that are expected; exit code 1 where one set's are
    not."""
    rows = [{"name": spec.name, "problem": problem(spec)} for spec in specs]
    if as_json:
        print(json_line(rows))
    else:
        for row in rows:
            print(f"{row['name']}: {row['problem'] or 'fine'}", file=sys.stderr if row["problem"] else sys.stdout)
    return 1 if any(row["problem"] for row in rows) else 0


def problem(spec: DatasetSpec) -> str:
    """Why the set cannot be loaded from the raw files at hand, in one sentence, or ""."""
    lost = missing(spec)
    if lost:
        return lost
    for path, digest in spec.files:
        place = find(path)
        if digest and place is not None and _sha256(place) != digest:
            return f"{place} is not the file that {spec.title} was checked with: its checksum differs"
    return ""


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _text(spec: DatasetSpec) -> str:
    facts: dict[str, Any] = {
        "Nodes": spec.nodes,
        "Edges": spec.edges,
        "Features": spec.features,
        "Classes": spec.classes,
        "Source": spec.source,
        "Licence": spec.licence,
        "Note": spec.caution,
        "Raw files": ", ".join(path for path, _ in spec.files),
        "At hand": problem(spec) or "yes",
    }
    lines = [f"{spec.name}: {spec.title}", spec.about]
    return "\n".join(lines + [f"{name}: {value}" for name, value in facts.items() if value not in (None, "")])
