"""`privgraph data`: the catalogue, the folder that raw files are taken from, and large graphs."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import sys
from pathlib import Path

from tqdm import tqdm

from privgraph.data.catalogue import DATASETS, dataset
from privgraph.data.errors import DataError
from privgraph.data.files import find, missing
from privgraph.data.large.add import add
from privgraph.data.spec import DatasetSpec
from privgraph.home import data_root
from privgraph.options import nearest, short
from privgraph.progress import Progress
from privgraph_workbench.commands.lists import COLUMNS, dataset_row, dataset_rows
from privgraph_workbench.commands.output import Lines, json_line, lines_text, table
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.watching import STOPPED

WHAT = ("list", "show", "check", "path", "add")


def data_command(parsed: argparse.Namespace) -> int:
    """Print what was asked for."""
    if parsed.what not in WHAT:
        raise UsageError(
            f"privgraph data takes one of {', '.join(WHAT)} (got {short(parsed.what)}){nearest(parsed.what, WHAT)}"
        )
    if parsed.what == "add":
        return _add([Path(name) for name in parsed.names], parsed)
    if parsed.title or parsed.directed:
        raise UsageError("--title and --directed belong to privgraph data add")
    if len(parsed.names) > (parsed.what in ("show", "check")):
        raise UsageError(f"privgraph data {parsed.what} takes no {short(parsed.names[-1])}")
    name = parsed.names[0] if parsed.names else ""
    if parsed.what == "path":
        print(json_line(str(data_root())) if parsed.json else data_root())
        return 0
    if parsed.what == "check":
        return _check([dataset(name)] if name else list(DATASETS.values()), parsed.json)
    if parsed.what == "list":
        rows = dataset_rows()
        print(json_line(rows) if parsed.json else table(rows, COLUMNS["datasets"]))
        return 0
    if not name:
        raise UsageError("privgraph data show needs the name of a data set")
    spec = dataset(name)
    print(json_line(dataset_row(spec)) if parsed.json else lines_text(_lines(spec)))
    return 0


def _add(paths: list[Path], parsed: argparse.Namespace) -> int:
    """Take in a large graph, and say under which name; exit code 1 where it is refused."""
    if not paths:
        raise UsageError("privgraph data add needs files")
    layout = "{desc} |{bar}| {percentage:3.0f}% [{elapsed}]"
    try:
        with tqdm(total=1.0, file=sys.stderr, bar_format=layout, leave=False, disable=None) as bar:

            def told(progress: Progress) -> None:
                bar.set_description_str(progress.stage, refresh=False)
                bar.update(progress.step / max(1, progress.total) - bar.n)

            added = add(paths, title=parsed.title, directed=parsed.directed, progress=told)
    except DataError as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("privgraph: stopped; nothing of the graph was kept", file=sys.stderr)
        return STOPPED
    if parsed.json:
        print(json_line(dataclasses.asdict(added)))
        return 0
    again = " (the same files were added before)" if added.before else ""
    for note in (f"{added.nodes:,} nodes and {added.edges:,} edges{again}.", *added.notes):
        print(note, file=sys.stderr)
    print(added.name)
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


def _lines(spec: DatasetSpec) -> Lines:
    return [
        ("Name", spec.name),
        ("Title", spec.title),
        ("About", spec.about),
        ("Nodes", spec.nodes),
        ("Edges", spec.edges),
        ("Features", spec.features),
        ("Classes", spec.classes),
        ("Source", spec.source),
        ("Licence", spec.licence),
        ("Note", spec.caution),
        ("Raw files", ", ".join(path for path, _ in spec.files)),
        ("At hand", problem(spec) or "yes"),
    ]
