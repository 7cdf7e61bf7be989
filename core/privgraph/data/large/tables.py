"""Tables in CSV or Parquet files, read in batches. No torch; Arrow is imported when a table is read."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import shown

Seen = Callable[[int], None]
"""Is told how many bytes of a file have been read."""

BLOCK = 1 << 25
"""Bytes of a CSV file that are read at once."""
ROWS = 1 << 20
"""Rows of a Parquet file that are read at once."""
_LONGEST_HEADER = 1_000_000


@dataclass(kw_only=True, eq=False)
class Wrong(Exception):
    """A row, from 1 after the header (0 where it is not known), that is not what was asked for: a `value` of
    a `column`, or where that is "" a row of so many `fields`."""

    row: int
    column: str = ""
    value: str = ""
    fields: int = 0


@dataclass(frozen=True, kw_only=True)
class Table:
    """A file of rows with named columns; `kind` is csv or parquet."""

    path: Path
    kind: str
    columns: tuple[str, ...]

    @property
    def name(self) -> str:
        """The file's name as it may stand in a message."""
        return shown(self.path.name)

    def batches(self, types: Mapping[str, Any], seen: Seen) -> Iterator[Any]:
        """Record batches of the columns that `types` names (Arrow's types), in its order.

        Raises `Wrong` where a value is not of its type or absent, and `UploadError` for a damaged file.
        """
        import pyarrow

        read = self._of_csv if self.kind == "csv" else self._of_parquet
        try:
            yield from read(types, seen)
        except (pyarrow.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # of the disk, and not of what is on it
                raise
            words = " ".join(str(error).split())
            raise UploadError(f"{self.name} is damaged or cut off: {shown(words, 100)}") from None

    def _of_csv(self, types: Mapping[str, Any], seen: Seen) -> Iterator[Any]:
        import pyarrow
        from pyarrow import csv as arrow

        with self.path.open("rb") as file:
            try:
                with arrow.open_csv(
                    file,
                    read_options=arrow.ReadOptions(column_names=list(self.columns), skip_rows=1, block_size=BLOCK),
                    convert_options=arrow.ConvertOptions(
                        column_types=dict(types),
                        include_columns=list(types),
                        null_values=[],
                        strings_can_be_null=False,
                    ),
                ) as reader:
                    for batch in reader:
                        yield batch
                        seen(file.tell())
            except pyarrow.ArrowInvalid as error:
                raise _wrong(str(error), self.columns) or error from None

    def _of_parquet(self, types: Mapping[str, Any], seen: Seen) -> Iterator[Any]:
        import pyarrow
        from pyarrow import parquet

        size, done = self.path.stat().st_size, 0
        with parquet.ParquetFile(self.path) as file:
            for batch in file.iter_batches(batch_size=ROWS, columns=list(types), use_threads=False):
                arrays = []
                for name, kind in types.items():
                    array = batch.column(name)
                    if array.null_count:
                        raise Wrong(row=done + array.is_null().to_pylist().index(True) + 1, column=name)
                    what = f"The column {shown(name)} of {self.name} holds {shown(array.type)}, which is not read there"
                    if _is_no_number(array.type) and pyarrow.types.is_integer(kind):
                        raise UploadError(what)
                    try:
                        arrays.append(array.cast(kind))
                    except pyarrow.ArrowNotImplementedError:
                        raise UploadError(what) from None
                    except pyarrow.ArrowInvalid:
                        raise _first_wrong(array, kind, name, done) from None
                yield pyarrow.record_batch(arrays, names=list(types))
                done += batch.num_rows
                seen(size * done // max(1, file.metadata.num_rows))


def _is_no_number(kind: Any) -> bool:
    """Whether Arrow casts values of this type to whole numbers that nobody wrote, as true to 1."""
    from pyarrow import types

    return bool(types.is_boolean(kind) or types.is_temporal(kind))


def _wrong(words: str, columns: Sequence[str]) -> Wrong | None:
    """What Arrow says of a row, which it counts from the header; None where it is something else."""
    found = re.search(r"(?:Row #(\d+): )?Expected \d+ columns, got (\d+)", words)
    if found is not None:
        return Wrong(row=int(found[1] or 1) - 1, fields=int(found[2]))
    found = re.search(r"column #(\d+): (?:Row #(\d+): )?.*invalid value '(.*)'$", words, re.DOTALL)
    if found is not None:
        return Wrong(row=int(found[2] or 1) - 1, column=columns[int(found[1])], value=found[3])
    return None


def _first_wrong(array: Any, kind: Any, name: str, done: int) -> Wrong:
    """The first value that is not of its type: halves are tried until it is alone."""
    import pyarrow

    low, high = 0, len(array)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            array[low:middle].cast(kind)
            low = middle
        except pyarrow.ArrowInvalid:
            high = middle
    return Wrong(row=done + low + 1, column=name, value=str(array[low].as_py()))


def open_table(path: Path, head: bytes) -> Table:
    """The table in a CSV or Parquet file that begins with `head`. Raises `UploadError`."""
    if head.startswith(b"PAR1"):
        import pyarrow
        from pyarrow import parquet

        try:
            columns = parquet.read_schema(path).names
        except (pyarrow.ArrowException, OSError):
            raise UploadError(f"{shown(path.name)} is no whole Parquet file: it may be cut off") from None
        return Table(path=path, kind="parquet", columns=tuple(columns))
    with path.open("rb") as file:
        first = file.readline(_LONGEST_HEADER)
        file.seek(-1, os.SEEK_END)
        if file.read(1) not in (b"\n", b"\r"):
            raise UploadError(
                f"The last line of {shown(path.name)} does not end, as if the file were cut off: end it if it is whole"
            )
    try:
        (header,) = csv.reader([first.decode("utf-8-sig")], strict=True)
    except (UnicodeDecodeError, csv.Error, ValueError):
        raise UploadError(f"{shown(path.name)} does not begin with a line of column names in UTF-8") from None
    return Table(path=path, kind="csv", columns=tuple(column.strip() for column in header))
