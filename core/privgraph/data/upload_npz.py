"""Uploaded npz files: the zip directory and the npy headers are checked before an array is unpacked.

An npz of 1.6 MB can hold 1.6 GB, and an npy header is Python text; so sizes are believed only as far as they
are allowed, and the header is matched against its one regular form instead of being evaluated.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import Limits, Upload, check_sizes, clean_name, finish, shown

_MASKS = ("train_mask", "val_mask", "test_mask")
_NEEDED = ("x", "y", "edge_index")
_KNOWN = (*_NEEDED, *_MASKS, "class_names", "feature_names")

_END = struct.Struct("<4s4H2LH")
_LONGEST_DIRECTORY = 65536
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?)([?bfiuU])(\d{0,5})', 'fortran_order': (False|True), 'shape': \((\d{0,12}(?:, ?\d{1,12})*),?\),? ?\}\s*"  # noqa: E501
)
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    OverflowError,
)


@dataclass(frozen=True)
class Declared:
    """What an npy header says; the array begins at byte `start`."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    start: int

    @property
    def bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


def read_npz(file: BinaryIO, limits: Limits) -> Upload:
    """The graph in an npz file. Raises `UploadError`."""
    _check_end(file)
    try:
        with zipfile.ZipFile(file) as archive:
            members = _members(archive, limits)
            declared = {name: _declared(archive, member, name) for name, member in members.items()}
            _check_declared(declared, limits)
            arrays = {name: _array(archive, members[name], name, declared[name]) for name in members}
    except UploadError:
        raise
    except (*_BROKEN, ValueError) as error:
        raise UploadError(f"The npz file is damaged ({shown(type(error).__name__)})") from None
    return _graph(arrays, limits)


