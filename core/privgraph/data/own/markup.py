"""GraphML, read event by event, and GEXF: a table of nodes and one of edges. No torch.

A document type is refused, and with it entities of a file's own.
"""

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat
from xml.parsers.expat import errors

import pyarrow

from privgraph.data.errors import UploadError
from privgraph.data.own.frames import ROWS, TEXT, UNDIRECTED, Frame, Seen, Types, cast, of_rows
from privgraph.data.own.given import Given
from privgraph.data.own.limits import shown

_CUT_OFF = [errors.codes[one] for one in (errors.XML_ERROR_NO_ELEMENTS, errors.XML_ERROR_UNCLOSED_TOKEN)]
_CHUNK = 1 << 16
_LONGEST_TAG = 1_000_000
_DEEPEST = 64
_NAMED = {"node": ("id",), "edge": ("source", "target")}
"""Attributes of each element that is read: they name nodes."""


def feed(parser: expat.XMLParserType, file: Given) -> Iterator[int]:
    """Give a parser the whole file, and say how many bytes it has after each piece. Raises `UploadError` for
    what is no XML or declares a document type, and what the parser's handlers raise."""

    def refuse(*_: object) -> None:
        raise file.refusal("declares a document type, which is never read; remove its DOCTYPE")

    parser.StartDoctypeDeclHandler = refuse
    fed = 0
    try:
        with file.opened() as opened:
            while chunk := opened.read(_CHUNK):
                parser.Parse(chunk, False)
                fed += len(chunk)
                if fed - max(0, parser.CurrentByteIndex) > _LONGEST_TAG:
                    raise file.refusal(f"has an element of more than {_LONGEST_TAG:,} letters")
                yield fed
        parser.Parse(b"", True)
        yield fed
    except expat.ExpatError as error:
        cut = "it is cut off, and ends before its elements do, " * (error.code in _CUT_OFF)
        raise file.refusal(f"is damaged: {cut}{shown(error, 100)}") from None
    except UploadError:
        raise
    except (ValueError, LookupError) as error:
        raise file.refusal(f"is in an encoding that is not read: {shown(error, 100)}") from None


class _Reader:
    """Follows the elements of a GraphML file, and keeps rows of its nodes or of its edges.

    `columns` and `defaults` are those of attributes that are declared, by key, and by column.
    """

    def __init__(self, file: Given, kind: str = "") -> None:
        self.rows: list[dict[str, str]] = []
        self.columns: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        self.began = self.directed = False
        self._file, self._kind = file, kind
        self._defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        self._path, self._own = list[str](), set[str]()
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
            raise self._file.refusal("is nested too deeply")
        if not parent and name != "graphml":
            raise self._file.refusal(f"is no GraphML: it begins with the element {shown(name)}")
        if name == "key":
            self._declare(attributes)
        elif name == "default" and parent == "key":
            self._collect("default")
        elif name == "graph":
            if self.began or len(self._path) != 2:
                raise self._file.refusal("holds more than one graph, or nested graphs")
            self.began, self.directed = True, attributes.get("edgedefault") == "directed"
        elif name == "hyperedge":
            raise self._file.refusal("holds hyperedges, which are not read")
        elif name == self._kind and parent == "graph":
            self._begin(attributes)
        elif name == "data" and parent == self._kind and self.rows:
            column = self.columns[self._kind].get(attributes.get("key", ""))
            if column is not None:
                if self.rows[-1].get(column) is not None and column in self._own:
                    raise UploadError(
                        f"A {self._kind} of {shown(self._file.name)} has the attribute {shown(column)} twice"
                    )
                self._own.add(column)
                self._collect(column)

    def _end(self, tag: str) -> None:
        name = self._path.pop()
        if self._attribute and name in ("data", "default"):
            value = "".join(self._letters).strip()
            if name == "data":
                self.rows[-1][self._attribute] = value
            for kind in self._kinds(self._declared) if name == "default" and self._declared else ():
                self._defaults[kind][self.columns[kind][self._declared["id"]]] = value
            self._attribute, self.parser.CharacterDataHandler = "", None

    def _collect(self, attribute: str) -> None:
        self._attribute, self._letters = attribute, []
        self.parser.CharacterDataHandler = self._letters.append

    def _kinds(self, declared: dict[str, str]) -> list[str]:
        return [kind for kind in _NAMED if declared.get("for", "all") in (kind, "all")]

    def _declare(self, attributes: dict[str, str]) -> None:
        if self.began:
            raise self._file.refusal("declares an attribute after the graph has begun")
        self._declared = attributes
        key = attributes.get("id", "")
        called = attributes.get("attr.name") or key
        for kind in self._kinds(attributes):
            if not key or key in self.columns[kind]:
                raise UploadError(f"The attribute {shown(called)} of {shown(self._file.name)} has no id of its own")
            self.columns[kind][key] = called + " of the attributes" * (called in _NAMED[kind])

    def _begin(self, attributes: dict[str, str]) -> None:
        named = _NAMED[self._kind]
        if lost := next((one for one in named if not attributes.get(one)), None):
            raise UploadError(f"A {self._kind} of {shown(self._file.name)} has no {lost}")
        self._own = set()
        self.directed |= attributes.get("directed") == "true"
        self.rows.append(self._defaults[self._kind] | {one: attributes[one] for one in named})


