"""What a reader makes of raw files: a graph in NumPy, before edges are put in order and a split is drawn. No
torch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike, NDArray

Files = Mapping[str, Path]
"""The raw files of one set: path in the catalogue -> where it lies."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """A data set as its reader found it.

    Args:
        y: (|V|,) labels in [0, C), and -1 for none.
        edges: (2, any) rows (source, target), in any order and direction; what is listed twice counts once.
        x: (|V|, F) features. Texts may come without: their one feature is the number of words.
        undirected: As in `Graph`, like the names of classes and features, texts and domains.
        public: Train, validation and test masks that come with the data, where there are any.
    """

    y: NDArray[Any]
    edges: NDArray[Any]
    x: NDArray[Any] | None = None
    undirected: bool = True
    class_names: Sequence[str] = ()
    feature_names: Sequence[str] = ()
    public: Sequence[NDArray[Any]] = ()
    texts: Sequence[str] = ()
    domains: ArrayLike = ()
    domain_names: Sequence[str] = ()
