"""Rows of uploaded CSV files, and the pairs that they list. No torch."""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from privgraph.data import upload_arrow
from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import Limits, fields, shown

Rows = Iterator[list[str]]

PAIRS = ["source", "target"]
"""The header of a file of edges or relations."""
LONGEST_LINE = 1_000_000
"""Letters of a line, or of a record whose quotes span lines."""


class File:
    """A file's content (the limit bounds it), its header, and the rows after it, to be read once."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.rows = _rows(self._text())
        self.header = [column.strip() for column in next(self.rows, [])]

    def _text(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8-sig", newline="")

    @property
    def large(self) -> bool:
        """Whether it is worth trying whether Arrow can read it."""
        return len(self.content) >= upload_arrow.WORTH_IT

    def records(self) -> Rows:
        """The rows after the header, from the start, where a quoted field may hold line breaks.

        A quote that is never closed ends at the longest line at the latest. Raises `UploadError` there, and
        `csv.Error` for what is no CSV.
        """
        taken, text = 0, self._text()

        def lines() -> Iterator[str]:
            nonlocal taken
            while line := text.readline(LONGEST_LINE):
                taken += len(line)
                if taken >= LONGEST_LINE:
                    raise _too_long()
                yield line

        for place, row in enumerate(csv.reader(lines(), strict=True)):
            taken = 0
            if place:
                yield row


def _too_long() -> UploadError:
    return UploadError(f"A CSV file has a line of more than {LONGEST_LINE:,} letters")


def _rows(text: io.TextIOWrapper) -> Rows:
    """One row a line, so that a quote which is never closed cannot swallow the file."""
    while line := text.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise _too_long()
        if '"' in line:
            yield from csv.reader([line], strict=True)
        else:
            # What the reader would give, in a third of the time.
            yield line.rstrip("\r\n").split(",") if line.strip("\r\n") else []


def pairs_of(
    file: File, number: dict[str, int], limits: Limits, *, pair: str = "edge", end: str = "node"
) -> NDArray[np.int64]:
    """(2, any) the pairs that a file lists, as the numbers of their ends; `pair` and `end` are what a message
    calls them. Raises `UploadError`."""
    quick = upload_arrow.edges(file.content, number, limits) if file.large else None
    return _slow_pairs(file.rows, number, limits, pair, end) if quick is None else quick


def _slow_pairs(rows: Rows, number: dict[str, int], limits: Limits, pair: str, end: str) -> NDArray[np.int64]:
    ends = array("q")
    for count, row in enumerate(rows, start=1):
        if not row:
            continue
        if len(row) != 2:
            raise UploadError(f"{pair.capitalize()} row {count} has {fields(len(row))}, and two are needed")
        for name in row:
            if name.strip() not in number:
                raise UploadError(
                    f"{pair.capitalize()} row {count} names the {end} {shown(name)}, which has no row among the {end}s"
                )
            ends.append(number[name.strip()])
        if len(ends) > 2 * limits.edges:
            raise UploadError(f"There are more than {limits.edges:,} {pair}s")
    return np.frombuffer(ends, dtype=np.int64).reshape(-1, 2).T if ends else np.empty((2, 0), dtype=np.int64)
