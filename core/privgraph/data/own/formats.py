"""What kind of file each is, by its content, and the tables in it. No torch.

Of a name only its ending is used, and in layouts of several files its place. Archives are unpacked in memory,
within limits.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from privgraph.data.errors import UploadError
from privgraph.data.own import arrays, delimited, layouts, markup
from privgraph.data.own.description import Description
from privgraph.data.own.frames import Frame, check_names, in_memory, of_columns, of_pandas
from privgraph.data.own.limits import Limits, shown

_FOREIGN = {
    b"\xd0\xcf\x11\xe0": "a workbook of an old kind: save it as xlsx or CSV",
    b"\x89HDF": "an HDF5 file: save its arrays with numpy.savez",
    b"MATLAB": "a MATLAB file: save its arrays with numpy.savez",
    b"SQLite": "a database: export its tables as CSV",
    b"%PDF": "a PDF",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it, or pack it with gzip",
    b"BZh": "compressed by bzip2: unpack it, or pack it with gzip",
    b"\xfd7zXZ": "compressed by xz: unpack it, or pack it with gzip",
    b"\x80": "a pickle, and would run code: load it with weights_only, and give the graph to privgraph.upload",
}
_HEAD = 4096


@dataclass(frozen=True, kw_only=True)
class Given:
    """A file: what it is called, how to open it from its beginning, its bytes, and where it lies on the disk,
    if it does."""

    name: str
    opened: Callable[[], BinaryIO]
    size: int
    path: Path | None = None

    @classmethod
    def at(cls, path: Path) -> Given:
        return cls(name=path.name, opened=lambda: path.open("rb"), size=path.stat().st_size, path=path)

    @classmethod
    def of(cls, name: str, content: bytes) -> Given:
        return cls(name=name, opened=lambda: io.BytesIO(content), size=len(content))

    def head(self) -> bytes:
        with self.opened() as file:
            return file.read(_HEAD)

    def content(self) -> bytes:
        with self.opened() as file:
            return file.read()


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
        raise UploadError(f"{shown(file.name)} is empty")
    if file.size > limits.file_bytes:
        raise UploadError(
            f"{shown(file.name)} has {file.size / 1e6:,.0f} MB, and at most {limits.file_bytes / 1e6:,.0f} are taken; "
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
        raise UploadError(f"{shown(file.name)} is damaged: {shown(error, 60)}") from None
    if len(content) > limits.unpacked_bytes:
        raise UploadError(f"Unpacked, {shown(file.name)} has more than {limits.unpacked_bytes / 1e6:,.0f} MB")
    if not content:
        raise UploadError(f"{shown(file.name)} is empty")
    return Given.of(file.name.removesuffix(".gz"), content)


def _archived(file: Given) -> str:
    """What a zip archive holds: arrays, a workbook, a pickle of PyTorch, or files."""
    with file.opened() as opened:
        arrays.check_end(opened, file.name)
        try:
            with zipfile.ZipFile(opened) as archive:
                names = archive.namelist()
        except arrays.BROKEN as error:
            raise UploadError(f"{shown(file.name)} is damaged: {shown(error, 60)}") from None
    if any(name.startswith("xl/") for name in names):
        return "workbook"
    if any(name.endswith("data.pkl") for name in names):
        return "pickle"
    return "arrays" if names and all(name.endswith(".npy") for name in names) else "files"


def _members(file: Given, limits: Limits) -> Iterator[Given]:
    with file.opened() as opened, zipfile.ZipFile(opened) as archive:
        members = [
            one
            for one in archive.infolist()
            if one.filename and not one.is_dir() and not Path(one.filename).name.startswith((".", "_"))
        ]
        if sum(one.file_size for one in members) > limits.unpacked_bytes:
            raise UploadError(f"Unpacked, {shown(file.name)} has more than {limits.unpacked_bytes / 1e6:,.0f} MB")
        for one in members:
            try:
                with archive.open(one) as stream:
                    content = stream.read(one.file_size + 1)
            except arrays.BROKEN as error:
                raise UploadError(f"{shown(file.name)} is damaged: {shown(error, 60)}") from None
            if content:
                yield from _unpacked(Given.of(one.filename, content[: one.file_size]), limits, inside=True)


def _tables(file: Given, said: Description, limits: Limits) -> list[Frame]:
    head, name = file.head(), file.name
    if foreign := next((words for mark, words in _FOREIGN.items() if head.startswith(mark)), None):
        raise UploadError(f"{shown(name)} is {foreign}")
    if head.startswith(b"PK"):
        return _of_archive(file, limits)
    if head.startswith(b"\x93NUMPY"):
        return [arrays.npy_frame(name, _npy(file))]
    if head.startswith(b"PAR1"):
        return [_parquet(file)]
    text = _text(head)
    if text.startswith("<"):
        return _xml(file, text)
    if text[:1] in ("{", "[") and name.lower().endswith((".json", ".js")):
        return _json(file)
    if text.lower().startswith("%%matrixmarket"):
        with file.opened() as opened:
            return [arrays.matrix_market(opened, name, limits)]
    if re.match(r"(?:#[^\n]*\n|\s|(?:Creator|Version|comment)\s+[^\n]*\n)*graph\s*\[", text, re.IGNORECASE):
        return _by_networkx(file, "GML")
    if re.match(r"(?:%[^\n]*\n|\s)*\*(?:vertices|network)\b", text, re.IGNORECASE):
        return _by_networkx(file, "Pajek")
    return [delimited.frame(name, file.opened, file.size, {"lines": said.lines})]


def _text(head: bytes) -> str:
    """The first characters of a text in one of XML's usual encodings, without its byte order mark."""
    utf_16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    return head.decode("utf-16" if utf_16 else "utf-8-sig", "replace").lstrip()


