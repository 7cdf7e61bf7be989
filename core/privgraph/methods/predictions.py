"""The classes that a run predicts, as it keeps them in `predictions.npz`. No torch."""

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAME = "predictions.npz"


@dataclass(frozen=True, kw_only=True, eq=False)
class Predictions:
    """`classes` (n,) int64: the predicted class of each node of `nodes` (n,) int64, which rise; without
    `nodes`, those of all nodes, in their order."""

    classes: NDArray[np.int64]
    nodes: NDArray[np.int64] | None = field(default=None)

    def __post_init__(self) -> None:
        if self.classes.ndim != 1 or (self.nodes is not None and self.nodes.shape != self.classes.shape):
            raise ValueError("predictions: one class for each node")
        if self.nodes is not None and not bool((np.diff(self.nodes) > 0).all()):
            raise ValueError("predictions: nodes must rise")

    def of(self, node: int) -> int | None:
        """The predicted class of a node, or None where there is no prediction."""
        at = node if self.nodes is None else int(np.searchsorted(self.nodes, node))
        if not 0 <= at < self.classes.size or (self.nodes is not None and self.nodes[at] != node):
            return None
        return int(self.classes[at])


def write(
    folder: Path,
    classes: NDArray[np.int64],
    *,
    nodes: NDArray[np.int64] | None = None,
    probabilities: NDArray[Any] | None = None,
) -> None:
    """Keep predicted classes (n,) in a run's folder: those of all nodes, or of `nodes` (n,), with the
    `probabilities` (n, C) of all classes where they are given."""
    held = {"node": nodes, "prediction": classes, "probabilities": probabilities}
    np.savez(folder / NAME, allow_pickle=False, **{name: array for name, array in held.items() if array is not None})


def read(folder: Path) -> Predictions | None:
    """What a run has kept in its folder; None where it has kept no predictions.

    Nothing is unpickled, and probabilities are left where they are: of a large graph they are large. Raises
    `ValueError` where the file is no such one, or `OSError`.
    """
    file = folder / NAME
    if not file.exists():
        return None
    try:
        with np.load(file, allow_pickle=False) as held:
            classes = _whole(held["prediction"])
            return Predictions(classes=classes, nodes=_whole(held["node"]) if "node" in held.files else None)
    except (KeyError, zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"predictions: the file cannot be read ({error})") from None


def _whole(values: NDArray[Any]) -> NDArray[np.int64]:
    if not np.issubdtype(values.dtype, np.integer):
        raise ValueError("predictions: classes and nodes must be whole numbers")
    return values.astype(np.int64, copy=False)
