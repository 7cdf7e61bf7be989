"""`privgraph data`: the catalogue, the folder that raw files are taken from, and graphs of one's own."""

import argparse
import dataclasses
import hashlib
import sys
from pathlib import Path

from privgraph.data.catalogue import DATASETS, dataset
from privgraph.data.files import find, missing
from privgraph.data.own.adding import add
from privgraph.data.own.description import described, from_toml
from privgraph.data.spec import DatasetSpec
from privgraph.home import data_root
from privgraph.options import short
from privgraph.progress import Progress
from privgraph_workbench.commands.lists import dataset_row, dataset_rows, print_list
from privgraph_workbench.commands.output import json_line, print_lines
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.watching import STOPPED, draw, progress_bar


def data_command(parsed: argparse.Namespace) -> int:
    """Print what was asked for."""
    names = list(parsed.names)
    if parsed.what == "add":
        return _add([Path(name) for name in names], parsed)
    if parsed.title or parsed.directed or parsed.describe:
        raise UsageError("--title, --describe and --directed belong to privgraph data add")
    if len(names) > (parsed.what in ("show", "check")):
        raise UsageError(f"privgraph data {parsed.what} takes no {short(names[-1])}")
    if parsed.what == "path":
        print(json_line(str(data_root())) if parsed.json else data_root())
    elif parsed.what == "list":
        print_list("datasets", dataset_rows(), parsed.json)
    elif parsed.what == "check":
        return _check([dataset(name) for name in names] or list(DATASETS.values()), parsed.json)
    elif not names:
        raise UsageError("privgraph data show needs the name of a data set")
    else:
        spec = dataset(names[0])
        shown = ("name", "title", "about", "nodes", "edges", "features", "classes", "source", "licence", "caution")
        told: dict[str, object] = {name: getattr(spec, name) for name in shown}
        told |= {"files": [path for path, _ in spec.files], "at hand": problem(spec) or "yes"}
        if parsed.json:
            print(json_line(dataset_row(spec)))
        else:
            print_lines(told)
    return 0


def _add(paths: list[Path], parsed: argparse.Namespace) -> int:
    """Take in a graph, and say under which name; exit code 1 where it is refused."""
    if not paths:
        raise UsageError("privgraph data add needs files")
    try:
        with progress_bar() as bar:

            def told(progress: Progress) -> None:
                draw(bar, progress.stage, progress.step / max(1, progress.total))

            added = add(paths, described(_said(parsed)), title=parsed.title, progress=told)
    except KeyboardInterrupt:
        print("privgraph: stopped; nothing of the graph was kept", file=sys.stderr)
        return STOPPED
    if parsed.json:
        print(json_line(dataclasses.asdict(added)))
        return 0
    print_lines(dict(added.summary) | ({"kept before": "yes"} if added.before else {}), file=sys.stderr)
    print(added.name)
    return 0


def _said(parsed: argparse.Namespace) -> dict[str, object]:
    """What is said of the columns, the later the stronger."""
    said: dict[str, object] = {"directed": parsed.directed}
    for one in parsed.describe:
        key, equals, value = one.partition("=")
        said |= {key.strip(): value} if equals else from_toml(Path(one))
    return said


def _check(specs: list[DatasetSpec], as_json: bool) -> int:
    """Whether the raw files are there, and those that are expected; exit code 1 where one set's are not."""
    rows = [{"name": spec.name, "problem": problem(spec)} for spec in specs]
    if as_json:
        print(json_line(rows))
    else:
        for row in rows:
            print(f"{row['name']}: {row['problem'] or 'fine'}", file=sys.stderr if row["problem"] else sys.stdout)
    return int(any(row["problem"] for row in rows))


def problem(spec: DatasetSpec) -> str:
    """Why the set cannot be loaded from the raw files at hand, in one sentence, or ""."""
    if lost := missing(spec):
        return lost
    for path, digest in spec.files:
        place = find(path)
        if digest and place is not None:
            with place.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                    return f"{place} is not the file that {spec.title} was checked with: its checksum differs"
    return ""
