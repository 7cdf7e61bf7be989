"""From loose arrays to a `Graph` that keeps its contract."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from privgraph.data.errors import DataError
from privgraph.data.graph import Graph


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """A data set as its reader found it, before edges are put in order and a split is drawn.

    x: (|V|, F) features. y: (|V|,) labels in [0, C), and -1 for none. edges: (2, any) rows (source,
    target), in any order. `public` are the train, validation and test masks that come with the data, where
    there are any. `texts`, `domains` (|V|,) and `domain_names` are those of `Graph`.
    """

    x: Tensor
    y: Tensor
    edges: Tensor
    undirected: bool = True
    class_names: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    public: tuple[Tensor, Tensor, Tensor] | None = None
    texts: tuple[str, ...] = ()
    domains: Tensor = field(default_factory=lambda: torch.zeros(0, dtype=torch.int64))
    domain_names: tuple[str, ...] = ()


def parts(
    x: ArrayLike,
    y: ArrayLike,
    edges: ArrayLike,
    *,
    undirected: bool = True,
    class_names: tuple[str, ...] = (),
    feature_names: tuple[str, ...] = (),
    public: tuple[Tensor, Tensor, Tensor] | None = None,
    texts: Sequence[str] = (),
    domains: ArrayLike = (),
    domain_names: tuple[str, ...] = (),
) -> Parts:
    """Parts from NumPy arrays; `edges` has shape (2, any)."""
    return Parts(
        x=torch.from_numpy(np.array(x, dtype=np.float32)),
        y=torch.from_numpy(np.array(y, dtype=np.int64)),
        edges=torch.from_numpy(np.array(edges, dtype=np.int64)),
        undirected=undirected,
        class_names=class_names,
        feature_names=feature_names,
        public=public,
        texts=tuple(texts),
        domains=torch.from_numpy(np.array(domains, dtype=np.int64)),
        domain_names=domain_names,
    )


def canonical_edges(edges: Tensor, nodes: int, undirected: bool) -> Tensor:
    """(2, |E|) edges without self-loops and duplicates, sorted by target then source.

    Where `undirected`, the reverse of every edge is added first. `edges`: (2, any) in [0, nodes).
    """
    source, target = edges[0].long(), edges[1].long()
    if source.numel() and not 0 <= int(edges.min()) <= int(edges.max()) < nodes:
        raise DataError(f"the edges name nodes outside 0 to {nodes - 1}")
    kept = source != target
    source, target = source[kept], target[kept]
    key = target * nodes + source
    if undirected:
        key = torch.cat([key, source * nodes + target])
    key = torch.unique(key, sorted=True)
    return torch.stack([key % nodes, key // nodes])


def build(name: str, raw: Parts) -> Graph:
    """The graph of `raw`, with no node in any part of a split yet. Raises `DataError`."""
    nodes = int(raw.x.shape[0])
    if raw.x.dim() != 2 or raw.y.shape != (nodes,):
        raise DataError(f"{name} has features of shape {tuple(raw.x.shape)} and labels of {tuple(raw.y.shape)}")
    if not bool(torch.isfinite(raw.x).all()):
        raise DataError(f"{name} has features that are not finite numbers")
    if int(raw.y.min()) < -1:
        raise DataError(f"{name} has negative labels")
    if raw.texts and len(raw.texts) != nodes:
        raise DataError(f"{name} has {len(raw.texts):,} texts for {nodes:,} nodes")
    if raw.domains.numel() and not (
        raw.domains.shape == (nodes,) and 0 <= int(raw.domains.min()) <= int(raw.domains.max()) < len(raw.domain_names)
    ):
        raise DataError(f"{name} must say for each node which of its {len(raw.domain_names)} domains it belongs to")
    if len(raw.domain_names) and not raw.domains.numel():
        raise DataError(f"{name} names domains, and says of no node to which it belongs")
    nobody = torch.zeros(nodes, dtype=torch.bool)
    return Graph(
        name=name,
        x=raw.x.float().contiguous(),
        y=raw.y.long().contiguous(),
        edge_index=canonical_edges(raw.edges, nodes, raw.undirected),
        train_mask=nobody,
        val_mask=nobody,
        test_mask=nobody,
        undirected=raw.undirected,
        class_names=raw.class_names,
        feature_names=raw.feature_names,
        split="none",
        texts=raw.texts,
        domains=raw.domains,
        domain_names=raw.domain_names,
    )
