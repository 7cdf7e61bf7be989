"""A first look at the nodes of an upload, before anything is checked: their columns, which of these hold
words, how many nodes are of which class, and a few rows. No torch."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO
from xml.parsers import expat

from privgraph.data import upload_columns
from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import is_number
from privgraph.data.upload_graphml import NUMBERS
from privgraph.data.upload_rows import File
from privgraph.data.upload_xml import feed, new_parser

_SEEN = 4_000_000
"""Bytes of a CSV file that are looked at."""
ROWS = 20_000
"""Rows that are looked at."""
_LONGEST = 1000
FEW = 10
"""Nodes of a class, on average, below which little is learnt: it may rather be a number or a name."""
_ENDS = 20_000_000
"""Bytes of each of two files, up to which the ends of edges are looked for among the nodes."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """The `columns` of the nodes, those of them that hold `words`, the first `rows` of them, and whether
    these are all."""

    columns: tuple[str, ...]
    words: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    whole: bool

    def counts(self, column: str) -> Counter[str]:
        """How many of the rows have which value."""
        at = self.columns.index(column)
        return Counter(row[at] for row in self.rows)


def csv_nodes(file: BinaryIO) -> Look | None:
    """A look at a CSV file of nodes; None for what cannot be read."""
    file.seek(0)
    content = file.read(_SEEN)
    more = bool(file.read(1))
    file.seek(0)
    if more:
        content = content.rpartition(b"\n")[0]
    try:
        read = File(upload_columns.with_commas(io.BytesIO(content))[0].read())
        rows = [tuple(cell.strip() for cell in row) for row in islice(read.rows, ROWS + 1)]
    except (UnicodeDecodeError, csv.Error, UploadError):
        return None
    rows = [row for row in rows if len(row) == len(read.header)]
    return _look(tuple(read.header), rows, more)


def known_ends(edges: BinaryIO, nodes: BinaryIO, source: str, target: str, name: str) -> tuple[int, int] | None:
    """How many ends of edges are names of nodes, and how many there are; None for files that are too large,
    or cannot be read. `source` and `target` are columns of the edges, `name` one of the nodes."""
    try:
        pairs, named = _read(edges), _read(nodes)
        if pairs is None or named is None:
            return None
        at = named.header.index(name)
        names = {row[at].strip() for row in named.rows if len(row) == len(named.header)}
        places = pairs.header.index(source), pairs.header.index(target)
        ends = [row[at].strip() for row in pairs.rows if len(row) == len(pairs.header) for at in places]
    except (UnicodeDecodeError, csv.Error, UploadError, ValueError):
        return None
    return sum(end in names for end in ends), len(ends)


def _read(file: BinaryIO) -> File | None:
    file.seek(0)
    content = file.read(_ENDS + 1)
    file.seek(0)
    return None if len(content) > _ENDS else File(upload_columns.with_commas(io.BytesIO(content))[0].read())


def _look(columns: tuple[str, ...], rows: list[tuple[str, ...]], more: bool, words: tuple[str, ...] = ()) -> Look:
    # Of a column of numbers a few cells may be wrong: it is one of words where most cells are.
    odd = [sum(not is_number(row[at]) for row in rows) for at in range(len(columns))]
    found = [name for name, count in zip(columns, odd, strict=True) if 2 * count > len(rows)]
    return Look(
        columns=columns,
        words=tuple(dict.fromkeys((*words, *found))) if rows else words,
        rows=tuple(rows[:ROWS]),
        whole=not more and len(rows) <= ROWS,
    )


def graphml_nodes(file: BinaryIO) -> Look:
    """A look at the node attributes of a GraphML file. Raises `UploadError` where it is not well-formed."""
    file.seek(0)
    reader = _Nodes(new_parser())
    feed(reader.parser, file)
    file.seek(0)
    names = tuple(reader.names.values())
    words = tuple(name for key, name in reader.names.items() if reader.kinds[key] not in NUMBERS)
    rows = [tuple(row.get(key, "") for key in reader.names) for row in reader.rows]
    numbers = [
        tuple(_as_number(cell) if name not in words else cell for name, cell in zip(names, row, strict=True))
        for row in rows
    ]
    return _look(names, numbers, len(rows) > ROWS, words)


def _as_number(cell: str) -> str:
    return {"true": "1", "false": "0"}.get(cell.lower(), cell)


class _Nodes:
    """Follows declared attributes and their values for the first nodes of a GraphML file."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        self.names: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.rows: list[dict[str, str]] = []
        self._key, self._node, self._letters = "", False, 0
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "key" and attributes.get("for", "all") in ("node", "all") and attributes.get("attr.name"):
            key = attributes.get("id", "")
            self.names[key], self.kinds[key] = attributes["attr.name"], attributes.get("attr.type", "string")
        elif name == "node":
            self._node = True
            self.rows.append({})
            if len(self.rows) > ROWS:
                self.parser.StartElementHandler = self.parser.EndElementHandler = None
                self.parser.CharacterDataHandler = None
        elif name == "data" and self._node:
            self._key, self._letters = attributes.get("key", ""), 0
            self.rows[-1][self._key] = ""

    def _end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name == "data" and self._key:
            self.rows[-1][self._key] = self.rows[-1][self._key].strip()
            self._key = ""
        elif name == "node":
            self._node = False

    def _text(self, data: str) -> None:
        if self._key and self._letters < _LONGEST:
            self._letters += len(data)
            self.rows[-1][self._key] += data
