"""Slow twins of ragged subgraphs: one subgraph at a time by autograd, and padded batches by torch.func.
Written from A.1 anew."""

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.nn.ragged_network import RaggedNetwork, views
from privgraph.nn.ragged_subgraphs import Subgraphs


def dense_loss(
    flat: Tensor, rows: Tensor, adjacency: Tensor, there: Tensor, label: Tensor, *, shapes: dict, kind: str, layers: int
) -> Tensor:
    """The loss of one padded subgraph: rows (W, F), adjacency (W, W) with [u, j] for an edge j -> u, there
    (W,) 0 or 1."""
    w = views(flat, shapes)
    looped = adjacency + torch.diag(there)
    degree = looped.sum(1).clamp_min(1)
    hidden = rows
    for layer in range(1, layers + 1):
        if kind == "gcn":
            summed = (looped / (degree.unsqueeze(0) * degree.unsqueeze(1)).sqrt()) @ hidden
        elif kind == "sage":
            summed = (looped / degree.unsqueeze(1)) @ hidden
        else:
            summed = adjacency @ hidden + (1 + w[f"own{layer}"]) * hidden
        hidden = functional.elu(summed @ w[f"w{layer}"].t() + w[f"b{layer}"]) * there.unsqueeze(1)
    logits = w["w3"] @ hidden[0] + w["b3"]
    return functional.cross_entropy(logits.unsqueeze(0), label.unsqueeze(0))


def blocks(x: Tensor, subgraphs: Subgraphs, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """All subgraphs padded to `width` rows: (B, W, F), (B, W, W) and (B, W)."""
    count = len(subgraphs)
    place = torch.arange(subgraphs.nodes.numel()) - subgraphs.starts[subgraphs.owner]
    rows = x.new_zeros(count, width, x.shape[1])
    rows[subgraphs.owner, place] = x[subgraphs.nodes]
    there = x.new_zeros(count, width)
    there[subgraphs.owner, place] = 1
    adjacency = x.new_zeros(count, width, width)
    source, target = subgraphs.edges
    adjacency[subgraphs.owner[target], place[target], place[source]] = 1
    return rows, adjacency, there


def one_by_one(net: RaggedNetwork, x: Tensor, subgraphs: Subgraphs, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Losses (B,) and gradients (B, P), a subgraph after another, none of them padded."""
    losses, gradients = [], []
    for index, label in enumerate(labels):
        rows, adjacency, there = blocks(x, subgraphs.part(index, index + 1), int(subgraphs.sizes[index]))
        flat = net.parameters[0].clone().requires_grad_()
        loss = dense_loss(
            flat, rows[0], adjacency[0], there[0], label, shapes=net.shapes, kind=net.kind, layers=net.layers
        )
        gradients.append(torch.autograd.grad(loss, flat)[0])
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(gradients)


def padded(net: RaggedNetwork, x: Tensor, subgraphs: Subgraphs, labels: Tensor) -> Tensor:
    """Gradients (B, P) of all subgraphs at once, padded to the largest."""

    def loss(flat: Tensor, rows: Tensor, adjacency: Tensor, there: Tensor, label: Tensor) -> Tensor:
        return dense_loss(flat, rows, adjacency, there, label, shapes=net.shapes, kind=net.kind, layers=net.layers)

    gradient = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0, 0, 0))
    return gradient(net.parameters[0], *blocks(x, subgraphs, int(subgraphs.sizes.max())), labels)
