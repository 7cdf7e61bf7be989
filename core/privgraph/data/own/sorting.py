"""Edges in order, however many: sorted in runs on disk, which are merged range by range. No torch."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]

RUN = 1 << 23
"""Keys that are sorted at once. All that is in memory at once takes less than twelve times their bytes."""


def distinct(keys: Keys) -> Keys:
    """Sorted keys, each once."""
    first = np.empty(keys.size, dtype=bool)
    first[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys[first]


class Sorter:
    """An external sort of whole numbers: `add` in any order, and `sorted` gives them in ascending order, each
    once. Runs are kept in a folder, as `run-0`, `run-1` and so on; they stay until it goes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._buffer = np.empty(RUN, dtype=np.int64)
        self._filled = 0
        self._runs: list[Path] = []

    def add(self, keys: Keys) -> None:
        """Take in keys, (n,)."""
        while keys.size:
            room = self._buffer[self._filled :]
            taken = min(room.size, keys.size)
            room[:taken], keys = keys[:taken], keys[taken:]
            self._filled += taken
            if taken == room.size:
                self._spill()

    def _spill(self) -> None:
        part, self._filled = self._buffer[: self._filled], 0
        part.sort()
        self._runs.append(self._folder / f"run-{len(self._runs)}")
        distinct(part).tofile(self._runs[-1])

    def sorted(self) -> Iterator[Keys]:
        """All keys in blocks of at most about two runs.

        A key is at most once in each run. Every s-th key of each of k runs is a sample, s = run/k; between a
        sample and the k-th after it lie at most 2k s keys, whatever their distribution.
        """
        if not self._runs:  # all of it is in memory
            keys = self._buffer[: self._filled]
            keys.sort()
            yield from [distinct(keys)] if keys.size else []
            return
        if self._filled:
            self._spill()
        size, self._buffer = self._buffer.size, np.empty(0, dtype=np.int64)
        runs = [np.memmap(path, dtype=np.int64, mode="r") for path in self._runs]
        many = max(1, len(runs))
        step = max(1, size // many)
        samples = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *(run[step - 1 :: step] for run in runs)]))
        bounds = distinct(samples[many - 1 :: many])
        # A block holds the keys above one bound, up to and with the next.
        cuts = [np.concatenate([[0], np.searchsorted(run, bounds, side="right"), [run.size]]) for run in runs]
        for block in range(len(bounds) + 1):
            parts = [run[cut[block] : cut[block + 1]] for run, cut in zip(runs, cuts, strict=True)]
            keys = np.concatenate([np.empty(0, dtype=np.int64), *parts])
            keys.sort()
            keys = distinct(keys)
            if keys.size:
                yield keys
