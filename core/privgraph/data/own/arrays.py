"""Arrays: of npz and npy files, sparse matrices, and Python's own objects. Nothing is unpickled. No torch.

An npz of 1.6 MB can hold 1.6 GB, and a header may claim more than there is: sizes are believed only as far as
they are allowed.
"""

import io
import struct
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from privgraph.data.errors import UploadError
from privgraph.data.own.frames import Frame, beside, in_memory, of_columns, of_matrix, of_pandas
from privgraph.data.own.limits import Limits, clean_name, shown

_MASKS = ("train_mask", "val_mask", "test_mask")
_ALIKE = {"features": "x", "feat": "x", "labels": "y", "label": "y", "edges": "edge_index", "edge_list": "edge_index"}
_SPARSE = {"data", "indices", "indptr", "shape"}
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ArithmeticError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
    EOFError,
)
"""What Python's archives raise of a damaged one."""
Arrays = Mapping[str, NDArray[Any]]


def check_end(file: BinaryIO, name: str, most: int = 10_000) -> None:
    """Refuse an archive whose directory would take long to read, or is not where it has to be."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - 66_000))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 22:
        raise UploadError(f"{shown(name)} is damaged: the directory of the archive is not at its end")
    _, _, _, entries, length = struct.unpack("<4H L", tail[at + 4 : at + 16])[:5]
    if entries > most or length > 1_000 * most:
        raise UploadError(f"{shown(name)} holds more than {most:,} files")


def _checked(file: IO[bytes], size: int, name: str) -> None:
    """Raise `UploadError` unless a header is one of plain numbers or texts, and says as many as there are."""
    try:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(file)
    except Exception:  # whatever NumPy's own parser of headers meets
        raise UploadError(f"The array {shown(name)} has a header that is not read") from None
    if dtype.hasobject:
        raise UploadError(f"The array {shown(name)} holds Python objects, which are never read; save it as numbers")
    if dtype.kind not in "biufUS" or len(shape) > 2:
        raise UploadError(
            f"The array {shown(name)} has a type or a shape that is not read; save it as plain numbers or texts"
        )
    if file.tell() + dtype.itemsize * int(np.prod(shape, dtype=object)) != size:
        raise UploadError(f"The array {shown(name)} is not as long as its header says")


def mapped(path: Path, name: str) -> NDArray[Any]:
    """The array in an npy file. Raises `UploadError`."""
    with path.open("rb") as file:
        _checked(file, path.stat().st_size, name)
    found: NDArray[Any] = np.load(path, mmap_mode="r" if path.stat().st_size > 1 << 20 else None, allow_pickle=False)
    return found


def npy_frame(name: str, array: NDArray[Any]) -> Frame:
    """Features (|V|, F), labels (|V|,), or edges (2, |E|) or (|E|, 2) of whole numbers."""
    if not array.size or not array.ndim:
        raise UploadError(f"The array {shown(name)} is empty, or one number")
    if array.ndim == 2 and array.dtype.kind in "iu" and 2 in array.shape:
        return _edges(name, array)
    return replace(of_matrix(name, array, "x" if array.ndim == 2 else "label"), pairs=False)


def npz(file: BinaryIO, name: str, limits: Limits) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file. Raises `UploadError`."""
    check_end(file, name)
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > limits.unpacked_bytes:
                raise UploadError(
                    f"Unpacked, the arrays of {shown(name)} have more than {limits.unpacked_bytes / 1e6:,.0f} MB"
                )
            if len({member.filename for member in members}) < len(members):
                raise UploadError(f"{shown(name)} holds an array twice")
            for member in members:
                with archive.open(member) as stream:
                    _checked(stream, member.file_size, member.filename.removesuffix(".npy"))
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}
    except UploadError:
        raise
    except BROKEN as error:
        raise UploadError(f"{shown(name)} is damaged ({shown(type(error).__name__)})") from None


