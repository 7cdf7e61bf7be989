"""What kind of file each is, by its content, and the tables in it. No torch.

Of a name only its ending is used, and in layouts of several files its place. Archives are unpacked in memory.
"""

import gzip
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from itertools import dropwhile
from pathlib import PurePath
from typing import Any

import pyarrow

from privgraph.data.errors import UploadError
from privgraph.data.own import arrays, delimited, layouts, markup
from privgraph.data.own.description import Description
from privgraph.data.own.frames import ROWS, UNDIRECTED, Frame, Seen, Types, cast, check_names, of_pandas, of_rows, plain
from privgraph.data.own.given import Given
from privgraph.data.own.limits import Limits, shown

_FOREIGN = {mark.encode("latin-1"): what for mark, what in delimited.NAMES["foreign"].items()}
_PICKLE = b"\x80"
_DOCUMENT = re.compile(delimited.NAMES["documents"], re.IGNORECASE)
_PART = re.compile(r"part-\d+\b.*")
_DAMAGED = "is damaged: {error}"


def read(given: Sequence[Given], said: Description, limits: Limits) -> list[Frame]:
    """The tables in files. Raises `UploadError`."""
    files = [one for file in given for one in _unpacked(file, limits)]
    kept = [file for file in files if not _DOCUMENT.fullmatch(PurePath(file.name).name)] or files
    if not kept:
        raise UploadError("There are no files")
    if empty := next((file for file in kept if not file.size), None):
        raise empty.refusal("is empty")
    found = layouts.recognised(kept) or [frame for file in kept for frame in _tables(file, said, limits)]
    parts = [frame.columns for frame in found if _PART.fullmatch(PurePath(frame.name).name)]
    if len(set(parts)) < len(parts):
        raise UploadError("A table is in several files, part-0 and so on: write it as one (repartition(1) in Spark)")
    notes = tuple(f"{shown(file.name)} is not read" for file in files if file not in kept)
    return [replace(found[0], notes=(*notes, *found[0].notes)), *found[1:]]


