"""GraphML, read element by element, and GEXF, both without a document type and its entities. No torch."""

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat
from xml.parsers.expat import errors

import pyarrow

from privgraph.data.errors import UploadError
from privgraph.data.own.frames import ROWS, TEXT, UNDIRECTED, Frame, in_memory, of_rows
from privgraph.data.own.given import Given
from privgraph.data.own.limits import shown

_CUT_OFF = [errors.codes[one] for one in (errors.XML_ERROR_NO_ELEMENTS, errors.XML_ERROR_UNCLOSED_TOKEN)]
_CHUNK = 1 << 16
_LONGEST_TAG = 1_000_000
_DEEPEST = 64
_ByKind = dict[str, dict[str, str]]
_NAMED = {"node": ("id",), "edge": ("source", "target")}
"""Attributes of each element that is read: they name nodes."""


def _elements(file: Given, root: str) -> Iterator[tuple[Element, Element]]:
    """Each element of a file when it has ended, and the one around it. Raises `UploadError`."""
    parser, builder = expat.ParserCreate(), TreeBuilder()
    path, ended = list[Element](), list[tuple[Element, Element]]()

    def refuse(*_: object) -> None:
        raise file.refusal("declares a document type, which is never read; remove its DOCTYPE")

    def start(tag: str, attributes: dict[str, str]) -> None:
        path.append(builder.start(tag.rpartition(":")[2], attributes))
        if len(path) > _DEEPEST:
            raise file.refusal("is nested too deeply")
        if path[0].tag != root:
            raise file.refusal(f"is no GraphML: it begins with the element {shown(path[0].tag)}")

    def end(_: str) -> None:
        builder.end(path[-1].tag)
        ended.append((path.pop(), path[-1] if path else Element("")))

    parser.StartDoctypeDeclHandler, parser.CharacterDataHandler = refuse, builder.data
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.buffer_text = True
    fed = 0
    encoding = "is in an encoding that is not read: {error}"
    with file.refusing((ValueError, LookupError), encoding), file.opened() as opened:
        try:
            while chunk := opened.read(_CHUNK):
                parser.Parse(chunk, False)
                fed += len(chunk)
                if fed - max(0, parser.CurrentByteIndex) > _LONGEST_TAG:
                    raise file.refusal(f"has an element of more than {_LONGEST_TAG:,} letters")
                yield from ended
                ended.clear()
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            cut = "it is cut off, and ends before its elements do, " * (error.code in _CUT_OFF)
            raise file.refusal(f"is damaged: {cut}{shown(error, 100)}") from None


def graphml(file: Given) -> list[Frame]:
    """Nodes and edges of a GraphML file. Raises `UploadError`."""
    columns, defaults = ({kind: dict[str, str]() for kind in _NAMED} for _ in range(2))
    rows, parts = ({kind: list[Any]() for kind in _NAMED} for _ in range(2))
    graph: Element | None = None

    def pack(kind: str) -> None:
        own = dict.fromkeys([*_NAMED[kind], *columns[kind].values()])
        cells = {column: [row.get(column) for row in rows[kind]] for column in own}
        parts[kind].append(pyarrow.table({column: pyarrow.array(cells[column], TEXT) for column in own}))
        rows[kind].clear()

    for element, parent in _elements(file, "graphml"):
        if element.tag == "key":
            if graph is not None:
                raise file.refusal("declares an attribute after the graph has begun")
            _declare(file, element, columns, defaults)
        elif "graph" in (element.tag, parent.tag):
            around = parent if parent.tag == "graph" else element
            graph = around if graph is None else graph
            if around is not graph or element.tag == "graph" == parent.tag:
                raise file.refusal("holds more than one graph, or nested graphs")
        if parent.tag != "graph":
            continue
        if element.tag == "hyperedge":
            raise file.refusal("holds hyperedges, which are not read")
        if element.tag in _NAMED:
            rows[element.tag].append(defaults[element.tag] | _cells(file, element, columns[element.tag]))
            if len(rows[element.tag]) == ROWS:
                pack(element.tag)
        del parent[:]
    if graph is None:
        raise file.refusal("holds no graph")
    found = []
    for kind in _NAMED:
        pack(kind)
        notes = (UNDIRECTED,) if graph.get("edgedefault") == "directed" and kind == "edge" else ()
        table = pyarrow.concat_tables(parts[kind])
        found.append(in_memory(file.name, table, pairs=kind == "edge", decimal=".", notes=notes))
    return found


def _declare(
    file: Given, key: Element, columns: dict[str, dict[str, str]], defaults: dict[str, dict[str, str]]
) -> None:
    """Take in an attribute that a GraphML file declares."""
    of = key.get("id", "")
    called = key.get("attr.name") or of
    for kind in [kind for kind in _NAMED if key.get("for", "all") in (kind, "all")]:
        if not of or of in columns[kind]:
            raise UploadError(f"The attribute {shown(called)} of {shown(file.name)} has no id of its own")
        columns[kind][of] = called + " of the attributes" * (called in _NAMED[kind])
        if (default := key.find("default")) is not None:
            defaults[kind][columns[kind][of]] = (default.text or "").strip()


def _cells(file: Given, element: Element, columns: dict[str, str]) -> dict[str, str]:
    """The cells of a node or an edge of a GraphML file, by column."""
    row = {one: element.get(one, "") for one in _NAMED[element.tag]}
    if lost := next((one for one, cell in row.items() if not cell), None):
        raise UploadError(f"A {element.tag} of {shown(file.name)} has no {lost}")
    for data in element.iterfind("data"):
        column = columns.get(data.get("key", ""))
        if column in row:
            raise UploadError(f"A {element.tag} of {shown(file.name)} has the attribute {shown(column)} twice")
        if column is not None:
            row[column] = "".join(data.itertext()).strip()
    return row


def gexf(file: Given) -> list[Frame]:
    """Nodes and edges of a GEXF file. Raises `UploadError`."""
    *_, (root, _) = _elements(file, "gexf")
    frames = []
    for kind, named in {"node": ("id", "label"), "edge": ("source", "target", "weight")}.items():
        columns, defaults, notes = dict[str | None, str](), dict[str, str | None](), list[str]()
        for group in root.iterfind(f".//attributes[@class='{kind}']"):
            for attribute in group.iterfind("attribute"):
                title = attribute.get("title", "")
                if group.get("mode") == "dynamic":
                    notes.append(f"{shown(title)} changes in time, and is not read")
                    continue
                columns[attribute.get("id")] = title + " of the attributes" * (title in named)
                defaults[columns[attribute.get("id")]] = attribute.findtext("default")
        rows = []
        for element in root.iter(kind):
            cells = [(one.get("for", one.get("id")), one.get("value")) for one in element.iterfind("attvalues/*")]
            rows.append(defaults | {columns[key]: value for key, value in cells if key in columns})
            rows[-1] |= {key: element.get(key) for key in named if key in element.attrib}
            if element.get("type") == "mutual":
                rows.append({**rows[-1], "source": element.get("target"), "target": element.get("source")})
        if kind == "edge" and root.find("graph[@defaultedgetype='directed']") is not None:
            notes.append(UNDIRECTED)
        frames.append(of_rows(file.name, rows, named[: len(_NAMED[kind])], pairs=kind == "edge", notes=tuple(notes)))
    return frames
