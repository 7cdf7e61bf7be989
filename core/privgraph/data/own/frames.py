"""Tables as readers yield them: columns by name, and rows in batches that can be read again. No torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from privgraph.data.errors import UploadError
from privgraph.data.own.limits import shown

Seen = Callable[[int], None]
"""Is told how many bytes have been read."""
Types = Mapping[str, Any]
"""Arrow's types by column."""
ROWS = 1 << 16
_CELLS = 1 << 24
"""Numbers of a batch of vectors."""
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
        columns: Names of its columns, each once.
        read: Gives record batches of the columns that it is given, of these types, in this order.
        own: Arrow's types of the columns as they are, texts where the format knows none.
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
    columns: tuple[str, ...]
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

    def head(self, rows: int | None = HEAD) -> Any:
        """The first rows, or all of them, as an Arrow table of the columns' own types."""
        import pyarrow

        if rows is not None and self.first is not None:
            return self.first
        batches, count = [], 0
        for batch in self.read(self.own, lambda _: None):
            batches.append(batch)
            count += batch.num_rows
            if rows is not None and count >= rows:
                break
        schema = pyarrow.schema([(name, self.own[name]) for name in self.columns])
        table = pyarrow.Table.from_batches(batches, schema=schema)
        return table if rows is None else table.slice(0, rows)

    def settled(self, header: bool) -> Frame:
        """The table with its first line read in this way."""
        return replace(self, header=header) if self.other is None else self.other(header)


def in_memory(name: str, table: Any, **more: Any) -> Frame:
    """A frame of an Arrow table."""

    def read(types: Types, seen: Seen) -> Iterator[Any]:
        for batch in table.select(list(types)).to_batches(max_chunksize=ROWS):
            yield cast(batch, types, name)
        seen(table.nbytes)

    own = {column: _plain(table.schema.field(column).type) for column in table.column_names}
    return Frame(name=name, columns=tuple(table.column_names), read=read, own=own, size=table.nbytes, **more)


def of_columns(name: str, columns: Mapping[str, Sequence[Any]], **more: Any) -> Frame:
    """A frame of texts and numbers in lists; None is an empty cell."""
    import pyarrow

    made = {
        column: pyarrow.array([None if one is None else str(one) for one in cells], pyarrow.large_string())
        for column, cells in columns.items()
    }
    return in_memory(name, pyarrow.table(made), **more)


def of_pandas(name: str, frame: Any) -> Frame:
    """A frame of a DataFrame of pandas, with its index where that has a name or is no mere count."""
    import pandas
    import pyarrow

    if not isinstance(frame.index, pandas.RangeIndex) or frame.index.name is not None:
        frame = frame.reset_index(names=frame.index.name or ("id" if "id" not in frame.columns else "index"))
    frame = frame.set_axis([str(column) for column in frame.columns], axis=1)
    check_names(name, list(frame.columns))
    try:
        return in_memory(name, pyarrow.Table.from_pandas(frame, preserve_index=False))
    except pyarrow.ArrowException:
        texts = frame.astype(object).where(frame.notna(), None)
        return of_columns(name, {column: texts[column].tolist() for column in texts.columns})


def check_names(name: str, columns: Sequence[str]) -> None:
    """Raise `UploadError` where two columns have one name."""
    twice = next((one for at, one in enumerate(columns) if one in columns[:at]), None)
    if twice is not None:
        raise UploadError(f"Two columns of {shown(name)} are called {shown(twice)!r}")


