"""Tables and edge lists in text files, whose form is found from the first lines. No torch."""

import codecs
import csv
import io
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow
from pyarrow import csv as arrow

from privgraph.data.errors import UploadError
from privgraph.data.own.description import Unclear
from privgraph.data.own.frames import TEXT, Frame, NotPlain, Seen, Types, check_names, of_columns
from privgraph.data.own.given import NO_UTF8, Given
from privgraph.data.own.limits import shown

NAMES = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
ENDS = tuple(pair.split("/") for pair in NAMES["ends"].split())
KNOWN = {name for pair in ENDS for name in pair} | set(NAMES["columns"].split())
MISSING = tuple(NAMES["missing"])
_SEEN = 1 << 17
"""Bytes that tell what stands between cells."""
_LINES = 200
_ALONE = 1 << 27
"""Bytes up to which a file is read at once, by several threads."""
_BLOCK = 1 << 24
_FLAGS = {f"{word}_values": [word, word.title(), word.upper()] for word in ("true", "false")}
_MARKS = "\t;|,"
_BRACES = re.compile(r"""\{(?:['"](?:[^{}\n]*\bweight['"]: ?([-+.\deE]+))?[^{}\n]*)?\}""")
"""A dictionary as Python writes it: the attributes of an edge."""
_WIDTH = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)


class Shape(NamedTuple):
    """What the first lines tell: the `mark` between cells (" " is any white space), lines to `skip`, whether
    the first row is a header (None: not sure), and whether lines are `ragged`, edges of which some have a
    weight (`loose`), or may end inside a cell (`quoted`)."""

    encoding: str
    mark: str
    skip: int
    rows: tuple[tuple[str, ...], ...]
    header: bool | None
    ragged: bool
    loose: bool
    quoted: bool
    notes: tuple[str, ...]


def sniff(head: bytes, file: Given, said: str | None = None) -> Shape:
    """The shape of a text file that begins so. Raises `UploadError` for what is no text."""
    text, encoding = _decoded(head, file)
    if "\0" in text:
        raise file.refusal("is no text")
    if len(head) >= _SEEN:
        text = re.split(r"[\r\n][^\r\n]*\Z", text)[0]
    lines = re.split(r"\r\n|\r|\n", text)
    mark, skip = "", 0
    if told := re.fullmatch(r'"?sep=(.)"?', lines[0].strip(" \r")):
        mark, skip = told[1], 1
    comments = skip + _comments(lines[skip:])
    notes = tuple(line.strip() for line in lines[skip:comments] if line.strip())
    body = [line for line in lines[comments:] if line.strip()]
    if not body:
        raise file.refusal("has no rows" + " but comments" * bool(notes))
    if any(re.match(r"%\s*bip\b", note) for note in notes):
        raise file.refusal("has nodes of two parts by the same numbers: give each node a name of its own")
    braces = [_BRACES.sub("", line) for line in body[:_LINES] if re.search(rf"{_BRACES.pattern}\s*$", line)]
    if any(len(line.split()) < 2 for line in braces):
        raise file.refusal("has edges of several lines: write one edge a line, with its source and its target")
    body = [_BRACES.sub(r"\1", line) for line in body] if braces else body
    mark = mark or max(_MARKS, key=lambda one: _regular(body, one))
    if not _regular(body, mark):
        mark = " " if max(len(line.split()) for line in body[:_LINES]) > 1 else ","
    rows = tuple(tuple(cell.strip() for cell in row) for row in islice(_cells(body, mark), _LINES) if row)
    rows = _with_row_names(rows, mark)
    widths = Counter(map(len, rows))
    loose = bool(braces) or (said == "edges" and mark == " " and len(widths) > 1)
    ragged = len(widths) > 1 and not loose and (mark == " " or widths.most_common(1)[0][1] < 0.5 * len(rows))
    header = None if ragged else _is_header(rows, mark)
    if notes and not header and not ragged and (names := _commented_header(notes, mark, rows)):
        rows, header, comments, notes = (names, *rows), True, comments - 1, notes[:-1]
    return Shape(encoding, mark, comments, rows, header, ragged, loose, '"' in text, notes)


def _with_row_names(rows: tuple[tuple[str, ...], ...], mark: str) -> tuple[tuple[str, ...], ...]:
    """The rows, with an empty name above the names of rows, where R writes none."""
    first, rest = ("", *rows[0]), rows[1:]
    counted = [row[0] for row in rest] == [str(at + 1) for at in range(len(rest))]
    short = len(rest) > 1 and {len(row) for row in rest} == {len(first)} and not any(map(is_number, first))
    named = counted or "id" not in map(str.lower, first)
    return (first, *rest) if short and named and _is_header((first, *rest), mark) else rows


