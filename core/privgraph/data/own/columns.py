"""What columns hold, and which is which: by what a person says, else by names and first rows. No torch."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import pyarrow
from pyarrow import compute, types

from privgraph.data.errors import UploadError
from privgraph.data.own.delimited import ENDS, MISSING
from privgraph.data.own.description import Description, Unclear
from privgraph.data.own.frames import HEAD, TEXT, Frame, beside, in_memory
from privgraph.data.own.limits import CATEGORIES, shown
from privgraph.options import listed, nearest

_IDS = ("id", "node", "node_id", "nodeid", "name", "key", "paper", "person", "user")
_LABELS = ("label", "class", "y", "labels", "classes", "page_type", "ml_target")
_TEXTS = ("text", "title", "abstract", "description", "content", "body")
_DOMAINS = ("domain", "part", "category", "field", "source")
_WEIGHTS = ("weight", "weights", "w")
_PARTS = re.compile(r"(?:is_)?(?:train(?:ing)?|val(?:id|idation)?|test(?:ing)?)(?:_?mask)?|split|fold")
_OF_EDGES = re.compile(
    r"(?:weighted |in-?|out-?|average )?degree|modularity[ _]?class|page ?ranks?|eccentricity|(?:harmonic )?closness.*|"
    r"(?:harmonic )?closeness.*|betweenness.*|eigen(?:vector)? ?centrality|eigencentrality|authority|hub|clustering.*|"
    r"triangles|(?:strongly[- ]connected )?component(?:number| id)?|k-?core|coreness"
)
"""Names of numbers that programs compute from the edges."""
_DRAWN = ("r", "g", "b")
_LAYOUT = {"r", "g", "b", "a", "alpha", "x", "y", "z", "size"}
"""Colours and places of a drawing, where all of `_DRAWN` are there."""
_ROWS = ("", "unnamed: 0", "index", "row", "row_id", "rownum", "level_0")
"""Columns that may name nodes, or merely count rows."""
BY_ROW = "row"
"""What is said as id where nodes are named by their row, from 0."""
_NO_END = {*_ROWS, *_WEIGHTS, *_LABELS, "id", "edge_id", "edgeid", "eid", "rank", "time", "timestamp", "ts", "date"}
_NO_END |= {"year", "type", "kind", "value", "amount", "count", "score", "rating", "timeset"}
PARTS = {"train": 0, "training": 0, "val": 1, "valid": 1, "validation": 1, "dev": 1, "test": 2, "testing": 2}
"""What a column of a split may say, in lower case."""
_NUMBER = (
    r"^[-+]?(?:\d+|\d{1,3}(?:[.,' ]\d{3})+|\d*[.,]\d+|\d+[.,])(?:[.,]\d+)?(?:[eE][-+]?\d+)?$|"
    r"^[-+]?(?:nan|inf|infinity)$"
)
_GROUPS = {mark: rf"^[-+]?[1-9]\d{{0,2}}(?:[{mark}]\d{{3}})+$" for mark in ".,"}
_SURE = {  # cells that are told apart: a mark of decimals where no group of thousands can be
    mark: rf"^[-+]?(?:\d*[{mark}](?:\d{{1,2}}|\d{{4,}})|0*[{mark}]\d+|\d{{4,}}[{mark}]\d*|\d+[{mark}])(?:[eE].*)?$|"
    rf"^[-+]?\d*[{mark}]?\d+[eE].*$|^[-+]?\d{{1,3}}(?:[{other}]\d{{3}}){{2,}}$|^[-+]?\d{{1,3}}(?:[{other}]\d{{3}})+[{mark}]\d+$"
    for mark, other in ((".", ","), (",", "."))
}


class Kind(StrEnum):
    """What a column holds."""

    NUMBERS = "numbers"
    FLAGS = "true or false"
    WORDS = "words"
    VECTORS = "vectors"
    ROWS = "the number of the row"
    NOTHING = "nothing"


@dataclass(frozen=True, kw_only=True)
class Column:
    """What the first rows of a column hold: how many different values, the commonest of them, and how many
    cells without one. `sure` says that a mark of decimals is one, `grouped` that it may as well stand between
    thousands, and `whole` that all numbers are whole."""

    kind: Kind
    different: int
    counts: tuple[tuple[str, int], ...]
    empty: int
    rows: int
    sure: str = ""
    grouped: str = ""
    whole: bool = False

    @property
    def names(self) -> bool:
        """Whether it may name rows: whole numbers or words, each once."""
        return self.different == self.rows > 0 and (self.whole or self.kind is Kind.WORDS)


def trimmed(cells: Any) -> Any:
    """Texts without white space around them, and null for those that hold nothing."""
    cells = compute.utf8_trim_whitespace(cells)
    nothing = compute.is_in(cells, value_set=pyarrow.array(MISSING, cells.type))
    return compute.if_else(nothing, pyarrow.scalar(None, cells.type), cells)


def _column(name: str, cells: Any, decimal: str) -> Column:
    rows, empty = len(cells), cells.null_count
    if types.is_nested(cells.type):
        return Column(kind=Kind.VECTORS, different=rows, counts=(), empty=empty, rows=rows)
    kind = Kind.FLAGS if types.is_boolean(cells.type) else Kind.NUMBERS
    sure, grouped, whole = "", "", types.is_integer(cells.type)
    texts = trimmed(cells.cast(TEXT))
    counted = compute.value_counts(texts.drop_null()).to_pylist()
    first = sorted(counted, key=lambda one: -one["counts"])[:CATEGORIES]
    known = rows - texts.null_count
    if types.is_large_string(cells.type) and known:
        whole = _matching(texts, r"^-?\d{1,18}$") == known
        if not whole and 2 * _matching(texts, _NUMBER) <= known:
            kind = Kind.FLAGS if {one["values"].lower() for one in counted} <= {"true", "false"} else Kind.WORDS
        elif not whole:
            marks = [decimal] if decimal else [mark for mark in ".," if _matching(texts, _SURE[mark])]
            sure = marks[0] if len(marks) == 1 else ""
            grouped = "" if sure else next((mark for mark in ".," if _matching(texts, _GROUPS[mark])), "")
    if kind is Kind.NUMBERS and known > 2 and name.lower() in _ROWS:
        places = [str(at) for at in range(rows + 1)]
        kind = Kind.ROWS if texts.to_pylist() in (places[:-1], places[1:]) else kind
    return Column(
        kind=kind if known else Kind.NOTHING,
        different=len(counted),
        counts=tuple((one["values"], one["counts"]) for one in first),
        empty=texts.null_count,
        rows=rows,
        sure=sure,
        grouped=grouped,
        whole=whole,
    )


def _matching(texts: Any, pattern: str) -> int:
    """How many texts have this form."""
    return compute.sum(compute.match_substring_regex(texts, pattern)).as_py() or 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Meant:
    """Which column of which table is what. `id` is None where nodes are named by their row, from 0; `weight`
    and `label` where there are none. `coded` columns of words become features of 0 and 1. `decimal` is the
    mark of decimals."""

    nodes: Frame
    edges: Frame
    kinds: Mapping[str, Column]
    id: str | None
    source: str
    target: str
    weight: str | None
    label: str | None
    features: tuple[str, ...]
    coded: tuple[str, ...]
    split: tuple[str, ...]
    text: str | None
    domain: str | None
    decimal: str
    ignored: tuple[tuple[str, str], ...]
    said: Description


def settle(frames: Sequence[Frame], said: Description, whole: bool = False) -> Meant:
    """Which of the tables are the edges and the nodes, and which column is what. Raises `UploadError`, and
    `Unclear` where two readings are plausible.

    What columns hold is told by the first rows, or by all of them where `whole`.
    """
    edges, nodes = apart(frames, said)
    _check_named(said, nodes, edges)
    source, target, weight, rest = _ends(edges, nodes, said)
    table = nodes.head(None if whole else HEAD)
    kinds = _kinds(nodes, table)
    used = {one for one in (said.label, said.text, said.domain, *(said.split or ())) if one} | set(said.ignore)
    name = _id(nodes, kinds, said, used, edges.head().select([source, target]))
    used |= {name or ""} if name is not None else set()
    text = said.text or (_text(kinds, used, said) if said.label is None and said.text is None else None)
    used |= {text} if text else set()
    domain = said.domain or next(_named(_DOMAINS, nodes.columns, used), None) if text else None
    used |= {domain} if domain else set()
    split = said.split if said.split is not None else _split(kinds, used)
    used |= set(split)
    label = said.label or _label(kinds, used, optional=text is not None)
    used |= {label} if label else set()
    ignored = [(one, "you said so") for one in said.ignore if one in nodes.columns]
    if label and said.features is None and (codes := _codes(table, kinds, label, used)):
        if said.label is None:
            raise _which_label(kinds, [label, *codes])
        ignored += [(one, "it has one value for each class") for one in codes]
        used |= set(codes)
    features, coded = ((), ()) if text else _features(kinds, used, said, ignored)
    if text:
        ignored += [(one, "it is no text") for one in nodes.columns if one not in used]
    return Meant(
        nodes=nodes,
        edges=edges,
        kinds=kinds,
        id=name,
        source=source,
        target=target,
        weight=weight,
        label=label,
        features=features,
        coded=coded,
        split=tuple(split),
        text=text,
        domain=domain,
        decimal=_decimal({one: kinds[one] for one in features if one not in coded}, said),
        ignored=(*ignored, *((one, "of the edges") for one in rest)),
        said=said,
    )


def _kinds(frame: Frame, table: Any) -> dict[str, Column]:
    return {one: _column(one, table.column(one), frame.decimal) for one in frame.columns}


def _text(kinds: Mapping[str, Column], used: Collection[str], said: Description) -> str | None:
    """The column of texts, if a table is one of these: they are in domains, and there is no column of numbers
    beside them. Raises `Unclear` where what may be a domain may be a class."""
    text = next(_named(_TEXTS, list(kinds), used), None)
    rest = [column for name, column in kinds.items() if name not in (*used, text, *_LABELS, *_DOMAINS)]
    if text is None or not all(column.kind is Kind.WORDS for column in (kinds[text], *rest)):
        return None
    domain, known = next(_named(_DOMAINS, list(kinds), used), None), said.domain or said.halves
    labelled = any(_named(_LABELS, list(kinds), used))
    if domain is None:
        return None if labelled and not said.halves else text
    if not (known or labelled or domain.lower() == _DOMAINS[0]):
        raise Unclear("text", text, "", column=repr(shown(domain)))
    return text


def _codes(table: Any, kinds: Mapping[str, Column], label: str, used: Collection[str]) -> list[str]:
    """Columns of numbers that tell the class of a node: each class has its own one."""
    known, classes = table.filter(compute.is_valid(trimmed(table.column(label).cast(TEXT)))), kinds[label].different
    return [
        one
        for one, column in kinds.items()
        if one not in used and column.whole and not _PARTS.fullmatch(one.lower())
        if 1 < classes == compute.count_distinct(known.column(one), mode="all").as_py()
        if known.group_by([label, one]).aggregate([]).num_rows == classes
    ]


def apart(frames: Sequence[Frame], said: Description) -> tuple[Frame, Frame]:
    """The table of edges and the table of nodes, each with the names of its columns. Raises `UploadError`."""
    edges, nodes = _told_apart(list(frames), said)
    nodes = _with_header(nodes, said, None)
    return _with_header(edges, said, nodes), nodes


def degrees_of(edges: Frame) -> Counter[str]:
    """How many neighbours each node has, by its name, in a table of edges whose ends are its first or named
    columns."""
    ends = [_texts(edges, column) for column in _ends(edges, None, Description())[:2]]
    pairs = {tuple(sorted(pair)) for pair in zip(*ends, strict=True)}
    return Counter(end for pair in pairs if pair[0] != pair[1] for end in pair)


def _told_apart(frames: list[Frame], said: Description) -> tuple[Frame, Frame]:
    """The table of edges and the table of nodes."""
    if said.edges is not None and len(frames) > 1:
        if said.edges >= len(frames):
            places = " or ".join(map(str, range(len(frames))))
            raise UploadError(f"edges is the place of a file, {places} (got {said.edges})")
        return frames[said.edges], _joined([one for one in frames if one is not frames[said.edges]], said)
    pairs = [frame for frame in frames if frame.pairs]
    nodes = [frame for frame in frames if frame.pairs is False]
    unknown = [frame for frame in frames if frame.pairs is None]
    if len(nodes) == 1 and unknown and pairs:  # a table beside a graph file says more of its nodes
        lost = (f"what {shown(nodes[0].name)} says of nodes is not read",) * (len(nodes[0].columns) > 1)
        nodes, pairs[0] = [], replace(pairs[0], notes=(*lost, *pairs[0].notes))
    if not pairs and unknown and (len(unknown) + len(nodes) > 1 or _looks_like_edges(unknown[0])):
        pairs = [_edges_among(unknown, frames)]
        unknown = [one for one in unknown if one is not pairs[0]]
    if not pairs:
        raise UploadError("There is a table of nodes and none of edges: add a file with the columns source,target")
    if not [*nodes, *unknown]:
        raise EdgesAlone(pairs[0])
    if len(pairs) > 1:
        raise UploadError(
            f"There are {len(pairs)} tables of edges: {listed(shown(one.name) for one in pairs)}; give one"
        )
    return pairs[0], _joined([*nodes, *unknown], said)


def _edges_among(unknown: Sequence[Frame], frames: Sequence[Frame]) -> Frame:
    """The table with named ends, else the one of which two columns hold what another one names its rows."""
    likely = [one for one in unknown if _looks_like_edges(one)]
    for by_row in (False, True):
        if len(likely) != 1:
            others = {one: [of for of in frames if of is not one] for one in likely or unknown}
            likely = [one for one, rest in others.items() if any(_fitting(one, of, by_row) for of in rest)] or likely
    if len(likely) != 1 and unknown[1:]:
        places = [at for at, one in enumerate(frames) if one in (likely or unknown)]
        raise Unclear("edges", *places, means=[shown(frames[at].name) for at in places])
    return (likely or unknown)[0]


def _fitting(edges: Frame, nodes: Frame, by_row: bool, but: Collection[str] = (), least: int = 2) -> list[str]:
    """The columns that may be ends of edges, if they are so many: not called a count, a weight or a time, and
    with names of nodes, or of their rows."""
    edges = edges.other(True) if edges.header is None and edges.other else edges
    free = [one for one in edges.columns if one not in but]
    free = [one for one in free if not _NO_END.intersection((one.lower(), *re.findall("[a-z]{3,}", one.lower())))]
    ways = (_naming(edges.head(), free, nodes, name) for name in ([None] if by_row else _distinct(nodes)))
    return next((found for found in ways if len(found) >= least), [])


def _distinct(frame: Frame) -> list[str]:
    """Columns that may name the rows of a table."""
    return [one for one, column in _kinds(frame, frame.head()).items() if column.names]


def _naming(table: Any, columns: Sequence[str], nodes: Frame, name: str | None) -> list[str]:
    """Those columns of a table that hold nothing but names of nodes, in one of their columns or by row."""
    left, row = {one: plain_names(table.column(one)).unique().drop_null() for one in columns}, 0
    for batch in nodes.read({name: TEXT} if name is not None else dict([*nodes.own.items()][:1]), lambda _: None):
        known = batch.column(0) if name is not None else pyarrow.array(range(row, row + batch.num_rows))
        row += batch.num_rows
        for one, cells in left.items():
            left[one] = cells.filter(compute.invert(compute.is_in(cells, value_set=plain_names(known))))
        if not any(map(len, left.values())):
            break
    return [one for one, cells in left.items() if not len(cells)]


def plain_names(cells: Any) -> Any:
    """Names as texts; whole numbers without the decimals that pandas writes beside empty cells."""
    return compute.replace_substring_regex(compute.utf8_trim_whitespace(cells.cast(TEXT)), r"^(-?\d+)\.0$", r"\1")


def _joined(frames: list[Frame], said: Description) -> Frame:
    """Tables of nodes as one: by a column of names, or beside each other where none has one."""
    if len(frames) == 1:
        return frames[0]
    shared = set.intersection(*(set(frame.columns) for frame in frames))
    distinct = [_distinct(frame) for frame in frames]
    names = [
        [
            *([said.id] if said.id in frame.columns else _named(_IDS, frame.columns, ())),
            *(one for one in own if one in shared or one.lower().endswith("id") or one.lower() in _ROWS),
        ]
        for frame, own in zip(frames, distinct, strict=True)
    ]
    if not any(names) and sum(map(bool, distinct)) < 2:
        return beside(frames)
    if lost := next((frame.name for frame, own in zip(frames, names, strict=True) if not own), None):
        raise UploadError(f"{shown(lost)} has no column id, and another table of nodes has one: say in both who is who")
    tables = [frame.head(None) for frame in frames]
    base = max(range(len(frames)), key=lambda at: tables[at].num_rows)
    key = next((one for one in names[base] if one in shared), names[base][0])
    ids, found = plain_names(tables[base].column(key)), [frames[base]]
    for at in [at for at in range(len(frames)) if at != base]:
        for name in sorted(names[at], key=lambda one: one != key):
            places = compute.index_in(ids, value_set=plain_names(tables[at].column(name)).combine_chunks())
            if len(places) - places.null_count == tables[at].num_rows:
                break
        else:
            raise UploadError("Tables of nodes do not name the same nodes, each once")
        rest = tables[at] if name == said.id else tables[at].drop_columns(name)
        found.append(replace(in_memory(frames[at].name, rest.take(places)), vectors=frames[at].vectors))
    return replace(beside(found), pairs=frames[base].pairs)


class EdgesAlone(UploadError):
    """There are edges, and nothing says what is to be learnt."""

    def __init__(self, edges: Frame) -> None:
        self.edges = edges
        super().__init__(
            f"{shown(edges.name)} has edges, and nothing says what is to be learnt: add a table of nodes with "
            "id,label and features"
        )


def _looks_like_edges(frame: Frame) -> bool:
    lower = [name.lower() for name in frame.columns]
    return any(one in lower and other in lower for one, other in ENDS) or (not frame.header and len(lower) == 2)


def _with_header(frame: Frame, said: Description, nodes: Frame | None) -> Frame:
    """The table with its first line read as names or as a row: by what is said, by its words, by whom it
    names."""
    if frame.header is not None or frame.other is None:
        return frame
    if said.header is not None:
        return frame.other(said.header)
    first = frame.other(True).columns
    if nodes is not None:
        known = _names(nodes, said)
        if not any(end in known for end in first[:2]):
            return frame.other(True)
        if not all(end.isdecimal() for end in first[:2]):
            return frame.other(False)
    raise Unclear("header", True, False, table=shown(frame.name), line=repr(shown(",".join(first))))


def _texts(frame: Frame, column: str) -> Iterator[str]:
    """All values of a column, as texts."""
    for batch in frame.read({column: TEXT}, lambda _: None):
        yield from compute.utf8_trim_whitespace(batch.column(0)).to_pylist()


def _named(names: Sequence[str], columns: Sequence[str], used: Collection[str]) -> Iterator[str]:
    """Columns that are called so, in the order of the names."""
    by_name = {one.lower(): one for one in reversed(columns)}
    return (by_name[name] for name in names if name in by_name and by_name[name] not in used)


def _check_named(said: Description, nodes: Frame, edges: Frame) -> None:
    """What is said names columns that are there."""
    name = None if said.id == BY_ROW else said.id
    of_nodes = [name, said.label, said.text or None, said.domain, *(said.features or ()), *(said.split or ())]
    of_edges = [said.source, said.target, said.weight or None]
    for asked, frame in ((of_nodes, nodes), (of_edges, edges)):
        for one in asked:
            if one is not None and one not in frame.columns:
                raise UploadError(
                    f"{shown(frame.name)} has no column {shown(one)!r}{nearest(one, frame.columns)} "
                    f"(it has {shown(', '.join(frame.columns), 80)})"
                )
    if lost := next((one for one in said.ignore if one not in (*nodes.columns, *edges.columns)), None):
        raise UploadError(f"There is no column {shown(lost)!r} to ignore{nearest(lost, nodes.columns)}")
    once = [one for one in (said.id, said.label, said.text, said.domain, *(said.split or ()), *said.ignore) if one]
    if twice := next((one for at, one in enumerate(once) if one in once[:at]), None):
        raise UploadError(f"The column {shown(twice)!r} is said to be two things")


def _ends(edges: Frame, nodes: Frame | None, said: Description) -> tuple[str, str, str | None, list[str]]:
    """The columns of both ends and of weights, and the others. Raises `Unclear` where more than two columns
    may be ends."""
    columns = [one for one in edges.columns if one not in said.ignore]
    lower = {one.lower(): one for one in reversed(columns)}
    ends = next(([lower[one], lower[other]] for one, other in ENDS if one in lower and other in lower), [])
    if said.source or said.target or not ends:
        ends = _unnamed_ends(edges, [one for one in columns if one != said.weight], nodes, said)
    source, target = ends
    weight = said.weight or next(_named(_WEIGHTS, columns, (source, target)), None)
    rest = [one for one in edges.columns if one not in (source, target, weight)]
    unsaid = said.lines is None and said.weight is None and weight is None
    if nodes and unsaid and edges.header is False and len(edges.columns) > 2:
        _check_lines(edges, _names(nodes, said), rest[0])
    return source, target, weight, rest


def _unnamed_ends(edges: Frame, columns: list[str], nodes: Frame | None, said: Description) -> list[str]:
    """The two ends of an edge: as said, the first columns where these have no names, or those that may be."""
    known = [said.source, said.target]
    free, lacking = [one for one in columns if one not in known], known.count(None)
    if len(free) < lacking:
        raise UploadError(f"{shown(edges.name)} has fewer than two columns, and edges need two")
    if edges.header is not False and len(free) > lacking and nodes is not None:
        but = {one for one in edges.columns if one not in free}
        free = next(filter(None, (_fitting(edges, nodes, by_row, but, lacking) for by_row in (False, True))), free)
        if len(free) != lacking:
            head, about = edges.head(), shown(edges.name)
            means = [", ".join(shown(cell, 12) for cell in head.column(one)[:3].to_pylist()) for one in free]
            raise Unclear("source" if said.source is None else "target", *free, means=means, table=about)
    found = iter(free)
    return [next(found) if one is None else one for one in known]


def _names(nodes: Frame, said: Description) -> set[str]:
    """What nodes are called."""
    said_id = [said.id] if said.id in nodes.columns else []
    return set(_texts(nodes, next(iter([*said_id, *_named((*_IDS, *_ROWS), nodes.columns, ()), nodes.columns[0]]))))


def _check_lines(edges: Frame, known: set[str], third: str) -> None:
    """A third word in each line may be a neighbour, a weight, or of no use: asked where it names nodes, or is
    0."""
    cells = edges.head().to_pydict()
    heads, _, *others = cells.values()
    if len(set(heads)) == len(heads) and all({*column} <= known and len({*column}) > 1 for column in others):
        raise Unclear("lines", "edges", "adjacency", table=shown(edges.name))
    if any(str(one).strip() in ("0", "0.0") for one in cells[third]):
        raise Unclear("weight", third, "", table=shown(edges.name), column=shown(third))


def _id(nodes: Frame, kinds: Mapping[str, Column], said: Description, used: Collection[str], ends: Any) -> str | None:
    """The column that names nodes, None for their row: by its name, and by what the edges hold. Raises
    `Unclear`."""
    if said.id is not None:
        return said.id if said.id in nodes.columns else None
    free = [one for one in nodes.columns if one not in used]
    distinct = [one for one in free if kinds[one].names]
    counts, named = [*_named(_ROWS, free, ())], [*_named(_IDS, free, ())]
    named += [one for one in distinct if one.lower().endswith("id") and one not in (*counts, *named)]
    named.sort(key=lambda one: not kinds[one].names)
    several = nodes.pairs is None and len(nodes.columns) > 1
    others = [one for one in distinct if several and one not in (*named, *counts)]

    def fits(one: str | None) -> bool:
        return len(_naming(ends, ends.column_names, nodes, one)) > 1

    plain = bool(named) and kinds[named[0]].kind is not Kind.WORDS
    known = named if plain and not named[1:] else [*filter(fits, named)]
    if known or (named and (plain or not fits(None))):
        return (known or named)[0]
    likely = [*filter(fits, others)] or ([] if any(map(fits, (*counts, None))) else others[:1])
    if likely == free[:1] and not counts:
        return free[0]
    if likely:
        choices = [*likely, *counts, BY_ROW]
        raise Unclear("id", *choices, means=[*["one column"] * len(choices[1:]), "from 0"])
    return next(iter(counts), None)


def _label(kinds: Mapping[str, Column], used: Collection[str], *, optional: bool) -> str | None:
    """The column that is called a class, unless each node has its own."""
    few = {
        name: column
        for name, column in kinds.items()
        if 2 * column.different <= column.rows - column.empty
        and column.kind in (Kind.WORDS, Kind.NUMBERS, Kind.FLAGS)
        and name not in used
    }
    found = next((one for one in _named(_LABELS, list(kinds), used) if one in few), None)
    place = found in ("y", "Y") and any(name in few or (name in kinds and kinds[name].whole) for name in ("x", "X"))
    if (found is not None and not place) or optional:
        return found
    likely = [name for name, column in few.items() if 2 <= column.different <= CATEGORIES]
    likely.sort(key=lambda name: few[name].kind is not Kind.WORDS)
    if not likely:
        raise UploadError(
            "No column of the nodes can be their class: it needs two values or more, and on average two nodes for each "
            f"({shown(', '.join(kinds), 80)})"
        )
    raise _which_label(kinds, likely)


def _which_label(kinds: Mapping[str, Column], likely: Sequence[str]) -> Unclear:
    return Unclear("label", *likely, means=[f"{kinds[name].different} classes" for name in likely])


def _split(kinds: Mapping[str, Column], used: Collection[str]) -> tuple[str, ...]:
    """Three columns of masks, or one that says train, val and test."""
    free = {name.lower(): name for name in kinds if name not in used}
    masks = {PARTS.get(re.sub("_?mask$", "", lower)): name for lower, name in free.items()}
    if len(masks.keys() - {None}) == 3:
        return tuple(masks[part] for part in range(3))
    for name in ("split", "set", "fold", "subset", "partition", "role"):
        if name in free and {value.lower() for value, _ in kinds[free[name]].counts} <= PARTS.keys():
            return (free[name],)
    return ()


def _features(
    kinds: Mapping[str, Column], used: Collection[str], said: Description, ignored: list[tuple[str, str]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns that are features, and those of them whose categories become some."""
    if said.features is not None:
        coded = tuple(one for one in said.features if kinds[one].kind is Kind.WORDS)
        if many := next((one for one in coded if kinds[one].different > CATEGORIES), None):
            raise UploadError(
                f"The column {shown(many)!r} has more than {CATEGORIES} different words: it can be no feature"
            )
        ignored += [(one, "it is no feature") for one in kinds if one not in (*used, *said.features)]
        return said.features, coded
    free = {name: column for name, column in kinds.items() if name not in used}
    found, drawn = [], {name.lower() for name in kinds}.issuperset(_DRAWN)
    for name, column in free.items():
        lower = name.lower()
        if _OF_EDGES.fullmatch(lower):
            ignored.append((name, "it is computed from the edges, which may be private"))
        elif drawn and lower in _LAYOUT:
            ignored.append((name, "it is of a drawing"))
        elif _PARTS.fullmatch(lower):
            ignored.append((name, "it is no whole split: train, val, test"))
        elif column.names and (lower.endswith("id") or lower in _ROWS):
            ignored.append((name, "it is a name of its node"))
        elif column.kind in (Kind.NUMBERS, Kind.FLAGS, Kind.VECTORS):
            found.append(name)
        else:
            ignored.append((name, f"it holds {column.kind}"))
    if found:
        return tuple(found), ()
    few = [name for name, column in free.items() if column.different <= min(CATEGORIES, column.rows // 2)]
    words = tuple(name for name in few if free[name].kind is Kind.WORDS)
    raise Unclear("features", (), *([words] if words else []))


def _decimal(columns: Mapping[str, Column], said: Description) -> str:
    """The mark of decimals: by cells that can have no other, else asked."""
    if said.decimal is not None:
        return said.decimal
    sure = {column.sure for column in columns.values() if column.sure}
    doubtful = next((name for name, column in columns.items() if column.grouped), None)
    if len(sure) > 1:
        raise UploadError(
            "Numbers have a point as the mark of decimals in one column and a comma in another "
            f"({listed(shown(name) for name, one in columns.items() if one.sure)}): write them alike"
        )
    if sure or doubtful is None:
        return next(iter(sure), ".")
    mark = columns[doubtful].grouped
    value = next(value for value, _ in columns[doubtful].counts if mark in value)
    means = value.replace(",", "."), value.replace(mark, "")
    slots = {"cell": shown(value), "column": repr(shown(doubtful)), "readings": " or ".join(means)}
    raise Unclear("decimal", mark, "," if mark == "." else ".", means=means, **slots)
