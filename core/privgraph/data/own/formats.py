"""What kind of file each is, by its content, and the tables in it. No torch.

Of a name only its ending is used, and in layouts of several files its place. Archives are unpacked in memory,
within limits.
"""

import gzip
import io
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow

from privgraph.data.errors import UploadError
from privgraph.data.own import arrays, delimited, layouts, markup
from privgraph.data.own.description import Description
from privgraph.data.own.frames import ROWS, Frame, Seen, Types, cast, check_names, of_columns, of_pandas, of_rows, plain
from privgraph.data.own.given import Given
from privgraph.data.own.limits import Limits, shown

_PICKLE = b"\x80"
_FOREIGN = {
    b"\xd0\xcf\x11\xe0": "a workbook of an old kind: save it as xlsx or CSV",
    b"\x89HDF": "an HDF5 file: save its arrays with numpy.savez",
    b"MATLAB": "a MATLAB file: save its arrays with numpy.savez",
    b"SQLite": "a database: export its tables as CSV",
    b"%PDF": "a PDF",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it, or pack it with gzip",
    b"BZh": "compressed by bzip2: unpack it, or pack it with gzip",
    b"\xfd7zXZ": "compressed by xz: unpack it, or pack it with gzip",
    _PICKLE: "a pickle, and would run code: load it with weights_only, and give the graph to privgraph.upload",
}


def read(given: Sequence[Given], said: Description, limits: Limits) -> list[Frame]:
    """The tables in files. Raises `UploadError`."""
    files = [one for file in given for one in _unpacked(file, limits)]
    if not files:
        raise UploadError("There are no files")
    if (found := layouts.recognised(files)) is not None:
        return found
    return [frame for file in files for frame in _tables(file, said, limits)]


