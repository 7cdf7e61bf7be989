"""Lines of uploaded text files: what stands between columns, whether there is a header, and edge lists that
have neither commas nor a header (`1 2`, with or without comments above). No torch."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from privgraph.data.upload_checks import is_number, shown
from privgraph.data.upload_rows import PAIRS

_SEEN = 100_000
"""Bytes of a file that tell what stands between its columns."""
_WIDEST = 4
"""Columns of an edge list without a header: two ends, and perhaps a weight and a time."""
_COMMENTS = ("#", "%")
ENDS = ("source", "target", "from", "to", "src", "dst", "u", "v", "node1", "node2", "citing", "cited")
"""Names of the columns of an edge list: each two belong together."""
NO_MATRIX = "MatrixMarket file, and its line of sizes is no edge: write its entries as CSV with source,target"
"""What is said of a file that begins as a MatrixMarket file, after "a"."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What stands between columns (" " is any white space), how many lines of `comments` come first (empty
    ones among them; `skipped` are the others), and if the first line after them is a row already, of so many
    columns."""

    mark: str
    comments: int = 0
    skipped: tuple[str, ...] = ()
    headerless: bool = False
    width: int = 0


def shape(content: bytes) -> Shape:
    """The shape of a text file, by its first lines; that of a CSV file with a header in doubt."""
    head = content[:_SEEN]
    if len(content) > len(head):
        head = head.rpartition(b"\n")[0] or head
    # Lines end here as they do where they are read; splitlines would end them at more letters than that.
    lines = [line.rstrip("\r\n") for line in io.StringIO(head.decode("utf-8-sig", "replace"), newline="")]
    comments = next((at for at, line in enumerate(lines) if line.strip() and not line.startswith(_COMMENTS)), 0)
    comments = _first_edge(lines, comments)
    body = [line for line in lines[comments:] if line.strip()]
    skipped = tuple(line.strip() for line in lines[:comments] if line.strip())
    if not body:
        return Shape(mark=",")
    mark = _mark(body[0])
    if mark == " ":
        widths = {len(line.split()) for line in body}
        if len(widths) != 1 or not 2 <= max(widths) <= _WIDEST:
            return Shape(mark=",")
    rows = [_cells(line, mark) for line in body]
    if not _is_row(rows):
        return Shape(mark=mark, comments=comments, skipped=skipped)
    return Shape(mark=mark, comments=comments, skipped=skipped, headerless=True, width=len(rows[0]))


def _mark(line: str) -> str:
    return next((one for one in ",;\t" if one in line), " ")


def _first_edge(lines: Sequence[str], comments: int) -> int:
    """The place of the first line that is an edge, or else `comments`, where lines begin that do not look
    like comments. A node may be called `#1`: a line that begins so is an edge where it has as many columns as
    those below, and one of its ends is an end of another line. Above edges between numbers it is a comment:
    `#nodes 4`."""
    if not comments:
        return 0
    mark = _mark(lines[comments])
    below = [_cells(line, mark) for line in lines[comments:] if line.strip()]
    width = len(below[0])
    if not 2 <= width <= _WIDEST or all(is_number(end) for row in below for end in row[:2]):
        return comments
    rows = {at: _cells(lines[at], mark) for at in range(comments) if not lines[at][1:2].isspace()}
    rows = {at: row for at, row in rows.items() if len(row) == width and all(map(is_number, row[2:]))}
    ends = Counter(end for row in (*below, *rows.values()) for end in {*row[:2]})
    return min((at for at, row in rows.items() if any(ends[end] > 1 for end in row[:2])), default=comments)


def comments_told(skipped: Sequence[str]) -> str:
    """What is said of lines that were not read; "" for none.

    >>> comments_told(["# by hand"])
    '1 line at the top of a file was skipped as a comment: # by hand'
    """
    if len(skipped) < 2:
        return f"1 line at the top of a file was skipped as a comment: {shown(skipped[0])}" if skipped else ""
    return f"{len(skipped):,} lines at the top of a file were skipped as comments, the first: {shown(skipped[0])}"


def is_matrix(content: bytes) -> bool:
    """Whether a file begins as a MatrixMarket file: after its comments comes a line of sizes."""
    return content[:32].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(b"%%matrixmarket")


def _is_row(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line of what may be an edge list is an edge, and no header: numbers, or a name that
    is an end of another edge."""
    first, width = rows[0], len(rows[0])
    if not 2 <= width <= _WIDEST or any(len(row) != width for row in rows):
        return False
    if all(map(is_number, first)):
        return True
    if len({one.lower() for one in first[:2]} & {*ENDS, "id", "label"}) or not all(map(is_number, first[2:])):
        return False
    return any(end in first[:2] for row in rows[1:] for end in row[:2])


def _cells(line: str, mark: str) -> list[str]:
    if mark == " ":
        return line.split()
    return [cell.strip() for cell in next(csv.reader([line], delimiter=mark), [])]


