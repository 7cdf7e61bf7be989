"""A graph, or texts and relations, of one's own: an npz of arrays, two CSV files, or GraphML, checked before
it is read whole. No torch.

Nothing is unpickled, no name from a browser becomes a path, and what is refused is refused with one sentence
(`UploadError`). What kind of file it is follows from its content:

- npz: `x` (|V|, F) numbers, `y` (|V|,) whole numbers from 0, `edge_index` (2, |E|) whole numbers; optional
  `train_mask`, `val_mask`, `test_mask` (|V|,) booleans, `class_names` (C,) and `feature_names` (F,) texts;
- two CSV files with headers: edges `source,target`; nodes `id,label` and one column a feature;
- two CSV files of texts: relations `source,target`; texts `id,text,domain` and, where there are any, `label`;
- an edge list may come without a header, with comments above it, and with spaces between its columns;
- columns of CSV files may be separated by semicolons or tabs, too, and numbers have decimal commas then;
- GraphML: nodes with an attribute `label` and numeric attributes, and edges.

Every edge is read as undirected; self-loops and repetitions are dropped, and the notes say how many.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import BinaryIO

from privgraph.data import upload_columns
from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import Limits, Upload, shown
from privgraph.data.upload_columns import Columns
from privgraph.data.upload_csv import read_csv
from privgraph.data.upload_graphml import Attributes, read_graphml
from privgraph.data.upload_lines import NO_MATRIX, Shape, comments_told, edge_list, is_matrix, shape
from privgraph.data.upload_npz import read_npz
from privgraph.data.upload_texts import NO_TEXTS
from privgraph.data.uploads import delete_upload, save_upload, upload_spec, uploads
from privgraph.options import listed

__all__ = ["Limits", "Upload", "UploadError", "check_upload", "delete_upload", "save_upload", "upload_spec", "uploads"]

_NO_CSV = (b"PK", b"\x93NUMPY", b"<")


def check_upload(
    files: Mapping[str, BinaryIO | bytes],
    *,
    limits: Limits | None = None,
    halves: bool = False,
    columns: Columns | None = None,
    attributes: Attributes | None = None,
) -> Upload:
    """The graph in `files` (whatever name -> content, seekable; of a name only its ending is read, for the
    words of a refusal).

    `columns` says which columns of two CSV files are meant, where their headers say other words, and
    `attributes` which node attributes of a GraphML file. `halves`
    puts texts that have no domains into two random halves, by a public draw that depends on their number
    alone. Raises `UploadError` with one sentence.
    """
    bounds = limits or Limits()
    words = {PurePath(name).suffix.lower() for name in files}
    commas: list[str] = []
    opened = [io.BytesIO(content) if isinstance(content, bytes) else content for content in files.values()]
    heads = [_head(file, bounds) for file in opened]
    if any(head.startswith(b"PK") and _is_workbook(file) for head, file in zip(heads, opened, strict=True)):
        raise UploadError("This is a workbook of a spreadsheet program: save each of its sheets as CSV")
    if any(map(is_matrix, heads)):
        raise UploadError(f"This is a {NO_MATRIX}")
    told: tuple[str, ...] = ()
    if len(opened) == 2 and not any(head.startswith(_NO_CSV) for head in heads):
        shapes = [_shape(file) for file in opened]
        if any(one.headerless for one in shapes):
            told = ("The edges have no header: their first line was read as an edge.",)
        told += tuple(f"{comments_told(one.skipped)}." for one in shapes if one.skipped)
        read = [upload_columns.with_commas(file) for file in opened]
        opened, commas = [file for file, _ in read], [name for _, names in read for name in names]
    if columns is not None and len(opened) == 2:
        written = upload_columns.renamed(opened, columns, bounds)
        told += upload_columns.said(upload_columns.headers(opened), columns)
        opened = [io.BytesIO(content) for content in written]
    if halves and len(opened) == 1:
        raise UploadError(NO_TEXTS)
    if len(opened) == 1 and heads[0].startswith(b"PK"):
        return read_npz(opened[0], bounds)
    if len(opened) == 1 and _text(heads[0]).startswith("<"):
        return read_graphml(opened[0], bounds, attributes)
    if len(opened) == 2 and not any(head.startswith(_NO_CSV) for head in heads):
        found = read_csv(opened, bounds, halves=halves)
        if commas:
            told += (f"Decimal commas were read as points, in {listed(shown(name) for name in commas)}.",)
        return replace(found, notes=(*found.notes, *told))
    if len(opened) == 1 and words & {".npz"}:
        raise UploadError("This is not an npz file: it does not begin as what numpy.savez writes")
    if len(opened) == 1 and words & {".graphml", ".xml"}:
        raise UploadError("This is not a GraphML file: it does not begin with <")
    alone = edge_list(opened[0].read()) if len(opened) == 1 else None
    if alone is not None:
        raise UploadError(
            f"These are {alone.pairs:,} edges of {len(alone.degrees):,} nodes, and nothing says what is to be learnt: "
            "add a file of nodes with id,label and one column a feature"
        )
    if len(opened) == 1 and len(upload_columns.headers([opened[0]])[0]) > 1:
        raise UploadError(
            "This is one CSV file, and two are needed: edges with the columns source,target, and nodes with id,label "
            "and features (or relations, and texts)"
        )
    if len(opened) == 1 and words & {".csv"}:
        raise UploadError(
            "This is not a CSV file of a graph: its first line must be a header of two columns or more, in UTF-8"
        )
    raise UploadError(
        "Upload one npz file, one GraphML file, or two CSV files (edges and nodes, or relations and texts)"
    )


def _shape(file: BinaryIO) -> Shape:
    """The shape of a text file, by its beginning."""
    found = shape(file.read(200_000))
    file.seek(0)
    return found


def _is_workbook(file: BinaryIO) -> bool:
    """Whether a zip archive says at its end that it holds a workbook."""
    file.seek(max(0, file.seek(0, io.SEEK_END) - 65_536))
    found = b"xl/workbook" in file.read()
    file.seek(0)
    return found


def _head(file: BinaryIO, limits: Limits) -> bytes:
    size = file.seek(0, io.SEEK_END)
    if size == 0:
        raise UploadError("A file is empty")
    if size > limits.file_bytes:
        raise UploadError(
            f"A file has {size / 1e6:.0f} MB, and at most {limits.file_bytes / 1e6:.0f} MB are taken; "
            "privgraph data add takes larger ones"
        )
    file.seek(0)
    head = file.read(64)
    file.seek(0)
    return head


def _text(head: bytes) -> str:
    """The first characters of a text in one of XML's usual encodings, without its byte order mark."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if head.startswith(mark):
            return head[2:].decode(encoding, "replace").lstrip()
    return head.decode("utf-8-sig", "replace").lstrip()
