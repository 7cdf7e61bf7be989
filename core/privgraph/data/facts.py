"""What a Data page shows of a graph: numbers, a degree histogram, a drawn neighbourhood. No torch.

`describe` asks a process of its own (`python -m privgraph.data.describe`) and keeps the answer under `facts`
in `home()`, so that a browser process never loads a graph. All of it is computed from the private graph
itself: it is for the person who holds the data, and is not covered by any run's guarantee.
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.files import find
from privgraph.data.spec import PublicFacts
from privgraph.home import environment, home, umask

VERSION = 5
LARGEST_DRAWING = 60
SAMPLES, LETTERS = 5, 200
"""Related texts that are shown of a domain, and letters of each."""
PIECE = 1 << 23
"""Edges that are counted at once: a large graph's are mapped from a file."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Arrays:
    """A graph in NumPy: y (|V|,) in [0, C), -1 for a text without a label, edges (2, |E|) both directions
    where undirected, of more than `PIECE` sorted by target, masks (|V|,) bool."""

    features: int
    y: NDArray[np.int64]
    edges: NDArray[np.int64]
    class_names: tuple[str, ...]
    undirected: bool
    masks: Mapping[str, NDArray[np.bool_]]


def degree_histogram(degree: NDArray[np.int64]) -> list[dict[str, int]]:
    """Bins 0, 1, 2-3, 4-7, ...: rows of low, high (inclusive) and count, up to the largest degree."""
    counts = np.bincount(np.frexp(degree)[1], minlength=1)
    return [{"low": 2**bits // 2, "high": 2**bits - 1, "count": int(count)} for bits, count in enumerate(counts)]


def edge_homophily(arrays: Arrays) -> float | None:
    """Share of edges whose ends have the same label, among those whose ends have one; None without such."""
    alike = labelled = 0
    for source, target in _labelled_edges(arrays):
        alike += int(np.count_nonzero(arrays.y[source] == arrays.y[target]))
        labelled += source.size
    return alike / labelled if labelled else None


def _pieces(arrays: Arrays) -> Iterator[NDArray[np.int64]]:
    """(2, any) each: all edges, of many as many at once as fit beside everything else. Those of one target
    stay together."""
    edges, start = arrays.edges, 0
    while edges.shape[1] - start > PIECE:
        stop = int(np.searchsorted(edges[1], edges[1, start + PIECE - 1], side="right"))
        yield edges[:, start:stop]
        start = stop
    yield edges[:, start:]


def _labelled_edges(arrays: Arrays) -> Iterator[NDArray[np.int64]]:
    """(2, any) each: the edges both of whose ends have a label."""
    for piece in _pieces(arrays):
        yield piece if int(arrays.y.min()) >= 0 else piece[:, (arrays.y[piece] >= 0).all(axis=0)]


def neighbours_vote(arrays: Arrays) -> dict[str, Any]:
    """How often a node's class is the commonest one among its neighbours (incoming edges where directed).

    Only nodes with a label ask, and only such answer. `asked` nodes have neighbours, and of these the share
    `right`; None without any. Where classes tie, a coin decides, and its chance counts: the number is exact.

    >>> mask = np.ones(3, dtype=bool)
    >>> path = Arrays(features=1, y=np.array([0, 0, 1]), edges=np.array([[0, 1, 1, 2], [1, 0, 2, 1]]),
    ...     class_names=("a", "b"), undirected=True, masks={})
    >>> neighbours_vote(path)  # 0 sees 0: right; 1 sees 0 and 1: a coin; 2 sees 0: wrong
    {'asked': 3, 'right': 0.5}
    """
    classes = int(arrays.y.max()) + 1
    asked, right = 0, 0.0
    for source, target in _labelled_edges(arrays):
        seen, votes = np.unique(target * classes + arrays.y[source], return_counts=True)
        node, label = seen // classes, seen % classes
        most = np.zeros(arrays.y.size, dtype=np.int64)
        np.maximum.at(most, node, votes)
        winning = votes == most[node]
        tied = np.bincount(node[winning], minlength=arrays.y.size)
        won = node[winning & (label == arrays.y[node])]
        asked += int((most > 0).sum())
        right += float((1 / tied[won]).sum())
    return {"asked": asked, "right": right / asked if asked else None}


def domain_facts(
    texts: Sequence[str], domains: NDArray[np.int64], names: Sequence[str], related: Sequence[NDArray[np.int64]]
) -> list[dict[str, Any]]:
    """A row for each domain of texts: its name, how many texts and relations it has, words in a text on
    average and at most, and a few texts with one that each is related to.

    related: (2, m) pairs of each domain, each once.
    """
    rows = []
    for number, name in enumerate(names):
        own, pairs = np.flatnonzero(domains == number), related[number]
        words = [len(texts[int(node)].split()) for node in own]
        shown = sorted({int(at) for at in np.linspace(0, pairs.shape[1] - 1, SAMPLES)} if pairs.size else ())
        rows.append(
            {
                "name": name,
                "texts": int(own.size),
                "relations": int(pairs.shape[1]),
                "words": float(np.mean(words)) if words else 0.0,
                "most_words": max(words, default=0),
                "samples": [[texts[int(node)][:LETTERS] for node in pairs[:, at]] for at in shown],
            }
        )
    return rows


def neighbourhood(arrays: Arrays, node: int, largest: int = LARGEST_DRAWING) -> dict[str, Any]:
    """The nodes within two hops of `node` and the edges among them, at most `largest` nodes.

    Nearer nodes first, then lower numbers, and the second hop is shared out among the first; `complete` says
    whether all fitted, and `within` how many nodes there are within two hops, in whatever direction. Raises
    `DataError` for a node that does not exist.
    """
    if not 0 <= node < arrays.y.size:
        raise DataError(f"there is no node {node}: nodes are numbered 0 to {arrays.y.size - 1}")
    source, target = arrays.edges
    first = np.unique(np.concatenate([source[target == node], target[source == node]]))
    nearest = [node, *(int(member) for member in first[: largest - 1])]
    hop = {member: min(index, 1) for index, member in enumerate(nearest)}
    complete = len(nearest) == first.size + 1
    seen = np.zeros(arrays.y.size, dtype=bool)
    seen[[node, *first]] = True
    # One neighbour a turn, so that no single hub takes all the room.
    is_first = np.zeros(arrays.y.size, dtype=bool)
    is_first[nearest[1:]] = True
    touching = is_first[source] & ~seen[target]
    inner, outer = source[touching], target[touching]
    order = np.lexsort((outer, inner))
    inner, outer = inner[order], outer[order]
    beyond = seen.copy()
    for ends, others in ((source, target), (target, source)):
        beyond[others[np.isin(ends, first)]] = True
    within = int(beyond.sum())
    turn = np.arange(inner.size) - np.searchsorted(inner, inner)
    for member in outer[np.lexsort((inner, turn))]:
        if int(member) in hop:
            continue
        if len(hop) >= largest:
            complete = False
            break
        hop[int(member)] = 2
    number = np.full(arrays.y.size, -1, dtype=np.int64)
    number[list(hop)] = np.arange(len(hop))
    among = []
    for piece in _pieces(arrays):
        ends = number[piece]
        inside = (ends >= 0).all(0) & ((ends[0] < ends[1]) if arrays.undirected else True)
        among.append(ends[:, inside])
    nodes = list(hop)
    return {
        "node": node,
        "complete": complete,
        "within": within,
        "nodes": [
            {"id": member, "hop": hop[member], "class": label, "class_name": _name(arrays, label)}
            for member, label in zip(nodes, arrays.y[nodes].tolist(), strict=True)
        ],
        "edges": [[nodes[a], nodes[b]] for a, b in np.concatenate(among, axis=1).T],
    }


def _name(arrays: Arrays, label: int) -> str:
    if label < 0:
        return "no label"
    return arrays.class_names[label] if label < len(arrays.class_names) else str(label)


def facts_of(arrays: Arrays, *, node: int | None = None) -> dict[str, Any]:
    """The facts of a graph as plain JSON values. Of all nodes, the first whose degree is nearest to 6 is
    worth drawing."""
    degree = np.bincount(arrays.edges[1], minlength=arrays.y.size)  # of incoming edges where directed
    counts = np.bincount(arrays.y[arrays.y >= 0], minlength=len(arrays.class_names))
    entries = int(arrays.edges.shape[1])
    return {
        "nodes": int(arrays.y.size),
        "edges": entries // 2 if arrays.undirected else entries,
        "entries": entries,
        "features": arrays.features,
        "classes": int(counts.size),
        "undirected": arrays.undirected,
        "degree": {
            "mean": float(degree.mean()),
            "median": float(np.median(degree)),
            "max": int(degree.max()),
            "isolated": int((degree == 0).sum()),
            "histogram": degree_histogram(degree),
        },
        "homophily": edge_homophily(arrays),
        "neighbours_vote": neighbours_vote(arrays),
        "class_counts": [{"class": c, "name": _name(arrays, c), "count": int(n)} for c, n in enumerate(counts)],
        "unlabelled": int((arrays.y < 0).sum()),
        "largest_class_share": float(counts.max() / counts.sum()),
        "split": {name: int(mask.sum()) for name, mask in arrays.masks.items()},
        "neighbourhood": neighbourhood(arrays, int(np.argmin(np.abs(degree - 6))) if node is None else node),
    }


def sizes(facts: Mapping[str, Any]) -> PublicFacts:
    """The sizes among the facts of a data set."""
    domains = facts.get("domains", ())
    return PublicFacts(
        **{name: facts[name] for name in ("nodes", "edges", "entries", "features", "classes", "undirected")},
        train_nodes=facts["split"]["train"],
        domains=tuple(one["name"] for one in domains),
        entities=tuple(one["texts"] for one in domains),
        relations=tuple(one["relations"] for one in domains),
    )


@dataclass(frozen=True, kw_only=True)
class Query:
    """The data set whose facts are asked for, as `load` takes it, and the node whose neighbours are drawn."""

    name: str
    node: int | None = None
    split: str = "random"
    split_seed: int = 0
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        """Where the facts are kept; another file as soon as a raw file changes."""
        spec, chosen = dataset(self.name), sorted((key, str(value)) for key, value in self.options.items())
        places = {path: find(path) for path, _ in spec.files}
        stamps = [(path, at.stat().st_size, at.stat().st_mtime_ns) for path, at in places.items() if at]
        asked = json.dumps([VERSION, spec.name, self.node, self.split, self.split_seed, chosen, stamps])
        digest = hashlib.sha256(asked.encode()).hexdigest()[:16]
        return home() / "facts" / f"{spec.name.replace(':', '-')}-{digest}.json"

    def kept(self) -> dict[str, Any] | None:
        """Facts that were kept, or None. Raises `UnknownName`."""
        try:
            found: dict[str, Any] = json.loads(self.file.read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return found


def describe(query: Query, timeout: float = 300) -> dict[str, Any]:
    """The facts of a data set; a process of its own computes what is not kept yet (`timeout` in seconds).

    Nothing is fetched: what is not at hand raises `DataError`, like whatever cannot be described. Raises
    `UnknownName` too.
    """
    if (kept := query.kept()) is not None:
        return kept
    title = dataset(query.name).title
    asked = vars(query) | {"options": {key: str(value) for key, value in query.options.items()}}
    command = [sys.executable, "-P", "-m", "privgraph.data.describe", json.dumps(asked)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, check=False, env=environment(), umask=umask()
        )
    except subprocess.TimeoutExpired:
        raise DataError(f"describing {title} took more than {timeout:g} seconds") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise DataError(lines[-1] if lines else f"describing {title} ended with exit code {done.returncode}")
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts
