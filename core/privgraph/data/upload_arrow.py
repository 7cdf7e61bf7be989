"""Plain CSV files read by Arrow, in a tenth of the time. No torch.

What is read is what `upload_csv` reads line by line, or nothing: a quote, a field that is no number, a name
that is not known, a limit that is passed, whatever is not plain gives None, and the slow way finds out what
to say about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.upload_checks import Limits

WORTH_IT = 200_000
"""Bytes from which on a file is worth the tenth of a second that the import of Arrow takes."""

_LONGEST_LINE = 1_000_000
_BLOCK = 2**23


def _plain(content: bytes) -> bool:
    """Whether rows end where lines end, for Arrow as for Python, and no line is too long for either."""
    if b'"' in content or b"\0" in content or content.count(b"\r") != content.count(b"\r\n"):
        return False
    ends = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == ord("\n"))
    return bool(np.diff(ends, prepend=-1, append=len(content)).max() < _LONGEST_LINE)


def _options(names: Sequence[str], types: Mapping[str, Any]) -> dict[str, Any]:
    from pyarrow import csv

    return {
        "read_options": csv.ReadOptions(column_names=list(names), skip_rows=1, block_size=_BLOCK),
        "parse_options": csv.ParseOptions(quote_char=False, double_quote=False, escape_char=False),
        "convert_options": csv.ConvertOptions(column_types=dict(types), null_values=[], strings_can_be_null=False),
    }


def edges(content: bytes, number: Mapping[str, int], limits: Limits) -> NDArray[np.int64] | None:
    """(2, rows) ends of the edges in a file `source,target`, by the nodes' names; None unless it is plain."""
    if not _plain(content):
        return None
    import pyarrow
    from pyarrow import csv

    names = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    columns = ("source", "target")
    try:
        table = csv.read_csv(pyarrow.BufferReader(content), **_options(columns, dict.fromkeys(columns, names)))
    except pyarrow.ArrowException:
        return None
    if table.num_rows > limits.edges:
        return None
    ends = np.empty((2, table.num_rows), dtype=np.int64)
    for place, column in enumerate(columns):
        start = 0
        for chunk in table.column(column).chunks:
            known = np.array([number.get(name.strip(), -1) for name in chunk.dictionary.to_pylist()], dtype=np.int64)
            ends[place, start : start + len(chunk)] = known[chunk.indices.to_numpy()]
            start += len(chunk)
    return None if ends.min(initial=0) < 0 else ends


def nodes(
    content: bytes, columns: int, id_at: int, label_at: int, limits: Limits
) -> tuple[list[str], list[str], NDArray[np.float32]] | None:
    """Names (|V|), labels (|V|) and features (|V|, F) of a file of so many columns; None unless it is
    plain."""
    if not _plain(content):
        return None
    import pyarrow
    from pyarrow import csv

    names = [str(at) for at in range(columns)]
    types = dict.fromkeys(names, pyarrow.float64()) | dict.fromkeys((str(id_at), str(label_at)), pyarrow.string())
    feature_at = [at for at in range(columns) if at not in (id_at, label_at)]
    ids: list[str] = []
    labels: list[str] = []
    parts = []
    try:
        with csv.open_csv(pyarrow.BufferReader(content), **_options(names, types)) as reader:
            for batch in reader:
                ids += [name.strip() for name in batch.column(id_at).to_pylist()]
                labels += [label.strip() for label in batch.column(label_at).to_pylist()]
                if len(ids) > limits.nodes or len(ids) * len(feature_at) > limits.cells:
                    return None
                parts.append(_features(batch, feature_at))
                if not np.isfinite(parts[-1]).all():
                    return None
    except pyarrow.ArrowException:
        return None
    if not ids or not all(ids) or not all(labels) or len(set(ids)) < len(ids):
        return None
    return ids, labels, np.concatenate(parts)


def _features(batch: Any, feature_at: Sequence[int]) -> NDArray[np.float32]:
    found = np.empty((batch.num_rows, len(feature_at)), dtype=np.float32)
    with np.errstate(over="ignore"):  # a number that is too large for a float is looked at by whoever called
        for place, at in enumerate(feature_at):
            found[:, place] = batch.column(at).to_numpy()
    return found