def _check_end(file: BinaryIO) -> None:
    """Refuse a directory that would take long to read: NumPy writes no comment and needs no zip64 end
    record."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - 42))
    tail = file.read(42)
    file.seek(0)
    if len(tail) < 22 or tail[-22:-18] != b"PK\x05\x06":
        raise UploadError("The npz file is damaged or not written by NumPy: its directory is not at its end")
    _, _, _, _, entries, length, _, _ = _END.unpack(tail[-22:])
    if tail[:4] == b"PK\x06\x07" or entries > 2 * len(_KNOWN) or length > _LONGEST_DIRECTORY:
        raise UploadError(f"The npz file holds more than the arrays {', '.join(_KNOWN)}")


def _members(archive: zipfile.ZipFile, limits: Limits) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        if name not in _KNOWN or name in members:
            raise UploadError(f"The npz file holds {shown(name)}, and only {', '.join(_KNOWN)} are read, once each")
        if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UploadError("The npz file is encrypted or packed in a way that NumPy does not use")
        members[name] = member
    if lost := [name for name in _NEEDED if name not in members]:
        raise UploadError(f"The npz file lacks the array {' and '.join(lost)}")
    if sum(member.file_size for member in members.values()) > limits.array_bytes:
        raise UploadError(f"Unpacked, the arrays have more than {limits.array_bytes / 1e6:.0f} MB")
    return members


def _declared(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Declared:
    """The header of one array, without the array."""
    with archive.open(member) as stream:
        return declared_array(stream, member.file_size, name)


def declared_array(stream: IO[bytes], size: int, name: str) -> Declared:
    """The header of an npy file of `size` bytes, matched and not evaluated. Raises `UploadError`."""
    start = stream.read(10)
    if len(start) < 10 or start[:6] != b"\x93NUMPY" or start[6] not in (1, 2, 3):
        raise UploadError(f"{name} is not an array of NumPy")
    if start[6] == 1:
        length, begin = struct.unpack("<H", start[8:])[0], 10
    else:
        length, begin = struct.unpack("<L", start[8:] + stream.read(2))[0], 12
    header = stream.read(length) if length <= 4096 else b""
    if b"'O'" in header or b"'|O'" in header:
        raise UploadError(f"The array {name} holds Python objects, which are never read; save it as numbers")
    match = _HEADER.fullmatch(header)
    if match is None:
        raise UploadError(
            f"The array {name} has a header or a type that is not read; save it as plain numbers or texts"
        )
    order, kind, width, fortran, dims = (part.decode() for part in match.groups())
    try:
        dtype = np.dtype(f"{order}{kind}{width}")
    except TypeError:
        raise UploadError(f"The array {name} is of an unknown type {shown(kind + width)}") from None
    shape = tuple(int(part) for part in dims.split(",") if part.strip())
    declared = Declared(dtype, shape, fortran == "True", begin + length)
    if declared.start + declared.bytes != size:
        raise UploadError(f"The array {name} is not as long as its header says")
    return declared


def _check_declared(declared: Mapping[str, Declared], limits: Limits) -> None:
    """Shapes and types, before anything is unpacked."""
    x, y, edges = (declared[name] for name in _NEEDED)
    if len(x.shape) != 2 or x.dtype.kind not in "fiub":
        raise UploadError(f"x must be a table of numbers with one row a node (its shape is {shown(x.shape)})")
    nodes, features = x.shape
    if y.shape != (nodes,) or y.dtype.kind not in "iu":
        raise UploadError(
            f"y must be {nodes} whole numbers, one a node (its shape is {shown(y.shape)}, type {y.dtype})"
        )
    if len(edges.shape) != 2 or edges.shape[0] != 2 or edges.dtype.kind not in "iu":
        raise UploadError(
            f"edge_index must be two rows of whole numbers (its shape is {shown(edges.shape)}, type {edges.dtype})"
        )
    check_sizes(limits, nodes=nodes, features=features, edges=edges.shape[1])
    present = [name for name in _MASKS if name in declared]
    if present and len(present) < 3:
        raise UploadError(f"There must be all of {', '.join(_MASKS)} or none")
    for name in present:
        if declared[name].shape != (nodes,) or declared[name].dtype.kind != "b":
            raise UploadError(f"{name} must be {nodes} booleans")
    for name, most in (("class_names", limits.classes), ("feature_names", features)):
        if name in declared:
            texts = declared[name]
            if len(texts.shape) != 1 or texts.dtype.kind != "U" or texts.shape[0] > most:
                raise UploadError(f"{name} must be a list of at most {most} texts")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, declared: Declared) -> NDArray[Any]:
    with archive.open(member) as stream:
        content = _exactly(stream, declared.start + declared.bytes, name)[declared.start :]
    try:
        flat = np.frombuffer(content, dtype=declared.dtype)
    except ValueError:
        raise UploadError(f"The array {name} is damaged") from None
    return flat.reshape(declared.shape, order="F" if declared.fortran else "C")


def _exactly(stream: IO[bytes], size: int, name: str) -> memoryview:
    """All of a member; reading to its end also checks its checksum."""
    content = stream.read(size)
    if len(content) != size or stream.read(1):
        raise UploadError(f"The array {name} is not as long as its header says")
    return memoryview(content)


def _graph(arrays: Mapping[str, NDArray[Any]], limits: Limits) -> Upload:
    y_raw, edges_raw = arrays["y"], arrays["edge_index"]
    nodes = y_raw.size
    if y_raw.min() < 0:
        raise UploadError(f"Node {int(np.argmin(y_raw))} has a negative label, and every node needs a label from 0")
    if y_raw.max() >= np.iinfo(np.int64).max or (edges_raw.size and (edges_raw.min() < 0 or edges_raw.max() >= nodes)):
        raise UploadError(f"An edge names a node outside 0 to {nodes - 1}, or a label is too large")
    with np.errstate(over="ignore", invalid="ignore"):
        x = np.ascontiguousarray(arrays["x"], dtype=np.float32)
    y, names = _classes(y_raw.astype(np.int64), arrays.get("class_names"), limits)
    features = _texts(arrays.get("feature_names"), "feature_names")
    if features and len(features) != x.shape[1]:
        raise UploadError(f"feature_names has {len(features)} names for {x.shape[1]} features")
    masks = tuple(arrays[name] for name in _MASKS) if _MASKS[0] in arrays else None
    if masks is not None:
        masks = tuple(np.frombuffer(mask.tobytes(), dtype=np.uint8) > 0 for mask in masks)
        if sum(mask.astype(int) for mask in masks).max() > 1:  # type: ignore[union-attr]
            raise UploadError("A node is in more than one of train_mask, val_mask and test_mask")
        if not all(mask.any() for mask in masks):
            raise UploadError("Each of train_mask, val_mask and test_mask must have at least one node")
    return finish(
        Upload(
            kind="npz",
            x=x,
            y=y,
            edges=edges_raw.astype(np.int64),
            class_names=names,
            feature_names=features,
            masks=(masks[0], masks[1], masks[2]) if masks is not None else None,
        ),
        limits,
    )


def _classes(
    y: NDArray[np.int64], names: NDArray[Any] | None, limits: Limits
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Labels as they are where names are given, else renumbered without holes and named by their old
    number."""
    given = _texts(names, "class_names")
    if given:
        if y.max() >= len(given):
            raise UploadError(f"A label is {int(y.max())}, and class_names has {len(given)} names")
        return y, given
    old, new = np.unique(y, return_inverse=True)
    if old.size > limits.classes:
        raise UploadError(f"There are more than {limits.classes:,} different labels")
    return new.astype(np.int64), tuple(str(label) for label in old)


def _texts(array: NDArray[Any] | None, name: str) -> tuple[str, ...]:
    """The texts of an array, whose letters are checked as numbers: NumPy makes strings of impossible ones."""
    if array is None or array.size == 0:
        return ()
    letters = np.frombuffer(array.tobytes(), dtype=np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    if (letters > 0x10FFFF).any() or ((letters >= 0xD800) & (letters <= 0xDFFF)).any():
        raise UploadError(f"{name} holds letters that do not exist")
    return tuple(clean_name(str(text)) for text in array)
