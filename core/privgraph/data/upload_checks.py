"""What every uploaded graph has to be, and how messages about it are written. No torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from privgraph.data.errors import UploadError
from privgraph.data.spec import LARGEST_FEATURE


@dataclass(frozen=True, kw_only=True)
class Limits:
    """`file_bytes` a file as it comes, `array_bytes` all arrays unpacked, `cells` the entries of the feature
    table, `text_letters` the letters of a text."""

    file_bytes: int = 200_000_000
    array_bytes: int = 1_000_000_000
    nodes: int = 1_000_000
    edges: int = 20_000_000
    features: int = 20_000
    cells: int = 100_000_000
    classes: int = 1_000
    text_letters: int = 20_000
    domains: int = 100


SMALLEST = 10
"""Fewer nodes than this leave nobody to validate or test on."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Upload:
    """A graph that passed.

    x: (|V|, F) float32, finite. y: (|V|,) int64 in [0, C), of texts also -1 for none. edges: (2, |E|) int64,
    each pair once, smaller node first, sorted. `masks` are train, validation and test, (|V|,) bool, or None.
    `ids` are what the file calls the nodes, empty where these are their numbers or are not known.
    Texts have `texts`, one a node, and `domains`, (|V|,) int64 numbers in `domain_names`; else these are
    empty.
    """

    kind: str
    x: NDArray[np.float32]
    y: NDArray[np.int64]
    edges: NDArray[np.int64]
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...] = ()
    masks: tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]] | None = None
    notes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    domains: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    domain_names: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


def shown(value: object, length: int = 40) -> str:
    """A value from outside as it may stand in a message: printable ASCII, short."""
    text = "".join(letter if 32 <= ord(letter) < 127 else "?" for letter in str(value)[: length + 1])
    return text if len(text) <= length else text[:length] + "..."


def clean_name(value: str) -> str:
    """A class or feature name as it is kept: printable, at most 60 characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in value)[:60]


def ids_of(names: Sequence[str]) -> tuple[str, ...]:
    """Names of nodes as they are kept; () where they are the nodes' numbers.

    >>> ids_of(["a", "b"]), ids_of(["0", "1"])
    (('a', 'b'), ())
    """
    if all(name == str(at) for at, name in enumerate(names)):
        return ()
    return tuple(clean_name(name) for name in names)


def check_sizes(limits: Limits, *, nodes: int, features: int, edges: int = 0, nodes_are: str = "nodes") -> None:
    """Raise `UploadError` unless such a graph is taken; `nodes_are` is what a message calls its nodes."""
    for count, most, what in (
        (nodes, limits.nodes, nodes_are),
        (features, limits.features, "features"),
        (edges, limits.edges, "edges"),
        (nodes * features, limits.cells, "entries in its feature table"),
    ):
        if count > most:
            raise UploadError(f"The graph has more than {most:,} {what}")
    if nodes < SMALLEST:
        raise UploadError(f"The graph has {nodes} {nodes_are}, and at least {SMALLEST} are needed")
    if features < 1:
        raise UploadError("The nodes have no features, and at least one is needed")


def is_number(text: str) -> bool:
    """Whether a cell of a table holds a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def fields(count: int) -> str:
    """So many fields, in words.

    >>> fields(1), fields(3)
    ('1 field', '3 fields')
    """
    return f"{count} field{'' if count == 1 else 's'}"


def check_feature_columns(count: int, limits: Limits) -> None:
    """Raise `UploadError` unless a table of nodes with so many columns of features is taken."""
    if count == 0:
        raise UploadError("The nodes have no feature column besides id and label, and at least one is needed")
    if count > limits.features:
        raise UploadError(f"The nodes have {count} feature columns, and 1 to {limits.features:,} are taken")