def _unpacked(file: Given, limits: Limits, inside: bool = False) -> Iterator[Given]:
    """The files of a folder or an archive, and any other as it is."""
    if file.path is not None and file.path.is_dir():
        for path in sorted(file.path.rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                for one in _unpacked(Given.at(path), limits, inside=True):
                    yield replace(one, name=str(path.relative_to(file.path).with_name(one.name)))
        return
    if file.size == 0:
        raise file.refusal("is empty")
    if file.size > limits.file_bytes:
        raise file.refusal(
            f"has {file.size / 1e6:,.0f} MB, and at most {limits.file_bytes / 1e6:,.0f} are taken; "
            "privgraph data add takes larger ones"
        )
    head = file.head()
    if head.startswith(b"\x1f\x8b"):
        yield _gunzipped(file, limits)
    elif head.startswith(b"PK") and not inside and _archived(file) == "files":
        yield from _members(file, limits)
    else:
        yield file


def _gunzipped(file: Given, limits: Limits) -> Given:
    try:
        with file.opened() as packed, gzip.open(packed) as stream:
            content = stream.read(min(limits.unpacked_bytes, 1 << 34) + 1)
    except arrays.BROKEN as error:
        raise file.refusal(f"is damaged: {shown(error, 60)}") from None
    limits.check_unpacked(len(content), file.name)
    if not content:
        raise file.refusal("is empty")
    return Given.of(file.name.removesuffix(".gz"), content)


def _archived(file: Given) -> str:
    """What a zip archive holds: arrays, a workbook, or files. Raises `UploadError` for a pickle."""
    with file.opened() as opened:
        arrays.check_end(opened, file.name)
        try:
            with zipfile.ZipFile(opened) as archive:
                names = archive.namelist()
        except arrays.BROKEN as error:
            raise file.refusal(f"is damaged: {shown(error, 60)}") from None
    if any(name.startswith("xl/") for name in names):
        return "workbook"
    if any(name.endswith("data.pkl") for name in names):
        raise file.refusal(f"is {_FOREIGN[_PICKLE]}")
    return "arrays" if names and all(name.endswith(".npy") for name in names) else "files"


def _members(file: Given, limits: Limits) -> Iterator[Given]:
    with file.opened() as opened, zipfile.ZipFile(opened) as archive:
        members = [one for one in archive.infolist() if one.filename and not one.is_dir()]
        members = [one for one in members if not Path(one.filename).name.startswith((".", "_"))]
        limits.check_unpacked(sum(one.file_size for one in members), file.name)
        for one in members:
            try:
                with archive.open(one) as stream:
                    content = stream.read(one.file_size + 1)
            except arrays.BROKEN as error:
                raise file.refusal(f"is damaged: {shown(error, 60)}") from None
            if content:
                yield from _unpacked(Given.of(one.filename, content[: one.file_size]), limits, inside=True)


def _tables(file: Given, said: Description, limits: Limits) -> list[Frame]:
    head = file.head()
    if foreign := next((words for mark, words in _FOREIGN.items() if head.startswith(mark)), None):
        raise file.refusal(f"is {foreign}")
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
    text = _text(head)
    if re.match(r"(?:<\?[^>]*\?>|<!--.*?-->|\s)*<(?:\w+:)?gexf\b", text, re.DOTALL):
        markup.check_form(file)
        return _by_networkx(file, "GEXF")
    if text.startswith("<"):
        return markup.graphml(file)
    if text[:1] in ("{", "[") and file.name.lower().endswith((".json", ".js")):
        return _json(file)
    if text.lower().startswith("%%matrixmarket"):
        with file.opened() as opened:
            return [arrays.matrix_market(opened, file.name, limits)]
    if re.match(r"(?:#[^\n]*\n|\s|(?:Creator|Version|comment)\s+[^\n]*\n)*graph\s*\[", text, re.IGNORECASE):
        return _by_networkx(file, "GML")
    if re.match(r"(?:%[^\n]*\n|\s)*\*(?:vertices|network)\b", text, re.IGNORECASE):
        return _by_networkx(file, "Pajek")
    return [delimited.frame(file, said.lines)]


def _text(head: bytes) -> str:
    """The first characters of a text in one of XML's usual encodings, without its byte order mark."""
    utf_16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    return head.decode("utf-16" if utf_16 else "utf-8-sig", "replace").lstrip()


def _parquet(file: Given) -> Frame:
    from pyarrow import parquet

    damaged = file.refusal("is no whole Parquet file: it may be cut off")
    try:
        with file.opened() as opened:
            schema = parquet.read_schema(opened)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
        raise damaged from None
    columns = [name for name in schema.names if name != "__index_level_0__"]
    check_names(file.name, columns)

    def batches(types: Types, seen: Seen) -> Iterator[Any]:
        try:
            with file.opened() as opened, parquet.ParquetFile(opened) as whole:
                done = 0
                for batch in whole.iter_batches(batch_size=ROWS, columns=list(types), use_threads=False):
                    batch.validate(full=True)
                    yield cast(batch, types, file.name)
                    done += batch.num_rows
                    seen(file.size * done // max(1, whole.metadata.num_rows))
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # of the disk, and not of what is on it
                raise
            raise damaged from None

    own = {name: plain(schema.field(name).type) for name in columns}
    return Frame(name=file.name, read=batches, own=own, size=file.size, decimal=".")


def _workbook(file: Given, limits: Limits) -> list[Frame]:
    """A table of each sheet that has one."""
    import pandas

    if find_spec("openpyxl") is None:
        raise file.refusal("is a workbook: pip install privgraph[excel], or save each of its sheets as CSV")
    with file.opened() as opened, zipfile.ZipFile(opened) as archive:
        limits.check_unpacked(sum(one.file_size for one in archive.infolist()), file.name)
    empty = list(delimited.MISSING)
    try:
        with file.opened() as opened:
            sheets = pandas.read_excel(opened, sheet_name=None, keep_default_na=False, na_values=empty)
    except Exception as error:  # whatever openpyxl meets in a damaged archive
        raise file.refusal(f"is no workbook that openpyxl reads ({shown(type(error).__name__)})") from None
    tables = {f"{file.name}, {sheet}": table for sheet, table in sheets.items() if len(table)}
    return [replace(of_pandas(name, table), decimal=".") for name, table in tables.items()]


def _by_networkx(file: Given, kind: str) -> list[Frame]:
    import networkx

    readers = {
        "GEXF": lambda: networkx.read_gexf(io.BytesIO(file.content())),
        "GML": lambda: networkx.parse_gml(file.lines(), label="id"),
        "Pajek": lambda: networkx.parse_pajek(file.lines()),
    }
    try:
        graph = readers[kind]()
    except UploadError:
        raise
    except Exception as error:  # whatever networkx meets in a damaged file
        told = shown(" ".join(str(error).split()), 80)
        raise file.refusal(f"is no {kind} file that networkx reads: {told}") from None
    return arrays.of_graph(file.name, graph)


def _json(file: Given) -> list[Frame]:
    try:
        found = json.loads(file.content().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise file.refusal(f"is no JSON: {shown(error, 60)}") from None
    if isinstance(found, dict) and isinstance(found.get("nodes"), list):
        nodes, edges = found["nodes"], found.get("links", found.get("edges"))
        if isinstance(edges, list):
            if not all(isinstance(row, dict) for row in (*nodes, *edges)):
                raise file.refusal("must list nodes and links as objects")
            notes = (arrays.DIRECTED,) if found.get("directed") else ()
            return [
                of_rows(file.name, nodes, lists=True, pairs=False),
                of_rows(file.name, edges, lists=True, pairs=True, notes=notes),
            ]
    rows = list(found.values() if isinstance(found, dict) else found if isinstance(found, list) else ())
    if rows and isinstance(found, dict) and all(isinstance(row, list) for row in rows):
        return [layouts.listed_features(file.name, found)]
    if rows and isinstance(found, list) and all(isinstance(row, dict) for row in rows):
        return [of_rows(file.name, rows, lists=True)]
    if rows and isinstance(found, list) and all(isinstance(row, list) and len(row) == 2 for row in rows):
        return [
            of_columns(file.name, dict(zip(("source", "target"), zip(*rows, strict=True), strict=True)), pairs=True)
        ]
    raise file.refusal("is JSON, and neither nodes and links, nor a list of records, nor features by node")
