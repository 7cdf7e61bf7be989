"""Arrays that grow at their end, in a file that NumPy can map. No torch."""

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray


def read(path: Path) -> NDArray[Any]:
    """The array in an npy file of ours."""
    found: NDArray[Any] = np.load(path, allow_pickle=False)
    return found


class Growing:
    """An npy file of unknown length: append to it, and say its shape when all is there.

    The header leaves room for the largest first number of a shape, so that it can be written again. The file
    is open only while something is written.
    """

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        self._path, self._dtype, self._numbers = path, np.dtype(dtype), 0
        with path.open("wb") as file:
            self._start = self._header(file, (0, 0))

    def append(self, values: NDArray[Any]) -> None:
        """Add all of an array, in C order."""
        with self._path.open("ab") as file:
            file.write(np.ascontiguousarray(values, dtype=self._dtype).data)
        self._numbers += values.size

    def finish(self, shape: tuple[int, ...]) -> None:
        """Give the array its shape. Raises `ValueError` where so many numbers are not there."""
        if self._numbers != np.prod(shape, dtype=np.int64):
            raise ValueError(f"{self._numbers} numbers do not have the shape {shape}")
        with self._path.open("r+b") as file:
            if self._header(file, shape) != self._start:
                raise ValueError(f"the shape {shape} does not fit into the header")

    def _header(self, file: BinaryIO, shape: tuple[int, ...]) -> int:
        """Write the header, and say how long it is."""
        described = {"descr": npy.dtype_to_descr(self._dtype), "fortran_order": False, "shape": shape}
        npy.write_array_header_1_0(file, described)
        return file.tell()
