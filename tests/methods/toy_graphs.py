"""A small homophilous graph on which edges help: class-dependent edges, weak features."""

from dataclasses import replace

import torch

from privgraph.data.graph import Graph


def toy_graph(
    *, nodes: int = 150, classes: int = 3, signal: float = 0.5, degree: float = 8.0, seed: int = 0, split_seed: int = 0
) -> Graph:
    """`degree` edges a node, three quarters inside its class; features are noise and `signal` classes."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.arange(nodes) % classes
    x = torch.randn(nodes, 6, generator=generator)
    x[:, :classes] += signal * torch.nn.functional.one_hot(y, classes)
    same = y.unsqueeze(0) == y.unsqueeze(1)
    inside = 0.75 * degree / (nodes / classes)
    outside = 0.25 * degree / (nodes * (1 - 1 / classes))
    dense = torch.rand(nodes, nodes, generator=generator) < torch.where(same, inside, outside)
    dense = torch.triu(dense, 1)
    dense = dense | dense.t()
    target, source = dense.nonzero(as_tuple=True)
    order = torch.randperm(nodes, generator=torch.Generator().manual_seed(split_seed))
    masks = torch.zeros(3, nodes, dtype=torch.bool)
    masks[0, order[: int(0.6 * nodes)]] = True
    masks[1, order[int(0.6 * nodes) : int(0.75 * nodes)]] = True
    masks[2, order[int(0.75 * nodes) :]] = True
    return Graph(
        name="toy",
        x=x,
        y=y,
        edge_index=torch.stack([source, target]),
        train_mask=masks[0],
        val_mask=masks[1],
        test_mask=masks[2],
    )


def without_edge(graph: Graph, position: int) -> Graph:
    """The neighbouring graph that lacks the undirected edge of the entry at `position`."""
    source, target = graph.edge_index
    a, b = int(source[position]), int(target[position])
    keep = ~(((source == a) & (target == b)) | ((source == b) & (target == a)))
    return replace(graph, edge_index=graph.edge_index[:, keep], _cache={})
