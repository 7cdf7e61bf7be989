"""Tables as readers yield them: columns by name, and rows in batches that can be read again. No torch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import pyarrow

from privgraph.data.errors import UploadError
from privgraph.data.own.limits import shown

Seen = Callable[[int], None]
"""Is told how many bytes have been read."""
Types = Mapping[str, Any]
"""Arrow's types by column."""
TEXT = pyarrow.large_string()
ROWS = 1 << 16
_CELLS = 1 << 24
"""Numbers of a batch of vectors."""
UNDIRECTED = "directions of edges are not used"
HEAD = 1_000
"""Rows that tell what columns hold, where a table is read piece by piece."""


class NotPlain(Exception):
    """Values are not all of the type that the first rows told: they are to be read as texts, and looked at
    one by one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Frame:
    """A table.

    Args:
        name: The file that it is from, for messages.
        read: Gives record batches of the columns that it is given, of these types, in this order.
        own: Arrow's types of the columns as they are, texts where the format knows none, by the names of the
            columns in their order.
        size: Bytes that are read in all.
        header: Whether the first line has names; None where that is not sure.
        other: The same table with its first line read as names, or as a row.
        vectors: Names of the features in a column of vectors, or of the classes that a column numbers; ()
            where they have none.
        notes: What was not read of the file.
        decimal: The mark of decimals, "" where it has to be found.
        first: The first rows as an Arrow table of the columns' own types, where they are at hand.
        pairs: Whether a file is one of edges, because of where it stands; None where its columns tell.
    """

    name: str
    read: Callable[[Types, Seen], Iterator[Any]]
    own: Types
    size: int = 0
    header: bool | None = True
    other: Callable[[bool], Frame] | None = None
    vectors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    pairs: bool | None = None
    decimal: str = ""
    first: Any = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, each once."""
        return tuple(self.own)

    def head(self, rows: int | None = HEAD) -> Any:
        """The first rows, or all of them, as an Arrow table of the columns' own types."""
        if rows is not None and self.first is not None and self.first.num_rows:
            return self.first
        batches, read = [], 0
        for batch in self.read(self.own, lambda _: None):
            batches.append(batch)
            read += batch.num_rows
            if rows is not None and read >= rows:
                break
        table = pyarrow.Table.from_batches(batches, schema=pyarrow.schema(self.own))
        return table if rows is None else table.slice(0, rows)


def in_memory(name: str, table: Any, **more: Any) -> Frame:
    """A frame of an Arrow table."""

    def read(types: Types, seen: Seen) -> Iterator[Any]:
        for batch in table.select(list(types)).to_batches(max_chunksize=ROWS):
            yield cast(batch, types)
        seen(table.nbytes)

    own = {column: plain(table.schema.field(column).type) for column in table.column_names}
    return Frame(name=name, read=read, own=own, size=table.nbytes, **more)


def of_columns(name: str, columns: Mapping[str, Iterable[Any]], **more: Any) -> Frame:
    """A frame of texts and numbers in lists; None is an empty cell."""
    return in_memory(name, pyarrow.table({column: _texts(cells) for column, cells in columns.items()}), **more)


def _texts(cells: Iterable[Any]) -> Any:
    return pyarrow.array([None if one is None else str(one) for one in cells], TEXT)


def of_rows(
    name: str, rows: Sequence[Mapping[str, Any]], first: Sequence[str] = (), notes: tuple[str, ...] = (), **more: Any
) -> Frame:
    """A frame of records: of the columns `first`, and of what else they hold, plain values and lists of
    numbers; what is neither is told."""
    made: dict[str, Any] = {}
    for key in dict.fromkeys([*first, *(key for row in rows for key in row)]):
        cells = [row.get(key) for row in rows]
        kinds = {type(cell) for cell in cells if cell is not None}
        with suppress(pyarrow.ArrowException):
            if kinds == {list}:
                made[key] = pyarrow.array(cells, pyarrow.list_(pyarrow.float64()))
            elif not kinds or kinds - {list, dict}:
                made[key] = _texts(cells)
        if key not in made:
            notes += (f"{shown(key)} holds no numbers or words, and is not read",)
    return in_memory(name, pyarrow.table(made), decimal=".", notes=notes, **more)


def of_pandas(name: str, frame: Any) -> Frame:
    """A frame of a DataFrame of pandas, with its index where that has a name or is no mere count. What Arrow
    does not hold becomes texts."""
    import pandas

    if not isinstance(frame.index, pandas.RangeIndex) or frame.index.name is not None:
        levels = frame.index.to_frame().set_axis([one or "index" for one in frame.index.names], axis=1)
        frame = pandas.concat([levels.drop(columns=frame.columns, errors="ignore"), frame], axis=1)
    check_names(name, [str(column) for column in frame.columns])
    made = {}
    for column, (_, cells) in zip(map(str, frame.columns), frame.items(), strict=True):
        try:
            array = pyarrow.Array.from_pandas(cells)
            made[column] = array.cast(plain(array.type))
        except (pyarrow.ArrowException, TypeError, OverflowError, ValueError):
            made[column] = _texts(cells.astype(object).where(cells.notna(), None))
    return in_memory(name, pyarrow.table(made))


