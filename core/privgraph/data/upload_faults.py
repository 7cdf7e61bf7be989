"""All that is wrong with the lines of two uploaded CSV files of a graph: file, line, and what it says. Looked
for once they are refused. No torch."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from privgraph.data.upload_checks import fields, shown
from privgraph.data.upload_columns import Columns, headers
from privgraph.data.upload_lines import numbered, shape
from privgraph.data.upload_texts import are_texts

_MOST = 100_000
"""Faults that are counted."""
_SHOWN = 3
_LETTERS = 60


@dataclass(frozen=True, kw_only=True)
class Fault:
    """`what` is wrong with a line, which has a `text`; the file is that at `place`."""

    place: int
    line: int
    text: str
    what: str


@dataclass(frozen=True, kw_only=True)
class Faults:
    """The first few faults, and how many there are; `more` where they were not all counted."""

    first: tuple[Fault, ...]
    count: int
    more: bool = False


def faults(files: Sequence[bytes], columns: Columns | None = None) -> Faults | None:
    """What is wrong with the lines of a file of edges and one of nodes; None where no line is at fault, or
    the files are no such two. `columns` are those that a person has chosen."""
    found = headers(files)
    if columns is None:
        if any(map(are_texts, found)):
            return None
        pairs = [at for at, header in enumerate(found) if header[:2] == ("source", "target")]
        if len(found) != 2 or len(pairs) != 1 or not {"id", "label"} <= set(found[1 - pairs[0]]):
            return None
        columns = Columns(edges=pairs[0], source="source", target="target", id="id", label="label")
    if columns.text or len(files) != 2 or columns.edges not in (0, 1):
        return None
    first: list[Fault] = []
    count = 0
    try:
        for fault in _all(files, columns):
            count += 1
            if len(first) < _SHOWN:
                first.append(fault)
            if count >= _MOST:
                break
    except (UnicodeDecodeError, csv.Error, ValueError):
        return None  # no line can be told: the reader's own sentence says why
    return Faults(first=tuple(first), count=count, more=count >= _MOST) if first else None


def _all(files: Sequence[bytes], columns: Columns) -> Iterator[Fault]:
    names: set[str] = set()
    nodes = 1 - columns.edges
    commas = shape(files[nodes]).mark != ","  # between semicolons and tabs, numbers may have decimal commas
    rows = numbered(files[nodes])
    header = [one.strip() for one in next(rows)[2]]
    id_at, label_at = header.index(columns.id), header.index(columns.label)
    words = {id_at, label_at, *(header.index(one) for one in (*columns.left_out, *columns.one_hot) if one in header)}
    for line, text, row in rows:
        what = _of_node(row, header, id_at, label_at, words, names, commas)
        if len(row) > id_at:
            names.add(row[id_at].strip())  # one fault a line: edges to it are not called wrong, too
        if what:
            yield Fault(place=nodes, line=line, text=shown(text, _LETTERS), what=what)
    rows = numbered(files[columns.edges])
    header = [one.strip() for one in next(rows)[2]]
    ends = header.index(columns.source), header.index(columns.target)
    for line, text, row in rows:
        if len(row) != len(header):
            what = _width(row, header)
        else:
            lost = [row[at].strip() for at in ends if row[at].strip() not in names]
            what = f"names the node {shown(lost[0]) or '(empty)'}, which is not among the nodes" if lost else ""
        if what:
            yield Fault(place=columns.edges, line=line, text=shown(text, _LETTERS), what=what)


def _width(row: Sequence[str], header: Sequence[str]) -> str:
    return f"has {fields(len(row))}, and the header has {len(header)}"


def _of_node(
    row: Sequence[str],
    header: Sequence[str],
    id_at: int,
    label_at: int,
    words: set[int],
    names: set[str],
    commas: bool,
) -> str:
    """What is wrong with a row of nodes; "" where nothing is."""
    if len(row) != len(header):
        return _width(row, header)
    name = row[id_at].strip()
    if not name:
        return "has no id"
    if name in names:
        return f"has the id {shown(name)}, which another line has"
    if not row[label_at].strip():
        return f"has no {shown(header[label_at])}"
    for at, cell in enumerate(row):
        if at not in words and not _is_finite(cell.replace(",", ".") if commas else cell):
            comma = " (write a decimal point)" if _is_finite(cell.replace(",", ".")) else ""
            return f"has {shown(cell)!r} as {shown(header[at])}, which is not a finite number{comma}"
    return ""


def _is_finite(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def in_words(found: Faults, names: Sequence[str]) -> str:
    """What is wrong, in one sentence that names files, lines and their text.

    >>> one = Fault(place=1, line=32, text="p31", what="has 1 field, and the header has 4")
    >>> in_words(Faults(first=(one,), count=3), ["edges.csv", "nodes.csv"])
    'nodes.csv, line 32, "p31", has 1 field, and the header has 4; and 2 more lines are at fault'
    """
    told = "; ".join(f'{shown(names[one.place])}, line {one.line}, "{one.text}", {one.what}' for one in found.first)
    rest = found.count - len(found.first)
    if rest <= 0:
        return told
    least = "at least " * found.more
    return f"{told}; and {least}{rest:,} more line{'s are' if rest > 1 else ' is'} at fault"