def frames(name: str, arrays: Arrays) -> list[Frame]:
    """Tables of the arrays that are known. Raises `UploadError`."""
    if arrays.keys() >= _SPARSE or {"row", "col", "data", "shape"} <= arrays.keys():
        return [of_sparse(name, _sparse(arrays, name))]
    if {f"adj_{one}" for one in _SPARSE} <= arrays.keys() and "labels" in arrays:  # as the gnn-benchmark writes them
        parts = {
            part: _sparse({key: arrays[f"{part}_{key}"] for key in _SPARSE}, name)
            for part in ("adj", "attr")
            if f"{part}_data" in arrays
        }
        nodes = [of_sparse(name, parts["attr"], features=True)] if "attr" in parts else []
        return [
            _edges_of(name, parts["adj"]),
            replace(beside([*nodes, of_matrix(name, arrays["labels"], "label")]), pairs=False),
        ]
    known = {_ALIKE.get(key, key): array for key, array in arrays.items()}
    if lost := [key for key in ("y", "edge_index") if key not in known]:
        raise UploadError(f"{shown(name)} lacks the array {' and '.join(lost)} (it has {shown(', '.join(arrays), 60)})")
    texts = {key: _texts(known.get(key), key) for key in ("class_names", "feature_names")}
    y = known["y"]
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if y.ndim != 1:
        raise UploadError(f"y must be one label a node (its shape is {shown(y.shape)})")
    columns = [_labels(y, texts["class_names"])]
    if "x" in known:
        x = known["x"]
        if x.ndim != 2 or x.dtype.kind not in "biuf":
            raise UploadError(f"x must be a table of numbers with one row a node (its shape is {shown(x.shape)})")
        if texts["feature_names"] and len(texts["feature_names"]) != x.shape[1]:
            raise UploadError(f"feature_names has {len(texts['feature_names'])} names for {x.shape[1]} features")
        columns.insert(0, of_matrix(name, x, names=texts["feature_names"]))
    masks = [key for key in _MASKS if key in known]
    if masks and len(masks) < 3:
        raise UploadError(f"There must be all of {', '.join(_MASKS)} or none")
    for key in masks:
        if known[key].shape != y.shape:
            raise UploadError(f"{key} must be {y.size:,} booleans")
        columns.append(of_matrix(name, known[key], key))
    used = {"x", "y", "edge_index", *_MASKS, *texts}
    notes = tuple(f"the array {shown(key)} is not read" for key in known if key not in used)
    return [_edges(name, known["edge_index"]), replace(beside(columns), pairs=False, notes=notes)]


def _labels(y: NDArray[Any], names: tuple[str, ...]) -> Frame:
    if names and (y.dtype.kind not in "iu" or (y.size and y.max() >= len(names))):
        raise UploadError(f"y must be whole numbers below {len(names)}, as class_names has {len(names)} names")
    return of_matrix("y", y, "label", names)


