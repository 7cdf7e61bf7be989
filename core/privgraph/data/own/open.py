"""A graph of one's own, whose arrays are mapped into memory: pages come from the file when they are read."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from privgraph.data.errors import DataError
from privgraph.data.graph import Graph
from privgraph.data.own.growing import read
from privgraph.data.uploads import texts_in


def mapped(name: str, folder: Path, facts: dict[str, Any]) -> Graph:
    """The graph of that name whose arrays lie in `folder`, with no node in any part of a split yet.

    Edges and features are mapped, and not written: who writes to a tensor gets a copy of that page. Raises
    `DataError` where an array is not as the facts say.
    """
    nodes, entries = facts["nodes"], facts["edges"] * (1 + facts["undirected"])
    shapes = {"x": (nodes, facts["features"]), "y": (nodes,), "edges": (2, entries), "pointers": (nodes + 1,)}
    x, y, edges, pointers = (_array(folder / f"{array}.npy") for array in shapes)
    for found, (array, shape) in zip((x, y, edges, pointers), shapes.items(), strict=True):
        if found.shape != shape:
            raise DataError(f"{name} is damaged: its {array} has the shape {found.shape}, and {shape} is needed")
    if not _starts_agree(pointers, edges[1]):
        raise DataError(f"{name} is damaged: its pointers are not those of its edges; upload the graph again")
    parts = read(folder / "parts.npy") if (folder / "parts.npy").is_file() else np.full(nodes, -1, dtype=np.int8)
    train, validation, test = (torch.from_numpy(parts == part) for part in range(3))
    texts = texts_in(folder, "texts")
    return Graph(
        name=name,
        x=torch.from_numpy(x),
        y=torch.from_numpy(y),
        edge_index=torch.from_numpy(edges),
        train_mask=train,
        val_mask=validation,
        test_mask=test,
        undirected=facts["undirected"],
        class_names=tuple(facts["class_names"]),
        feature_names=tuple(facts["feature_names"]),
        split="none",
        texts=texts,
        domains=torch.from_numpy(read(folder / "domains.npy")) if texts else torch.zeros(0, dtype=torch.int64),
        domain_names=tuple(facts["domains"]),
        _cache={"pointers": torch.from_numpy(pointers)},
    )


def _starts_agree(pointers: NDArray[Any], targets: NDArray[Any]) -> bool:
    """Whether pointers (|V| + 1,) are the sums of how many edges end at each node: training reads edges by
    them, and the key of its noise is made of the edges alone."""
    try:
        counts = np.bincount(targets, minlength=len(pointers) - 1)
    except ValueError:  # a node of a negative number
        return False
    return pointers[0] == 0 and np.array_equal(np.diff(pointers), counts)


def _array(path: Path) -> NDArray[Any]:
    try:
        found: NDArray[Any] = np.load(path, mmap_mode="c", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path.name} of an upload cannot be read ({error}): upload the graph again") from None
    return found
