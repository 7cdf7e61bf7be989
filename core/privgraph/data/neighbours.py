"""Neighbouring graphs: what a privacy guarantee compares. For enumerating in tests, and for audits.

Edge level: two graphs that differ in one edge (an undirected edge is both of its entries). Node level: the
roster stays, and with it everybody's number and role; one node opts out, and its record is nulled: its
features are 0, it has no label, no edge and no part in training, validation or test.
"""

from collections.abc import Iterator
from dataclasses import replace

import torch

from privgraph.data.build import canonical_edges
from privgraph.data.graph import Graph
from privgraph.data.splits import all_class_names


def has_edge(graph: Graph, source: int, target: int) -> bool:
    """Whether there is an edge source -> target."""
    return bool(((graph.edge_index[0] == source) & (graph.edge_index[1] == target)).any())


def without_edge(graph: Graph, source: int, target: int) -> Graph:
    """The graph without that edge (both entries where undirected). Raises `ValueError` if it is not there."""
    if not has_edge(graph, source, target):
        raise ValueError(f"there is no edge {source} -> {target}")
    ends = graph.edge_index
    gone = (ends[0] == source) & (ends[1] == target)
    if graph.undirected:
        gone |= (ends[0] == target) & (ends[1] == source)
    return replace(graph, edge_index=ends[:, ~gone].contiguous(), _cache={})


def with_edge(graph: Graph, source: int, target: int) -> Graph:
    """The graph with one more edge (both entries where undirected). Raises `ValueError` if it cannot be
    added."""
    if source == target or not (0 <= source < graph.num_nodes and 0 <= target < graph.num_nodes):
        raise ValueError(f"an edge {source} -> {target} cannot be added")
    if has_edge(graph, source, target):
        raise ValueError(f"there is an edge {source} -> {target} already")
    ends = torch.cat([graph.edge_index, torch.tensor([[source], [target]])], dim=1)
    return replace(graph, edge_index=canonical_edges(ends, graph.num_nodes, graph.undirected), _cache={})


def edge_neighbours(graph: Graph) -> Iterator[Graph]:
    """Every graph that has one edge less or one edge more: |V|(|V|-1) of them, half that where undirected."""
    for source in range(graph.num_nodes):
        for target in range(graph.num_nodes):
            if source == target or (graph.undirected and source > target):
                continue
            change = without_edge if has_edge(graph, source, target) else with_edge
            yield change(graph, source, target)


def with_node_nulled(graph: Graph, node: int) -> Graph:
    """The graph in which `node` opted out: same roster, its record empty (label 0, outside all masks).

    Raises `ValueError` for a node that is not there, or has opted out already.
    """
    if not 0 <= node < graph.num_nodes or node in graph.absent:
        raise ValueError(f"there is no node {node} among {graph.num_nodes}")
    stays = torch.arange(graph.num_nodes) != node
    return replace(
        graph,
        x=graph.x.where(stays[:, None], 0),
        y=graph.y.where(stays, 0),
        edge_index=graph.edge_index[:, (graph.edge_index != node).all(0)].contiguous(),
        train_mask=graph.train_mask & stays,
        val_mask=graph.val_mask & stays,
        test_mask=graph.test_mask & stays,
        class_names=all_class_names(graph),
        absent=(*graph.absent, node),
        absent_training=(*graph.absent_training, *([node] if bool(graph.train_mask[node]) else ())),
        _cache={},
    )


def node_neighbours(graph: Graph) -> Iterator[Graph]:
    """Every graph in which one node opted out: |V| of them."""
    for node in range(graph.num_nodes):
        yield with_node_nulled(graph, node)
