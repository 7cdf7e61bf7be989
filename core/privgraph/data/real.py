"""Readers of raw files. Formats of PyTorch Geometric's sets are read by its own code, without its `processed`
folders.

Nothing is unpickled except Planetoid's files, and those only after `check_pickle` has found nothing in them
but arrays, sparse matrices and a dictionary of lists.
"""

import json
import pickletools
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.catalogue import class_names
from privgraph.data.errors import DataError
from privgraph.data.parts import Files, Parts
from privgraph.data.spec import DatasetSpec

_HARMLESS = {
    "numpy.core.multiarray _reconstruct",
    "numpy ndarray",
    "numpy dtype",
    "scipy.sparse.csr csr_matrix",
    "collections defaultdict",
    "__builtin__ list",
}
# Ways to name a callable other than GLOBAL; Planetoid's files use none of them.
_NAMING = {"STACK_GLOBAL", "INST", "EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID"}


def check_pickle(path: Path) -> None:
    """Raise `DataError` if unpickling `path` could call anything but the makers of arrays and plain
    containers."""
    try:
        with path.open("rb") as file:
            codes = ((code.name, argument) for code, argument, _ in pickletools.genops(file))
            harm = next(
                (one for one in codes if one[0] in _NAMING or (one[0] == "GLOBAL" and one[1] not in _HARMLESS)), ()
            )
    except (ValueError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name} is damaged: {error}") from None
    if harm:
        raise DataError(f"{path.name} holds more than arrays and is not opened ({harm[0]} {harm[1]})")


def read_planetoid(spec: DatasetSpec, files: Files) -> Parts:
    """Cora, CiteSeer, PubMed with the public split (20 training nodes a class, 500, 1,000)."""
    for path in files.values():
        if not path.name.endswith(".index"):
            check_pickle(path)
    with warnings.catch_warnings():
        # Python 2's pickles name modules that SciPy and NumPy have moved.
        warnings.simplefilter("ignore", DeprecationWarning)
        from torch_geometric.io import read_planetoid_data

        data = read_planetoid_data(str(path.parent), spec.name)
    return Parts(
        x=data.x.numpy(),
        y=data.y.numpy(),
        edges=data.edge_index.numpy(),
        class_names=class_names(spec.name),
        public=[mask.numpy() for mask in (data.train_mask, data.val_mask, data.test_mask)],
    )


def read_benchmark(spec: DatasetSpec, files: Files) -> Parts:
    """Sparse npz of gnn-benchmark and graph2gauss (Amazon, Coauthor, DBLP, Cora-ML); features become 0 and
    1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from torch_geometric.io import read_npz

    (path,) = files.values()
    data = read_npz(str(path), to_undirected=True)
    x, y, edges = data.x.numpy(), data.y.numpy(), data.edge_index.numpy()
    return Parts(x=x, y=y, edges=edges, class_names=class_names_of(path, int(y.max()) + 1))


def class_names_of(path: Path, classes: int) -> tuple[str, ...]:
    """Names that the file brings with it; in the files as first published they are pickled, and left
    alone."""
    try:
        names = arrays_of(path, ("class_names",))["class_names"]
    except ValueError:
        return ()
    return tuple(map(str, names)) if names.shape == (classes,) else ()


def read_musae(spec: DatasetSpec, files: Files) -> Parts:
    """Facebook pages and Twitch: dense features, target and edges of one npz, as PyG's sets have them."""
    (path,) = files.values()
    arrays = arrays_of(path, ("features", "target", "edges"))
    names = class_names(spec.name) or ("no", "yes")
    return Parts(x=arrays["features"], y=arrays["target"], edges=arrays["edges"].T, class_names=names)


def arrays_of(path: Path, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """The named arrays of an npz, never unpickled. Raises `DataError` where it is no npz or lacks one."""
    if not zipfile.is_zipfile(path):
        raise DataError(f"{path.name} is not an npz archive")
    # Opened here, as NumPy would leave a damaged archive open.
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        lost = [name for name in names if name not in arrays.files]
        if lost:
            raise DataError(f"{path.name} holds no {' and no '.join(lost)}")
        return {name: arrays[name] for name in names}


def read_wikics(spec: DatasetSpec, files: Files) -> Parts:
    """Wiki-CS, hyperlinks in both directions, with the first of its 20 public splits."""
    (path,) = files.values()
    record = json.loads(path.read_text())
    named = record.get("label_names", {})
    masks = record["train_masks"][0], record["val_masks"][0], record["test_mask"]
    return Parts(
        x=np.array(record["features"], dtype=np.float32),
        y=np.array(record["labels"]),
        edges=np.array([(source, target) for source, targets in enumerate(record["links"]) for target in targets]).T,
        class_names=[named.get(str(label), label) for label in range(10)],
        public=[np.array(mask, dtype=np.bool_) for mask in masks],
    )


def read_reddit(spec: DatasetSpec, files: Files) -> Parts:
    """Reddit with the public split: posts of the first days, a few later, the rest."""
    table, graph = files.values()
    posts, links = arrays_of(table, ("feature", "label", "node_types")), arrays_of(graph, ("row", "col"))
    return Parts(
        x=posts["feature"],
        y=posts["label"],
        edges=np.stack([links["row"], links["col"]]),
        public=[posts["node_types"] == kind for kind in (1, 2, 3)],
    )


def read_ogbn(spec: DatasetSpec, files: Files) -> Parts:
    """An OGB set from its raw CSV files, with the public split. Needs nothing of OGB's own program."""
    import pandas

    places = {path.rsplit("/", 1)[1].removesuffix(".csv.gz"): place for path, place in files.items()}

    def column(name: str, kind: str) -> NDArray[Any]:
        array: NDArray[Any] = pandas.read_csv(places[name], header=None, dtype=kind).to_numpy()
        return array

    y = column("node-label", "float64")[:, 0]
    return Parts(
        x=column("node-feat", "float32"),
        y=y,
        edges=column("edge", "int64").T,
        public=[np.isin(np.arange(y.size), column(name, "int64")) for name in ("train", "valid", "test")],
    )
