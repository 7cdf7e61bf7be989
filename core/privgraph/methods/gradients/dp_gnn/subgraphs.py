"""Small subgraphs, one for each training node, in which every node of the graph takes a bounded part."""

from collections.abc import Iterator

import torch
from torch import Tensor

from privgraph.mechanisms.degree import bound_out_degree


def frozen_subgraphs(edge_index: Tensor, train_mask: Tensor, max_degree: int, seed: int) -> tuple[Tensor, Tensor]:
    """The roots (R,), ascending, and their subgraphs (R, 1 + K): the root, then neighbours, -1 for padding;
    K = `max_degree`.

    Algorithm 1 of Daigavane et al. (SAMPLE-EDGELISTS) bounds in how many lists a node is; here
    `mechanisms.degree.bound_out_degree` does, in two rounds, over the edges that end in a training node:

    1. every node keeps the K of them that rank lowest, and so is read by at most K roots (what privacy
       needs);
    2. every root keeps the K of those that rank lowest, and so reads at most K (what memory needs).

    The sample is drawn once, from the whole graph (relation "opt-out"): when node z leaves, z is struck from
    the lists that hold it, its own list goes, and no other list changes (`without_node`).

    A list has K places, a public number, and not as many as the fullest one: else a node with the fullest
    list, when it leaves, would change the shape of everybody's sums, and so their rounding. A list that never
    held z has the same numbers in the same columns in both datasets, and is computed in the same width
    (`by_width`).
    """
    nodes = train_mask.numel()
    edges = edge_index[:, train_mask[edge_index[1]]]
    edges = edges[:, bound_out_degree(edges, nodes, max_degree, seed)]
    edges = edges[:, bound_out_degree(edges.flip(0), nodes, max_degree, seed)]
    roots = train_mask.nonzero().squeeze(1)
    place = torch.full((nodes,), -1, dtype=torch.int64, device=edges.device)
    place[roots] = torch.arange(roots.numel(), device=edges.device)
    row = place[edges[1]]
    order = torch.argsort(row, stable=True)
    row, neighbour = row[order], edges[0, order]
    counts = torch.bincount(row, minlength=roots.numel())
    starts = counts.cumsum(0) - counts
    column = torch.arange(row.numel(), device=edges.device) - starts[row]
    subgraphs = torch.full((roots.numel(), 1 + max_degree), -1, dtype=torch.int64, device=edges.device)
    subgraphs[:, 0] = roots
    subgraphs[row, 1 + column] = neighbour
    return roots, subgraphs


def widths(max_degree: int) -> list[int]:
    """Places of the lists that are computed together, ascending, up to K: public numbers.

    >>> [widths(most) for most in (2, 15, 200)]
    [[2], [8, 15], [8, 16, 32, 64, 200]]
    """
    return [*(width for width in (8, 16, 32, 64, 128) if 2 * width <= max_degree + 1), max_degree]


def by_width(subgraphs: Tensor, batch: Tensor, size: int) -> Iterator[tuple[Tensor, int]]:
    """Parts of a batch (B,) of places in `subgraphs`, of at most `size`, with the width that holds their
    lists.

    A root's width is a function of its own list, and of nobody else's.
    """
    places = torch.arange(subgraphs.shape[1], device=batch.device)
    own = ((subgraphs[batch] >= 0) * places).amax(1)
    least = -1
    for width in widths(subgraphs.shape[1] - 1):
        chosen = batch[(own > least) & (own <= width)]
        least = width
        if chosen.numel():
            for part in torch.split(chosen, size):
                yield part, width


def without_node(roots: Tensor, subgraphs: Tensor, node: int) -> tuple[Tensor, Tensor]:
    """What the same sample becomes when `node` opts out: the neighbour that the privacy proof speaks of."""
    kept = roots != node
    lists = subgraphs[kept]
    return roots[kept], torch.where(lists == node, -1, lists)
