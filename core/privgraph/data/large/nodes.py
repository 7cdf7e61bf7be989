"""Nodes of a large graph: their features and labels go to files as they are read, and their names become
numbers. No torch."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.errors import UploadError
from privgraph.data.large.columns import Growing
from privgraph.data.large.tables import Seen, Table, Wrong
from privgraph.data.spec import LARGEST_FEATURE
from privgraph.data.upload_checks import (
    Limits,
    check_classes,
    check_feature_columns,
    check_sizes,
    classes_of,
    clean_name,
    odd_nodes,
    shown,
)

_ROWS = 1 << 16
"""Rows of an npy file that are copied at once."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Nodes:
    """What is known of nodes whose features (|V|, F) and labels (|V|,) lie in files. `odd` of them have
    features that are cut off; `number` gives the numbers of names, (n,), and -1 for what is no node."""

    count: int
    features: int
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    odd: int
    number: Numbering


class Features:
    """The feature table as it grows, cut off where `Graph` would cut it.

    Args:
        path: The npy file.
        width: F.
        limits: How large the table may become.
    """

    def __init__(self, path: Path, width: int, limits: Limits) -> None:
        self.rows, self.odd, self.width = 0, 0, width
        self._limits = limits
        self._file = Growing(path, np.float32)

    def append(self, x: NDArray[np.float32]) -> None:
        """Add rows, (n, F). Raises `UploadError` where a number is not finite, or the table too large."""
        finite = np.isfinite(x).all(axis=1)
        if not finite.all():
            raise UploadError(f"Node {self.rows + int(np.argmin(finite))} has a feature that is not a finite number")
        self.odd += odd_nodes(x)
        self.rows += x.shape[0]
        if self.rows > self._limits.nodes or self.rows * self.width > self._limits.cells:
            raise UploadError(
                f"There are more than {self._limits.nodes:,} nodes or {self._limits.cells:,} feature entries"
            )
        self._file.append(np.clip(x, -LARGEST_FEATURE, LARGEST_FEATURE))

    def finish(self) -> None:
        self._file.finish((self.rows, self.width))


class Numbering:
    """Which number a node has, by its name.

    Args:
        names: An Arrow array of all names in the order of nodes, texts or whole numbers, or how many nodes
            there are, where a name is the number itself.
    """

    def __init__(self, names: Any) -> None:
        import pyarrow

        self._names = None if isinstance(names, int) else names
        self._count = names if isinstance(names, int) else len(names)
        self.type = pyarrow.int64() if self._names is None else self._names.type
        if self._names is not None and pyarrow.types.is_integer(self.type):
            numbers = self._names.to_numpy()
            if (numbers == np.arange(numbers.size)).all():
                self._names = None

    def __call__(self, names: Any) -> NDArray[np.int64]:
        """(n,) numbers of names, and -1 for what is no node. `names`: an Arrow array of `type`."""
        from pyarrow import compute

        if self._names is None:
            numbers: NDArray[np.int64] = names.to_numpy()
            return np.where((numbers >= 0) & (numbers < self._count), numbers, -1)
        if self.type != "int64":
            names = compute.utf8_trim_whitespace(names)
        found: NDArray[np.int32] = compute.index_in(names, value_set=self._names).fill_null(-1).to_numpy()
        return found.astype(np.int64)


def of_table(table: Table, folder: Path, limits: Limits, seen: Seen) -> Nodes:
    """Read nodes `id,label` and one column a feature, and write `x.npy` and `y.npy`. Raises `UploadError`."""
    import pyarrow
    from pyarrow import compute

    names = [name for name in table.columns if name not in ("id", "label")]
    if len(set(table.columns)) != len(table.columns):
        raise UploadError("Two columns of the nodes have the same name")
    check_feature_columns(len(names), limits)
    text = pyarrow.large_string()
    types = {"id": text, "label": text} | dict.fromkeys(names, pyarrow.float64())
    features = Features(folder / "x.npy", len(names), limits)
    labels = _Labels(limits)
    ids: list[Any] = []
    try:
        for batch in table.batches(types, seen):
            for place, values in enumerate(map(compute.utf8_trim_whitespace, batch.columns[:2])):
                empty = compute.equal(values, "").to_numpy(zero_copy_only=False)
                if empty.any():
                    raise Wrong(row=features.rows + int(empty.argmax()) + 1, column=("id", "label")[place])
                (ids.append if place == 0 else labels.append)(values)
            x = np.empty((batch.num_rows, len(names)), dtype=np.float32)
            with np.errstate(over="ignore"):  # a number that is too large for a float is looked at next
                for place in range(len(names)):
                    x[:, place] = batch.column(2 + place).to_numpy()
            features.append(x)
    except Wrong as wrong:
        raise UploadError(_words(wrong, len(table.columns))) from None
    features.finish()
    check_sizes(limits, nodes=features.rows, features=len(names))
    found = _as_names(pyarrow.chunked_array(ids).combine_chunks())
    return Nodes(
        count=features.rows,
        features=len(names),
        class_names=labels.write(folder / "y.npy"),
        feature_names=tuple(clean_name(name) for name in names),
        odd=features.odd,
        number=Numbering(found),
    )


