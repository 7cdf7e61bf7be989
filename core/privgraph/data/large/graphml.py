"""Large GraphML: features go to a file as they are read, and edges to another until all nodes are known. No
torch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privgraph.data.large.edges import Ends
from privgraph.data.large.nodes import Features, Nodes, Numbering
from privgraph.data.large.tables import Seen
from privgraph.data.upload_checks import Limits, check_classes
from privgraph.data.upload_graphml import Elsewhere, follow

ROOM = 1 << 20
"""Numbers that are kept before they go to a file."""


def read(
    path: Path, folder: Path, scratch: Path, limits: Limits, seen: Seen
) -> tuple[Nodes, Iterator[tuple[Ends, Ends]]]:
    """Read nodes, write `x.npy` and `y.npy` into `folder`, and give the sources and targets of edges, which
    wait in `scratch`. Raises `UploadError`."""
    features: list[Features] = []

    def values(rows: NDArray[np.float32]) -> None:
        if not features:
            features.append(Features(folder / "x.npy", rows.shape[1], limits))
        features[0].append(rows)

    mentioned = scratch / "mentioned"
    with path.open("rb") as file, mentioned.open("wb") as ends:
        keep = Elsewhere(ends=lambda pairs: pairs.tofile(ends), values=values, room=ROOM)
        found = follow(file, limits, keep, seen)
    features[0].finish()
    y, names = found.classes()
    check_classes(len(names), limits)
    np.save(folder / "y.npy", y)
    nodes = Nodes(
        count=features[0].rows,
        features=features[0].width,
        class_names=names,
        feature_names=found.features,
        odd=features[0].odd,
        number=Numbering(features[0].rows),
    )
    return nodes, _edges(mentioned, found.rank())


def _edges(mentioned: Path, rank: NDArray[np.int64]) -> Iterator[tuple[Ends, Ends]]:
    """Ends by the order of nodes' elements, from ends by the order of first mention."""
    with mentioned.open("rb") as file:
        while (pairs := np.fromfile(file, dtype=np.int64, count=2 * ROOM)).size:
            source, target = rank[pairs.reshape(-1, 2)].T
            yield source, target
    mentioned.unlink()
