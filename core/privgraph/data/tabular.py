"""Tables of people joined by similarity, and students of Facebook100: readers of CSV and MATLAB files."""

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.build import Parts, parts
from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec

Files = Mapping[str, Path]


@dataclass(frozen=True, kw_only=True)
class _Table:
    """`label` and `left_out` are columns; classes are the label not positive, and positive.

    The rule for edges: `scaled` columns are standardised (z) or brought to [-1, 1] (range), and rows are
    joined above the share `threshold` of a row's best similarity.
    """

    label: str
    classes: tuple[str, str]
    threshold: float
    left_out: tuple[str, ...] = ()
    scaled: tuple[str, ...] = ()
    scaling: str = "range"


_TABLES: Mapping[str, _Table] = {
    "german": _Table(
        label="GoodCustomer",
        classes=("bad customer", "good customer"),
        threshold=0.8,
        left_out=("OtherLoansAtStore", "PurposeOfLoan"),
        scaled=("LoanAmount", "Age", "LoanDuration"),
    ),
    "bail": _Table(label="RECID", classes=("not arrested again", "arrested again"), threshold=0.6),
    "credit": _Table(
        label="NoDefaultNextMonth",
        classes=("default", "no default"),
        threshold=0.7,
        left_out=("Single",),
        scaled=(
            "MaxBillAmountOverLast6Months",
            "MaxPaymentAmountOverLast6Months",
            "MostRecentBillAmount",
            "MostRecentPaymentAmount",
            "TotalMonthsOverdue",
        ),
        scaling="z",
    ),
}

_COLUMNS = ("status", "gender", "major", "minor", "dorm")
_YEAR = 5


def read_fair(spec: DatasetSpec, files: Files) -> Parts:
    """German, bail or credit: columns scaled to [-1, 1] over all rows (public preprocessing), words as 0 and
    1.

    The sensitive column stays among the features. Edges are those of `<name>_edges.npz` beside the table, an
    array `edges` (pairs, 2); where there is no such file, they are made by the rule that made it, in about 15
    seconds for the two larger tables, and put there if the folder can be written.
    """
    import pandas

    form = _TABLES[spec.name]
    (path,) = files.values()
    table = pandas.read_csv(path)
    if form.label not in table.columns:
        raise DataError(f"{path.name} has no column {form.label}")
    columns = [str(column) for column in table.columns if column not in (form.label, *form.left_out)]
    values = np.stack([_numbers(table[column]) for column in columns], axis=1)
    return parts(
        _to_range(values),
        (table[form.label].to_numpy() > 0).astype(np.int64),
        _edges(path.with_name(f"{spec.name}_edges.npz"), form, columns, values),
        class_names=form.classes,
        feature_names=tuple(columns),
    )


def _edges(path: Path, form: _Table, columns: list[str], values: NDArray[np.float64]) -> NDArray[np.int64]:
    if path.is_file():
        with np.load(path, allow_pickle=False) as arrays:
            return np.asarray(arrays["edges"].T, dtype=np.int64)
    chosen = [columns.index(column) for column in form.scaled]
    scaled = values.copy()
    if form.scaling == "z":
        scaled[:, chosen] = (values[:, chosen] - values[:, chosen].mean(0)) / values[:, chosen].std(0, ddof=1)
    else:
        scaled[:, chosen] = _to_range(values[:, chosen])
    edges = similarity_rule(scaled, form.threshold)
    # The file only saves time, so a folder that cannot be written costs nothing else.
    with suppress(OSError), tempfile.TemporaryDirectory(dir=path.parent, prefix=".edges-") as folder:
        part = Path(folder) / path.name
        np.savez_compressed(part, edges=edges.T.astype(np.int32))
        part.replace(path)
    return edges


def _to_range(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns brought to [-1, 1]; constant columns become -1."""
    low, high = values.min(0), values.max(0)
    scaled: NDArray[np.float64] = 2 * (values - low) / np.where(high > low, high - low, 1) - 1
    return scaled


def similarity_rule(x: NDArray[np.float64], threshold: float, block: int = 500) -> NDArray[np.int64]:
    """(2, pairs) with i < j: rows of x (|V|, F) joined where either is similar enough to the other.

    Similarity is 1 / (1 + Euclidean distance); i accepts j if it exceeds `threshold` times i's best
    similarity to another row (Agarwal et al., UAI 2021). Memory is `block` |V| numbers.
    """
    from scipy.spatial.distance import cdist

    nodes, keys = x.shape[0], []
    for first in range(0, nodes, block):
        rows = np.arange(first, min(first + block, nodes))
        similarity = 1 / (1 + cdist(x[rows], x))
        similarity[rows - first, rows] = -1
        i, j = np.nonzero(similarity > threshold * similarity.max(1)[:, None])
        i += first
        keys.append(np.minimum(i, j) * nodes + np.maximum(i, j))
    pairs = np.unique(np.concatenate(keys))
    return np.stack([pairs // nodes, pairs % nodes])


def _numbers(column: Any) -> NDArray[np.float64]:
    """A column as numbers; of two words, the first in the alphabet is 0."""
    import pandas

    if pandas.api.types.is_numeric_dtype(column):
        return np.asarray(column.to_numpy(), dtype=np.float64)
    return np.unique(column.to_numpy().astype(str), return_inverse=True)[1].astype(np.float64)


def class_floor(people: int) -> int:
    """How many people a class year needs in a school of so many people.

    1,000 in schools of over 10,000, else 200; in schools of under 1,000, where 200 would leave fewer than two
    years, 100.
    """
    return 1000 if people > 10_000 else 200 if people >= 1000 else 100


def read_school(spec: DatasetSpec, files: Files) -> Parts:
    """A Facebook100 school, task class year (see `catalogue`). `A` is the adjacency; `local_info` (people,
    7)."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    (path,) = files.values()
    try:
        record = loadmat(str(path), variable_names=["A", "local_info"])
        links, info = record["A"].tocoo(), record["local_info"].astype(np.int64)
    except (KeyError, AttributeError, MatReadError, ValueError) as error:
        raise DataError(f"{path.name} is not a Facebook100 school: {error}") from None
    people = info.shape[0]
    blocks, names = [], []
    for column, name in enumerate(_COLUMNS):
        codes = np.unique(info[:, column])
        codes = codes[codes > 0]
        blocks.append(info[:, column, None] == codes[None, :])
        names += [f"{name} {code}" for code in codes]
    years, counts = np.unique(info[info[:, _YEAR] > 0, _YEAR], return_counts=True)
    years = years[counts >= class_floor(people)]
    if years.size < 2:
        raise DataError(f"{path.name} has fewer than two class years of at least {class_floor(people)} people")
    labelled = np.isin(info[:, _YEAR], years)
    number = np.where(labelled, np.cumsum(labelled) - 1, -1)
    edges = np.stack([number[links.row], number[links.col]])
    return parts(
        np.concatenate(blocks, axis=1)[labelled],
        np.searchsorted(years, info[labelled, _YEAR]),
        edges[:, (edges >= 0).all(0)],
        class_names=tuple(str(year) for year in years),
        feature_names=tuple(names),
    )
