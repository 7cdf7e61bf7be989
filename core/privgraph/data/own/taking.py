"""From tables whose columns are told to the arrays of a graph, in files that are mapped when it is loaded. No
torch.

Rows are read in batches and written as they come: memory is that of a batch, the names of the nodes and a run
of the sort.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyarrow import compute

from privgraph.data.errors import UploadError
from privgraph.data.own.columns import PARTS, Kind, Meant, plain_names, trimmed
from privgraph.data.own.description import Unclear
from privgraph.data.own.edges import Adjacency
from privgraph.data.own.frames import TEXT, UNDIRECTED, Seen
from privgraph.data.own.growing import Growing, read
from privgraph.data.own.limits import SMALLEST, Limits, clean_name, shown
from privgraph.data.spec import LARGEST_FEATURE
from privgraph.streams import stream

HALVES = ("first random half", "second random half")
"""Domains that were drawn because there were none, and somebody asked for them."""
_DOUBTFUL = {"-1", "-1.0", "-99", "-999", "?", "-", "--", ".", "\\n", "none", "na", "#na", "nil", "unknown", "missing"}
_DOUBTFUL |= {"unlabeled", "unlabelled", "undefined"}
"""Labels that may mean that there is none, in lower case."""
_NAMED = 1_000_000
"""Nodes up to which their names are kept."""
_LONGEST_NAME = 60


@dataclass(kw_only=True, eq=False)
class Taken:
    """What is known of a graph whose arrays lie in a folder: `x`, `y`, `edges`, `pointers`, and where there
    are any `parts` (0 train, 1 validation, 2 test, -1 none), `ids`, `texts` and `domains`. `summary` are rows
    of what was understood."""

    nodes: int = 0
    edges: int = 0
    features: int = 0
    class_names: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    masks: bool = False
    undirected: bool = True
    odd_nodes: int = 0
    summary: list[tuple[str, str]] = field(default_factory=list)


class Numbering:
    """Which number a node has, by its name. `names` is an Arrow array of all of them in the order of nodes,
    texts or whole numbers, or how many nodes there are, where a name is the number itself."""

    def __init__(self, names: Any) -> None:
        rows = isinstance(names, int)
        self._count = names if rows else len(names)
        self.type = pyarrow.int64() if rows else names.type
        counted = rows or (self.type == "int64" and (names.to_numpy() == np.arange(len(names))).all())
        self._names = None if counted else names

    def __call__(self, names: Any) -> NDArray[np.int64]:
        """(n,) numbers of names, and -1 for what is no node. `names`: an Arrow array of `type` or texts."""
        if names.type != self.type:
            texts = plain_names(names).to_pylist()
            whole = [int(one) if one and re.fullmatch(r"0|-?[1-9]\d{0,18}", one) else None for one in texts]
            names = pyarrow.array([None if one is None or abs(one) >> 63 else one for one in whole], self.type)
        if self._names is None:
            numbers: NDArray[np.int64] = names.fill_null(-1).to_numpy()
            return np.where((numbers >= 0) & (numbers < self._count), numbers, -1)
        if self.type != "int64":
            names = compute.utf8_trim_whitespace(names)
        found: NDArray[np.int32] = compute.index_in(names, value_set=self._names).fill_null(-1).to_numpy()
        return found.astype(np.int64)


def numbers(cells: Any, decimal: str) -> tuple[Any, NDArray[np.bool_]]:
    """Numbers in texts with this mark of decimals, null where there are none, and where something else
    stands."""
    cells = trimmed(cells)
    other = "," if decimal == "." else "."
    grouped = compute.match_substring_regex(cells, rf"^[-+]?\d{{1,3}}(?:[{other}' ]\d{{3}})+(?:[{decimal}]\d+)?$")
    cells = compute.if_else(grouped, compute.replace_substring_regex(cells, f"[{other}' ]", ""), cells)
    cells = compute.replace_substring(cells, decimal, ".") if decimal == "," else cells
    cells = compute.utf8_lower(cells)
    for written, number in (("^true$", "1"), ("^false$", "0"), (r"^\+", "")):
        cells = compute.replace_substring_regex(cells, written, number)
    plain = compute.match_substring_regex(cells, r"^-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$|^-?inf(inity)?$")
    plain = plain.fill_null(True)
    wrong = ~plain.to_numpy(zero_copy_only=False)
    return compute.if_else(plain, cells, pyarrow.scalar(None, cells.type)).cast(pyarrow.float64()), wrong


class _Features:
    """The feature table as it grows, cut off where `Graph` would cut it."""

    def __init__(self, path: Path, width: int, limits: Limits) -> None:
        self.rows, self.odd, self.width = 0, 0, width
        self._limits = limits
        self._low, self._high = np.full(width, np.inf), np.full(width, -np.inf)
        self.file = Growing(path, np.float32)

    def append(self, x: NDArray[np.float32]) -> None:
        """Add rows, (n, F). Raises `UploadError` where a number is not finite, or the table too large."""
        low, high = x.min(axis=0, initial=np.inf), x.max(axis=0, initial=-np.inf)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            row = int(np.argmin(np.isfinite(x).all(axis=1)))
            if not np.isfinite(x[row]).all():
                raise UploadError(f"Node {self.rows + row} has a feature that is not a finite number")
        self._low, self._high = np.minimum(self._low, low), np.maximum(self._high, high)
        self.rows += x.shape[0]
        if self.rows > self._limits.nodes or self.rows * self.width > self._limits.cells:
            raise UploadError(
                f"There are more than {self._limits.nodes:,} nodes or {self._limits.cells:,} feature entries"
            )
        if max(-low.min(initial=0), high.max(initial=0)) > LARGEST_FEATURE:
            self.odd += int((np.abs(x) > LARGEST_FEATURE).any(axis=1).sum())
            x = np.clip(x, -LARGEST_FEATURE, LARGEST_FEATURE)
        self.file.append(x)

    def flattened(self) -> NDArray[np.int64]:
        """Places of the columns that have one value because they are cut off."""
        low, high = (np.clip(bound, -LARGEST_FEATURE, LARGEST_FEATURE) for bound in (self._low, self._high))
        return np.flatnonzero((low == high) & (np.maximum(-self._low, self._high) > LARGEST_FEATURE))


class _Codes:
    """Words as they come, each as the number of its first mention, and -1 for none."""

    def __init__(self, most: int, what: str) -> None:
        self.number: dict[str, int] = {}
        self._most, self._what = most, what
        self._codes: list[NDArray[np.int64]] = []

    def append(self, words: Any) -> None:
        """Add an Arrow array of texts, null for none."""
        coded = words.dictionary_encode()
        here = [self.number.setdefault(name, len(self.number)) for name in coded.dictionary.to_pylist()]
        if len(self.number) > self._most:
            raise UploadError(f"There are more than {self._most:,} different {self._what}: are they names or numbers?")
        places = coded.indices.fill_null(len(here)).to_numpy(zero_copy_only=False)
        self._codes.append(np.array([*here, -1], dtype=np.int64)[places])

    def all(self) -> NDArray[np.int64]:
        return np.concatenate([np.empty(0, dtype=np.int64), *self._codes])


def take(
    meant: Meant, folder: Path, scratch: Path, limits: Limits, tell: Callable[[str, int, int], None], plain: bool
) -> Taken:
    """Write the arrays of a graph into `folder`, sort its edges in `scratch`, and say what was understood.

    `tell` is told a stage, how far it is and of how much. Where `plain`, columns are read as numbers at once,
    and not as texts that are looked at one by one: raises `NotPlain` where some cells are no plain numbers.
    Raises `UploadError`; of its kind `Unclear`, where something can be read in two ways.
    """
    taken = Taken(undirected=not meant.said.directed)
    size = meant.nodes.size
    number = _take_nodes(meant, folder, limits, lambda done: tell("reading nodes", done, size), plain, taken)
    adjacency = Adjacency(folder, scratch, taken.nodes, meant.said.directed, limits)
    _take_edges(meant, number, adjacency, lambda done: tell("reading edges", done, meant.edges.size), plain)
    adjacency.write(lambda done: tell("sorting edges", done, adjacency.expected))
    taken.edges = adjacency.edges
    if meant.text:
        _check_related(folder, taken)
    _say_edges(meant, adjacency, taken)
    return taken


def _take_nodes(meant: Meant, folder: Path, limits: Limits, seen: Seen, plain: bool, taken: Taken) -> Numbering:
    words = (meant.id, meant.label, meant.text, meant.domain, *meant.split, *meant.coded)
    types = {name: TEXT for name in words if name is not None}
    types |= {name: _type(meant, name, plain) for name in meant.features if name not in meant.coded}
    categories = {name: _categories(meant, name) for name in meant.coded}
    sizes, taken.feature_names = _sizes(meant, categories)
    width = taken.features = sum(sizes.values())
    if width > limits.features:
        raise UploadError(f"The nodes have {width:,} features, and at most {limits.features:,} are taken")
    features = _Features(folder / "x.npy", width, limits)
    labels, domains = _Codes(limits.classes + len(_DOUBTFUL), "labels"), _Codes(limits.domains, "domains")
    ids, texts, parts = [], [], []
    missing: Counter[str] = Counter()
    for batch in meant.nodes.read(types or dict([*meant.nodes.own.items()][:1]), seen):
        held = dict(zip(batch.schema.names, batch.columns, strict=True))
        if meant.id is not None:
            ids.append(_names(held[meant.id], meant, features.rows))
        if meant.label is not None:
            labels.append(trimmed(held[meant.label]))
        if meant.split:
            parts.append(_parts([held[name] for name in meant.split], meant, features.rows))
        if meant.text is not None:
            texts += _texts(held[meant.text], features.rows, limits)
            if meant.domain is not None:
                own = trimmed(held[meant.domain])
                if own.null_count:
                    row = features.rows + own.is_null().to_pylist().index(True) + 1
                    raise UploadError(f"Text {row} has no domain")
                domains.append(own)
        x = np.ones((batch.num_rows, width), dtype=np.float32)
        at = 0
        for name in meant.features:
            block = x[:, at : at + sizes[name]]
            at += sizes[name]
            if name in categories:
                block[:] = _one_hot(trimmed(held[name]), categories[name])
            elif meant.kinds[name].kind is Kind.VECTORS:
                block[:] = _vectors(held[name], name, sizes[name], features.rows)
            else:
                block[:, 0], empty = _scalars(held[name], meant, name, features.rows)
                missing[name] += empty
        if meant.text is not None:
            x[:, 0] = [len(one.split()) for one in texts[features.rows :]]
        features.append(x)
    nodes = taken.nodes = features.rows
    features.file.finish((nodes, width))
    if nodes < SMALLEST:
        raise UploadError(f"The graph has {nodes} nodes, and at least {SMALLEST} are needed")
    if meant.said.missing is None and +missing:
        first, cells = ", ".join(map(shown, [*+missing][:3])), f"{missing.total():,}"
        raise Unclear("missing", 0.0, cells=cells, columns=shown(", ".join(+missing), 60), first=first)
    taken.odd_nodes = features.odd
    number = Numbering(_unique(pyarrow.chunked_array(ids).combine_chunks()) if meant.id is not None else nodes)
    if ids and nodes <= _NAMED:
        places = pyarrow.array(np.arange(nodes)).cast(ids[0].type)
        if not pyarrow.chunked_array(ids).equals(pyarrow.chunked_array([places])):
            write_texts(folder / "ids", [clean_name(name) for part in ids for name in part.to_pylist()])
    _keep_labels(meant, folder, labels, limits, taken)
    if meant.text is not None:
        _keep_texts(meant, folder, texts, domains, taken)
    _keep_parts(folder, parts, taken)
    _say_nodes(meant, features, taken, missing, folder)
    return number


def _type(meant: Meant, name: str, plain: bool) -> Any:
    """The type that a column of features is read as."""
    column, own = meant.kinds[name], meant.nodes.own[name]
    if own != TEXT:
        return own if column.kind in (Kind.VECTORS, Kind.FLAGS) else pyarrow.float64()
    if not plain or meant.decimal != "." or column.grouped:
        return own
    return pyarrow.bool_() if column.kind is Kind.FLAGS else pyarrow.int64() if column.whole else pyarrow.float64()


def _sizes(meant: Meant, categories: dict[str, list[str]]) -> tuple[dict[str, int], tuple[str, ...]]:
    """How many features each column has, and their names; () where they have none."""
    if not meant.features:
        only = "constant" if meant.text is None else "words"
        return {only: 1}, (only,)
    sizes, names, unnamed = dict[str, int](), list[str](), False
    for name in meant.features:
        own = [name]
        if name in categories:
            own = [f"{name}={one or '(none)'}" for one in categories[name]]
        sizes[name] = len(own)
        if meant.kinds[name].kind is Kind.VECTORS:
            size = sizes[name] = _length(meant, name)
            own = [f"{name} {at}" for at in range(size)] if len(meant.features) > 1 else []
            own = list(meant.nodes.vectors.get(name, ())) or own
            unnamed |= not own
            if own and len(own) != size:
                raise UploadError(f"There are {len(own):,} names of features for {size:,} features")
        names += own
    cleaned = tuple(map(clean_name, names))
    if twice := next((one for one, count in Counter(cleaned).items() if count > 1), None):
        raise UploadError(
            f"Two features would be called {shown(twice, 60)}: ignore one, or shorten what tells them apart"
        )
    return sizes, () if unnamed else cleaned


def _length(meant: Meant, name: str) -> int:
    """How long the vectors of a column are."""
    own = meant.nodes.own[name]
    if hasattr(own, "list_size"):
        return int(own.list_size)
    first = next(iter(meant.nodes.read({name: own}, lambda _: None)), None)
    return len(first.column(0)[0].as_py() or ()) if first else 0


def _vectors(cells: Any, name: str, size: int, before: int) -> NDArray[np.float32]:
    lengths = compute.list_value_length(cells).fill_null(-1).to_numpy(zero_copy_only=False)
    if size < 1 or not (lengths == size).all():
        row = int(np.argmax(lengths != size)) if size > 0 else 0
        raise UploadError(f"Row {before + row + 1} has a vector of another length in the column {shown(name)!r}")
    values = compute.list_flatten(cells)
    try:
        flat = values.fill_null(np.nan).cast("float32", safe=False).to_numpy(zero_copy_only=False)
    except Exception as error:
        words = f"holds vectors of {shown(values.type)}, and not of numbers"
        raise UploadError(f"The column {shown(name)!r} {words}") from error
    found: NDArray[np.float32] = flat.reshape(-1, size)
    return found


def _scalars(cells: Any, meant: Meant, name: str, before: int) -> tuple[NDArray[np.float32], int]:
    """Numbers of a column, with what stands in for those that are missing, and how many are. Raises
    `UploadError`."""
    if cells.type == TEXT:
        texts = cells
        cells, wrong = numbers(cells, meant.decimal)
        if wrong.any():
            row = int(wrong.argmax())
            more = f" (and {int(wrong.sum()) - 1} more rows)" if wrong.sum() > 1 else ""
            raise UploadError(
                f"Row {before + row + 1} of {shown(meant.nodes.name)} has {shown(texts[row].as_py())!r} as "
                f"{shown(name)}, which is no number{more}"
            )
    found = cells.cast("float64").fill_null(np.nan).to_numpy(zero_copy_only=False)
    empty = np.isnan(found)
    with np.errstate(over="ignore"):  # a number that is too large for a float is looked at by whoever called
        values = np.where(empty, meant.said.missing or 0.0, found).astype(np.float32)
    return values, int(empty.sum())


def _one_hot(cells: Any, categories: Sequence[str]) -> NDArray[np.bool_]:
    places = compute.index_in(cells.fill_null(""), value_set=pyarrow.array(categories, cells.type))
    found: NDArray[np.bool_] = places.to_numpy(zero_copy_only=False)[:, None] == np.arange(len(categories))
    return found


def _categories(meant: Meant, name: str) -> list[str]:
    found = set[str]()
    for batch in meant.nodes.read({name: TEXT}, lambda _: None):
        found.update(trimmed(batch.column(0)).fill_null("").unique().to_pylist())
    return sorted(found)


def _names(cells: Any, meant: Meant, before: int) -> Any:
    cells = compute.utf8_trim_whitespace(cells)
    empty = compute.equal(cells, "").fill_null(True).to_numpy(zero_copy_only=False)
    if empty.any():
        raise UploadError(
            f"Row {before + int(empty.argmax()) + 1} of {shown(meant.nodes.name)} has no {shown(meant.id) or 'id'}"
        )
    return cells


def _unique(ids: Any) -> Any:
    """Names as whole numbers where all of them are written as such (007 and 0x10 are not), else as texts.
    Raises `UploadError` for one that is there twice."""
    with suppress(pyarrow.ArrowInvalid):
        texts = plain_names(ids)
        whole = texts.cast(pyarrow.int64())
        ids = whole if whole.cast(ids.type).equals(texts) else ids
    if compute.count_distinct(ids).as_py() < len(ids):
        counted = compute.value_counts(ids)
        twice = counted.filter(compute.greater(counted.field("counts"), 1)).field("values")[0]
        raise UploadError(f"Two nodes have the same id ({shown(twice.as_py())})")
    return ids


def write_texts(path: Path, texts: Sequence[str]) -> None:
    """Texts as two arrays: their letters in UTF-8 one after the other, and where each ends."""
    encoded = [text.encode() for text in texts]
    np.save(path.with_suffix(".npy"), np.frombuffer(b"".join(encoded), dtype=np.uint8))
    np.save(path.with_name(f"{path.name}_ends.npy"), np.cumsum([len(one) for one in encoded], dtype=np.int64))


def _keep_labels(meant: Meant, folder: Path, labels: _Codes, limits: Limits, taken: Taken) -> None:
    """Write the numbers of classes, in the order of their names, and -1 for a node without one."""
    names = [_whole(name) for name in labels.number]
    classes: Sequence[str] = meant.nodes.vectors.get(meant.label or "", ())
    place = {name: int(name) for name in names if name.isdecimal()}
    taken.class_names = tuple(classes)
    if not classes:
        doubtful = tuple(name for name in labels.number if name.lower() in _DOUBTFUL)
        if meant.said.unlabelled is None and doubtful and len(names) > len(doubtful):
            raise Unclear("unlabelled", doubtful, (), label=repr(shown(doubtful[0])))
        without = set(map(_whole, meant.said.unlabelled or ()))
        by_number = all(name.removeprefix("-").isdecimal() and len(name) < 19 for name in names)
        classes = sorted(set(names) - without, key=lambda name: (int(name) if by_number else 0, name))
        if not classes and meant.text is not None:
            return  # a domain stands for a class
        place = {name: at for at, name in enumerate(classes)}
        taken.class_names = _cleaned(classes, "classes")
    if len(set(place.values())) < 2:
        raise UploadError("All nodes have the same label, and at least two classes are needed")
    if len(classes) > limits.classes:
        raise UploadError(f"There are more than {limits.classes:,} classes")
    table = np.array([*(place.get(name, -1) for name in names), -1], dtype=np.int64)
    np.save(folder / "y.npy", table[labels.all()])


def _cleaned(names: Sequence[str], what: str) -> tuple[str, ...]:
    """Names of classes or domains as they are kept. Raises `UploadError` where two of them become one."""
    cleaned = tuple(map(clean_name, names))
    if len(set(cleaned)) < len(names):
        raise UploadError(f"Two {what} differ in letters alone that cannot be printed")
    return cleaned


def _whole(label: str) -> str:
    """A label as it is, or without the decimals of a whole number: pandas writes 1.0 where some have none."""
    return label[:-2] if label.endswith(".0") and label[:-2].removeprefix("-").isdecimal() else label


def _parts(columns: Sequence[Any], meant: Meant, before: int) -> NDArray[np.int8]:
    """(n,) int8: 0 train, 1 validation, 2 test, -1 none."""
    if len(columns) == 1:
        words = [(one or "").lower() for one in trimmed(columns[0]).to_pylist()]
        for row, word in enumerate(words, before + 1):
            if word and word not in PARTS:
                raise UploadError(
                    f"Row {row} has {shown(word)!r} as {shown(meant.split[0])}: train, val or test is needed"
                )
        return np.array([PARTS.get(one, -1) for one in words], dtype=np.int8)
    masks = []
    for name, cells in zip(meant.split, columns, strict=True):
        found, wrong_at = numbers(cells, ".")
        values = found.fill_null(0.0).to_numpy(zero_copy_only=False)
        if wrong_at.any() or not np.isin(values, (0.0, 1.0)).all():
            raise UploadError(f"The column {shown(name)!r} must hold 0 and 1, or true and false")
        masks.append(values > 0)
    several = np.sum(masks, axis=0) > 1
    if several.any():
        raise UploadError(f"Row {before + int(several.argmax()) + 1} is in more than one part of the split")
    return np.select(masks, [0, 1, 2], -1).astype(np.int8)


def _keep_parts(folder: Path, parts: list[NDArray[np.int8]], taken: Taken) -> None:
    if not parts:
        return
    found = np.concatenate(parts)
    found[read(folder / "y.npy") < 0] = -1
    if lost := next((name for at, name in enumerate(("train", "val", "test")) if not (found == at).any()), None):
        raise UploadError(f"No node with a label is in the part {lost} of the split")
    np.save(folder / "parts.npy", found)
    taken.masks = True


def _texts(cells: Any, before: int, limits: Limits) -> list[str]:
    found: list[str] = compute.utf8_trim_whitespace(cells).fill_null("").to_pylist()
    for row, text in enumerate(found, before + 1):
        if not 0 < len(text) <= limits.text_letters:
            raise UploadError(f"Text {row} has {len(text):,} letters, and 1 to {limits.text_letters:,} are taken")
    return found


def _keep_texts(meant: Meant, folder: Path, texts: Sequence[str], domains: _Codes, taken: Taken) -> None:
    """Write texts and their domains; where no text has a label, its domain is its class."""
    if meant.domain is None and not meant.said.halves:
        raise Unclear("halves", True)
    if meant.domain is None:
        numbers_of = stream(0, "upload/halves").permutation(np.arange(len(texts), dtype=np.int64) % 2)
        taken.domains = HALVES
    else:
        numbers_of, names = domains.all(), list(domains.number)
        if long := next((name for name in names if len(name) > _LONGEST_NAME), None):
            raise UploadError(f"The name of the domain {shown(long)} has more than {_LONGEST_NAME} letters")
        taken.domains = _cleaned(names, "domains")
        if len(names) < 2:
            raise UploadError("At least two domains are needed: relations are learnt in one and predicted in another")
    write_texts(folder / "texts", texts)
    np.save(folder / "domains.npy", numbers_of)
    if not taken.class_names:
        np.save(folder / "y.npy", numbers_of)
        taken.class_names = taken.domains


def _check_related(folder: Path, taken: Taken) -> None:
    """At least two domains have relations inside them."""
    domains, ends = read(folder / "domains.npy"), read(folder / "edges.npy")
    inside = np.unique(domains[ends[0]][domains[ends[0]] == domains[ends[1]]])
    if inside.size < 2:
        raise UploadError("At least two domains need relations between their own texts, to learn from and to predict")
    apart = int((domains[ends[0]] != domains[ends[1]]).sum()) // (1 + taken.undirected)
    if apart:
        taken.summary.append(("relations between domains, not read", f"{apart:,}"))


def _take_edges(meant: Meant, number: Numbering, adjacency: Adjacency, seen: Seen, plain: bool) -> None:
    kind = number.type if plain else TEXT
    types = {meant.source: kind, meant.target: kind}
    if meant.weight:
        own = meant.edges.own[meant.weight]
        types[meant.weight] = own if not plain and own == TEXT else pyarrow.float64()
    read = 0
    for batch in meant.edges.read(types, seen):
        ends = [number(batch.column(place)) for place in range(2)]
        unknown = np.minimum(*ends) < 0
        if unknown.any():
            at = int(unknown.argmax())
            which = 0 if ends[0][at] < 0 else 1
            raise UploadError(_stranger(meant, read + at + 1, batch.column(which)[at].as_py(), int(unknown.sum())))
        kept = np.ones(batch.num_rows, dtype=bool)
        if meant.weight:
            nothing = compute.match_substring_regex(plain_names(batch.column(2)), r"^[-+]?[0.,]*0[0.,]*(?:[eE].*)?$")
            kept = ~nothing.fill_null(False).to_numpy(zero_copy_only=False)
            adjacency.weightless += int((~kept).sum())
        adjacency.add(ends[0][kept], ends[1][kept])
        read += batch.num_rows


def _stranger(meant: Meant, row: int, value: Any, more: int) -> str:
    place = f"Row {row} of {shown(meant.edges.name)}"
    if value is None or not str(value).strip():
        return f"{place} has an edge with one end"
    rest = f" (and {more - 1:,} more rows)" if more > 1 else ""
    return f"{place} names the node {shown(value)}, which is not among the nodes{rest}"


def _say_nodes(meant: Meant, features: _Features, taken: Taken, missing: Counter[str], folder: Path) -> None:
    """Rows of what was understood of the nodes."""
    y = read(folder / "y.npy")
    counts = np.bincount(y[y >= 0], minlength=len(taken.class_names))
    kinds = Counter(Kind.WORDS if name in meant.coded else meant.kinds[name].kind for name in meant.features)
    named = ", ".join(shown(name) for name in meant.features[:8]) or taken.feature_names[0]
    told = "".join(f", {count:,} {kind}" for kind, count in kinds.items())
    flat = [taken.feature_names[at] if taken.feature_names else str(at) for at in features.flattened()]
    classes = [f"{shown(name)} {count:,}" for name, count in zip(taken.class_names, counts, strict=True)]
    split = "drawn by the seed: 75% train, 10% val, 15% test"
    if taken.masks:
        none, *parts = np.bincount(read(folder / "parts.npy") + 1, minlength=4)
        split = "train {:,}, val {:,}, test {:,}".format(*parts) + f", none {none:,}" * bool(none)
    rows: dict[str, str | int] = {
        "nodes": f"{taken.nodes:,}",
        "named by": "their row, from 0" if meant.id is None else shown(meant.id) or "an unnamed column",
        "features": f"{features.width:,}{told}: {named}" + ", ..." * (len(meant.features) > 8),
        "public by that": ", ".join(f"the words of {shown(name)}" for name in meant.coded),
        "numbers that were missing": f"{missing.total():,}, now {meant.said.missing or 0:g}" * bool(+missing),
        "mark of decimals": "comma" * (meant.decimal != "."),
        f"nodes with features cut off at {LARGEST_FEATURE:,.0f}": features.odd,
        "constant by that": ", ".join(flat[:8]),
        f"classes by {shown(meant.label) if meant.label else 'domain'}": ", ".join(classes[:12]),
        "nodes without a label, not learnt from": int((y < 0).sum()),
        "split of the file" if taken.masks else "split": split,
    }
    _say(taken, rows)


def _say_edges(meant: Meant, adjacency: Adjacency, taken: Taken) -> None:
    """Rows of what was understood of the edges, and of what was not read."""
    rows: dict[str, str | int] = {
        "undirected edges" if taken.undirected else "edges": f"{adjacency.edges:,}",
        "duplicates merged": adjacency.listed - adjacency.loops - adjacency.edges,
        "loops dropped": adjacency.loops,
        f"edges of {shown(meant.weight)} 0 dropped": adjacency.weightless,
        "weights not used": shown(meant.weight or ""),
    }
    _say(taken, rows)
    ignored, notes = meant.ignored[:12], [*meant.nodes.notes, *meant.edges.notes]
    taken.summary += [(f"not read: {shown(name) or 'an unnamed column'}", why) for name, why in ignored]
    _say(taken, {"further columns not read": max(0, len(meant.ignored) - 12)})
    taken.summary += [("comment", shown(note, 60)) for note in notes[:4] if taken.undirected or note != UNDIRECTED]


def _say(taken: Taken, rows: Mapping[str, str | int]) -> None:
    """Add rows to the summary, but for those that say nothing: of no text, or of a count of 0."""
    taken.summary += [(what, f"{told:,}" if isinstance(told, int) else told) for what, told in rows.items() if told]
