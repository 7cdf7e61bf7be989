"""`privgraph data`: the catalogue, the folder that raw files are taken from, and graphs of one's own."""

import argparse
import dataclasses
import hashlib
import sys
from pathlib import Path

from privgraph.data.catalogue import DATASETS, dataset
from privgraph.data.files import find, missing
from privgraph.data.own.description import described, from_toml
from privgraph.data.spec import DatasetSpec
from privgraph.home import data_root
from privgraph.options import short
from privgraph_workbench.commands.lists import COLUMNS, dataset_row, dataset_rows
from privgraph_workbench.commands.output import lines, say, table
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
        say(parsed.json, str(data_root()), str(data_root()))
    elif parsed.what == "list":
        say(parsed.json, rows := dataset_rows(), table(rows, COLUMNS["datasets"]))
    elif parsed.what == "check":
        found = [{"name": name, "problem": problem(dataset(name))} for name in names or DATASETS]
        for row in found:
            if not parsed.json:
                file = sys.stderr if row["problem"] else sys.stdout
                print(f"{row['name']}: {row['problem'] or 'fine'}", file=file)
        say(parsed.json, found)
        return int(any(row["problem"] for row in found))
    elif not names:
        raise UsageError("privgraph data show needs the name of a data set")
    else:
        spec = dataset(names[0])
        shown = ("name", "title", "about", "nodes", "edges", "features", "classes", "source", "licence", "caution")
        told: dict[str, object] = {name: getattr(spec, name) for name in shown}
        told |= {"files": [path for path, _ in spec.files], "at hand": problem(spec) or "yes"}
        say(parsed.json, dataset_row(spec), told)
    return 0


def _add(paths: list[Path], parsed: argparse.Namespace) -> int:
    """Take in a graph, and say under which name; exit code 1 where it is refused."""
    from privgraph.data.own.adding import add

    if not paths:
        raise UsageError("privgraph data add needs files")
    said: dict[str, object] = {"directed": parsed.directed}
    for one in parsed.describe:  # the later the stronger
        key, equals, value = one.partition("=")
        said |= {key.strip(): value} if equals else from_toml(Path(one))
    try:
        with progress_bar() as bar:
            added = add(
                paths,
                described(said),
                title=parsed.title,
                progress=lambda at: draw(bar, at.stage, at.step / max(1, at.total)),
            )
    except KeyboardInterrupt:
        print("privgraph: stopped; nothing of the graph was kept", file=sys.stderr)
        return STOPPED
    if not parsed.json:
        print(*lines(dict(added.summary) | ({"kept before": "yes"} if added.before else {})), sep="\n", file=sys.stderr)
    say(parsed.json, dataclasses.asdict(added), added.name)
    return 0


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
