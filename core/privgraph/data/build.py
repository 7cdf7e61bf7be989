"""From the parts that a reader found to a `Graph` that keeps its contract."""

import numpy as np
import torch
from torch import Tensor

from privgraph.data.errors import DataError
from privgraph.data.graph import Graph
from privgraph.data.parts import Parts


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
    """The graph of `raw` with its public split, or with no node in any part of one. Raises `DataError`."""
    of_texts = raw.x is None
    found = np.array([[len(text.split())] for text in raw.texts]) if raw.x is None else raw.x
    x = torch.from_numpy(np.ascontiguousarray(found, dtype=np.float32))
    y, edges, domains = (
        torch.from_numpy(np.ascontiguousarray(one, dtype=np.int64)) for one in (raw.y, raw.edges, raw.domains)
    )
    nodes = len(x)
    if x.dim() != 2 or y.shape != (nodes,):
        raise DataError(f"{name} has features of shape {tuple(x.shape)} and labels of {tuple(y.shape)}")
    if not bool(torch.isfinite(x).all()):
        raise DataError(f"{name} has features that are not finite numbers")
    if int(y.min()) < -1:
        raise DataError(f"{name} has negative labels")
    if raw.texts and len(raw.texts) != nodes:
        raise DataError(f"{name} has {len(raw.texts):,} texts for {nodes:,} nodes")
    if domains.numel() and not (
        domains.shape == (nodes,) and 0 <= int(domains.min()) <= int(domains.max()) < len(raw.domain_names)
    ):
        raise DataError(f"{name} must say for each node which of its {len(raw.domain_names)} domains it belongs to")
    if len(raw.domain_names) and not domains.numel():
        raise DataError(f"{name} names domains, and says of no node to which it belongs")
    train, validation, test = raw.public or [np.zeros(nodes, dtype=np.bool_)] * 3
    return Graph(
        name=name,
        x=x,
        y=y,
        edge_index=canonical_edges(edges, nodes, raw.undirected),
        train_mask=torch.from_numpy(train),
        val_mask=torch.from_numpy(validation),
        test_mask=torch.from_numpy(test),
        undirected=raw.undirected,
        class_names=tuple(map(str, raw.class_names)),
        feature_names=("words",) if of_texts else tuple(map(str, raw.feature_names)),
        split="none",
        texts=tuple(raw.texts),
        domains=domains,
        domain_names=tuple(raw.domain_names),
    )