def _plain(kind: Any) -> Any:
    """The type in which a column is read: numbers and vectors as they are, everything else as text."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return kind
    if types.is_integer(kind):
        return pyarrow.int64()
    if types.is_floating(kind) or types.is_decimal(kind):
        return pyarrow.float64()
    return pyarrow.bool_() if types.is_boolean(kind) else pyarrow.large_string()


def cast(batch: Any, types: Types, name: str) -> Any:
    """A record batch of these types. Raises `NotPlain` where a value is not of its type."""
    import pyarrow

    arrays = []
    for column, kind in types.items():
        array = batch.column(batch.schema.get_field_index(column))
        if array.type != kind:
            try:
                array = array.cast(kind)
            except pyarrow.ArrowInvalid:
                raise NotPlain from None
            except pyarrow.ArrowNotImplementedError:
                raise UploadError(
                    f"The column {shown(column)!r} of {shown(name)} holds {shown(array.type)}, which is not read there"
                ) from None
        arrays.append(array)
    return pyarrow.record_batch(arrays, names=list(types))


def of_matrix(name: str, values: Any, column: str = "x", names: tuple[str, ...] = (), **more: Any) -> Frame:
    """A frame of one column: vectors, the rows of a matrix (n, F), or the numbers of a vector (n,). Mapped
    and sparse ones stay so."""
    import pyarrow

    flat = values.ndim == 1
    if flat and values.dtype.kind in "USO":
        return of_columns(name, {column: values.tolist()}, **more)
    kind = (
        pyarrow.from_numpy_dtype(values.dtype.newbyteorder("="))
        if flat
        else pyarrow.list_(pyarrow.float32(), values.shape[1])
    )

    rows = ROWS if flat else max(1, min(ROWS, _CELLS // max(1, values.shape[1])))

    def read(types: Types, seen: Seen) -> Iterator[Any]:
        for start in range(0, values.shape[0], rows):
            part = values[start : start + rows]
            part = part.toarray() if hasattr(part, "toarray") else part
            if flat:
                made = pyarrow.array(np.ascontiguousarray(part, dtype=part.dtype.newbyteorder("=")))
            else:
                with np.errstate(over="ignore", invalid="ignore"):
                    cells = np.ascontiguousarray(part, dtype=np.float32)
                made = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(cells.reshape(-1)), values.shape[1])
            yield cast(pyarrow.record_batch([made], names=[column]), types, name)
            seen(start)

    own = {column: kind if not flat else _plain(kind)}
    return Frame(
        name=name, columns=(column,), read=read, own=own, size=values.shape[0], vectors={column: names}, **more
    )


def beside(frames: Sequence[Frame]) -> Frame:
    """Tables whose rows stand beside each other, as one; columns of one name are told apart by a number."""
    import pyarrow

    where: dict[str, tuple[int, str]] = {}
    for at, frame in enumerate(frames):
        for column in frame.columns:
            free = next(
                name for number in range(len(where) + 2) if (name := column + f" {number}" * (number > 0)) not in where
            )
            where[free] = (at, column)

    def read(types: Types, seen: Seen) -> Iterator[Any]:
        asked: dict[int, dict[str, Any]] = {}
        for name, kind in types.items():
            at, column = where[name]
            asked.setdefault(at, {})[column] = kind
        widest = max((getattr(kind, "list_size", 1) for kind in types.values()), default=1)
        rows = max(1, min(ROWS, _CELLS // max(1, widest)))
        streams = {at: _again(frames[at].read(kinds, seen), rows) for at, kinds in asked.items()}
        while True:
            batches = {at: next(stream) for at, stream in streams.items()}
            if len({None if batch is None else batch.num_rows for batch in batches.values()}) > 1:
                names = " and ".join(shown(frames[at].name) for at in batches)
                raise UploadError(f"{names} have different numbers of rows, and no column says which belong together")
            if None in batches.values() or not batches:
                return
            found = [batches[where[name][0]].column(where[name][1]) for name in types]
            yield pyarrow.record_batch(found, names=list(types))

    return Frame(
        name=frames[0].name,
        columns=tuple(where),
        read=read,
        own={name: frames[at].own[column] for name, (at, column) in where.items()},
        size=sum(frame.size for frame in frames),
        vectors={
            name: frames[at].vectors[column] for name, (at, column) in where.items() if column in frames[at].vectors
        },
        notes=tuple(note for frame in frames for note in frame.notes),
    )


def _again(batches: Iterator[Any], rows: int) -> Iterator[Any]:
    """The same rows in batches of so many, and then None for ever."""
    import pyarrow

    held: list[Any] = []
    count = 0
    for batch in batches:
        while batch.num_rows:
            part = batch.slice(0, rows - count)
            held.append(part)
            count += part.num_rows
            batch = batch.slice(part.num_rows)
            if count == rows:
                yield pyarrow.Table.from_batches(held).combine_chunks().to_batches()[0]
                held, count = [], 0
    if held:
        yield pyarrow.Table.from_batches(held).combine_chunks().to_batches()[0]
    while True:
        yield None
