"""Arrays: of npz and npy files, sparse matrices, and Python's own objects. Nothing is unpickled. No torch.

An npz of 1.6 MB can hold 1.6 GB, and a header may claim more: sizes are believed as far as they are allowed.
"""

import io
import struct
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import IO, Any, BinaryIO

import numpy as np
import pyarrow
from numpy.lib import format as npy
from numpy.typing import NDArray

from privgraph.data.errors import UploadError
from privgraph.data.own.delimited import NAMES
from privgraph.data.own.frames import UNDIRECTED, Frame, beside, in_memory, of_matrix, of_pandas, of_rows
from privgraph.data.own.given import Given
from privgraph.data.own.limits import Limits, clean_name, shown

MASKS = ("train_mask", "val_mask", "test_mask")
_SPARSE = {"data", "indices", "indptr", "shape"}
_CUT = (zipfile.BadZipFile, zlib.error, struct.error, EOFError)
BROKEN = (*_CUT, ArithmeticError, LookupError, OSError, RuntimeError, ValueError)
"""What Python's archives raise of a damaged one."""


def check_end(file: BinaryIO, name: str, most: int = 10_000) -> None:
    """Refuse an archive whose directory would take long to read, or is not where it has to be."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - 66_000))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 22:
        raise UploadError(f"{shown(name)} is damaged: the directory of the archive is not at its end")
    _, _, _, entries, length = struct.unpack("<4H L", tail[at + 4 : at + 16])
    if entries > most or length > 1_000 * most:
        raise UploadError(f"{shown(name)} holds more than {most:,} files")


def _checked(file: IO[bytes], size: int, name: str) -> None:
    """Raise `UploadError` unless a header is one of plain numbers or texts, and says as many as there are."""
    called = f"The array {shown(name)}"
    try:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(file)
    except Exception:  # whatever NumPy's own parser of headers meets
        raise UploadError(f"{called} has a header that is not read") from None
    if dtype.hasobject:
        raise UploadError(f"{called} holds Python objects, which are never read; save it as numbers")
    if dtype.kind not in "biufUS" or len(shape) > 2:
        raise UploadError(f"{called} has a type or a shape that is not read; save it as plain numbers or texts")
    if file.tell() + dtype.itemsize * int(np.prod(shape, dtype=object)) != size:
        raise UploadError(f"{called} is not as long as its header says")


def npy_frame(file: Given) -> Frame:
    """The table in an npy file; a large one on the disk is mapped. Raises `UploadError`."""
    with file.opened() as opened:
        _checked(opened, file.size, file.name)
        opened.seek(0)
        large = file.path if file.size > 1 << 20 else None
        return _of_array(file.name, np.load(large or opened, mmap_mode="r" if large else None, allow_pickle=False))


def _of_array(name: str, array: NDArray[Any]) -> Frame:
    """By its name or form: features (|V|, F), labels or a mask (|V|,), edges (2, |E|) or (|E|, 2)."""
    called = _called(PurePath(name).stem.lower())
    if not array.size or not array.ndim:
        raise UploadError(f"The array {shown(name)} is empty, or one number")
    if array.ndim == 2 and array.dtype.kind in "iu" and 2 in array.shape and called != "x":
        return _edges(name, array)
    return of_matrix(name, _plain(array), "x" if array.ndim == 2 else "label" if called == "y" else called, pairs=False)


def _called(name: str) -> str:
    """What an array is called here."""
    return str(NAMES["arrays"].get(name, name))


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """An array whose bytes and objects are texts, where all of them are."""
    if array.dtype.hasobject and all(isinstance(one, str) for one in array.flat):
        return array.astype(str)
    return np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array


def npz(file: Given, limits: Limits) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file, whose end was checked. Raises `UploadError`."""
    with file.refusing(BROKEN, "is damaged ({kind})"), file.opened() as opened, zipfile.ZipFile(opened) as archive:
        members = archive.infolist()
        limits.check_unpacked(sum(member.file_size for member in members), file.name)
        if len({member.filename for member in members}) < len(members):
            raise file.refusal("holds an array twice")
        for member in members:
            with archive.open(member) as stream:
                _checked(stream, member.file_size, member.filename.removesuffix(".npy"))
        opened.seek(0)
        with np.load(opened, allow_pickle=False) as arrays:
            return {key: _plain(arrays[key]) for key in arrays.files}


