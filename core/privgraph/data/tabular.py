"""Tables of people joined by similarity, and students of Facebook100: readers of CSV and MATLAB files."""

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.catalogue import TOLD
from privgraph.data.errors import DataError
from privgraph.data.parts import Files, Parts
from privgraph.data.spec import DatasetSpec

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

    layout = TOLD["layouts"][spec.name]
    (path,) = files.values()
    table = pandas.read_csv(path)
    if layout["label"] not in table.columns:
        raise DataError(f"{path.name} has no column {layout['label']}")
    label = table.pop(layout["label"])
    table = table.drop(columns=layout["left_out"], errors="ignore")
    for name in table.select_dtypes(exclude="number"):
        # Of two words, the first in the alphabet is 0.
        table[name] = np.unique(table[name].to_numpy().astype(str), return_inverse=True)[1]
    values = np.ascontiguousarray(table, dtype=np.float64)
    return Parts(
        x=_to_range(values),
        y=(label > 0).to_numpy(),
        edges=_edges(path.with_name(f"{spec.name}_edges.npz"), layout, list(table.columns), values),
        class_names=layout["classes"],
        feature_names=tuple(table.columns),
    )


def _edges(path: Path, layout: Mapping[str, Any], columns: list[str], values: NDArray[np.float64]) -> NDArray[np.int64]:
    if path.is_file():
        with np.load(path, allow_pickle=False) as arrays:
            return np.asarray(arrays["edges"].T, dtype=np.int64)
    scaled, chosen = values.copy(), [columns.index(name) for name in layout["scaled"]]
    own = values[:, chosen]
    scaled[:, chosen] = (own - own.mean(0)) / own.std(0, ddof=1) if layout["scaling"] == "z" else _to_range(own)
    edges = similarity_rule(scaled, layout["threshold"])
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
    # In schools of under 1,000, 200 would leave fewer than two years.
    floor = 1000 if people > 10_000 else 200 if people >= 1000 else 100
    blocks, names = [], []
    for column, name in enumerate(_COLUMNS):
        codes = np.unique(info[:, column])
        codes = codes[codes > 0]
        blocks.append(info[:, column, None] == codes[None, :])
        names += [f"{name} {code}" for code in codes]
    years, counts = np.unique(info[info[:, _YEAR] > 0, _YEAR], return_counts=True)
    years = years[counts >= floor]
    if years.size < 2:
        raise DataError(f"{path.name} has fewer than two class years of at least {floor} people")
    labelled = np.isin(info[:, _YEAR], years)
    number = np.where(labelled, np.cumsum(labelled) - 1, -1)
    edges = np.stack([number[links.row], number[links.col]])
    return Parts(
        x=np.concatenate(blocks, axis=1)[labelled],
        y=np.searchsorted(years, info[labelled, _YEAR]),
        edges=edges[:, (edges >= 0).all(0)],
        class_names=list(map(str, years)),
        feature_names=names,
    )