def _decoded(head: bytes, file: Given) -> tuple[str, str]:
    """The first letters of a text, and its encoding."""
    encoding = "utf-8-sig"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif len(head) > 8 and head[1::2].count(0) > 0.4 * len(head[1::2]):
        encoding = "utf-16-le"
    with file.refusing(UnicodeDecodeError, NO_UTF8):  # the last letter may be cut in two
        return codecs.getincrementaldecoder(encoding)().decode(head), encoding


def _comments(lines: Sequence[str]) -> int:
    """How many lines at the top are empty or comments. Names may begin with # as well, there and below."""
    first = next((at for at, line in enumerate(lines) if line.strip() and not line.startswith(("#", "%"))), len(lines))
    named = [at for at in range(first) if re.match(r"#\S", lines[at])]
    below = re.search(r"(?:^|[\s,;|])#", "\n".join(lines[first : first + _LINES]))
    return named[0] if named and (below or first == len(lines)) else first


def _commented_header(notes: Sequence[str], mark: str, rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The last comment where it names the columns below it: `# FromNodeId ToNodeId`."""
    cells = tuple(cell.strip() for row in _cells([notes[-1].lstrip("#% ")], mark) for cell in row)
    known = sum(cell.lower() in KNOWN for cell in cells)
    return cells if len(cells) == len(rows[0]) and known >= min(2, len(cells)) else ()


def _cells(lines: Sequence[str], mark: str) -> Iterator[list[str]]:
    if mark == " ":
        return iter(map(words, lines))
    return csv.reader((line + "\n" for line in lines), delimiter=mark)


def words(line: str) -> list[str]:
    """The words of a line, with blanks inside quotes."""
    return ["".join(one) for one in re.findall(r'"([^"]*)"|(\S+)', line)] if '"' in line else line.split()


def _regular(lines: Sequence[str], mark: str) -> float:
    """The share of rows that have as many cells as most, where these are several."""
    try:
        widths = Counter(len(row) for row in islice(_cells(lines, mark), _LINES) if row)
    except csv.Error:
        return 0.0
    width, count = widths.most_common(1)[0]
    return count / widths.total() if width > 1 else 0.5 * (len(next(_cells(lines[:1], mark), ())) > 1)


def is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"[-+]?[\d.,' ]*\d[\d.,]*(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)", cell, re.IGNORECASE))


def _is_header(rows: Sequence[Sequence[str]], mark: str) -> bool | None:
    """Whether the first row has names; None where it may be either."""
    first, rest = rows[0], rows[1:]
    lower = [cell.lower() for cell in first]
    if sum(cell in KNOWN for cell in lower) >= min(2, len(first)) or (KNOWN & {"id", "label"} & set(lower)):
        return True
    if not rest:
        return None
    if all(is_number(cell) or not cell for cell in first):
        return None if mark != " " and len(first) > 1 and lower == [*map(str, range(len(first)))] else False
    for at, cell in enumerate(first):
        if not is_number(cell) and all(is_number(row[at]) or not row[at] for row in rest if at < len(row)):
            return True if len(first) > 3 or not any(map(is_number, first)) else None
    return False if any(map(is_number, first)) else None


def frame(file: Given, lines: str | None) -> Frame:
    """The table in a text file, whose `lines` are as a description says. Raises `UploadError`."""
    with file.opened() as opened:
        shape = sniff(opened.read(_SEEN), file, lines)
    if shape.ragged or (lines == "adjacency" and not shape.header):
        return _adjacency(file, shape, lines)
    return _table(file, shape, shape.header)


def _table(file: Given, shape: Shape, header: bool | None) -> Frame:
    widths = Counter(map(len, shape.rows))
    first, width = shape.rows[0], max(widths) if shape.loose else widths.most_common(1)[0][0]
    columns = first if header else tuple(f"column {at + 1}" for at in range(width))
    if shape.loose and not header and width == 3:
        columns = (*columns[:2], "weight")
    check_names(file.name, columns)

    def read(types: Types, seen: Seen) -> Iterator[Any]:
        text = all(kind == TEXT for kind in types.values())
        plain = shape.encoding == "utf-8-sig" and shape.mark != " " and not shape.loose
        skip = (shape.skip if plain else 0) + bool(header)
        blanks = shape.mark == " "
        cells = {"newlines_in_values": shape.quoted or text, "quote_char": False if blanks else '"'}
        values = {"column_types": dict(types), "include_columns": list(types), "null_values": list(MISSING), **_FLAGS}
        options = {
            "read_options": arrow.ReadOptions(column_names=list(columns), skip_rows=skip, block_size=_BLOCK),
            "parse_options": arrow.ParseOptions(delimiter="\t" if blanks else shape.mark, **cells),
            "convert_options": arrow.ConvertOptions(**values),
        }
        with file.opened() as opened:
            source = opened if plain else _Normal(opened, shape)
            try:
                if file.size <= _ALONE:
                    yield from arrow.read_csv(source, **options).to_batches()
                else:
                    with arrow.open_csv(source, **options) as reader:
                        for batch in reader:
                            yield batch
                            seen(opened.tell())
            except (pyarrow.ArrowInvalid, UnicodeDecodeError) as error:
                raise _refusal(file, str(error), text) from None
        seen(file.size)

    rows = [row for row in shape.rows[bool(header) :] if len(row) == len(columns)]
    if header and shape.rows[1:] and not rows:
        raise file.refusal(f"has {len(shape.rows[1])} cells, and {len(columns)} are needed, in its first row")
    cells = [pyarrow.array([row[at] for row in rows], TEXT) for at in range(len(columns))]
    return Frame(
        name=file.name,
        read=read,
        own=dict.fromkeys(columns, TEXT),
        size=file.size,
        header=header,
        other=partial(_table, file, shape),
        notes=shape.notes,
        first=pyarrow.table(cells, names=list(columns)),
    )


def _refusal(file: Given, said: str, text: bool) -> Exception:
    """What is wrong with a file, by what Arrow says of it."""
    if found := _WIDTH.search(said):
        row = f"Row {found[1]}" if found[1] else "A row"
        words = f'"{shown(found[4].strip(), 60)}", has {found[3]} cells, and {found[2]} are needed'
        return UploadError(f"{row} of {shown(file.name)}, {words}")
    if "UTF8" in said or "utf-8" in said or "codec" in said:
        return file.refusal(NO_UTF8)
    if not text and "conversion error" in said:
        return NotPlain()
    return file.refusal(f"cannot be read: {shown(' '.join(said.split()), 100)}")


class _Normal(io.RawIOBase):
    """A text in UTF-8 from its first row on, with tabs where white space stands between cells."""

    def __init__(self, file: BinaryIO, shape: Shape) -> None:
        self._text = io.TextIOWrapper(file, encoding=shape.encoding, newline=None)
        self._lines, self._rest = _normal(self._text, shape), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or "".join(islice(self._lines, _LINES)).encode()
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def _normal(lines: Iterable[str], shape: Shape) -> Iterator[str]:
    width = max(map(len, shape.rows)) if shape.loose else 0  # an edge may have no weight
    for line in islice(lines, shape.skip, None):
        text = _BRACES.sub(r"\1", line) if shape.loose else line
        if shape.mark != " ":
            yield text
        elif cells := words(text):
            yield "\t".join(cells + [""] * (width - len(cells))) + "\n"


def _adjacency(file: Given, shape: Shape, said: str | None) -> Frame:
    """Each line is a node and its neighbours: where somebody says so, or all of these begin a line."""
    with file.refusing(UnicodeDecodeError, NO_UTF8), file.opened() as opened:
        text = io.TextIOWrapper(opened, encoding=shape.encoding, newline=None)
        rows = [next(_cells([line], shape.mark)) for line in islice(text, shape.skip, None) if line.strip()]
    heads, others = [row[0].strip() for row in rows], [other.strip() for row in rows for other in row[1:]]
    if said is None:
        widths = Counter(map(len, shape.rows))
        alone = len(set(heads)) == len(heads)
        if not (alone and set(others) <= set(heads)):
            odd = min(shape.rows, key=lambda row: widths[len(row)])
            raise file.refusal(
                f"has lines of {min(widths)} to {max(widths)} words, such as {shown(' '.join(odd))!r}"
                + ': say lines = "adjacency" if each is a node and its neighbours' * alone
            )
        if widths.keys() == {2, 3}:
            raise Unclear("lines", "edges", "adjacency", table=shown(file.name))
    ends = {"source": [head for head, row in zip(heads, rows, strict=True) for _ in row[1:]], "target": others}
    return of_columns(file.name, ends, pairs=True, notes=(*shape.notes, "each line is a node and its neighbours"))
