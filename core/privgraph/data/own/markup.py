"""GraphML, read event by event: a table of nodes and one of edges, as large as they may be. No torch.

A document type is refused, and with it entities of a file's own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from xml.parsers import expat

from privgraph.data.errors import UploadError
from privgraph.data.own.frames import ROWS, Frame, Seen, Types, cast
from privgraph.data.own.limits import shown

_CUT_OFF = (
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
)
_CHUNK = 1 << 16
_LONGEST_TAG = 1_000_000
_DEEPEST = 64
_OF = {"node": "nodes", "edge": "edges"}


def feed(parser: expat.XMLParserType, file: BinaryIO, name: str) -> Iterator[int]:
    """Give a parser the whole file, and say how many bytes it has after each piece. Raises `UploadError` for
    what is no XML or declares a document type, and what the parser's handlers raise."""

    def refuse(*_: object) -> None:
        raise UploadError(f"{shown(name)} declares a document type, which is never read; remove its DOCTYPE")

    parser.StartDoctypeDeclHandler = refuse
    fed = 0
    try:
        while chunk := file.read(_CHUNK):
            parser.Parse(chunk, False)
            fed += len(chunk)
            if fed - max(0, parser.CurrentByteIndex) > _LONGEST_TAG:
                raise UploadError(f"{shown(name)} has an element of more than {_LONGEST_TAG:,} letters")
            yield fed
        parser.Parse(b"", True)
        yield fed
    except expat.ExpatError as error:
        cut = "it is cut off, and ends before its elements do, " * (error.code in _CUT_OFF)
        raise UploadError(f"{shown(name)} is damaged: {cut}{shown(error, 100)}") from None
    except (ValueError, LookupError) as error:
        if isinstance(error, UploadError):
            raise
        raise UploadError(f"{shown(name)} is in an encoding that is not read: {shown(error, 100)}") from None


def check_form(file: BinaryIO, name: str) -> None:
    """Raise `UploadError` unless a file is well-formed XML without a document type."""
    for _ in feed(expat.ParserCreate(), file, name):
        pass


@dataclass
class _Keys:
    """Declared attributes of nodes or edges: the column of each key, and the values of nodes that have
    none."""

    column: dict[str, str] = field(default_factory=dict)
    default: dict[str, str] = field(default_factory=dict)


class _Reader:
    """Follows the elements of a GraphML file, and keeps rows of nodes or of edges."""

    def __init__(self, name: str, kind: str = "") -> None:
        self.rows: list[dict[str, str]] = []
        self.keys = {"node": _Keys(), "edge": _Keys()}
        self.began = self.directed = False
        self._name, self._kind = name, kind
        self._path: list[str] = []
        self._attribute, self._letters = "", list[str]()
        self._declared: dict[str, str] = {}
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        parent = self._path[-1] if self._path else ""
        self._path.append(name)
        if len(self._path) > _DEEPEST:
            raise UploadError(f"{shown(self._name)} is nested too deeply")
        if not parent and name != "graphml":
            raise UploadError(f"{shown(self._name)} is no GraphML: it begins with the element {shown(name)}")
        if name == "key":
            self._declare(attributes)
        elif name == "default" and parent == "key":
            self._collect("default")
        elif name == "graph":
            if self.began or len(self._path) != 2:
                raise UploadError(f"{shown(self._name)} holds more than one graph, or nested graphs")
            self.began, self.directed = True, attributes.get("edgedefault") == "directed"
        elif name == "hyperedge":
            raise UploadError(f"{shown(self._name)} holds hyperedges, which are not read")
        elif name == self._kind and parent == "graph":
            self._begin(attributes)
        elif name == "data" and parent == self._kind and self.rows:
            column = self.keys[self._kind].column.get(attributes.get("key", ""))
            if column is not None:
                if self.rows[-1].get(column) is not None and column in self._own:
                    raise UploadError(f"A {self._kind} of {shown(self._name)} has the attribute {shown(column)} twice")
                self._own.add(column)
                self._collect(column)

    def _end(self, tag: str) -> None:
        name = self._path.pop()
        if self._attribute and name in ("data", "default"):
            value = "".join(self._letters).strip()
            if name == "default" and self._declared:
                for kind in self.keys:
                    if self._declared.get("for", "all") in (kind, "all"):
                        self.keys[kind].default[self.keys[kind].column[self._declared["id"]]] = value
            elif name == "data":
                self.rows[-1][self._attribute] = value
            self._attribute, self.parser.CharacterDataHandler = "", None

    def _collect(self, attribute: str) -> None:
        self._attribute, self._letters = attribute, []
        self.parser.CharacterDataHandler = self._letters.append

    def _declare(self, attributes: dict[str, str]) -> None:
        if self.began:
            raise UploadError(f"{shown(self._name)} declares an attribute after the graph has begun")
        self._declared = attributes
        key = attributes.get("id", "")
        for kind, keys in self.keys.items():
            if attributes.get("for", "all") in (kind, "all"):
                called = attributes.get("attr.name") or key
                if not key or key in keys.column:
                    raise UploadError(f"The attribute {shown(called)} of {shown(self._name)} has no id of its own")
                reserved = ("id",) if kind == "node" else ("source", "target")
                keys.column[key] = called + " of the attributes" * (called in reserved)

    def _begin(self, attributes: dict[str, str]) -> None:
        named = ("id",) if self._kind == "node" else ("source", "target")
        if lost := next((one for one in named if not attributes.get(one)), None):
            raise UploadError(f"A {self._kind} of {shown(self._name)} has no {lost}")
        self._own: set[str] = set()
        self.directed |= attributes.get("directed") == "true"
        self.rows.append({**self.keys[self._kind].default, **{one: attributes[one] for one in named}})


def graphml(name: str, opened: Callable[[], BinaryIO], size: int) -> list[Frame]:
    """Nodes and edges of a GraphML file. Raises `UploadError`."""
    reader = _Reader(name)
    with opened() as file:
        for _ in feed(reader.parser, file, name):
            if reader.began:
                break
    if not reader.began:
        raise UploadError(f"{shown(name)} holds no graph")
    return [_frame(name, opened, size, kind, reader.keys[kind], reader.directed) for kind in ("node", "edge")]


def _frame(name: str, opened: Callable[[], BinaryIO], size: int, kind: str, keys: _Keys, directed: bool) -> Frame:
    import pyarrow

    text = pyarrow.large_string()
    columns = tuple(
        dict.fromkeys(("id",) if kind == "node" else ("source", "target")) | dict.fromkeys(keys.column.values())
    )

    def read(types: Types, seen: Seen) -> Iterator[Any]:
        reader = _Reader(name, kind)

        def batch(rows: list[dict[str, str]]) -> Any:
            arrays = [pyarrow.array([row.get(column) for row in rows], text) for column in types]
            return cast(pyarrow.record_batch(arrays, names=list(types)), types, name)

        with opened() as file:
            for fed in feed(reader.parser, file, name):
                if len(reader.rows) > ROWS:  # the last one may not be whole
                    yield batch(reader.rows[:-1])
                    del reader.rows[:-1]
                seen(fed)
        yield batch(reader.rows)

    notes = ("directions of edges are not used",) if directed and kind == "edge" else ()
    own = dict.fromkeys(columns, text)
    return Frame(
        name=name, columns=columns, read=read, own=own, size=size, pairs=kind == "edge", decimal=".", notes=notes
    )