def _of_archive(file: Given, limits: Limits) -> list[Frame]:
    kind = _archived(file)
    if kind == "pickle":
        raise UploadError(f"{shown(file.name)} is {_FOREIGN[bytes([128])]}")
    if kind == "workbook":
        return _workbook(file, limits)
    if kind != "arrays":
        raise UploadError(f"{shown(file.name)} is an archive inside another, which is not read")
    with file.opened() as opened:
        return arrays.frames(file.name, arrays.npz(opened, file.name, limits))


def _npy(file: Given) -> Any:
    from numpy.lib import format as npy

    if file.path is not None:
        return arrays.mapped(file.path, file.name)
    arrays._checked(io.BytesIO(file.content()), file.size, file.name)
    with file.opened() as opened:
        return npy.read_array(opened, allow_pickle=False)


def _parquet(file: Given) -> Frame:
    import pyarrow
    from pyarrow import parquet

    from privgraph.data.own.frames import ROWS, Seen, Types, _plain, cast

    damaged = UploadError(f"{shown(file.name)} is no whole Parquet file: it may be cut off")
    try:
        with file.opened() as opened:
            schema = parquet.read_schema(opened)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
        raise damaged from None
    columns = tuple(name for name in schema.names if name != "__index_level_0__")
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

    own = {name: _plain(schema.field(name).type) for name in columns}
    return Frame(name=file.name, columns=columns, read=batches, own=own, size=file.size, decimal=".")


def _workbook(file: Given, limits: Limits) -> list[Frame]:
    """A table of each sheet that has one."""
    import pandas

    if find_spec("openpyxl") is None:
        raise UploadError(
            f"{shown(file.name)} is a workbook: pip install privgraph[excel], or save each of its sheets as CSV"
        )
    with file.opened() as opened, zipfile.ZipFile(opened) as archive:
        if sum(one.file_size for one in archive.infolist()) > limits.unpacked_bytes:
            raise UploadError(f"Unpacked, {shown(file.name)} has more than {limits.unpacked_bytes / 1e6:,.0f} MB")
    try:
        with file.opened() as opened:
            sheets = pandas.read_excel(
                opened, sheet_name=None, keep_default_na=False, na_values=list(delimited.MISSING)
            )
    except Exception as error:  # whatever openpyxl meets in a damaged archive
        raise UploadError(
            f"{shown(file.name)} is no workbook that openpyxl reads ({shown(type(error).__name__)})"
        ) from None
    return [
        replace(of_pandas(f"{file.name}, {sheet}", table), decimal=".") for sheet, table in sheets.items() if len(table)
    ]


