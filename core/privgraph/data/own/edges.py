"""Edges of a large graph, from a stream of their ends to sorted rows of an adjacency matrix. No torch."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privgraph.data.errors import UploadError
from privgraph.data.own.frames import Seen
from privgraph.data.own.growing import Growing
from privgraph.data.own.limits import Limits
from privgraph.data.own.sorting import Sorter

Ends = NDArray[np.int64]
_ENTRIES = 1 << 22
"""Entries whose row numbers are written at once."""


class Adjacency:
    """Puts edges in order: row i of the matrix lists the sources of edges to node i, ascending, each once.

    `edges.npy` and `pointers.npy` will lie in `folder`, and what is sorted lies in `scratch` in between. A
    directed edge is one entry, from source to target; another is two.
    """

    def __init__(self, folder: Path, scratch: Path, nodes: int, directed: bool, limits: Limits) -> None:
        self._folder, self._nodes, self._directed, self._limits = folder, nodes, directed, limits
        self._sorter = Sorter(scratch)
        self.listed = self.loops = self.entries = self.weightless = 0

    def add(self, source: Ends, target: Ends) -> None:
        """Take in edges, (n,) ends each in [0, |V|). Raises `UploadError` where there are too many."""
        self.listed += source.size
        if self.listed > self._limits.edges:
            raise UploadError(f"There are more than {self._limits.edges:,} edges")
        other = source != target
        self.loops += source.size - int(np.count_nonzero(other))
        source, target = source[other], target[other]
        self._sorter.add(target * self._nodes + source)
        if not self._directed:
            self._sorter.add(source * self._nodes + target)

    @property
    def expected(self) -> int:
        """Entries that there are at most."""
        return (self.listed - self.loops) * (1 if self._directed else 2)

    @property
    def edges(self) -> int:
        """Edges that are left, each counted once."""
        return self.entries if self._directed else self.entries // 2

    def write(self, seen: Seen) -> None:
        """Write `edges.npy`, (2, |E|) int64 as in `Graph.edge_index`, and `pointers.npy`, (|V| + 1,) int64:
        where each target's entries begin. `seen` is told how many entries are written."""
        written = Growing(self._folder / "edges.npy", np.int64)
        degrees = np.zeros(self._nodes, dtype=np.int64)
        for keys in self._sorter.sorted():
            target = keys // self._nodes
            written.append(keys - target * self._nodes)
            low = int(target[0])
            counted = np.bincount(target - low)
            degrees[low : low + counted.size] += counted
            self.entries += keys.size
            seen(self.entries)
        pointers = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(degrees)])
        np.save(self._folder / "pointers.npy", pointers)
        for start in range(0, self.entries, _ENTRIES):
            stop = min(start + _ENTRIES, self.entries)
            low, high = (int(np.searchsorted(pointers, place, side="right")) - 1 for place in (start, stop - 1))
            # Of the first and the last of these rows, only what lies in between.
            cuts = np.clip(pointers[low : high + 2], start, stop)
            written.append(np.repeat(np.arange(low, high + 1), np.diff(cuts)))
        written.finish((2, self.entries))