def classes_of(labels: list[str], limits: Limits) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Class numbers and names from labels as text; sorted as numbers where all are whole numbers."""
    distinct = set(labels)
    if len(distinct) > limits.classes:
        raise UploadError(f"There are more than {limits.classes:,} different labels; is the label a name or a number?")
    if all(label.removeprefix("-").isdecimal() and len(label) < 19 for label in distinct):
        if any(label.startswith("-") for label in distinct):
            raise UploadError("A label is negative, and every node needs a label from 0")
        names = sorted(distinct, key=lambda label: (int(label), label))
    else:
        names = sorted(distinct)
    number = {name: index for index, name in enumerate(names)}
    return np.array([number[label] for label in labels], dtype=np.int64), tuple(clean_name(name) for name in names)


def finish(upload: Upload, limits: Limits) -> Upload:
    """`upload` with its edges in order, if everything in it is as `Upload` says; `upload.edges` may be (2,
    any)."""
    nodes, features = upload.x.shape
    check_sizes(limits, nodes=nodes, features=features, edges=upload.edges.shape[1])
    if not np.isfinite(upload.x).all():
        row = int(np.argmin(np.isfinite(upload.x).all(axis=1)))
        raise UploadError(f"Node {row} has a feature that is not a finite number")
    if upload.edges.size and (upload.edges.min() < 0 or upload.edges.max() >= nodes):
        raise UploadError(f"An edge names a node outside 0 to {nodes - 1}")
    classes = len(upload.class_names)
    check_classes(classes if np.unique(upload.y).size > 1 else 1, limits)
    pairs, notes = undirected_pairs(upload.edges, nodes)
    notes += [text for text in [odd_words(odd_nodes(upload.x))] if text]
    return replace(upload, edges=pairs, notes=(*upload.notes, *notes))


def check_classes(classes: int, limits: Limits) -> None:
    """Raise `UploadError` unless a graph whose nodes are of so many classes is taken."""
    if classes < 2:
        raise UploadError("All nodes have the same label, and at least two classes are needed")
    if classes > limits.classes:
        raise UploadError(f"There are more than {limits.classes:,} classes")


def odd_nodes(x: NDArray[np.float32]) -> int:
    """How many nodes have a feature that is read as another number than it is; x: (|V|, F), finite."""
    return int((np.abs(x) > LARGEST_FEATURE).any(axis=1).sum())


def odd_words(nodes: int) -> str:
    """What becomes of the features of so many nodes, for people; "" for none.

    >>> odd_words(1), odd_words(0)
    ('1 node has features beyond 1,000,000 in size, which are read as if they were that large.', '')
    """
    if not nodes:
        return ""
    have = "node has" if nodes == 1 else "nodes have"
    return (
        f"{nodes:,} {have} features beyond {LARGEST_FEATURE:,.0f} in size, which are read as if they were that large."
    )


def distinct_pairs(edges: NDArray[np.int64], nodes: int) -> tuple[NDArray[np.int64], int, int]:
    """(2, |E|) pairs i < j, sorted and unique, and how many pairs of a node with itself, and repetitions of
    others, were dropped. `edges`: (2, any) in [0, nodes)."""
    low, high = edges.min(axis=0, initial=nodes), edges.max(axis=0, initial=-1)
    loops = low == high
    keys = np.sort(low[~loops] * nodes + high[~loops])  # np.unique goes by hashes, which take ten times as long
    keys = keys[np.diff(keys, prepend=-1) > 0]
    return np.stack([keys // nodes, keys % nodes]), int(loops.sum()), int((~loops).sum()) - keys.size


def undirected_pairs(edges: NDArray[np.int64], nodes: int) -> tuple[NDArray[np.int64], list[str]]:
    """(2, |E|) pairs i < j, sorted and unique, and sentences on what was dropped. `edges`: (2, any)."""
    pairs, loops, repeated = distinct_pairs(edges, nodes)
    return pairs, dropped_words(edges.shape[1], loops, repeated)


def dropped_words(listed: int, loops: int, repeated: int, directed: bool = False) -> list[str]:
    """Sentences on how edges are read, and what was dropped of those that were listed.

    >>> dropped_words(3, 1, 0, directed=True)
    ['Every edge is read as directed, from source to target.', 'Self-loops dropped: 1.']
    """
    notes = [f"Every edge is read as {'directed, from source to target' if directed else 'undirected'}."]
    if loops:
        notes.append(f"Self-loops dropped: {loops:,}.")
    if repeated:
        merged = "1 duplicate was" if repeated == 1 else f"{repeated:,} duplicates were"
        again = "in the same direction" if directed else "in either direction"
        notes.append(f"{listed:,} edges were listed, and {merged} merged: the same two nodes again, {again}.")
    return notes
