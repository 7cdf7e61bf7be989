"""Columns of uploaded CSV files that have other names than the ones that are read: which is which, said by a
person. No torch.

The files are written anew with the names that are read, and then checked like any other.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from privgraph.data import upload_categories as categories
from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import Limits, fields, is_number, shown
from privgraph.data.upload_lines import ENDS, ends_of, with_header
from privgraph.data.upload_rows import PAIRS, File
from privgraph.data.upload_texts import are_texts

_SEEN = 100_000
"""Bytes of a file that are looked at before anything is checked."""
_NAMES = ("id", "node", "name", "key", "paper", "person", "user", "index", "")
_LABELS = ("label", "class", "y")
"""Names of a class; any other column is a class only where a person says so."""
_TEXTS = ("text", "title", "abstract", "description", "content", "body")
_DOMAINS = ("domain", "part", "category", "field", "source")


@dataclass(frozen=True, kw_only=True)
class Columns:
    """`edges` is the place of the file of edges or relations, 0 or 1. The other names are columns of the two
    files; `text` and `domain` are "" where there are features instead, or no domains, and `label` is "" where
    texts have none. `left_out` are columns of the nodes that are no features; of each column in `one_hot`,
    every category becomes a feature of 0 and 1."""

    edges: int
    source: str
    target: str
    id: str
    label: str = ""
    text: str = ""
    domain: str = ""
    left_out: tuple[str, ...] = ()
    one_hot: tuple[str, ...] = ()


def with_commas(file: BinaryIO) -> tuple[BinaryIO, tuple[str, ...]]:
    """The same CSV file with commas between its columns, where they are semicolons or tabs, and then points
    in numbers that have decimal commas, with the names of these columns; any other as it is, and one that
    cannot be read so, for the reader to say what is wrong. An edge list without a header is given one."""
    read = file.read()
    file.seek(0)
    try:
        content = with_header(read)
    except (UnicodeDecodeError, csv.Error):
        return file, ()
    mark = _separator(content)
    if mark == ",":
        return (file if content is read else io.BytesIO(content)), ()
    out = io.StringIO()
    try:
        found = dict(_decimal(content, mark))
        writer = csv.writer(out, lineterminator="\n")
        for row in _rows(content, mark):
            writer.writerow([one.replace(",", ".") if at in found else one for at, one in enumerate(row)])
    except (UnicodeDecodeError, csv.Error):
        return file, ()
    return io.BytesIO(out.getvalue().encode()), tuple(found.values())


def _rows(content: bytes, mark: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=mark)


def _decimal(content: bytes, mark: str) -> list[tuple[int, str]]:
    """Place and name of the columns of numbers with a decimal comma; not where some of a column have a
    point."""
    rows = _rows(content, mark)
    header = next(rows, [])
    numbers, some = set(range(len(header))), set()
    for row in rows:
        for at in [at for at in numbers if at < len(row) and row[at].strip()]:
            if "." in row[at] or not is_number(row[at].replace(",", ".")):
                numbers.discard(at)
            elif "," in row[at]:
                some.add(at)
        if not numbers:
            break
    return [(at, header[at].strip()) for at in sorted(numbers & some)]


def _separator(content: bytes) -> str:
    """What stands between the columns of a header."""
    line = content[:100_000].partition(b"\n")[0]
    return next((mark for mark in ";\t" if b"," not in line and mark.encode() in line), ",")


def headers(files: Sequence[BinaryIO | bytes]) -> tuple[tuple[str, ...], ...]:
    """The header of each file; () for one that is no text in UTF-8, or no CSV."""
    return tuple(_header(file) for file in files)


def _header(file: BinaryIO | bytes) -> tuple[str, ...]:
    content = _beginning(file)
    if content.startswith((b"PK", b"\x93NUMPY", b"<")):
        return ()
    try:
        return tuple(File(with_commas(io.BytesIO(content))[0].read()).header)
    except (UnicodeDecodeError, csv.Error, UploadError):
        return ()


def _beginning(file: BinaryIO | bytes) -> bytes:
    """The first whole lines of a file."""
    if isinstance(file, bytes):
        content, more = file[:_SEEN], len(file) > _SEEN
    else:
        file.seek(0)
        content, more = file.read(_SEEN), bool(file.read(1))
        file.seek(0)
    return (content.rpartition(b"\n")[0] or content) if more else content


def are_known(found: Sequence[Sequence[str]]) -> bool:
    """Whether two headers are those that are read as they are."""
    pairs = [list(header) == PAIRS for header in found]
    if sum(pairs) != 1:
        return False
    other = found[1 - pairs.index(True)]
    return {"id", "label"} <= set(other) or are_texts(other)


def in_words(file: BinaryIO | bytes) -> tuple[str, ...]:
    """The columns of a CSV file whose first rows hold something else than numbers: a class or a name, and no
    feature; () for what cannot be read."""
    try:
        read = File(with_commas(io.BytesIO(_beginning(file)))[0].read())
        rows = [row for row in islice(read.rows, 50) if len(row) == len(read.header)]
    except (UnicodeDecodeError, csv.Error, UploadError):
        return ()
    return tuple(name for at, name in enumerate(read.header) if not all(is_number(row[at]) for row in rows))


def guess(found: Sequence[Sequence[str]], place: int | None = None, words: Collection[str] = ()) -> Columns:
    """What two headers of at least two columns most likely mean; a person sees it, and corrects it. `place`
    is that of the file of edges, where somebody has said so. `words` are columns of the nodes that hold no
    numbers, and no features. A class is guessed by its name alone: a wrong one would be kept unseen."""
    if place is None:
        place = max((0, 1), key=lambda at: (_hits(found[at], ENDS) >= 2, -len(found[at])))
    pairs, nodes = list(found[place]), list(found[1 - place])
    ends = ends_of(pairs)
    if ends is not None:
        source, target = pairs[ends[0]], pairs[ends[1]]
    else:
        source = _first(pairs, ENDS, pairs[0])
        target = next((one for one in pairs if one != source), pairs[1])
    name = _first(nodes, _NAMES, nodes[0])
    rest = [one for one in nodes if one != name]
    text = _first(rest, _TEXTS, "")
    rest = [one for one in rest if one != text]
    domain = _first(rest, _DOMAINS, "") if text else ""
    classes = [one for one in rest if one != domain]
    label = _first(classes, _LABELS, "")
    left_out = () if text else tuple(one for one in classes if one in words and one != label)
    return Columns(
        edges=place, source=source, target=target, id=name, label=label, text=text, domain=domain, left_out=left_out
    )


def _hits(header: Sequence[str], words: Sequence[str]) -> int:
    return sum(one.lower() in words for one in header)


def _first(header: Sequence[str], words: Sequence[str], otherwise: str) -> str:
    """The column that has the first of the words as its name."""
    by_name = {one.lower(): one for one in reversed(header)}
    return next((by_name[word] for word in words if word in by_name), otherwise)


def renamed(files: Sequence[BinaryIO | bytes], columns: Columns, limits: Limits) -> list[bytes]:
    """Edges and nodes (or texts) as CSV files with the names that are read. Raises `UploadError`."""
    if columns.edges not in (0, 1):
        raise UploadError(f"The file of edges is 0 or 1, and not {shown(columns.edges)}")
    try:
        return _renamed(files, columns, limits)
    except UnicodeDecodeError:
        raise UploadError("A CSV file is not text in UTF-8: save it as CSV UTF-8") from None
    except csv.Error as error:
        raise UploadError(f"A CSV file cannot be read: {shown(error, 100)}") from None


def _renamed(files: Sequence[BinaryIO | bytes], columns: Columns, limits: Limits) -> list[bytes]:
    opened = []
    for file in files:
        if isinstance(file, bytes):
            opened.append(File(file))
        else:
            file.seek(0)
            opened.append(File(file.read(limits.file_bytes + 1)))
    pairs, nodes = opened[columns.edges], opened[1 - columns.edges]
    named = {"id": columns.id, "text": columns.text, "domain": columns.domain, "label": columns.label}
    kept = {new: old for new, old in named.items() if old}
    if not columns.text:
        features = [old for old in nodes.header if old not in {*kept.values(), *columns.left_out}]
        clash = next((one for one in features if one in kept), None)
        if clash is not None:
            raise UploadError(f"The nodes have a column {shown(clash)} that is no feature: leave it out")
        kept |= {old: old for old in features}
    coded = {} if columns.text else _categories(nodes, columns)
    return [
        _written(pairs, {"source": columns.source, "target": columns.target}, "edges"),
        _written(nodes, kept, "texts" if columns.text else "nodes", coded),
    ]


def said(found: Sequence[Sequence[str]], columns: Columns) -> tuple[str, ...]:
    """What became of columns that are no plain feature, for people; `found` are the two headers."""
    edges = [one for one in found[columns.edges] if one not in (columns.source, columns.target)]
    used = {columns.id, columns.label, columns.text, columns.domain}
    nodes = [*columns.left_out]
    if columns.text:
        nodes = [one for one in found[1 - columns.edges] if one not in used]
    return (*categories.ignored(edges=edges, nodes=nodes), *categories.coded_words(columns.one_hot))


def _categories(file: File, columns: Columns) -> dict[str, tuple[str, ...]]:
    """The categories of each column that is to be coded, in order. Raises `UploadError`."""
    if not columns.one_hot:
        return {}
    missing = next((one for one in columns.one_hot if one not in file.header), None)
    if missing is not None:
        raise UploadError(f"The file of nodes has no column {shown(missing)}")
    used = next((one for one in columns.one_hot if one in (columns.id, columns.label, *columns.left_out)), None)
    if used is not None:
        raise UploadError(f"The column {shown(used)} is no feature, so none of its categories can become one")
    values: list[set[str]] = [set() for _ in columns.one_hot]
    for row in _picked(file, [file.header.index(one) for one in columns.one_hot], "nodes"):
        for held, value in zip(values, row, strict=True):
            held.add(value.strip())
    return {one: categories.checked(one, held) for one, held in zip(columns.one_hot, values, strict=True)}


def _written(file: File, kept: dict[str, str], what: str, coded: Mapping[str, tuple[str, ...]] | None = None) -> bytes:
    missing = next((old for old in kept.values() if old not in file.header), None)
    if missing is not None:
        raise UploadError(f"The file of {what} has no column {shown(missing)}")
    if len(set(kept.values())) < len(kept):
        raise UploadError(f"A column of the {what} is chosen twice")
    places = [file.header.index(old) for old in kept.values()]
    codes = [(coded or {}).get(new) for new in kept]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    header: list[str] = []
    for new, code in zip(kept, codes, strict=True):
        header += [new] if code is None else [categories.feature(new, one) for one in code]
    if coded:
        categories.check_names(header)
    writer.writerow(header)
    if not coded:
        writer.writerows(_picked(file, places, what))
    else:
        for row in _picked(file, places, what):
            cells: list[str] = []
            for value, code in zip(row, codes, strict=True):
                cells += [value] if code is None else ["01"[value.strip() == one] for one in code]
            writer.writerow(cells)
    return out.getvalue().encode()


def _picked(file: File, places: Sequence[int], what: str) -> Iterator[list[str]]:
    for count, row in enumerate(file.records(), start=1):
        if not row:
            continue
        if len(row) != len(file.header):
            raise UploadError(
                f"Row {count} of the {what} has {fields(len(row))}, and the header has {len(file.header)}"
            )
        yield [row[at] for at in places]
