"""Uploaded CSV files of a graph: `source,target` and `id,label,<features>`, each with its header.

Large files are read by Arrow (`upload_arrow`) where they are plain. Line by line is the rule that it has to
meet, and the one way to say what is wrong.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from privgraph.data import upload_arrow
from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import (
    Limits,
    Upload,
    check_feature_columns,
    check_sizes,
    classes_of,
    clean_name,
    fields,
    finish,
    ids_of,
    is_number,
    shown,
)
from privgraph.data.upload_rows import PAIRS, File, pairs_of
from privgraph.data.upload_texts import COLUMNS, NO_TEXTS, are_texts, read_texts


def read_csv(files: Sequence[BinaryIO], limits: Limits, *, halves: bool = False) -> Upload:
    """The graph, or the texts and relations, in two CSV files, told apart by their headers.

    `halves` puts texts without domains into two random halves. Raises `UploadError`.
    """
    try:
        opened = [File(file.read()) for file in files]
        pairs = [file for file in opened if file.header == PAIRS]
        others = [file for file in opened if file.header != PAIRS]
        lacking = _lacking(pairs, others)
        if lacking:
            raise UploadError(
                "One CSV file must have the columns source,target and the other id,label and one a feature, or "
                f"{COLUMNS} for texts, separated by commas: {lacking} (the headers begin with "
                f"{' and '.join(shown(','.join(file.header), 30) for file in opened)})"
            )
        if are_texts(others[0].header):
            return read_texts(others[0], pairs[0], limits, halves=halves)
        if halves:
            raise UploadError(NO_TEXTS)
        number, found = _nodes(others[0], limits)
        return finish(replace(found, edges=pairs_of(pairs[0], number, limits)), limits)
    except UnicodeDecodeError:
        raise UploadError("A CSV file is not text in UTF-8: save it as CSV UTF-8") from None
    except csv.Error as error:
        raise UploadError(f"A CSV file cannot be read: {shown(error, 100)}") from None


def _lacking(pairs: Sequence[File], others: Sequence[File]) -> str:
    """Which column is missing, or why the files cannot be told apart; "" where nothing is."""
    if len(pairs) > 1:
        return "both are lists of edges"
    if not pairs:
        return "none has source,target and no other column"
    header = others[0].header
    lost = [name for name in ("id", "label") if name not in header]
    return "" if not lost or are_texts(header) else f"no column is called {' or '.join(lost)}"


def _nodes(file: File, limits: Limits) -> tuple[dict[str, int], Upload]:
    header = file.header
    if len(set(header)) != len(header):
        raise UploadError("Two columns of the nodes have the same name")
    id_at, label_at = header.index("id"), header.index("label")
    feature_at = [at for at in range(len(header)) if at not in (id_at, label_at)]
    check_feature_columns(len(feature_at), limits)
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
        ids=ids_of(names),
    )
    return {name: place for place, name in enumerate(names)}, upload


def _slow_nodes(
    file: File, id_at: int, label_at: int, feature_at: Sequence[int], limits: Limits
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
            raise UploadError(f"Node row {len(labels) + 1} has {fields(len(row))}, and the header has {len(header)}")
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
            wrong = next(at for at in feature_at if not is_number(row[at]))
            raise UploadError(
                f"Node {shown(name)} has {shown(row[wrong])!r} as {shown(header[wrong])}, which is not a number"
                + " (a decimal point is read, and no comma)" * is_number(row[wrong].replace(",", "."))
            ) from None
    return list(number), labels, np.frombuffer(values, dtype=np.float32).reshape(len(labels), len(feature_at))
