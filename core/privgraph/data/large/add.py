"""A large graph from files into the home, under a name like that of an upload. No torch.

Nodes and edges are read in batches, checked, and written to arrays in the folder `cache/large` of `home()`,
which `open.mapped` maps into memory. Memory is that of one batch, the names of nodes and a run of the sort
(`sorting.RUN`), however many edges there are. The name is that of an upload: a hash under a key of the
installation, here of the files' checksums.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.errors import UploadError
from privgraph.data.fetch import OnProgress
from privgraph.data.large import edges, graphml, nodes
from privgraph.data.large.tables import Table, open_table
from privgraph.data.upload_checks import Limits, clean_name, dropped_words, odd_words, shown
from privgraph.data.upload_npz import declared_array
from privgraph.data.uploads import DIGITS, keep_facts, large_folder, read_facts
from privgraph.home import home
from privgraph.progress import Progress
from privgraph.streams import derived_key, noise_key

LARGE = Limits(
    file_bytes=1 << 42,
    nodes=200_000_000,
    edges=10_000_000_000,
    cells=20_000_000_000,
)
"""Sizes that are taken: features of all nodes are in memory when something is trained."""

_WHAT = (
    "Give one GraphML file; or edges (a CSV or Parquet file with the columns source,target) and nodes (a CSV or "
    "Parquet file with id,label and one column a feature); or edges and two npy files, features of shape (nodes, "
    "features) and labels of shape (nodes,)"
)
_CHUNK = 1 << 24


@dataclass(frozen=True, kw_only=True)
class Added:
    """A graph that was taken in: its name, sizes, and sentences on how it was read. `before` says that the
    same files were added before, and nothing was read again."""

    name: str
    nodes: int
    edges: int
    notes: tuple[str, ...]
    before: bool = False


@dataclass(frozen=True, kw_only=True)
class _Files:
    """What each file is: GraphML by itself, or edges with a table of nodes, or with arrays of features and
    labels."""

    graphml: Path | None = None
    edges: Table | None = None
    nodes: Table | None = None
    arrays: tuple[NDArray[Any], NDArray[Any]] | None = None

    @property
    def kind(self) -> str:
        if self.edges is None:
            return "graphml"
        other = self.nodes.kind if self.nodes is not None else "npy"
        return self.edges.kind if other == self.edges.kind else f"{self.edges.kind} and {other}"


def add(
    paths: Sequence[Path],
    *,
    title: str = "",
    directed: bool = False,
    limits: Limits = LARGE,
    progress: OnProgress | None = None,
) -> Added:
    """Take in a graph from files that need not fit into memory.

    Args:
        paths: One GraphML file; or edges and nodes in CSV or Parquet files; or edges and two npy files. What
            each of them is follows from its content.
        title: What people see; empty for "Your own graph".
        directed: Whether an edge goes from its source to its target alone, and is one entry of the adjacency
            matrix; else it has no direction, as in an upload.
        limits: Sizes that are taken.
        progress: Is told of each stage, in bytes or entries.

    Raises:
        UploadError: A file cannot be read, is damaged, or holds no such graph; the message is one sentence.
    """
    tell = progress or (lambda _: None)
    try:
        files = _recognised(paths, limits)
        key = _key(paths, directed, tell)
        known = read_facts(key)
        if known is not None:
            name = keep_facts(key, known | {"title": clean_name(title) or known["title"]})
            return Added(
                name=name, nodes=known["nodes"], edges=known["edges"], notes=tuple(known["notes"]), before=True
            )
        target = large_folder(key)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as folder:
            made, scratch = Path(folder) / "graph", Path(folder) / "scratch"
            made.mkdir()
            scratch.mkdir()
            facts = _write(files, made, scratch, directed, limits, tell)
            if not target.exists():
                made.rename(target)
        facts["title"] = clean_name(title) or "Your own graph"
        name = keep_facts(key, facts)
    except OSError as error:
        place = f" {shown(os.path.basename(error.filename))}" if error.filename else ""
        raise UploadError(f"The file or folder{place} cannot be used: {error.strerror or error}") from error
    return Added(name=name, nodes=facts["nodes"], edges=facts["edges"], notes=tuple(facts["notes"]))


def _recognised(paths: Sequence[Path], limits: Limits) -> _Files:
    """What each file is. Raises `UploadError`."""
    tables: list[Table] = []
    arrays: list[NDArray[Any]] = []
    for path in paths:
        size = path.stat().st_size
        if size == 0:
            raise UploadError(f"{shown(path.name)} is empty")
        if size > limits.file_bytes:
            raise UploadError(
                f"{shown(path.name)} has {size / 1e9:,.1f} GB, and {limits.file_bytes / 1e9:,.1f} are taken"
            )
        with path.open("rb") as file:
            head = file.read(64)
        if head.decode("utf-8-sig", "replace").lstrip().startswith("<") or head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            if len(paths) > 1:
                raise UploadError(_WHAT)
            return _Files(graphml=path)
        if head.startswith(b"\x93NUMPY"):
            arrays.append(_array(path))
        else:
            tables.append(open_table(path, head))
    pairs = [table for table in tables if sorted(table.columns) == ["source", "target"]]
    others = [table for table in tables if table not in pairs]
    if len(pairs) == 1 and len(others) == 1 and not arrays:
        lost = [name for name in ("id", "label") if name not in others[0].columns]
        if not lost:
            return _Files(edges=pairs[0], nodes=others[0])
        raise UploadError(f"The nodes in {others[0].name} have no column {' and no column '.join(lost)}")
    if len(pairs) == 1 and not others and sorted(array.ndim for array in arrays) == [1, 2]:
        y, x = sorted(arrays, key=lambda array: array.ndim)
        if x.dtype.kind not in "biuf" or y.dtype.kind not in "iu":
            raise UploadError(f"Features must be numbers and labels whole numbers (they are {x.dtype} and {y.dtype})")
        return _Files(edges=pairs[0], arrays=(x, y))
    headers = " and ".join(shown(",".join(table.columns), 30) for table in tables)
    raise UploadError(_WHAT + (f" (the columns are {headers})" if tables else ""))


def _array(path: Path) -> NDArray[Any]:
    """The array in an npy file, mapped."""
    name = shown(path.name)
    with path.open("rb") as file:
        try:
            said = declared_array(file, path.stat().st_size, name)
        except struct.error:
            raise UploadError(f"The array {name} is not as long as its header says") from None
    if not said.bytes:
        raise UploadError(f"The array {name} is empty")
    return np.memmap(
        path, dtype=said.dtype, mode="r", offset=said.start, shape=said.shape, order="F" if said.fortran else "C"
    )


def _key(paths: Sequence[Path], directed: bool, tell: Callable[[Progress], None]) -> str:
    """Of the files' contents, whatever their order, under the installation's key."""
    total, done = sum(path.stat().st_size for path in paths), 0
    sums = []
    for path in paths:
        found = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                found.update(chunk)
                done += len(chunk)
                tell(Progress(step=done, total=total, stage="checksums"))
        sums.append(found.hexdigest())
    secret = derived_key(noise_key(home()), "large")
    return hmac.new(secret, " ".join([str(directed), *sorted(sums)]).encode(), "sha256").hexdigest()[:DIGITS]


def _write(
    files: _Files, folder: Path, scratch: Path, directed: bool, limits: Limits, tell: Callable[[Progress], None]
) -> dict[str, Any]:
    """Write the arrays of the graph, and give its facts, without a title. Raises `UploadError`."""

    def seen(stage: str, total: int) -> Callable[[int], None]:
        return lambda done: tell(Progress(step=min(done, total), total=total, stage=stage))

    ends: Iterator[tuple[edges.Ends, edges.Ends]]
    if files.graphml is not None:
        told = seen("reading nodes and edges", files.graphml.stat().st_size)
        known, ends = graphml.read(files.graphml, folder, scratch, limits, told)
    else:
        assert files.edges is not None
        if files.nodes is not None:
            told = seen("reading nodes", files.nodes.path.stat().st_size)
            known = nodes.of_table(files.nodes, folder, limits, told)
        else:
            assert files.arrays is not None
            told = seen("reading nodes", files.arrays[0].nbytes)
            known = nodes.of_arrays(*files.arrays, folder, limits, told)
        told = seen("reading edges", files.edges.path.stat().st_size)
        ends = edges.of_table(files.edges, known.number, known.count, told)
    adjacency = edges.Adjacency(folder, scratch, known.count, directed, limits)
    for source, target in ends:
        adjacency.add(source, target)
    adjacency.write(seen("sorting edges", adjacency.expected))
    repeated = adjacency.listed - adjacency.loops - adjacency.edges
    notes = dropped_words(adjacency.listed, adjacency.loops, repeated, directed)
    return {
        "kind": files.kind,
        "nodes": known.count,
        "edges": adjacency.edges,
        "features": known.features,
        "classes": len(known.class_names),
        "masks": False,
        "odd_nodes": known.odd,
        "domains": [],
        "undirected": not directed,
        "class_names": list(known.class_names),
        "feature_names": list(known.feature_names),
        "notes": [*notes, *filter(None, [odd_words(known.odd)])],
    }