def _words(wrong: Wrong, columns: int) -> str:
    """What is wrong with a row of the nodes, in one sentence."""
    who = f"Node row {wrong.row}" if wrong.row else "A row of the nodes"
    if wrong.fields:
        return f"{who} has {wrong.fields} fields, and the header has {columns}"
    if not wrong.value:
        return f"{who} has no {shown(wrong.column)}"
    return f"{who} has {shown(wrong.value)!r} as {shown(wrong.column)}, which is not a number"


def _as_names(ids: Any) -> Any:
    """Ids as whole numbers where all of them are written as such (007 and 0x10 are not), else as texts.
    Raises `UploadError` for one that is there twice."""
    import pyarrow
    from pyarrow import compute

    with suppress(pyarrow.ArrowInvalid):
        numbers = ids.cast(pyarrow.int64())
        if numbers.cast(ids.type).equals(ids):
            ids = numbers
    if compute.count_distinct(ids).as_py() < len(ids):
        counted = compute.value_counts(ids)
        twice = counted.filter(compute.greater(counted.field("counts"), 1)).field("values")[0]
        raise UploadError(f"Two nodes have the same id ({shown(twice.as_py())})")
    return ids


class _Labels:
    """Labels as they come, each as the number of its first mention."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._number: dict[str, int] = {}
        self._codes: list[NDArray[np.int32]] = []

    def append(self, labels: Any) -> None:
        """Add an Arrow array of texts."""
        coded = labels.dictionary_encode()
        here = [self._number.setdefault(name, len(self._number)) for name in coded.dictionary.to_pylist()]
        if len(self._number) > self._limits.classes:
            classes_of(list(self._number), self._limits)  # says so
        self._codes.append(np.array(here, dtype=np.int32)[coded.indices.to_numpy()])

    def write(self, path: Path) -> tuple[str, ...]:
        """Write the classes' numbers, and give their names. Raises `UploadError`."""
        order, names = classes_of(list(self._number), self._limits)
        check_classes(len(names), self._limits)
        np.save(path, order[np.concatenate(self._codes)])
        return names


def of_arrays(x: NDArray[Any], y: NDArray[Any], folder: Path, limits: Limits, seen: Callable[[int], None]) -> Nodes:
    """Copy features (|V|, F) and labels (|V|,), mapped from npy files, to `x.npy` and `y.npy`; a node's name
    is its number. Raises `UploadError`."""
    if x.shape[:1] != y.shape:
        raise UploadError(f"There are features of {x.shape[0]:,} nodes and labels of {y.shape[0]:,}")
    check_sizes(limits, nodes=x.shape[0], features=x.shape[1])
    if y.min() < 0:
        raise UploadError(f"Node {int(np.argmin(y))} has a negative label, and every node needs a label from 0")
    old, new = np.unique(y, return_inverse=True)
    check_classes(old.size, limits)
    features = Features(folder / "x.npy", x.shape[1], limits)
    for start in range(0, x.shape[0], _ROWS):
        with np.errstate(over="ignore", invalid="ignore"):
            features.append(np.asarray(x[start : start + _ROWS], dtype=np.float32))
        seen(x[: start + _ROWS].nbytes)
    features.finish()
    np.save(folder / "y.npy", new.astype(np.int64))
    return Nodes(
        count=x.shape[0],
        features=x.shape[1],
        class_names=tuple(str(label) for label in old),
        feature_names=(),
        odd=features.odd,
        number=Numbering(x.shape[0]),
    )