def gexf(file: Given) -> list[Frame]:
    """Nodes and edges of a GEXF file. Raises `UploadError`."""
    for _ in feed(expat.ParserCreate(), file):  # it has no document type
        pass
    root = ElementTree.fromstring(file.content())
    frames = []
    for kind, named in {"node": ("id", "label"), "edge": ("source", "target", "weight")}.items():
        called, defaults, notes = dict[str | None, str](), dict[str, str | None](), list[str]()
        for group in root.iterfind(f".//{{*}}attributes[@class='{kind}']"):
            for attribute in group.iterfind("{*}attribute"):
                title = attribute.get("title", "")
                if group.get("mode") == "dynamic":
                    notes.append(f"{shown(title)} changes in time, and is not read")
                    continue
                called[attribute.get("id")] = title + " of the attributes" * (title in named)
                defaults[called[attribute.get("id")]] = attribute.findtext("{*}default")
        rows = []
        for element in root.iterfind(f".//{{*}}{kind}"):
            cells = [(one.get("for", one.get("id")), one.get("value")) for one in element.iterfind("{*}attvalues/*")]
            rows.append(defaults | {called[key]: value for key, value in cells if key in called})
            rows[-1] |= {key: element.get(key) for key in named if key in element.attrib}
            if element.get("type") == "mutual":
                rows.append({**rows[-1], "source": element.get("target"), "target": element.get("source")})
        directed = root.find(".//{*}graph[@defaultedgetype='directed']") is not None
        notes += [UNDIRECTED] * (kind == "edge" and directed)
        frames.append(of_rows(file.name, rows, named[: len(_NAMED[kind])], pairs=kind == "edge", notes=tuple(notes)))
    return frames


def graphml(file: Given) -> list[Frame]:
    """Nodes and edges of a GraphML file. Raises `UploadError`."""
    reader = _Reader(file)
    if not any(reader.began for _ in feed(reader.parser, file)):
        raise file.refusal("holds no graph")
    return [_frame(file, kind, reader) for kind in _NAMED]


def _frame(file: Given, kind: str, declared: _Reader) -> Frame:
    def read(types: Types, seen: Seen) -> Iterator[Any]:
        reader = _Reader(file, kind)

        def batch(rows: list[dict[str, str]]) -> Any:
            arrays = [pyarrow.array([row.get(column) for row in rows], TEXT) for column in types]
            return cast(pyarrow.record_batch(arrays, names=list(types)), types)

        for fed in feed(reader.parser, file):
            if len(reader.rows) > ROWS:  # the last one may not be whole
                yield batch(reader.rows[:-1])
                del reader.rows[:-1]
            seen(fed)
        yield batch(reader.rows)

    own = dict.fromkeys([*_NAMED[kind], *declared.columns[kind].values()], TEXT)
    notes = (UNDIRECTED,) if declared.directed and kind == "edge" else ()
    return Frame(name=file.name, read=read, own=own, size=file.size, pairs=kind == "edge", decimal=".", notes=notes)