def _xml(file: Given, text: str) -> list[Frame]:
    if re.match(r"(?:<\?[^>]*\?>|<!--.*?-->|\s)*<(?:\w+:)?gexf\b", text, re.DOTALL):
        with file.opened() as opened:
            markup.check_form(opened, file.name)
        return _by_networkx(file, "GEXF")
    return markup.graphml(file.name, file.opened, file.size)


def _by_networkx(file: Given, kind: str) -> list[Frame]:
    import networkx

    try:
        if kind == "GEXF":
            graph = networkx.read_gexf(io.BytesIO(file.content()))
        elif kind == "GML":
            graph = networkx.parse_gml(file.content().decode("utf-8-sig").splitlines(), label="id")
        else:
            graph = networkx.parse_pajek(file.content().decode("utf-8-sig").splitlines())
    except UnicodeDecodeError:
        raise UploadError(delimited.NO_UTF8.format(shown(file.name))) from None
    except Exception as error:  # whatever networkx meets in a damaged file
        raise UploadError(
            f"{shown(file.name)} is no {kind} file that networkx reads: {shown(' '.join(str(error).split()), 80)}"
        ) from None
    return arrays.of_graph(file.name, graph)


def _json(file: Given) -> list[Frame]:
    try:
        found = json.loads(file.content().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UploadError(f"{shown(file.name)} is no JSON: {shown(error, 60)}") from None
    name = file.name
    if isinstance(found, dict) and isinstance(found.get("nodes"), list):
        edges = found.get("links", found.get("edges"))
        if isinstance(edges, list):
            notes = ("directions of edges are not used",) if found.get("directed") else ()
            return [
                _records(name, found["nodes"], pairs=False),
                replace(_records(name, edges, pairs=True), notes=notes),
            ]
    if isinstance(found, dict) and found and all(isinstance(row, list) for row in found.values()):
        return [layouts.listed_features(name, found)]
    if isinstance(found, list) and found and all(isinstance(row, dict) for row in found):
        return [_records(name, found)]
    if isinstance(found, list) and found and all(isinstance(row, list) and len(row) == 2 for row in found):
        return [
            of_columns(name, {"source": [row[0] for row in found], "target": [row[1] for row in found]}, pairs=True)
        ]
    raise UploadError(
        f"{shown(name)} is JSON, and neither nodes and links, nor a list of records, nor features by node"
    )


def _records(name: str, rows: Sequence[Any], **more: Any) -> Frame:
    if not all(isinstance(row, Mapping) for row in rows):
        raise UploadError(f"{shown(name)} must list nodes and links as objects")
    plain = {key: None for row in rows for key, value in row.items() if not isinstance(value, dict | list)}
    vectors = {key: None for row in rows for key, value in row.items() if isinstance(value, list) and key not in plain}
    columns = {key: [row.get(key) for row in rows] for key in plain}
    frame = (
        of_columns(name, columns, decimal=".", **more)
        if not vectors
        else _with_vectors(name, columns, {key: [row.get(key) for row in rows] for key in vectors}, more)
    )
    return frame


def _with_vectors(
    name: str, columns: Mapping[str, Sequence[Any]], vectors: Mapping[str, Sequence[Any]], more: Mapping[str, Any]
) -> Frame:
    import pyarrow

    text = pyarrow.large_string()
    made = {
        key: pyarrow.array([None if one is None else str(one) for one in cells], text) for key, cells in columns.items()
    }
    try:
        made |= {key: pyarrow.array(cells, pyarrow.list_(pyarrow.float64())) for key, cells in vectors.items()}
    except pyarrow.ArrowException:
        raise UploadError(f"{shown(name)} has lists that hold something else than numbers") from None
    return in_memory(name, pyarrow.table(made), decimal=".", **more)
