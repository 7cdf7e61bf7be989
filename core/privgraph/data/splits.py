"""Who trains, who validates, who tests, and who is private. A split depends on its own seed alone."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from privgraph.data.build import canonical_edges
from privgraph.data.errors import DataError
from privgraph.data.graph import Graph
from privgraph.data.sizes import TEST, VALIDATION
from privgraph.options import nearest
from privgraph.streams import stream

SPLITS = ("random", "public", "inductive")

Masks = tuple[Tensor, Tensor, Tensor]


def random_masks(nodes: int, seed: int) -> Masks:
    """Training, validation and test masks, each (nodes,) bool: 75, 10 and 15 per cent, drawn at random.

    The split of ProGAP (section 5.1). It depends on `nodes` and the stream `split` of `seed`, on nothing
    else.
    """
    order = stream(seed, "split").permutation(nodes)
    ends = np.cumsum([round(nodes * VALIDATION), round(nodes * TEST)])
    validation, test, train = (_mask(nodes, part) for part in np.split(order, ends))
    return train, validation, test


def _mask(nodes: int, members: np.ndarray) -> Tensor:
    mask = torch.zeros(nodes, dtype=torch.bool)
    mask[torch.from_numpy(members)] = True
    return mask


def check_split(split: str) -> None:
    """Raise `DataError` unless `split` is random, public or inductive."""
    if split not in SPLITS:
        raise DataError(f"split must be one of {', '.join(SPLITS)} (got {split}){nearest(split, SPLITS)}")


def with_split(graph: Graph, seed: int, split: str = "random") -> Graph:
    """The same graph with the split of another seed.

    `random` (transductive: training nodes see all edges) shares every tensor with `graph`, its cached
    adjacency included, so that ten seeds of one graph take the memory of one. `inductive` has the same masks
    and keeps only the edges inside one part: nothing passes from a validation or test node to a training
    node, nor back; the graph stays undirected. Raises `DataError` for another split, and for a graph that has
    lost edges to an inductive split already.
    """
    if split not in ("random", "inductive"):
        raise DataError(f"a new split must be random or inductive (got {split})")
    return _with_roles(graph, random_masks(graph.num_nodes, seed), split, seed)


def with_training(graph: Graph, train: Tensor, test: Tensor, split: str = "random") -> Graph:
    """The same graph with other training and test nodes, (n,) int64 each; validation nodes stay.

    `graph` has all edges. With `split` inductive, those between two parts go, as in `with_split`; else every
    tensor but the masks is shared. Raises `DataError` where the parts overlap, or edges are gone already.
    """
    check_split(split)
    trained, tested = (
        torch.zeros(graph.num_nodes, dtype=torch.bool).index_fill_(0, nodes, True) for nodes in (train, test)
    )
    return _with_roles(graph, (trained, graph.val_mask, tested), split, None)


def _with_roles(graph: Graph, roles: Masks, split: str, seed: int | None) -> Graph:
    """The graph with these parts, of nodes without a record or a label, too, which train and test nobody."""
    if graph.split == "inductive":
        raise DataError("an inductive split has dropped edges, so load the graph again for another one")
    train, validation, test = (mask & graph.learnable for mask in roles)
    if bool(((train & test) | ((train | test) & validation)).any()):
        raise DataError("training, validation and test nodes must not overlap")
    drawn = replace(
        graph,
        train_mask=train,
        val_mask=validation,
        test_mask=test,
        split=split,
        split_seed=seed,
        absent_training=tuple(node for node in graph.absent if bool(roles[0][node])),
    )
    return _cut(drawn, roles) if split == "inductive" else drawn


def _cut(graph: Graph, roles: Masks) -> Graph:
    """Without edges between two parts; a node without a label is in one, too."""
    part = roles[0].long() + 2 * roles[1].long() + 3 * roles[2].long()
    source, target = graph.edge_index
    kept = (part[source] == part[target]) & (part[source] > 0)
    return replace(graph, edge_index=graph.edge_index[:, kept].contiguous(), _cache={})


def subgraph(graph: Graph, nodes: Tensor) -> Graph:
    """The graph on `nodes` ((n,) int64, unique) and the edges among them; node `nodes[i]` becomes i."""
    number = torch.full((graph.num_nodes,), -1, dtype=torch.int64)
    number[nodes] = torch.arange(nodes.numel())
    edges = number[graph.edge_index]
    inside = (edges >= 0).all(0)
    absent = tuple(int(place) for place in number[list(graph.absent)] if place >= 0)
    return replace(
        graph,
        x=graph.x[nodes],
        y=graph.y[nodes],
        # Renumbering need not keep the order of nodes.
        edge_index=canonical_edges(edges[:, inside], int(nodes.numel()), graph.undirected),
        train_mask=graph.train_mask[nodes],
        val_mask=graph.val_mask[nodes],
        test_mask=graph.test_mask[nodes],
        class_names=all_class_names(graph),
        texts=tuple(graph.texts[int(node)] for node in nodes) if graph.texts else (),
        domains=graph.domains[nodes] if graph.domains.numel() else graph.domains,
        absent=absent,
        absent_training=tuple(int(number[node]) for node in graph.absent_training if number[node] >= 0),
        _cache={},
    )


def all_class_names(graph: Graph) -> tuple[str, ...]:
    """Class names, made up where there are none: a part has as many classes even where the largest label is
    absent."""
    return graph.class_names or tuple(str(label) for label in range(graph.num_classes))


def partition(
    nodes: int, shares: Sequence[float] | Sequence[int], seed: int, name: str = "partition"
) -> tuple[Tensor, ...]:
    """Disjoint random masks, one a share, each (nodes,) bool; for private and public parts.

    `shares` are all sizes (whole numbers) or all fractions of `nodes`; a fraction is rounded down. Nodes
    beyond the shares belong to none. It depends on `nodes`, `shares` and the stream `split/<name>` of `seed`
    alone. Raises `DataError` where the shares are negative or exceed the nodes.
    """
    whole = all(isinstance(share, int) and not isinstance(share, bool) for share in shares)
    refusal = DataError(f"the shares {', '.join(map(str, shares))} do not fit into {nodes} nodes")
    if not (all(share >= 0 for share in shares) and sum(shares) <= (nodes if whole else 1 + 1e-9)):
        raise refusal
    # Without the small number, 0.7 of 10 would be 6.
    sizes = [int(share) if whole else math.floor(share * nodes + 1e-9) for share in shares]
    if sum(sizes) > nodes:
        raise refusal
    order = stream(seed, f"split/{name}").permutation(nodes)
    return tuple(_mask(nodes, part) for part in np.split(order, np.cumsum(sizes))[:-1])
