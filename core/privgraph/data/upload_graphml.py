"""Uploaded GraphML: read event by event by expat, with no document type and so with no entities of its
own."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from privgraph.data import upload_categories as categories
from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import Limits, Upload, check_sizes, classes_of, clean_name, finish, ids_of, shown
from privgraph.data.upload_xml import check_form, feed, new_parser
from privgraph.options import listed

NUMBERS = ("int", "long", "float", "double", "boolean")
_DEEPEST = 64
_LONGEST = 1000


@dataclass(frozen=True, kw_only=True, eq=False)
class Elsewhere:
    """What takes features and ends of edges as they are read, so that they need not be in memory together.

    ends: Called with (n, 2) int64, numbers of nodes in the order of their first mention. values: Called with
    rows of features, (n, F) float32. room: How many numbers of either kind are kept until then.
    """

    ends: Callable[[NDArray[np.int64]], None]
    values: Callable[[NDArray[np.float32]], None]
    room: int = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Attributes:
    """Which node attribute of a GraphML file is the class, which are left out, and of which every category
    becomes a feature of 0 and 1."""

    label: str = "label"
    left_out: tuple[str, ...] = ()
    one_hot: tuple[str, ...] = ()


def read_graphml(file: BinaryIO, limits: Limits, attributes: Attributes | None = None) -> Upload:
    """The graph in a GraphML file; `attributes` says which of them are what, where a person has said so.
    Raises `UploadError`: of a file that is not well-formed that is said first, whatever else is wrong."""
    try:
        return follow(file, limits, attributes=attributes).upload()
    except UploadError:
        file.seek(0)
        check_form(file)
        raise


def follow(
    file: BinaryIO,
    limits: Limits,
    elsewhere: Elsewhere | None = None,
    seen: Callable[[int], None] | None = None,
    attributes: Attributes | None = None,
) -> Reader:
    """Read a GraphML file to its end; `seen` is told how many bytes have been read. Raises `UploadError`."""
    reader = Reader(limits, elsewhere, attributes)
    parser = new_parser()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    feed(parser, file, seen)
    reader.end_of_file()
    return reader


class Reader:
    """Follows the elements of one GraphML file."""

    def __init__(
        self, limits: Limits, elsewhere: Elsewhere | None = None, attributes: Attributes | None = None
    ) -> None:
        self._limits = limits
        self._meant = attributes or Attributes()
        self._words: dict[str, tuple[str, str]] = {}
        self._coded: dict[str, dict[str, int]] = {}
        self._left_out: dict[str, str] = {}
        self._of_edges: list[str] = []
        self._of_all: dict[str, str] = {}
        self._ignored_of: dict[str, set[str]] = {"node": set(), "edge": set()}
        self._given: set[str] = set()
        self._directed = False
        self._elsewhere = elsewhere
        self._path: list[str] = []
        self._label = ""
        self._features: dict[str, str] = {}
        self._taken: set[str] = set()
        self._column: dict[str, int] = {}
        self._number: dict[str, int] = {}
        self._declared: list[bool] = []
        self._order = array("q")
        self._labels: list[str] = []
        self._values = array("f")
        self._ends = array("q")
        self._edges = 0
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
            self._directed |= attributes.get("edgedefault") == "directed"
            self._check_declared()
            self._column = {key: column for column, key in enumerate(self._features)}
        elif name == "hyperedge":
            raise UploadError("The GraphML file holds hyperedges, which are not read")
        elif name == "node" and self._path[-2] == "graph":
            self._begin_node(attributes)
        elif name == "edge" and self._path[-2] == "graph":
            self._edge(attributes)
        elif name == "data" and self._path[-2] == "node":
            self._key, self._collected, self._length = attributes.get("key", ""), [], 0
            if self._key in self._given:
                raise UploadError(f"Node {shown(self._node)} has the attribute {shown(self._called(self._key))} twice")
            self._given.add(self._key)
        elif name == "data" and self._path[-2] == "edge":
            self._ignored_of["edge"].add(attributes.get("key", ""))
        elif self._key and self._path[-2] == "data" and (name == "data" or self._is_read(self._key)):
            called = shown(self._called(self._key))
            raise UploadError(f"Node {shown(self._node)} has an element inside its attribute {called}")

    def end(self, tag: str) -> None:
        name = self._path.pop()
        parent = self._path[-1] if self._path else ""
        if name == "data" and parent == "node":
            self._datum()
            self._key = ""
        elif name == "node" and parent == "graph":
            self._end_node()

    def _is_read(self, key: str) -> bool:
        return key == self._label or key in self._features

    def _called(self, key: str) -> str:
        return self._meant.label if key == self._label else self._features.get(key, key)

    def text(self, data: str) -> None:
        if self._key and self._path[-1] == "data":
            self._length += len(data)
            if self._length > _LONGEST:
                raise UploadError(f"Node {shown(self._node)} has a value of more than {_LONGEST} letters")
            self._collected.append(data)

    def _declare(self, attributes: dict[str, str]) -> None:
        if self._graphs:
            raise UploadError("The GraphML file declares an attribute after the graph has begun")
        domain = attributes.get("for", "all")
        key, name, kind = (attributes.get(field, "") for field in ("id", "attr.name", "attr.type"))
        if domain == "edge" and name:
            self._of_edges.append(name)
        if domain not in ("node", "all"):
            return
        taken = (self._label, *self._features, *self._words, *self._left_out, *self._of_all)
        if not key or key in taken:
            raise UploadError(f"The attribute {shown(name)} has no id of its own")
        if name == self._meant.label:
            if self._label:
                raise UploadError(f"Two attributes are called {shown(name)}")
            self._label = key
        elif name in self._meant.left_out:
            self._left_out[key] = name
        elif name in self._meant.one_hot:
            self._features[key] = name
            self._coded[key] = {}
        elif kind in NUMBERS:
            self._features[key] = name
        elif domain == "node" and name:
            self._words[key] = name, kind
        elif name:
            self._of_all[key] = name
        if key in self._features:
            if name in self._taken:
                raise UploadError(f"Two attributes are called {shown(name)}")
            self._taken.add(name)
        if len(self._features) > self._limits.features:
            raise UploadError(f"The nodes have more than {self._limits.features:,} features")

    def _check_declared(self) -> None:
        """The class is there, and every other attribute is a number, or somebody has said what becomes of
        it."""
        if not self._label:
            words = [name for name, _ in self._words.values()]
            there = [shown(name) for name in (*words, *self._features.values(), *self._left_out.values())]
            have = f" (the nodes have {listed(there)})" if there else ", and the nodes have no attributes"
            raise UploadError(
                f"No attribute of the nodes is named {shown(self._meant.label)}: which is the class?{have}"
            )
        coded = {self._features[key] for key in self._coded}
        missing = next((one for one in self._meant.one_hot if one not in coded), None)
        if missing is not None:
            raise UploadError(
                f"The categories of {shown(missing)} cannot become features: "
                "the nodes have no such attribute, or it is the class or left out"
            )
        for name, kind in self._words.values():
            raise UploadError(
                f"The attribute {shown(name)} is of type {shown(kind)}, and features must be numbers: leave it out, or "
                "make each of its categories a feature of 0 and 1"
            )

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
        self._given = set()

    def _datum(self) -> None:
        value = "".join(self._collected).strip()
        if self._key == self._label:
            self._node_label = value
        elif self._key in self._of_all:
            self._ignored_of["node"].add(self._key)
        elif self._key in self._coded:
            code = self._coded[self._key]  # too many are told at the end of the file
            self._row[self._column[self._key]] = code.setdefault(value, len(code))
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
        if len(self._labels) * len(self._column) > self._limits.cells:
            raise UploadError(f"The nodes have more than {self._limits.cells:,} feature entries")
        if self._elsewhere is not None and len(self._values) >= self._elsewhere.room:
            self._hand_over()

    def _edge(self, attributes: dict[str, str]) -> None:
        self._directed |= attributes.get("directed") == "true"
        for end in ("source", "target"):
            if end not in attributes:
                raise UploadError(f"An edge has no {end}")
            self._ends.append(self._index(attributes[end]))
        self._edges += 1
        if self._edges > self._limits.edges:
            raise UploadError(f"The graph has more than {self._limits.edges:,} edges")
        if self._elsewhere is not None and len(self._ends) >= self._elsewhere.room:
            self._hand_over()

    def _hand_over(self) -> None:
        """Give what was read to those who wait for it, and forget it."""
        assert self._elsewhere is not None
        if self._values:
            self._elsewhere.values(self._table())
            self._values = array("f")
        if self._ends:
            self._elsewhere.ends(self._pairs())
            self._ends = array("q")

    def _table(self) -> NDArray[np.float32]:
        return np.frombuffer(self._values, dtype=np.float32).reshape(-1, max(1, len(self._column)))

    def _pairs(self) -> NDArray[np.int64]:
        ends = np.frombuffer(self._ends, dtype=np.int64) if self._ends else np.empty(0, dtype=np.int64)
        return ends.reshape(-1, 2)

    def end_of_file(self) -> None:
        """Check that all nodes are there, and their number. Raises `UploadError`."""
        if not all(self._declared):
            lost = next(name for name, at in self._number.items() if not self._declared[at])
            raise UploadError(f"An edge names the node {shown(lost)}, which the file does not declare")
        check_sizes(self._limits, nodes=len(self._labels), features=len(self._features))
        if self._elsewhere is not None:
            self._hand_over()

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features, in their order."""
        return tuple(clean_name(name) for name in self._features.values())

    def rank(self) -> NDArray[np.int64]:
        """(|V|,): nodes are numbered in the order of their elements, not of their first mention by an
        edge."""
        nodes = len(self._labels)
        rank = np.empty(nodes, dtype=np.int64)
        rank[np.frombuffer(self._order, dtype=np.int64)] = np.arange(nodes)
        return rank

    def classes(self) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """(|V|,) numbers of the nodes' classes, and the classes' names."""
        return classes_of(self._labels, self._limits)

    def _with_categories(self) -> tuple[NDArray[np.float32], tuple[str, ...]]:
        """(|V|, F) features and their names, where each category of a coded attribute is a feature of its
        own. Raises `UploadError`."""
        table = self._table()
        if not self._coded:
            return table, self.features
        parts: list[NDArray[np.float32]] = []
        names: list[str] = []
        for key, column in self._column.items():
            name, values = self._features[key], table[:, column : column + 1]
            if key not in self._coded:
                parts.append(values)
                names.append(clean_name(name))
                continue
            numbers = self._coded[key]
            order = categories.checked(name, numbers)
            check_sizes(self._limits, nodes=len(table), features=len(names) + len(order))
            parts.append((values == np.array([[numbers[one] for one in order]])).astype(np.float32))
            names += [categories.feature(name, one) for one in order]
        categories.check_names(names)
        return np.concatenate(parts, axis=1), tuple(names)

    def _names(self) -> list[str]:
        """What the file calls the nodes, in the order of their elements."""
        mentioned = list(self._number)
        return [mentioned[at] for at in self._order]

    def _notes(self) -> list[str]:
        """What became of what is not read, for people."""
        nodes, edges = (
            [name for key, name in self._of_all.items() if key in self._ignored_of[one]] for one in ("node", "edge")
        )
        notes = [*categories.ignored(edges=[*self._of_edges, *edges], nodes=[*self._left_out.values(), *nodes])]
        if self._directed:
            notes.append("The file says directed: directions were dropped.")
        return [*notes, *categories.coded_words([self._features[key] for key in self._coded])]

    def upload(self) -> Upload:
        """The graph, where nothing was handed over. Raises `UploadError`."""
        y, names = self.classes()
        x, features = self._with_categories()
        return finish(
            Upload(
                kind="graphml",
                x=x,
                y=y,
                edges=self.rank()[self._pairs()].T,
                class_names=names,
                feature_names=features,
                notes=tuple(self._notes()),
                ids=ids_of(self._names()),
            ),
            self._limits,
        )
