"""From tables whose columns are told to the arrays of a graph, in files that are mapped when it is loaded. No
torch.

Rows are read in batches and written as they come: memory is that of a batch, the names of the nodes and a run
of the sort.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.errors import UploadError
from privgraph.data.own.columns import PARTS, Kind, Meant, trimmed
from privgraph.data.own.description import Unclear
from privgraph.data.own.edges import Adjacency
from privgraph.data.own.frames import Seen
from privgraph.data.own.growing import Growing, read
from privgraph.data.own.limits import SMALLEST, Limits, clean_name, shown
from privgraph.data.spec import LARGEST_FEATURE
from privgraph.streams import stream

HALVES = ("first random half", "second random half")
"""Domains that were drawn because there were none, and somebody asked for them."""
_DOUBTFUL = ("-1", "-1.0", "None", "none", "?", "-", ".")
"""Labels that may mean that there is none."""
_NAMED = 1_000_000
"""Nodes up to which their names are kept."""
_LONGEST_NAME = 60


@dataclass(kw_only=True, eq=False)
class Taken:
    """What is known of a graph whose arrays lie in a folder: `x`, `y`, `edges`, `pointers`, and where there
    are any `parts` (0 train, 1 validation, 2 test, -1 none), `ids`, `texts` and `domains`. `summary` are rows
    of what was understood."""

    nodes: int = 0
    width: int = 0
    features: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    masks: bool = False
    edges: int = 0
    directed: bool = False
    odd: int = 0
    summary: list[tuple[str, str]] = field(default_factory=list)


class Numbering:
    """Which number a node has, by its name.

    Args:
        names: An Arrow array of all names in the order of nodes, texts or whole numbers, or how many nodes
            there are, where a name is the number itself.
    """

    def __init__(self, names: Any) -> None:
        import pyarrow

        self._names = None if isinstance(names, int) else names
        self._count = names if isinstance(names, int) else len(names)
        self.type = pyarrow.int64() if self._names is None else self._names.type
        if self._names is not None and pyarrow.types.is_integer(self.type):
            numbers = self._names.to_numpy()
            if (numbers == np.arange(numbers.size)).all():
                self._names = None

    def __call__(self, names: Any) -> NDArray[np.int64]:
        """(n,) numbers of names, and -1 for what is no node. `names`: an Arrow array of `type`."""
        from pyarrow import compute

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
    import pyarrow
    from pyarrow import compute

    cells = trimmed(cells)
    other = "," if decimal == "." else "."
    grouped = compute.match_substring_regex(cells, rf"^[-+]?\d{{1,3}}(?:[{other}' ]\d{{3}})+(?:[{decimal}]\d+)?$")
    cells = compute.if_else(grouped, compute.replace_substring_regex(cells, f"[{other}' ]", ""), cells)
    cells = compute.replace_substring(cells, decimal, ".") if decimal == "," else cells
    lower = compute.utf8_lower(cells)
    cells = compute.replace_substring_regex(compute.replace_substring_regex(lower, "^true$", "1"), "^false$", "0")
    cells = compute.replace_substring_regex(cells, r"^\+", "")
    plain = compute.match_substring_regex(cells, r"^-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$|^-?inf(inity)?$").fill_null(
        True
    )
    wrong = ~plain.to_numpy(zero_copy_only=False)
    return compute.if_else(plain, cells, pyarrow.scalar(None, cells.type)).cast(pyarrow.float64()), wrong


class _Features:
    """The feature table as it grows, cut off where `Graph` would cut it."""

    def __init__(self, path: Path, width: int, limits: Limits) -> None:
        self.rows, self.odd, self.width = 0, 0, width
        self._limits = limits
        self._low, self._high = np.full(width, np.inf), np.full(width, -np.inf)
        self._file = Growing(path, np.float32)

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
        self._file.append(x)

    def flattened(self) -> NDArray[np.int64]:
        """Places of the columns that have one value because they are cut off."""
        low, high = (np.clip(bound, -LARGEST_FEATURE, LARGEST_FEATURE) for bound in (self._low, self._high))
        return np.flatnonzero((low == high) & (np.maximum(-self._low, self._high) > LARGEST_FEATURE))

    def finish(self) -> None:
        self._file.finish((self.rows, self.width))


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
    """Write the arrays of a graph into `folder`, and say what was understood.

    Args:
        meant: The tables, and which column is what.
        folder: Where the arrays go.
        scratch: Where edges are sorted.
        limits: Sizes that are taken.
        tell: Is told a stage, how far it is and of how much.
        plain: Whether columns are read as numbers at once, and not as texts that are looked at one by one.

    Raises:
        UploadError: Something is wrong with the graph; of its kind `Unclear`, where that can be read in two
            ways.
        NotPlain: Some cells are no plain numbers, and `plain` asked for these.
    """
    taken = Taken(directed=meant.said.directed)
    number = _take_nodes(
        meant, folder, limits, lambda done: tell("reading nodes", done, meant.nodes.size), plain, taken
    )
    adjacency = Adjacency(folder, scratch, taken.nodes, meant.said.directed, limits)
    _take_edges(meant, number, adjacency, lambda done: tell("reading edges", done, meant.edges.size), plain)
    adjacency.write(lambda done: tell("sorting edges", done, adjacency.expected))
    taken.edges = adjacency.edges
    if meant.text:
        _check_related(folder, taken)
    _say_edges(meant, adjacency, taken)
    return taken


def _take_nodes(meant: Meant, folder: Path, limits: Limits, seen: Seen, plain: bool, taken: Taken) -> Numbering:
    import pyarrow

    text = pyarrow.large_string()
    types = {
        name: text
        for name in (meant.id, meant.label, meant.text, meant.domain, *meant.split, *meant.coded)
        if name is not None
    }
    types |= {name: _type(meant, name, plain) for name in meant.features if name not in meant.coded}
    categories = {name: _categories(meant, name) for name in meant.coded}
    width, names = _width(meant, categories)
    if width > limits.features:
        raise UploadError(f"The nodes have {width:,} features, and at most {limits.features:,} are taken")
    features = _Features(folder / "x.npy", width, limits)
    labels, domains = _Codes(limits.classes + len(_DOUBTFUL), "labels"), _Codes(limits.domains, "domains")
    ids, texts, parts = [], [], []
    missing: Counter[str] = Counter()
    for batch in meant.nodes.read(types or {meant.nodes.columns[0]: meant.nodes.own[meant.nodes.columns[0]]}, seen):
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
                domains.append(_domains(held[meant.domain], features.rows))
        x = np.ones((batch.num_rows, width), dtype=np.float32)
        at = 0
        for name in meant.features:
            cells = held[name]
            if name in categories:
                at = _one_hot(x, at, trimmed(cells), categories[name])
            elif meant.kinds[name].kind is Kind.VECTORS:
                at = _vectors(x, at, cells, name, features.rows)
            else:
                x[:, at], empty = _scalars(cells, meant, name, features.rows)
                missing[name] += empty
                at += 1
        if meant.text is not None:
            x[:, 0] = [len(one.split()) for one in texts[features.rows :]]
        features.append(x)
    nodes = features.rows
    features.finish()
    if nodes < SMALLEST:
        raise UploadError(f"The graph has {nodes} nodes, and at least {SMALLEST} are needed")
    if meant.said.missing is None and +missing:
        _ask_missing(meant, missing)
    taken.nodes, taken.width, taken.features, taken.odd = nodes, width, names, features.odd
    number = Numbering(_unique(pyarrow.chunked_array(ids).combine_chunks()) if meant.id is not None else nodes)
    _keep_names(folder, ids, nodes)
    _keep_labels(meant, folder, labels, domains, limits, taken)
    if meant.text is not None:
        _keep_texts(meant, folder, texts, domains, taken)
    _keep_parts(folder, parts, taken)
    _say_nodes(meant, features, taken, missing, folder)
    return number


def _type(meant: Meant, name: str, plain: bool) -> Any:
    """The type that a column of features is read as."""
    import pyarrow

    column, own = meant.kinds[name], meant.nodes.own[name]
    if own != pyarrow.large_string():
        return own if column.kind is Kind.VECTORS else pyarrow.float64() if column.kind is not Kind.FLAGS else own
    if not plain or meant.decimal != "." or column.grouped:
        return own
    return pyarrow.bool_() if column.kind is Kind.FLAGS else pyarrow.int64() if column.whole else pyarrow.float64()


def _width(meant: Meant, categories: dict[str, list[str]]) -> tuple[int, tuple[str, ...]]:
    """How many features there are, and their names; () where they have none."""
    if meant.text is not None:
        return 1, ("words",)
    if not meant.features:
        return 1, ("constant",)
    width, names, unnamed = 0, list[str](), False
    for name in meant.features:
        if name in categories:
            own = [f"{name}={one or '(none)'}" for one in categories[name]]
        elif meant.kinds[name].kind is Kind.VECTORS:
            size = _length(meant, name)
            own = list(meant.nodes.vectors.get(name, ())) or (
                [f"{name} {at}" for at in range(size)] if len(meant.features) > 1 else []
            )
            unnamed |= not own
            if own and len(own) != size:
                raise UploadError(f"There are {len(own):,} names of features for {size:,} features")
            width += size * (not own)
        else:
            own = [name]
        width += len(own)
        names += own
    cleaned = tuple(map(clean_name, names))
    if twice := next((one for one, count in Counter(cleaned).items() if count > 1), None):
        raise UploadError(
            f"Two features would be called {shown(twice, 60)}: ignore one, or shorten what tells them apart"
        )
    return width, () if unnamed else cleaned


def _length(meant: Meant, name: str) -> int:
    """How long the vectors of a column are."""
    own = meant.nodes.own[name]
    if hasattr(own, "list_size"):
        return int(own.list_size)
    first = next(iter(meant.nodes.read({name: own}, lambda _: None)), None)
    return (
        0
        if first is None or not len(first.column(0)) or first.column(0)[0].as_py() is None
        else len(first.column(0)[0])
    )


def _vectors(x: NDArray[np.float32], at: int, cells: Any, name: str, before: int) -> int:
    from pyarrow import compute

    lengths = compute.list_value_length(cells).fill_null(-1).to_numpy(zero_copy_only=False)
    size = int(lengths[0]) if lengths.size else 0
    if not (lengths == size).all() or size < 1:
        row = int(np.argmax(lengths != size)) if size > 0 else 0
        raise UploadError(f"Row {before + row + 1} has a vector of another length in the column {shown(name)!r}")
    values = compute.list_flatten(cells)
    try:
        flat = values.fill_null(np.nan).cast("float32", safe=False).to_numpy(zero_copy_only=False)
    except Exception as error:
        raise UploadError(
            f"The column {shown(name)!r} holds vectors of {shown(values.type)}, and not of numbers"
        ) from error
    x[:, at : at + size] = flat.reshape(-1, size)
    return at + size


def _scalars(cells: Any, meant: Meant, name: str, before: int) -> tuple[NDArray[np.float32], int]:
    """Numbers of a column, with what stands in for those that are missing, and how many are. Raises
    `UploadError`."""
    import pyarrow

    if cells.type == pyarrow.large_string():
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


def _one_hot(x: NDArray[np.float32], at: int, cells: Any, categories: Sequence[str]) -> int:
    import pyarrow
    from pyarrow import compute

    found = compute.index_in(cells.fill_null(""), value_set=pyarrow.array(categories, cells.type)).to_numpy(
        zero_copy_only=False
    )
    x[:, at : at + len(categories)] = found[:, None] == np.arange(len(categories))
    return at + len(categories)


def _categories(meant: Meant, name: str) -> list[str]:
    import pyarrow

    found = set[str]()
    for batch in meant.nodes.read({name: pyarrow.large_string()}, lambda _: None):
        found.update(trimmed(batch.column(0)).fill_null("").unique().to_pylist())
    return sorted(found)


def _ask_missing(meant: Meant, missing: Counter[str]) -> None:
    lost = tuple(name for name, count in missing.items() if count)
    raise Unclear(
        "missing",
        f"{sum(missing.values()):,} cells of {shown(', '.join(lost), 60)} hold no number",
        (0.0, "a number of yours in their place"),
        other=f"ignore = [{', '.join(shown(name) for name in lost[:3])}]",
    )


def _names(cells: Any, meant: Meant, before: int) -> Any:
    from pyarrow import compute

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
    import pyarrow
    from pyarrow import compute

    with suppress(pyarrow.ArrowInvalid):
        whole = ids.cast(pyarrow.int64())
        if whole.cast(ids.type).equals(ids):
            ids = whole
    if compute.count_distinct(ids).as_py() < len(ids):
        counted = compute.value_counts(ids)
        twice = counted.filter(compute.greater(counted.field("counts"), 1)).field("values")[0]
        raise UploadError(f"Two nodes have the same id ({shown(twice.as_py())})")
    return ids


def _keep_names(folder: Path, ids: list[Any], nodes: int) -> None:
    if not ids or nodes > _NAMED:
        return
    names = [clean_name(name) for part in ids for name in part.to_pylist()]
    if names != [str(at) for at in range(nodes)]:
        write_texts(folder / "ids", names)


def write_texts(path: Path, texts: Sequence[str]) -> None:
    """Texts as two arrays: their letters in UTF-8 one after the other, and where each ends."""
    encoded = [text.encode() for text in texts]
    np.save(path.with_suffix(".npy"), np.frombuffer(b"".join(encoded), dtype=np.uint8))
    np.save(path.with_name(f"{path.name}_ends.npy"), np.cumsum([len(one) for one in encoded], dtype=np.int64))


def _keep_labels(meant: Meant, folder: Path, labels: _Codes, domains: _Codes, limits: Limits, taken: Taken) -> None:
    """Write the numbers of classes, in the order of their names, and -1 for a node without one."""
    codes, names = labels.all(), [_whole(name) for name in labels.number]
    if declared := meant.nodes.vectors.get(meant.label or ""):
        own = [int(name) if name.isdecimal() else -1 for name in names]
        y = np.array([*own, -1], dtype=np.int64)[codes]
        if len(declared) > limits.classes:
            raise UploadError(f"There are more than {limits.classes:,} classes")
        if np.unique(y[y >= 0]).size < 2:
            raise UploadError("All nodes have the same label, and at least two classes are needed")
        np.save(folder / "y.npy", y)
        taken.classes = declared
        return
    doubtful = tuple(name for name in labels.number if name in _DOUBTFUL)
    if meant.said.unlabelled is None and doubtful and len(names) > len(doubtful):
        raise Unclear(
            "unlabelled",
            f"The label {shown(doubtful[0])!r} may mean that a node has none",
            (doubtful, "it has none"),
            ((), "it is a class"),
        )
    without = set(map(_whole, meant.said.unlabelled or ()))
    classes = sorted(set(names) - without, key=_order(names))
    if not classes and meant.text is not None:
        taken.classes = ()  # a domain stands for a class
        return
    if len(classes) < 2:
        raise UploadError("All nodes have the same label, and at least two classes are needed")
    if len(classes) > limits.classes:
        raise UploadError(f"There are more than {limits.classes:,} classes")
    place = {name: at for at, name in enumerate(classes)}
    table = np.array([*(place.get(name, -1) for name in names), -1], dtype=np.int64)
    y = table[codes]
    np.save(folder / "y.npy", y)
    taken.classes = tuple(map(clean_name, classes))
    if len(set(taken.classes)) < len(classes):
        raise UploadError("Two classes differ in letters alone that cannot be printed")


def _whole(label: str) -> str:
    """A label as it is, or without the decimals of a whole number: pandas writes 1.0 where some have none."""
    return label[:-2] if label.endswith(".0") and label[:-2].removeprefix("-").isdecimal() else label


def _order(names: Sequence[str]) -> Callable[[str], Any]:
    if all(name.removeprefix("-").isdecimal() and len(name) < 19 for name in names):
        return lambda name: (int(name), name)
    return lambda name: name


def _parts(columns: Sequence[Any], meant: Meant, before: int) -> NDArray[np.int8]:
    """(n,) int8: 0 train, 1 validation, 2 test, -1 none."""
    if len(columns) == 1:
        words = [(one or "").lower() for one in trimmed(columns[0]).to_pylist()]
        wrong = next((at for at, one in enumerate(words) if one and one not in PARTS), None)
        if wrong is not None:
            raise UploadError(
                f"Row {before + wrong + 1} has {shown(words[wrong])!r} as {shown(meant.split[0])}: "
                "train, val or test is needed"
            )
        return np.array([PARTS.get(one, -1) for one in words], dtype=np.int8)
    masks = []
    for name, cells in zip(meant.split, columns, strict=True):
        found, wrong_at = numbers(cells, ".")
        values = found.fill_null(0.0).to_numpy(zero_copy_only=False)
        if wrong_at.any() or not np.isin(values, (0.0, 1.0)).all():
            raise UploadError(f"The column {shown(name)!r} must hold 0 and 1, or true and false")
        masks.append(values > 0)
    if (np.sum(masks, axis=0) > 1).any():
        raise UploadError(
            f"Row {before + int(np.argmax(np.sum(masks, axis=0) > 1)) + 1} is in more than one part of the split"
        )
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
    from pyarrow import compute

    found: list[str] = compute.utf8_trim_whitespace(cells).fill_null("").to_pylist()
    for at, text in enumerate(found):
        if not 0 < len(text) <= limits.text_letters:
            raise UploadError(
                f"Text {before + at + 1} has {len(text):,} letters, and 1 to {limits.text_letters:,} are taken"
            )
    return found


def _domains(cells: Any, before: int) -> Any:
    found = trimmed(cells)
    if found.null_count:
        raise UploadError(f"Text {before + found.is_null().to_pylist().index(True) + 1} has no domain")
    return found


def _keep_texts(meant: Meant, folder: Path, texts: Sequence[str], domains: _Codes, taken: Taken) -> None:
    """Write texts and their domains; where no text has a label, its domain is its class."""
    if meant.domain is None and not meant.said.halves:
        raise Unclear(
            "halves",
            "The texts have no domain: relations are learnt in one domain and predicted in another",
            (True, "two random halves"),
            other="domain = the column of their domains",
        )
    if meant.domain is None:
        numbers_of = stream(0, "upload/halves").permutation(np.arange(len(texts), dtype=np.int64) % 2)
        taken.domains = HALVES
    else:
        numbers_of, names = domains.all(), list(domains.number)
        if long := next((name for name in names if len(name) > _LONGEST_NAME), None):
            raise UploadError(f"The name of the domain {shown(long)} has more than {_LONGEST_NAME} letters")
        taken.domains = tuple(map(clean_name, names))
        if len(set(taken.domains)) < 2:
            raise UploadError("At least two domains are needed: relations are learnt in one and predicted in another")
        if len(set(taken.domains)) < len(names):
            raise UploadError("Two domains differ in letters alone that cannot be printed")
    write_texts(folder / "texts", texts)
    np.save(folder / "domains.npy", numbers_of)
    if not taken.classes:
        np.save(folder / "y.npy", numbers_of)
        taken.classes = taken.domains


def _check_related(folder: Path, taken: Taken) -> None:
    """At least two domains have relations inside them."""
    domains, ends = read(folder / "domains.npy"), read(folder / "edges.npy")
    inside = np.unique(domains[ends[0]][domains[ends[0]] == domains[ends[1]]])
    if inside.size < 2:
        raise UploadError("At least two domains need relations between their own texts, to learn from and to predict")
    apart = int((domains[ends[0]] != domains[ends[1]]).sum()) // (1 if taken.directed else 2)
    if apart:
        taken.summary.append(("relations between domains, not read", f"{apart:,}"))


def _take_edges(meant: Meant, number: Numbering, adjacency: Adjacency, seen: Seen, plain: bool) -> None:
    import pyarrow

    kind = number.type if plain else pyarrow.large_string()
    types = {meant.source: kind, meant.target: kind}
    if meant.weight:
        own = meant.edges.own[meant.weight]
        types[meant.weight] = own if not plain and own == pyarrow.large_string() else pyarrow.float64()
    read = 0
    for batch in meant.edges.read(types, seen):
        ends = [_numbered(number, batch.column(place)) for place in range(2)]
        unknown = np.minimum(*ends) < 0
        if unknown.any():
            at = int(unknown.argmax())
            which = 0 if ends[0][at] < 0 else 1
            raise UploadError(_stranger(meant, read + at + 1, batch.column(which)[at].as_py(), int(unknown.sum())))
        kept = np.ones(batch.num_rows, dtype=bool)
        if meant.weight:
            weights = batch.column(2) if batch.column(2).type == pyarrow.float64() else numbers(batch.column(2), ".")[0]
            kept = weights.fill_null(1.0).to_numpy(zero_copy_only=False) != 0
            adjacency.weightless += int((~kept).sum())
        adjacency.add(ends[0][kept], ends[1][kept])
        read += batch.num_rows


def _numbered(number: Numbering, cells: Any) -> NDArray[np.int64]:
    import pyarrow

    if cells.type != number.type:  # texts, where names are numbers
        from pyarrow import compute

        cells = compute.utf8_trim_whitespace(cells)
        cells = compute.replace_substring_regex(cells, r"\.0$", "")  # as pandas writes them beside empty cells
        whole = compute.match_substring_regex(cells, r"^(0|-?[1-9]\d{0,17})$").fill_null(False)
        cells = compute.if_else(whole, cells, pyarrow.scalar("-1", cells.type)).cast(number.type)
    return number(cells)


def _stranger(meant: Meant, row: int, value: Any, more: int) -> str:
    place = f"Row {row} of {shown(meant.edges.name)}"
    if value is None or not str(value).strip():
        return f"{place} has an edge with one end"
    rest = f" (and {more - 1:,} more rows)" if more > 1 else ""
    return f"{place} names the node {shown(value)}, which is not among the nodes{rest}"


def _say_nodes(meant: Meant, features: _Features, taken: Taken, missing: Counter[str], folder: Path) -> None:
    """Rows of what was understood of the nodes."""
    y = read(folder / "y.npy")
    counts = np.bincount(y[y >= 0], minlength=len(taken.classes))
    say = taken.summary.append
    say(("nodes", f"{taken.nodes:,}"))
    say(("named by", shown(meant.id) or "an unnamed column" if meant.id is not None else "their row, from 0"))
    kinds = Counter(Kind.WORDS if name in meant.coded else meant.kinds[name].kind for name in meant.features)
    named = ", ".join(shown(name) for name in meant.features[:8]) or taken.features[0]
    told = "".join(f", {count:,} {kind}" for kind, count in kinds.items())
    say(("features", f"{features.width:,}{told}: {named}" + ", ..." * (len(meant.features) > 8)))
    if meant.coded:
        say(("public by that", ", ".join(f"the words of {shown(name)}" for name in meant.coded)))
    if meant.said.missing is not None and +missing:
        say(("numbers that were missing", f"{sum(missing.values()):,}, now {meant.said.missing:g}"))
    if meant.decimal != ".":
        say(("mark of decimals", "comma"))
    if features.odd:
        say((f"nodes with features cut off at {LARGEST_FEATURE:,.0f}", f"{features.odd:,}"))
    if flat := [taken.features[at] if taken.features else str(at) for at in features.flattened()]:
        say(("constant by that", ", ".join(flat[:8])))
    say(
        (
            f"classes by {shown(meant.label)}" if meant.label else "classes by domain",
            ", ".join(f"{shown(name)} {count:,}" for name, count in list(zip(taken.classes, counts, strict=True))[:12]),
        )
    )
    if none := int((y < 0).sum()):
        say(("nodes without a label, not learnt from", f"{none:,}"))
    if not taken.masks:
        say(("split", "drawn by the seed: 75% train, 10% val, 15% test"))
    else:
        found = np.bincount(read(folder / "parts.npy") + 1, minlength=4)
        say(
            (
                "split of the file",
                f"train {found[1]:,}, val {found[2]:,}, test {found[3]:,}" + f", none {found[0]:,}" * bool(found[0]),
            )
        )


def _say_edges(meant: Meant, adjacency: Adjacency, taken: Taken) -> None:
    """Rows of what was understood of the edges, and of what was not read."""
    say = taken.summary.append
    say(("edges" if taken.directed else "undirected edges", f"{adjacency.edges:,}"))
    if repeated := adjacency.listed - adjacency.loops - adjacency.edges:
        say(("duplicates merged", f"{repeated:,}"))
    if adjacency.loops:
        say(("loops dropped", f"{adjacency.loops:,}"))
    if adjacency.weightless:
        say((f"edges of {shown(meant.weight)} 0 dropped", f"{adjacency.weightless:,}"))
    if meant.weight:
        say(("weights not used", shown(meant.weight)))
    for name, why in meant.ignored[:12]:
        say((f"not read: {shown(name) or 'an unnamed column'}", str(why)))
    if len(meant.ignored) > 12:
        say(("further columns not read", f"{len(meant.ignored) - 12:,}"))
    for note in (*meant.nodes.notes, *meant.edges.notes)[:4]:
        say(("comment", shown(note, 60)))