def _texts(array: NDArray[Any] | None, name: str) -> tuple[str, ...]:
    """The texts of an array, whose letters are checked as numbers: NumPy makes strings of impossible ones."""
    if array is None or array.size == 0:
        return ()
    if array.ndim != 1 or array.dtype.kind != "U":
        raise UploadError(f"{name} must be a list of texts")
    letters = np.frombuffer(array.tobytes(), dtype=np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    if (letters > 0x10FFFF).any() or ((letters >= 0xD800) & (letters <= 0xDFFF)).any():
        raise UploadError(f"{name} holds letters that do not exist")
    return tuple(clean_name(str(text)) for text in array)


def _edges(name: str, array: NDArray[Any], weights: NDArray[Any] | None = None) -> Frame:
    import pyarrow

    if array.ndim != 2 or 2 not in array.shape or (array.size and array.dtype.kind not in "iu"):
        raise UploadError(
            f"edge_index must be two rows of whole numbers (its shape is {shown(array.shape)}, type {array.dtype})"
        )
    ends = array if array.shape[0] == 2 else array.T
    if ends.size and (ends.min() < 0 or ends.max() > np.iinfo(np.int64).max):
        raise UploadError(f"The edges of {shown(name)} name a node that is negative or too large")
    columns = dict(zip(("source", "target"), ends.astype(np.int64), strict=True))
    more = {} if weights is None else {"weight": weights.astype(np.float64)}
    return in_memory(name, pyarrow.table(columns | more), pairs=True)


def _sparse(arrays: Arrays, name: str) -> Any:
    import scipy.sparse

    try:
        shape = tuple(int(one) for one in arrays["shape"])
        if len(shape) != 2:
            raise ValueError("it has not two dimensions")
        if "row" in arrays:
            return scipy.sparse.coo_array((arrays["data"], (arrays["row"], arrays["col"])), shape=shape).tocsr()
        kind = (
            scipy.sparse.csc_array
            if arrays.get("format", np.array(b"csr")).item() in (b"csc", "csc")
            else scipy.sparse.csr_array
        )
        found = kind((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape).tocsr()
        found.check_format(full_check=True)
        return found
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, MemoryError) as error:
        raise UploadError(f"{shown(name)} is no sparse matrix: {shown(error, 80)}") from None


def of_sparse(name: str, matrix: Any, *, features: bool = False) -> Frame:
    """Edges of a square matrix, else features (|V|, F)."""
    if matrix.ndim != 2 or (not features and matrix.shape[0] == matrix.shape[1]):
        return _edges_of(name, matrix)
    return replace(of_matrix(name, matrix), pairs=False)


def _edges_of(name: str, matrix: Any) -> Frame:
    found = matrix.tocoo()
    plain = found.data.dtype.kind == "b" or bool((found.data == 1).all())
    return _edges(name, np.stack([found.coords[0], found.coords[1]]).astype(np.int64), None if plain else found.data)


def matrix_market(file: BinaryIO, name: str, limits: Limits) -> Frame:
    """A matrix in the exchange format. SciPy's own reader crashes the process on a damaged one. Raises
    `UploadError`."""
    import scipy.sparse

    words = file.readline().decode("ascii", "replace").lower().split()
    if words[1:3] not in (["matrix", "coordinate"], ["matrix", "array"]) or not {"complex", "hermitian"}.isdisjoint(
        words
    ):
        raise UploadError(f"{shown(name)} is no real matrix in the MatrixMarket format")
    sizes = b"%"
    while sizes.startswith(b"%") or (sizes and not sizes.strip()):
        sizes = file.readline()
    try:
        rows, columns, *entries = map(int, sizes.split())
        if max(rows, columns) > limits.nodes or max([*entries, 0 if entries else rows * columns]) > limits.cells:
            raise UploadError(f"{shown(name)} says that it has too many rows, columns or entries")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # there are no rows
            values = np.loadtxt(io.TextIOWrapper(file, "ascii"), comments="%", ndmin=2)
        if "array" in words:
            dense = values.reshape(columns, rows).T.astype(np.float32)
            return npy_frame(name, dense[:, 0] if columns == 1 else dense)
        if len(values) != entries[0] or (len(values) and values.shape[1] != 3 - ("pattern" in words)):
            raise ValueError("it has another number of entries than it says")
        ends = values[:, :2].T.astype(np.int64) - 1 if len(values) else np.zeros((2, 0), dtype=np.int64)
        weights = values[:, 2] if len(values) and values.shape[1] > 2 else np.ones(len(values))
        if "symmetric" in words and rows == columns:
            weights, ends = np.concatenate([weights, weights]), np.concatenate([ends, ends[::-1]], axis=1)
        return of_sparse(name, scipy.sparse.coo_array((weights, ends), shape=(rows, columns)).tocsr())
    except UploadError:
        raise
    except (ValueError, OverflowError, UnicodeError, IndexError) as error:
        told = shown(" ".join(str(error).split()), 80)
        raise UploadError(f"{shown(name)} is no whole matrix in the MatrixMarket format: {told}") from None


def of_object(given: Any) -> list[Frame]:
    """The tables of a graph of networkx, `Data` of PyTorch Geometric, or a DataFrame. Raises
    `UploadError`."""
    import networkx
    import pandas

    if isinstance(given, pandas.DataFrame):
        return [of_pandas("the DataFrame", given)]
    if isinstance(given, networkx.Graph):
        return of_graph("the graph", given)
    if hasattr(given, "edge_index") and hasattr(given, "x"):
        keys = ("x", "y", "edge_index", *_MASKS)
        return frames(
            "the Data", as_arrays({key: getattr(given, key) for key in keys if getattr(given, key, None) is not None})
        )
    raise UploadError(
        "A graph is files, arrays, a graph of networkx, Data of PyTorch Geometric or DataFrames "
        f"(got {shown(type(given).__name__)})"
    )


def as_arrays(given: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """NumPy's arrays of arrays, lists, or tensors on the CPU."""
    plain: dict[str, NDArray[Any]] = {name: np.asarray(array) for name, array in given.items()}
    wrong = next((name for name, array in plain.items() if array.dtype.hasobject), None)
    if wrong is not None:
        raise UploadError(f"{shown(wrong)} is no array of numbers, booleans or texts")
    return plain


def of_graph(name: str, graph: Any) -> list[Frame]:
    """The tables of a graph of networkx: attributes that are no plain values are not read."""

    def table(rows: list[tuple[dict[str, Any], Mapping[Any, Any]]], first: tuple[str, ...]) -> dict[str, list[Any]]:
        keys = dict.fromkeys(
            str(key) for _, row in rows for key, value in row.items() if not isinstance(value, dict | list)
        )
        made: dict[str, list[Any]] = {one: [] for one in first}
        named = {key: key if key not in first else f"{key} of the attributes" for key in keys}
        made |= {one: [] for one in named.values()}
        for own, row in rows:
            words = {str(key): value for key, value in row.items()}
            for one in first:
                made[one].append(own[one])
            for key, column in named.items():
                made[column].append(words.get(key))
        return made

    nodes = table([({"id": node}, row) for node, row in graph.nodes(data=True)], ("id",))
    edges = table(
        [({"source": one, "target": other}, row) for one, other, row in graph.edges(data=True)], ("source", "target")
    )
    notes = ("directions of edges are not used",) if graph.is_directed() else ()
    more: dict[str, Any] = {"decimal": "."}
    return [of_columns(name, nodes, pairs=False, **more), of_columns(name, edges, pairs=True, notes=notes, **more)]
