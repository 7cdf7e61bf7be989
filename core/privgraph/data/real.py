"""Readers of raw files. Formats of PyTorch Geometric's sets are read by its own code, without its `processed`
folders.

Nothing is unpickled except Planetoid's files, and those only after `check_pickle` has found nothing in them
but arrays, sparse matrices and a dictionary of lists.
"""

import gzip
import json
import pickletools
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from privgraph.data.build import Parts, parts
from privgraph.data.catalogue import class_names
from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec

Files = Mapping[str, Path]
"""The raw files of one set: path in the catalogue -> where it lies."""

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
            for code, argument, _ in pickletools.genops(file):
                if code.name in _NAMING or (code.name == "GLOBAL" and argument not in _HARMLESS):
                    raise DataError(f"{path.name} holds more than arrays and is not opened ({code.name} {argument})")
    except DataError:
        raise
    except (ValueError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name} is damaged: {error}") from None


def read_planetoid(spec: DatasetSpec, files: Files) -> Parts:
    """Cora, CiteSeer, PubMed with the public split (20 training nodes a class, 500, 1,000)."""
    for path in files.values():
        if not path.name.endswith(".index"):
            check_pickle(path)
    folder = next(iter(files.values())).parent
    with warnings.catch_warnings():
        # Python 2's pickles name modules that SciPy and NumPy have moved.
        warnings.simplefilter("ignore", DeprecationWarning)
        from torch_geometric.io import read_planetoid_data

        data = read_planetoid_data(str(folder), spec.name)
    return Parts(
        x=data.x,
        y=data.y,
        edges=data.edge_index,
        class_names=class_names(spec.name),
        public=(data.train_mask, data.val_mask, data.test_mask),
    )


def read_benchmark(spec: DatasetSpec, files: Files) -> Parts:
    """Sparse npz of gnn-benchmark and graph2gauss (Amazon, Coauthor, DBLP, Cora-ML); features become 0 and
    1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from torch_geometric.io import read_npz

    (path,) = files.values()
    data = read_npz(str(path), to_undirected=True)
    return Parts(x=data.x, y=data.y, edges=data.edge_index, class_names=class_names_of(path, int(data.y.max()) + 1))


def class_names_of(path: Path, classes: int) -> tuple[str, ...]:
    """Names that the file brings with it; in the files as first published they are pickled, and left
    alone."""
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        if "class_names" in arrays.files:
            try:
                names = arrays["class_names"]
            except ValueError:
                return ()
            if names.shape == (classes,):
                return tuple(str(name) for name in names)
    return ()


def read_musae(spec: DatasetSpec, files: Files) -> Parts:
    """Facebook pages and Twitch: dense features, target and edges of one npz, as PyG's sets have them."""
    (path,) = files.values()
    arrays = arrays_of(path, ("features", "target", "edges"))
    return parts(
        arrays["features"], arrays["target"], arrays["edges"].T, class_names=class_names(spec.name) or ("no", "yes")
    )


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
    links = [(source, target) for source, targets in enumerate(record["links"]) for target in targets]
    masks = (record["train_masks"][0], record["val_masks"][0], record["test_mask"])
    train, validation, test = (torch.tensor(mask, dtype=torch.bool) for mask in masks)
    names = tuple(str(record.get("label_names", {}).get(str(label), label)) for label in range(10))
    return parts(
        np.array(record["features"], dtype=np.float32),
        record["labels"],
        np.array(links, dtype=np.int64).T,
        class_names=names,
        public=(train, validation, test),
    )


def read_reddit(spec: DatasetSpec, files: Files) -> Parts:
    """Reddit with the public split: posts of the first days, a few later, the rest."""
    table, graph = (_by_name(files, name) for name in ("reddit_data.npz", "reddit_graph.npz"))
    arrays = arrays_of(table, ("feature", "label", "node_types"))
    links = arrays_of(graph, ("row", "col"))
    kinds = torch.from_numpy(arrays["node_types"].astype(np.int64))
    return parts(
        arrays["feature"],
        arrays["label"],
        np.stack([links["row"], links["col"]]),
        public=(kinds == 1, kinds == 2, kinds == 3),
    )


def _by_name(files: Files, name: str) -> Path:
    return next(place for path, place in files.items() if path.rsplit("/", 1)[1] == name)


def read_ogbn(spec: DatasetSpec, files: Files) -> Parts:
    """An OGB set from its raw CSV files, with the public split. Needs nothing of OGB's own program."""
    import pandas

    def column(name: str, kind: str) -> NDArray[Any]:
        with gzip.open(_by_name(files, f"{name}.csv.gz"), "rt") as file:
            array: NDArray[Any] = pandas.read_csv(file, header=None, dtype=kind).to_numpy()
            return array

    y = column("node-label", "float64")[:, 0]
    masks = []
    for name in ("train", "valid", "test"):
        mask = torch.zeros(y.size, dtype=torch.bool)
        mask[torch.tensor(column(name, "int64")[:, 0])] = True
        masks.append(mask)
    return parts(column("node-feat", "float32"), y, column("edge", "int64").T, public=(masks[0], masks[1], masks[2]))