def _unpacked(file: Given, limits: Limits, inside: bool = False) -> Iterator[Given]:
    """The files of a folder or an archive, and any other as it is."""
    if file.path is not None and file.path.is_dir():
        for path in sorted(file.path.rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                for one in _unpacked(Given.at(path), limits, inside=True):
                    yield replace(one, name=str(path.relative_to(file.path).with_name(one.name)))
        return
    if file.size > limits.file_bytes:
        most = f"at most {limits.file_bytes / 1e6:,.0f} are taken; privgraph data add takes larger ones"
        raise file.refusal(f"has {file.size / 1e6:,.0f} MB, and {most}")
    head = file.head()
    if head.startswith(b"\x1f\x8b"):
        yield _gunzipped(file, limits)
    elif head.startswith(b"PK") and not inside and _archived(file) == "files":
        yield from _members(file, limits)
    else:
        yield file


def _gunzipped(file: Given, limits: Limits) -> Given:
    with file.refusing(arrays.BROKEN, _DAMAGED), file.opened() as packed, gzip.open(packed) as stream:
        content = stream.read(min(limits.unpacked_bytes, 1 << 34) + 1)
    limits.check_unpacked(len(content), file.name)
    return Given.of(file.name.removesuffix(".gz"), content)


def _archived(file: Given) -> str:
    """What a zip archive holds: arrays, a workbook, or files. Raises `UploadError` for a pickle."""
    with file.opened() as opened:
        arrays.check_end(opened, file.name)
        with file.refusing(arrays.BROKEN, _DAMAGED), zipfile.ZipFile(opened) as archive:
            names = archive.namelist()
    if any(name.startswith("xl/") for name in names):
        return "workbook"
    if any(name.endswith("data.pkl") for name in names):
        raise file.refusal(f"is {_FOREIGN[_PICKLE]}")
    return "arrays" if names and all(name.endswith(".npy") for name in names) else "files"


def _members(file: Given, limits: Limits) -> Iterator[Given]:
    with file.opened() as opened, zipfile.ZipFile(opened) as archive:
        members = [one for one in archive.infolist() if not re.search(r"/$|(^|/)[._][^/]*$", one.filename)]
        limits.check_unpacked(sum(one.file_size for one in members), file.name)
        for one in members:
            with file.refusing(arrays.BROKEN, _DAMAGED), archive.open(one) as stream:
                content = stream.read(one.file_size + 1)
            if content:
                yield from _unpacked(Given.of(one.filename, content[: one.file_size]), limits, inside=True)


def _tables(file: Given, said: Description, limits: Limits) -> list[Frame]:
    head = file.head()
    if foreign := next((words for mark, words in _FOREIGN.items() if head.startswith(mark)), None):
        raise file.refusal(f"is {foreign}")
    if head[257:262] == b"ustar":
        raise file.refusal("is a tar archive: pack its files as a zip archive")
    kind = _archived(file) if head.startswith(b"PK") else ""
    if kind == "workbook":
        return _workbook(file, limits)
    if kind == "arrays":
        return arrays.frames(file.name, arrays.npz(file, limits))
    if kind == "files":
        raise file.refusal("is an archive inside another, which is not read")
    if head.startswith(b"\x93NUMPY"):
        return [arrays.npy_frame(file)]
    if head.startswith(b"PAR1"):
        return [_parquet(file)]
    text = head.decode("utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace").lstrip()
    reader = next((reader for form, reader in _TEXTS.items() if form.match(text)), None)
    return reader(file, limits) if reader else [delimited.frame(file, said.lines)]


def _parquet(file: Given) -> Frame:
    from pyarrow import parquet

    @contextmanager
    def opened() -> Iterator[Any]:
        try:
            with file.opened() as content, parquet.ParquetFile(content) as whole:
                yield whole
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # of the disk, and not of what is on it
                raise
            raise file.refusal("is no whole Parquet file: it may be cut off") from None

    def batches(types: Types, seen: Seen) -> Iterator[Any]:
        done = 0
        with opened() as whole:
            for batch in whole.iter_batches(batch_size=ROWS, columns=list(types), use_threads=False):
                batch.validate(full=True)
                yield cast(batch, types)
                done += batch.num_rows
                seen(file.size * done // max(1, whole.metadata.num_rows))

    with opened() as whole:
        check_names(file.name, whole.schema_arrow.names)
        own = {one.name: plain(one.type) for one in whole.schema_arrow if one.name != "__index_level_0__"}
    return Frame(name=file.name, read=batches, own=own, size=file.size, decimal=".")


def _workbook(file: Given, limits: Limits) -> list[Frame]:
    """A table of each sheet that has one."""
    import pandas

    if find_spec("openpyxl") is None:
        raise file.refusal("is a workbook: pip install privgraph[excel], or save each of its sheets as CSV")
    with file.opened() as opened, zipfile.ZipFile(opened) as archive:
        limits.check_unpacked(sum(one.file_size for one in archive.infolist()), file.name)
    # openpyxl raises whatever it meets in a damaged archive
    with file.refusing(Exception, "is no workbook that openpyxl reads ({kind})"), file.opened() as opened:
        sheets = pandas.read_excel(opened, sheet_name=None, keep_default_na=False, na_values=[""])
    return [replace(of_pandas(f"{file.name}, {name}", one), decimal=".") for name, one in sheets.items() if len(one)]


def _gml(file: Given, limits: Limits) -> list[Frame]:
    import networkx

    text = "\n".join(file.lines())
    # networkx raises whatever it meets in a damaged file; an edge may be there twice
    with file.refusing(Exception, "is no GML file that networkx reads: {error}"):
        graph = networkx.parse_gml(_GML.sub(r"\g<0> multigraph 1 ", text, count=1).split("\n"), label="id")
    return arrays.of_graph(file.name, graph)


_PAJEK: dict[str, Callable[[int, list[str]], list[list[str]]]] = {
    **dict.fromkeys(("*edges", "*arcs"), lambda _, cells: [cells[:3]]),
    **dict.fromkeys(("*edgeslist", "*arcslist"), lambda _, cells: [[cells[0], other] for other in cells[1:]]),
    "*matrix": lambda row, cells: [[str(row), str(at), weight] for at, weight in enumerate(cells, 1) if weight != "0"],
}
"""The edges in a line of each part: two vertices, and where there is one a weight."""


def _pajek(file: Given, limits: Limits) -> list[Frame]:
    """Vertices with their names and attributes, without places and shapes, and edges by their numbers."""
    nodes, edges, notes = dict[str, dict[str, str]](), list[dict[str, str]](), set[str]()
    part, row = "", 0
    for line in file.lines():
        cells = delimited.words(line)
        if not cells or line.startswith("%"):
            continue
        row += 1
        if line.startswith("*"):
            part, row = cells[0].lower(), 0
            if part not in ("*network", "*vertices", *_PAJEK) or (part == "*vertices" and nodes):
                notes.add(f"{shown(part)} and what follows is not read")
                break
            count = int(cells[1]) if part == "*vertices" and "".join(cells[1:2]).isdecimal() else 0
            nodes |= {str(at): {"id": str(at)} for at in range(1, min(count, limits.nodes + 1) + 1)}
            notes |= {UNDIRECTED} if part.startswith("*arcs") else set()
        elif part == "*vertices":
            rest = [*dropwhile(delimited.is_number, cells[2:])]
            rest = rest[len(rest) % 2 :]
            nodes[cells[0]] = dict(zip(rest[::2], rest[1::2], strict=True)) | {"id": cells[len(cells) > 1]}
        elif part in _PAJEK:
            for pair in _PAJEK[part](row, cells):
                ends = [nodes.get(one, {"id": one})["id"] for one in pair[:2]]
                edges.append(dict(zip(("source", "target", "weight"), (*ends, *pair[2:]), strict=False)))
    if not edges or len({node["id"] for node in nodes.values()}) < len(nodes):
        raise file.refusal("has no edges" if not edges else "has two vertices of one name: write names that differ")
    vertices = of_rows(file.name, [*nodes.values()], ["id"], pairs=False)
    return [vertices, of_rows(file.name, edges, ["source", "target"], tuple(notes), pairs=True)]


def _json(file: Given, limits: Limits) -> list[Frame]:
    lines = [line.strip() for line in file.lines() if line.strip()]
    records = len(lines) > 1 and all(line[0] == "{" and line[-1] == "}" for line in lines)
    with file.refusing((ValueError, RecursionError), "is no JSON: {error}"):
        found = json.loads(f"[{','.join(lines)}]" if records else "\n".join(lines))
    nodes, edges = (found.get("nodes"), found.get("links", found.get("edges"))) if isinstance(found, dict) else ((), ())
    if isinstance(nodes, list) and isinstance(edges, list):
        if not all(isinstance(row, dict) for row in (*nodes, *edges)):
            raise file.refusal("must list nodes and links as objects")
        ends = {str(edge.get(end)) for edge in edges for end in ("source", "target")}
        keys = {"id", *(nodes or [{}])[0]}
        named = any(key[-2:] == "id" != key or ends <= {str(node.get(key)) for node in nodes} for key in keys)
        if not named and ends <= {str(at) for at in range(len(nodes))}:  # as D3 did in its versions to 3
            nodes = [{**node, "id": at} for at, node in enumerate(nodes)]
        notes = (UNDIRECTED,) if found.get("directed") else ()
        return [of_rows(file.name, nodes, pairs=False), of_rows(file.name, edges, pairs=True, notes=notes)]
    rows = list(found.values() if isinstance(found, dict) else found if isinstance(found, list) else ())
    kinds = type(found), {len(row) if isinstance(row, list) else type(row) for row in rows}
    if kinds == (list, {dict}):
        return [of_rows(file.name, rows)]
    if kinds == (list, {2}):
        return [of_rows(file.name, [{"source": one, "target": other} for one, other in rows], pairs=True)]
    if rows and isinstance(found, dict) and all(isinstance(row, list) for row in rows):
        return [layouts.listed_features(file.name, found)]
    raise file.refusal("is JSON, and neither nodes and links, nor a list of records, nor features by node")


_GML = re.compile(r"(?i)(?>#[^\n]*\n|\s+|(?:creator|version|comment)[ \t][^\n]*\n)*+graph\s*\[")
_TEXTS: dict[re.Pattern[str], Callable[[Given, Limits], list[Frame]]] = {
    re.compile(r"(?s)(?><\?.*?\?>|<!--.*?-->|\s+)*+<(?:\w+:)?gexf\b"): lambda file, _: markup.gexf(file),
    re.compile("<"): lambda file, _: markup.graphml(file),
    re.compile(r'\{\s*["}]|\[\s*[\[{]'): _json,
    re.compile("(?i)%%matrixmarket"): lambda file, limits: [arrays.matrix_market(file, limits)],
    _GML: _gml,
    re.compile(r"(?i)(?>%[^\n]*\n|\s+)*+\*(?:vertices|network)\b"): _pajek,
}
"""Readers of texts, by how these begin; all others are tables."""