def check_names(name: str, columns: Sequence[str]) -> None:
    """Raise `UploadError` where two columns have one name."""
    twice = next((one for at, one in enumerate(columns) if one in columns[:at]), None)
    if twice is not None:
        raise UploadError(f"Two columns of {shown(name)} are called {shown(twice)!r}")


def plain(kind: Any) -> Any:
    """The type in which a column is read: numbers and vectors as they are, everything else as text."""
    types = pyarrow.types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind) or types.is_boolean(kind):
        return kind
    if types.is_integer(kind) and not types.is_uint64(kind):
        return pyarrow.int64()
    return pyarrow.float64() if types.is_floating(kind) or types.is_decimal(kind) else TEXT


def cast(batch: Any, types: Types) -> Any:
    """A record batch of these types; as text, what Arrow has no other way to write. Raises `NotPlain` where a
    value is not of its type."""
    arrays = []
    for column, kind in types.items():
        array = batch.column(batch.schema.get_field_index(column))
        if array.type != kind:
            try:
                array = array.cast(kind)
            except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
                if kind != TEXT:
                    raise NotPlain from None
                array = _texts(array.to_pylist())
        arrays.append(array)
    return pyarrow.record_batch(arrays, names=list(types))


def of_matrix(name: str, values: Any, column: str = "x", names: tuple[str, ...] = (), **more: Any) -> Frame:
    """A frame of one column: vectors, the rows of a matrix (n, F), or the numbers of a vector (n,). Mapped
    and sparse ones stay so."""
    if values.ndim == 1 and values.dtype.kind in "USO":
        return of_columns(name, {column: values.tolist()}, **more)
    width = values.shape[1] if values.ndim == 2 else None
    number = np.dtype(np.float32) if width is not None else values.dtype.newbyteorder("=")
    rows = _rows(width or 1)

    def read(types: Types, seen: Seen) -> Iterator[Any]:
        for start in range(0, values.shape[0], rows):
            part = values[start : start + rows]
            part = part.toarray() if hasattr(part, "toarray") else part
            with np.errstate(over="ignore", invalid="ignore"):
                made = pyarrow.array(np.ascontiguousarray(part, dtype=number).reshape(-1))
            if width is not None:
                made = pyarrow.FixedSizeListArray.from_arrays(made, width)
            yield cast(pyarrow.record_batch([made], names=[column]), types)
            seen(start)

    kind = pyarrow.from_numpy_dtype(number)
    own = {column: plain(kind) if width is None else pyarrow.list_(kind, width)}
    return Frame(name=name, read=read, own=own, size=values.shape[0], vectors={column: names}, **more)


def _rows(width: int) -> int:
    """Rows of a batch of vectors of this length."""
    return max(1, min(ROWS, _CELLS // max(1, width)))


def beside(frames: Sequence[Frame], notes: tuple[str, ...] = ()) -> Frame:
    """Tables of nodes whose rows stand beside each other, as one; columns of one name are told apart by a
    number."""
    where: dict[str, tuple[int, str]] = {}
    for at, frame in enumerate(frames):
        for column in frame.columns:
            free = next(one for number in count() if (one := column + f" {number}" * (number > 0)) not in where)
            where[free] = (at, column)

    def read(types: Types, seen: Seen) -> Iterator[Any]:
        asked: dict[int, dict[str, Any]] = {}
        for name, kind in types.items():
            at, column = where[name]
            asked.setdefault(at, {})[column] = kind
        streams = {at: frames[at].read(kinds, seen) for at, kinds in asked.items()}
        held: dict[int, Any] = dict.fromkeys(streams)
        while streams:
            for at, stream in streams.items():
                held[at] = held[at] or next(filter(len, stream), None)
            if None in held.values():
                break
            rows = min(map(len, held.values()))
            found = [held[where[name][0]].column(where[name][1])[:rows] for name in types]
            yield pyarrow.record_batch(found, names=list(types))
            held = {at: batch[rows:] for at, batch in held.items()}
        if any(held.values()):
            names = " and ".join(shown(frames[at].name) for at in held)
            raise UploadError(f"{names} have different numbers of rows, and no column says which belong together")

    return Frame(
        name=frames[0].name,
        read=read,
        own={name: frames[at].own[column] for name, (at, column) in where.items()},
        size=sum(frame.size for frame in frames),
        vectors={name: frames[at].vectors.get(column, ()) for name, (at, column) in where.items()},
        notes=(*(note for frame in frames for note in frame.notes), *notes),
        pairs=False,
    )