def frames(name: str, arrays: Mapping[str, NDArray[Any]]) -> list[Frame]:
    """Tables of the arrays that are known. Raises `UploadError`."""
    if arrays.keys() >= _SPARSE or {"row", "col", "data", "shape"} <= arrays.keys():
        return [of_sparse(name, _sparse(arrays, name))]
    known: dict[str, Any] = {_called(key): array for key, array in arrays.items()}
    if {f"adj_{one}" for one in _SPARSE} <= arrays.keys():  # as the gnn-benchmark writes them
        known = {key: array for key, array in known.items() if not key.startswith(("adj_", "attr_"))}
        known["edge_index"] = _sparse(arrays, name, "adj_")
        known |= {"x": _sparse(arrays, name, "attr_")} if "attr_data" in arrays else {}
    if lost := [key for key in ("y", "edge_index") if key not in known]:
        raise UploadError(f"{shown(name)} lacks the array {' and '.join(lost)} (it has {shown(', '.join(arrays), 60)})")
    texts = {key: _texts(known.get(key), key) for key in ("class_names", "feature_names")}
    y = known["y"]
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if y.ndim != 1:
        raise UploadError(f"y must be one label a node (its shape is {shown(y.shape)})")
    classes = texts["class_names"]
    if classes and (y.dtype.kind not in "iu" or (y.size and y.max() >= len(classes))):
        raise UploadError(f"y must be whole numbers below {len(classes)}, as class_names has {len(classes)} names")
    columns = [of_matrix("y", y, "label", classes)]
    if "x" in known:
        x = known["x"]
        if x.ndim != 2 or x.dtype.kind not in "biuf":
            raise UploadError(f"x must be a table of numbers with one row a node (its shape is {shown(x.shape)})")
        if texts["feature_names"] and len(texts["feature_names"]) != x.shape[1]:
            raise UploadError(f"feature_names has {len(texts['feature_names'])} names for {x.shape[1]} features")
        columns.insert(0, of_matrix(name, x, names=texts["feature_names"]))
    masks = [key for key in MASKS if key in known]
    if masks and len(masks) < 3:
        raise UploadError(f"There must be all of {', '.join(MASKS)} or none")
    for key in masks:
        if known[key].shape != y.shape:
            raise UploadError(f"{key} must be {y.size:,} booleans")
        columns.append(of_matrix(name, known[key], key))
    weights = known.get("edge_weight")
    if weights is not None and (weights.dtype.kind not in "biuf" or weights.shape != (known["edge_index"].size // 2,)):
        raise UploadError(f"edge_weight must be one number an edge (its shape is {shown(weights.shape)})")
    used = {"x", "y", "edge_index", "edge_weight", *MASKS, *texts}
    notes = tuple(f"the array {shown(key)} is not read" for key in known if key not in used)
    return [_edges(name, known["edge_index"], weights), beside(columns, notes)]


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


def _edges(name: str, given: Any, weights: NDArray[Any] | None = None) -> Frame:
    """Edges of their ends, or of an adjacency matrix."""
    array, more = given, {} if weights is None else {"weight": weights.astype(np.float64)}
    if hasattr(given, "tocoo"):
        found = given.tocoo()
        array = np.stack(found.coords).astype(np.int64)
        more = {} if (found.data == 1).all() else {"weight": found.data.astype(np.float64)}
    if array.ndim != 2 or 2 not in array.shape or (array.size and array.dtype.kind not in "iu"):
        form = f"its shape is {shown(array.shape)}, type {array.dtype}"
        raise UploadError(f"edge_index must be two rows of whole numbers ({form})")
    ends = array if array.shape[0] == 2 else array.T
    if ends.size and (ends.min() < 0 or ends.max() > np.iinfo(np.int64).max):
        raise UploadError(f"The edges of {shown(name)} name a node that is negative or too large")
    columns = dict(zip(("source", "target"), ends.astype(np.int64), strict=True))
    return in_memory(name, pyarrow.table(columns | more), pairs=True)


def _sparse(arrays: Mapping[str, NDArray[Any]], name: str, part: str = "") -> Any:
    """The sparse matrix in arrays whose names begin with `part`."""
    from scipy.sparse import coo_array, csc_array, csr_array

    try:
        shape = tuple(int(one) for one in arrays[f"{part}shape"])
        if len(shape) != 2:
            raise ValueError("it has not two dimensions")
        if "row" in arrays:
            return coo_array((arrays["data"], (arrays["row"], arrays["col"])), shape=shape).tocsr()
        by_columns = arrays.get("format", np.array(b"csr")).item() in (b"csc", "csc")
        values = tuple(arrays[f"{part}{one}"] for one in ("data", "indices", "indptr"))
        found = (csc_array if by_columns else csr_array)(values, shape=shape).tocsr()
        found.check_format(full_check=True)
        return found
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, MemoryError) as error:
        raise UploadError(f"{shown(name)} is no sparse matrix: {shown(error, 80)}") from None


def of_sparse(name: str, matrix: Any) -> Frame:
    """Edges of a square matrix, else features (|V|, F)."""
    square = matrix.shape[0] == matrix.shape[1] and _called(PurePath(name).stem.lower()) != "x"
    return _edges(name, matrix) if square else of_matrix(name, matrix, pairs=False)


def matrix_market(given: Given, limits: Limits) -> Frame:
    """A matrix in the exchange format: SciPy's own reader crashes the process on a damaged one."""
    import scipy.sparse

    file, name = io.BytesIO(given.content()), given.name
    words = file.readline().decode("ascii", "replace").lower().split()
    if words[1:3] not in (["matrix", "coordinate"], ["matrix", "array"]) or {"complex", "hermitian"} & {*words}:
        raise UploadError(f"{shown(name)} is no real matrix in the MatrixMarket format")
    sizes = next((line for line in file if line.strip() and not line.startswith(b"%")), b"")
    errors = (ValueError, OverflowError, IndexError)
    with given.refusing(errors, "is no whole matrix in the MatrixMarket format: {error}"):
        rows, columns, *entries = map(int, sizes.split())
        if max(rows, columns) > limits.nodes or max([*entries, 0 if entries else rows * columns]) > limits.cells:
            raise UploadError(f"{shown(name)} says that it has too many rows, columns or entries")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # there are no rows
            values = np.loadtxt(io.TextIOWrapper(file, "ascii"), comments="%", ndmin=2)
        if "array" in words:
            dense = values.reshape(columns, rows).T.astype(np.float32)
            return _of_array(name, dense[:, 0] if columns == 1 else dense)
        values = values.reshape(-1, 3 - ("pattern" in words))
        if len(values) != entries[0]:
            raise ValueError("it has another number of entries than it says")
        weights = np.ones(len(values)) if "pattern" in words else values[:, 2]
        ends = values[:, :2].T.astype(np.int64) - 1
        matrix = scipy.sparse.coo_array((weights, ends), shape=(rows, columns)).tocsr()
        return of_sparse(name, matrix.maximum(matrix.T) if "symmetric" in words else matrix)


def of_object(given: Any) -> list[Frame]:
    """The tables of a graph of networkx, `Data` of PyTorch Geometric, or a DataFrame."""
    import networkx
    import pandas

    if isinstance(given, pandas.DataFrame):
        return [of_pandas("the DataFrame", given)]
    if isinstance(given, networkx.Graph):
        return of_graph("the graph", given)
    if hasattr(given, "edge_index") and hasattr(given, "x"):
        keys = ("x", "y", "edge_index", "edge_weight", *MASKS)
        found = {key: getattr(given, key) for key in keys if getattr(given, key, None) is not None}
        return frames("the Data", as_arrays(found))
    kind = shown(type(given).__name__)
    raise UploadError(f"A graph is files, arrays, a graph of networkx, Data of PyG or DataFrames (got {kind})")


def as_arrays(given: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """NumPy's arrays of arrays, lists, or tensors on the CPU."""
    plain: dict[str, NDArray[Any]] = {}
    for name, array in given.items():
        with suppress(RuntimeError, TypeError, ValueError):  # of NumPy and torch, for ragged, sparse and short ones
            plain[name] = _plain(np.asarray(array.detach() if hasattr(array, "detach") else array))
        if name not in plain or plain[name].dtype.hasobject:
            raise UploadError(f"{shown(name)} is no array of numbers, booleans or texts")
    return plain


def of_graph(name: str, graph: Any) -> list[Frame]:
    """The tables of a graph of networkx: attributes that are no plain values are not read."""

    def row(own: dict[str, Any], attributes: Mapping[Any, Any]) -> dict[str, Any]:
        words = {str(key): value.tolist() if hasattr(value, "tolist") else value for key, value in attributes.items()}
        return own | {f"{key} of the attributes" if key in own else key: value for key, value in words.items()}

    nodes = [row({"id": node}, attributes) for node, attributes in graph.nodes(data=True)]
    edges = [row({"source": one, "target": other}, attributes) for one, other, attributes in graph.edges(data=True)]
    notes = (UNDIRECTED,) if graph.is_directed() else ()
    return [of_rows(name, nodes, ["id"], pairs=False), of_rows(name, edges, ["source", "target"], notes, pairs=True)]
