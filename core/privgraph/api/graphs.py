"""Graphs by name, and a graph of one's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from privgraph.calls import in_words
from privgraph.data import load as loading
from privgraph.data.catalogue import dataset
from privgraph.data.fetch import OnProgress
from privgraph.data.graph import Graph
from privgraph.data.own.description import described, from_toml
from privgraph.options import OptionError, Scalar, build, short, values

_TENSORS = ("x", "y", "edge_index", "train_mask", "val_mask", "test_mask")


@dataclass(frozen=True, kw_only=True)
class Origin:
    """How a graph can be loaded again: by another process, or next year."""

    name: str
    options: Mapping[str, Scalar]
    split: str
    split_seed: int
    changes: tuple[int, ...]


_origins: WeakKeyDictionary[Graph, Origin] = WeakKeyDictionary()


@in_words
def load(
    name: str,
    *,
    split: str = "random",
    split_seed: int = 0,
    progress: OnProgress | None = None,
    **data_options: object,
) -> Graph:
    """Load a graph by its name, with a split into training, validation and test nodes.

    >>> import privgraph as pg
    >>> graph = pg.load("social", nodes=200)
    >>> graph.num_nodes, tuple(graph.edge_index.shape)[0]
    (200, 2)

    Args:
        name: A data set of `privgraph.DATASETS`, a school `fb100-<name>`, or what `privgraph.upload`
            returned.
        split: `random` (75, 10 and 15 per cent of the nodes), `public` (where the data have one), or
            `inductive` (random, and no edge between the three parts).
        split_seed: Seed of a random or inductive split, 0 or more.
        progress: Called with `privgraph.progress.Progress` (step and total in bytes) while raw files are
            fetched.
        **data_options: Options of an embedded data set that has any, such as `nodes=600` of `social`.

    Returns:
        The graph, on the CPU: `x` (|V|, F) float32, `y` (|V|,) int64, `edge_index` (2, |E|) int64, and three
        masks (|V|,) bool.

    Raises:
        UnknownName: There is no such data set; the message offers the nearest name.
        OptionError: The data set has no such option, or not such a value of it.
        DataError: Raw files are missing, cannot be fetched or cannot be read; the message says which.
    """
    graph = loading.load(name, split=split, split_seed=split_seed, data_options=data_options, progress=progress)
    kind = dataset(name).load_options()
    _origins[graph] = Origin(
        name=name,
        options=values(build(kind, data_options)) if kind is not None else {},
        split=split,
        split_seed=split_seed,
        changes=_changes(graph),
    )
    return graph


def _changes(graph: Graph) -> tuple[int, ...]:
    """How often each tensor has been written to."""
    return tuple(int(getattr(graph, name)._version) for name in _TENSORS)


def origin(graph: Graph) -> Origin:
    """How this very graph was loaded. Raises `OptionError` where nobody could load it again."""
    if not isinstance(graph, Graph):
        raise OptionError(
            f"on must be the name of a data set, or a graph that privgraph.load returned (got {short(graph)})"
        )
    recorded = _origins.get(graph)
    if recorded is None:
        raise OptionError(
            "a run must be able to load its graph again, so give one that privgraph.load returned, as it was "
            "returned, or the name that privgraph.upload gave"
        )
    if recorded.changes != _changes(graph):
        raise OptionError(f"the graph {graph.name} was written to after it was loaded: upload it with privgraph.upload")
    return recorded


@in_words
def upload(
    *given: Any,
    title: str = "",
    arrays: Mapping[str, object] | None = None,
    describe: str | PathLike[str] | Mapping[str, object] | None = None,
    **columns: object,
) -> str:
    """Take in a graph, or texts and their relations, of one's own, keep it in the home under a name of its
    own, and print what was understood.

    It stays on this machine. Edges have no direction unless `directed` says so; self-loops and repetitions
    are dropped. Equal graphs have equal names on one installation, and other people cannot check a guess
    against a name.

    Args:
        *given: Paths of files or of a folder, a graph of networkx, `Data` of PyTorch Geometric, or DataFrames
            of nodes and of edges. docs/guide.md lists the formats.
        title: What people see in place of the name; empty for "Your own graph" or "Your own texts".
        arrays: In place of these: `y` (|V|,) labels, `edge_index` (2, |E|) node numbers; optional `x` (|V|,
            F) numbers, `train_mask`, `val_mask`, `test_mask` (|V|,) booleans, `class_names` (C,) and
            `feature_names` (F,) texts. Arrays of NumPy, or tensors of PyTorch on the CPU.
        describe: What columns mean, as a mapping or the path of a TOML file, with the fields of
            `privgraph.data.own.description.Description`: `id`, `source`, `target`, `label`, `features`,
            `ignore`, `split` and so on.
        **columns: The same fields, one by one.

    Returns:
        The name: `upload:` and sixteen hex digits. `privgraph.load` and `privgraph.run` take it.

    Raises:
        OptionError: Neither files nor arrays were given, or both.
        DataError: A file cannot be opened, or the graph is refused; the message says why. Where something can
            be read in two ways, it spells out both.
    """
    from privgraph.data.own.adding import add

    if bool(given) == (arrays is not None):
        raise OptionError("upload takes files or arrays, one of the two")
    if arrays is not None and not isinstance(arrays, Mapping):
        raise OptionError(f"arrays must be a mapping with x, y and edge_index (got {short(arrays)})")
    said = from_toml(Path(describe)) if isinstance(describe, str | PathLike) else describe or {}
    if not isinstance(said, Mapping):
        raise OptionError(f"describe must be a mapping or the path of a TOML file (got {short(describe)})")
    added = add(given or (arrays,), described({**said, **columns}), title=title)
    print(*(f"{what}: {value}" for what, value in added.summary), sep="\n")
    return added.name