def with_header(content: bytes) -> bytes:
    """An edge list as CSV with commas and a header; any other file as it is."""
    found = shape(content)
    if found.mark != " " and not found.comments and not found.headerless:
        return content
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    out = io.StringIO()
    writer = csv.writer(out, delimiter="," if found.mark == " " else found.mark, lineterminator="\n")
    if found.headerless:
        writer.writerow([*PAIRS, *(f"column {at + 1}" for at in range(2, found.width))])
    for at, line in enumerate(text):
        if at >= found.comments and line.strip():
            writer.writerow(_cells(line.rstrip("\r\n"), found.mark))
    return out.getvalue().encode()


def numbered(content: bytes) -> Iterator[tuple[int, str, list[str]]]:
    """Number, text and fields of each line that is not empty, the header among them; one is made up where
    there is none, with the number 0. One row a line, as a graph's files are read. Raises `csv.Error` and
    `UnicodeDecodeError`."""
    found = shape(content)
    if found.headerless:
        yield 0, "", [*PAIRS, *(f"column {at + 1}" for at in range(2, found.width))]
    for at, line in enumerate(io.StringIO(content.decode("utf-8-sig"), newline="")):
        if at >= found.comments and line.strip():
            yield at + 1, line.rstrip("\r\n"), _cells(line.rstrip("\r\n"), found.mark)


@dataclass(frozen=True, kw_only=True)
class EdgeList:
    """What edges alone tell: how many were listed, how many remain of them as pairs, the degree of each node,
    by its name, how many were `loops` from a node to itself, which columns say something else, and a sentence
    on lines that were skipped as comments, or ""."""

    listed: int
    pairs: int
    degrees: Counter[str]
    loops: int = 0
    ignored: tuple[str, ...] = ()
    comments: str = ""

    @property
    def repeated(self) -> int:
        """How many were the same two nodes again."""
        return self.listed - self.loops - self.pairs


def ends_of(header: Sequence[str]) -> tuple[int, int] | None:
    """The places of the two columns of ends: those whose names belong together, or else the first two.

    >>> ends_of(["u", "source", "target"]), ends_of(["weight", "from", "v"]), ends_of(["id", "source"])
    ((1, 2), (1, 2), None)
    """
    lower = [one.strip().lower() for one in header]
    for one, other in zip(ENDS[::2], ENDS[1::2], strict=True):
        if one in lower and other in lower:
            return lower.index(one), lower.index(other)
    first = [at for at, name in enumerate(lower) if name in ENDS][:2]
    return (first[0], first[1]) if len(first) == 2 else None


def edge_list(content: bytes) -> EdgeList | None:
    """What a file of edges tells; None for another one, and for one whose rows are not all alike."""
    if is_matrix(content):
        return None
    try:
        rows = numbered(content)
        _, _, header = next(rows)
        ends = ends_of(header)
        if ends is None or {"id", "label"} & {one.strip().lower() for one in header}:
            return None
        listed, loops, pairs = 0, 0, set[tuple[str, str]]()
        degrees: Counter[str] = Counter()
        for _, _, row in rows:
            if len(row) != len(header) or not (row[ends[0]] and row[ends[1]]):
                return None
            one, other = sorted((row[ends[0]], row[ends[1]]))
            listed += 1
            loops += one == other
            degrees.update({one: 0, other: 0})
            if one != other and (one, other) not in pairs:
                pairs.add((one, other))
                degrees.update((one, other))
    except (UnicodeDecodeError, csv.Error, StopIteration):
        return None
    if not listed:
        return None
    rest = tuple(one.strip() for at, one in enumerate(header) if at not in ends)
    told = comments_told(shape(content).skipped)
    return EdgeList(listed=listed, pairs=len(pairs), degrees=degrees, loops=loops, ignored=rest, comments=told)


def no_table(content: bytes) -> str:
    """Why a file is neither a list of edges nor a table, after its name; "" for what may be one.

    >>> no_table(b"Call the bank about this"), no_table(b"a b" + bytes(1) + b"c"), no_table(b"id,label")
    ('is no list of edges: line 1 has 5 words, not 2', 'is no text', '')
    """
    if is_matrix(content):
        return f"is a {NO_MATRIX}"
    try:
        text = content[:_SEEN].decode("utf-8-sig", "ignore" if len(content) > _SEEN else "strict")
    except UnicodeDecodeError:
        return "is no text in UTF-8"
    if "\0" in text:
        return "is no text"
    lines = [(at, line) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [(at, line) for at, line in lines if not line.startswith(_COMMENTS)]
    if not lines:
        return "has comments alone, and no edges"
    if any(mark in lines[0][1] for mark in ",;\t"):
        return ""
    for at, line in lines:
        if not 2 <= (count := len(line.split())) <= _WIDEST:
            return f"is no list of edges: line {at} has {count} word{'s' * (count != 1)}, not 2"
    first = len(lines[0][1].split())
    odd = next(((at, len(line.split())) for at, line in lines if len(line.split()) != first), None)
    return "" if odd is None else f"is no list of edges: line {odd[0]} has {odd[1]} words, and those above {first}"


def nodes_to_fill_in(names: Sequence[str]) -> bytes:
    """A CSV file of nodes with the header that is read and a row a node; class and feature are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "label", "feature"])
    writer.writerows([name, "", ""] for name in names)
    return out.getvalue().encode()
