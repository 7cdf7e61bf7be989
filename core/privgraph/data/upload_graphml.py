"""Uploaded GraphML: read event by event by expat, with no document type and so with no entities of its
own."""

from __future__ import annotations

from array import array
from typing import BinaryIO
from xml.parsers import expat

import numpy as np

from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import Limits, Upload, check_sizes, classes_of, clean_name, finish, shown

_NUMBERS = ("int", "long", "float", "double", "boolean")
_DEEPEST = 64
_CHUNK = 1 << 16
_LONGEST = 1000
_LONGEST_TAG = 1_000_000


def read_graphml(file: BinaryIO, limits: Limits) -> Upload:
    """The graph in a GraphML file. Raises `UploadError`."""
    reader = _Reader(limits)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        fed = 0
        while chunk := file.read(_CHUNK):
            parser.Parse(chunk, False)
            fed += len(chunk)
            if fed - max(0, parser.CurrentByteIndex) > _LONGEST_TAG:
                raise UploadError(f"The GraphML file has an element of more than {_LONGEST_TAG:,} letters")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise UploadError(f"The GraphML file is damaged: {shown(error, 100)}") from None
    except UploadError:
        raise
    except (ValueError, LookupError) as error:
        raise UploadError(f"The GraphML file is in an encoding that is not read: {shown(error, 100)}") from None
    return reader.finish()


def _refuse_doctype(name: str, system: str | None, public: str | None, internal: bool) -> None:
    raise UploadError("The GraphML file declares a document type, which is never read; remove its DOCTYPE")


class _Reader:
    """Follows the elements of one GraphML file."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._path: list[str] = []
        self._label = ""
        self._features: dict[str, str] = {}
        self._column: dict[str, int] = {}
        self._number: dict[str, int] = {}
        self._declared: list[bool] = []
        self._order = array("q")
        self._labels: list[str] = []
        self._values = array("f")
        self._ends = array("q")
        self._graphs = 0
        self._node = ""
        self._row: list[float | None] = []
        self._node_label = ""
        self._key = ""
        self._collected: list[str] = []
        self._length = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        self._path.append(name)
        if len(self._path) > _DEEPEST:
            raise UploadError("The GraphML file is nested too deeply")
        if len(self._path) == 1 and name != "graphml":
            raise UploadError(f"This is not GraphML: it begins with the element {shown(name)}")
        if name == "key":
            self._declare(attributes)
        elif name == "graph":
            self._graphs += 1
            if self._graphs > 1 or len(self._path) != 2:
                raise UploadError("The GraphML file holds more than one graph, or nested graphs")
            self._column = {key: column for column, key in enumerate(self._features)}
        elif name == "hyperedge":
            raise UploadError("The GraphML file holds hyperedges, which are not read")
        elif name == "node" and self._path[-2] == "graph":
            self._begin_node(attributes)
        elif name == "edge" and self._path[-2] == "graph":
            self._edge(attributes)
        elif name == "data" and self._path[-2] == "node":
            self._key, self._collected, self._length = attributes.get("key", ""), [], 0

    def end(self, tag: str) -> None:
        name = self._path.pop()
        parent = self._path[-1] if self._path else ""
        if name == "data" and parent == "node":
            self._datum()
            self._key = ""
        elif name == "node" and parent == "graph":
            self._end_node()

    def text(self, data: str) -> None:
        if self._key and self._path[-1] == "data":
            self._length += len(data)
            if self._length > _LONGEST:
                raise UploadError(f"Node {shown(self._node)} has a value of more than {_LONGEST} letters")
            self._collected.append(data)

    def _declare(self, attributes: dict[str, str]) -> None:
        if self._graphs:
            raise UploadError("The GraphML file declares an attribute after the graph has begun")
        if attributes.get("for", "all") not in ("node", "all"):
            return
        key, name, kind = (attributes.get(field, "") for field in ("id", "attr.name", "attr.type"))
        if not key or key == self._label or key in self._features:
            raise UploadError(f"The attribute {shown(name)} has no id of its own")
        if name == "label":
            if self._label:
                raise UploadError("Two attributes are called label")
            self._label = key
        elif kind in _NUMBERS:
            self._features[key] = name
            if len(self._features) > self._limits.features:
                raise UploadError(f"The nodes have more than {self._limits.features:,} features")
        elif attributes.get("for") == "node" and name:
            raise UploadError(f"The attribute {shown(name)} is of type {shown(kind)}; features must be numbers")

    def _index(self, name: str) -> int:
        """The number of a node, by its first mention."""
        if name not in self._number:
            if len(self._number) >= self._limits.nodes:
                raise UploadError(f"The graph has more than {self._limits.nodes:,} nodes")
            self._number[name] = len(self._number)
            self._declared.append(False)
        return self._number[name]

    def _begin_node(self, attributes: dict[str, str]) -> None:
        self._node = attributes.get("id", "")
        at = self._index(self._node)
        if not self._node or self._declared[at]:
            raise UploadError(f"A node has an id that is empty or not its own ({shown(self._node)})")
        self._declared[at] = True
        self._order.append(at)
        self._row, self._node_label = [None] * len(self._column), ""

    def _datum(self) -> None:
        value = "".join(self._collected).strip()
        if self._key == self._label:
            self._node_label = value
        elif self._key in self._column:
            try:
                number = float({"true": "1", "false": "0"}.get(value.lower(), value))
            except ValueError:
                raise UploadError(
                    f"Node {shown(self._node)} has {shown(value)!r} as {shown(self._features[self._key])}, "
                    "which is not a number"
                ) from None
            self._row[self._column[self._key]] = number

    def _end_node(self) -> None:
        if not self._node_label:
            raise UploadError(f"Node {shown(self._node)} has no attribute called label")
        if None in self._row:
            lost = list(self._features.values())[self._row.index(None)]
            raise UploadError(f"Node {shown(self._node)} has no {shown(lost)}")
        self._labels.append(self._node_label)
        self._values.extend(value for value in self._row if value is not None)
        if len(self._values) > self._limits.cells:
            raise UploadError(f"The nodes have more than {self._limits.cells:,} feature entries")

    def _edge(self, attributes: dict[str, str]) -> None:
        for end in ("source", "target"):
            if end not in attributes:
                raise UploadError(f"An edge has no {end}")
            self._ends.append(self._index(attributes[end]))
        if len(self._ends) > 2 * self._limits.edges:
            raise UploadError(f"The graph has more than {self._limits.edges:,} edges")

    def finish(self) -> Upload:
        nodes = len(self._labels)
        if not all(self._declared):
            lost = next(name for name, at in self._number.items() if not self._declared[at])
            raise UploadError(f"An edge names the node {shown(lost)}, which the file does not declare")
        check_sizes(self._limits, nodes=nodes, features=len(self._features))
        # Nodes are numbered in the order of their elements, not of their first mention by an edge.
        rank = np.empty(nodes, dtype=np.int64)
        rank[np.frombuffer(self._order, dtype=np.int64)] = np.arange(nodes)
        y, names = classes_of(self._labels, self._limits)
        ends = np.frombuffer(self._ends, dtype=np.int64) if self._ends else np.empty(0, dtype=np.int64)
        return finish(
            Upload(
                kind="graphml",
                x=np.frombuffer(self._values, dtype=np.float32).reshape(nodes, len(self._features)),
                y=y,
                edges=rank[ends].reshape(-1, 2).T,
                class_names=names,
                feature_names=tuple(clean_name(name) for name in self._features.values()),
            ),
            self._limits,
        )
