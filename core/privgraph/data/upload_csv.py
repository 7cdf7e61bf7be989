"""Uploaded CSV files: `source,target` and `id,label,<features>`, each with its header.

Large files are read by Arrow (`upload_arrow`) where they are plain. Line by line is the rule that it has to
meet, and the one way to say what is wrong.
"""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from privgraph.data import upload_arrow
from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import Limits, Upload, check_sizes, classes_of, clean_name, finish, shown

Rows = Iterator[list[str]]

_LONGEST_LINE = 1_000_000


def read_csv(files: Sequence[BinaryIO], limits: Limits) -> Upload:
    """The graph in two CSV files, told apart by their headers. Raises `UploadError`."""
    try:
        opened = [_File(file.read()) for file in files]
        nodes = [file for file in opened if {"id", "label"} <= set(file.header)]
        edges = [file for file in opened if file.header == ["source", "target"]]
        if len(nodes) != 1 or len(edges) != 1:
            raise UploadError(
                "One CSV file must have the columns source,target and the other id,label and one a feature, "
                "separated by commas (the headers begin with "
                f"{' and '.join(shown(','.join(file.header), 30) for file in opened)})"
            )
        number, found = _nodes(nodes[0], limits)
        return finish(replace(found, edges=_edges(edges[0], number, limits)), limits)
    except UnicodeDecodeError:
        raise UploadError("A CSV file is not text in UTF-8") from None
    except csv.Error as error:
        raise UploadError(f"A CSV file cannot be read: {shown(error, 100)}") from None


class _File:
    """A file's content (the limit bounds it), its header, and the rows after it, to be read once."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.rows = _rows(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", newline=""))
        self.header = [column.strip() for column in next(self.rows, [])]

    @property
    def large(self) -> bool:
        """Whether it is worth trying whether Arrow can read it."""
        return len(self.content) >= upload_arrow.WORTH_IT


def _rows(text: io.TextIOWrapper) -> Rows:
    """One row a line, so that a quote which is never closed cannot swallow the file."""
    while line := text.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise UploadError(f"A CSV file has a line of more than {_LONGEST_LINE:,} letters")
        if '"' in line:
            yield from csv.reader([line], strict=True)
        else:
            # What the reader would give, in a third of the time.
            yield line.rstrip("\r\n").split(",") if line.strip("\r\n") else []


def _nodes(file: _File, limits: Limits) -> tuple[dict[str, int], Upload]:
    header = file.header
    if len(set(header)) != len(header):
        raise UploadError("Two columns of the nodes have the same name")
    id_at, label_at = header.index("id"), header.index("label")
    feature_at = [at for at in range(len(header)) if at not in (id_at, label_at)]
    if not 1 <= len(feature_at) <= limits.features:
        raise UploadError(f"The nodes have {len(feature_at)} feature columns, and 1 to {limits.features:,} are taken")
    quick = upload_arrow.nodes(file.content, len(header), id_at, label_at, limits) if file.large else None
    names, labels, x = quick or _slow_nodes(file, id_at, label_at, feature_at, limits)
    check_sizes(limits, nodes=len(labels), features=len(feature_at))
    y, classes = classes_of(labels, limits)
    upload = Upload(
        kind="csv",
        x=x,
        y=y,
        edges=np.empty((2, 0), dtype=np.int64),
        class_names=classes,
        feature_names=tuple(clean_name(header[at]) for at in feature_at),
    )
    return {name: place for place, name in enumerate(names)}, upload


def _slow_nodes(
    file: _File, id_at: int, label_at: int, feature_at: Sequence[int], limits: Limits
) -> tuple[list[str], list[str], NDArray[np.float32]]:
    """Names, labels and features, line by line: what is wrong with a line is said of that line."""
    header = file.header
    number: dict[str, int] = {}
    labels: list[str] = []
    values = array("f")
    for row in file.rows:
        if not row:
            continue
        if len(row) != len(header):
            raise UploadError(f"Node row {len(labels) + 1} has {len(row)} fields, and the header has {len(header)}")
        name, label = row[id_at].strip(), row[label_at].strip()
        if not name or name in number:
            raise UploadError(f"Node row {len(labels) + 1} has an id that is empty or not its own ({shown(name)})")
        if not label:
            raise UploadError(f"Node {shown(name)} has no label")
        number[name] = len(labels)
        labels.append(label)
        if len(labels) > limits.nodes or len(values) > limits.cells:
            raise UploadError(f"There are more than {limits.nodes:,} nodes or {limits.cells:,} feature entries")
        try:
            values.extend(float(row[at]) for at in feature_at)
        except ValueError:
            wrong = next(at for at in feature_at if not _is_number(row[at]))
            raise UploadError(
                f"Node {shown(name)} has {shown(row[wrong])!r} as {shown(header[wrong])}, which is not a number"
            ) from None
    return list(number), labels, np.frombuffer(values, dtype=np.float32).reshape(len(labels), len(feature_at))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _edges(file: _File, number: dict[str, int], limits: Limits) -> NDArray[np.int64]:
    quick = upload_arrow.edges(file.content, number, limits) if file.large else None
    return _slow_edges(file.rows, number, limits) if quick is None else quick


def _slow_edges(rows: Rows, number: dict[str, int], limits: Limits) -> NDArray[np.int64]:
    ends = array("q")
    for count, row in enumerate(rows, start=1):
        if not row:
            continue
        if len(row) != 2:
            raise UploadError(f"Edge row {count} has {len(row)} fields, and two are needed")
        for name in row:
            if name.strip() not in number:
                raise UploadError(f"Edge row {count} names the node {shown(name)}, which has no row among the nodes")
            ends.append(number[name.strip()])
        if len(ends) > 2 * limits.edges:
            raise UploadError(f"There are more than {limits.edges:,} edges")
    return np.frombuffer(ends, dtype=np.int64).reshape(-1, 2).T if ends else np.empty((2, 0), dtype=np.int64)
