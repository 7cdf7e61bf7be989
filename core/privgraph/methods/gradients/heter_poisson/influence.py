"""One node's influence on the gradient of a graph network, against its out-edges (Figure 1 and section 4.1 of
HeterPoisson)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.nn.ragged_network import NETWORKS
from privgraph.streams import stream_seed

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class Influence:
    """One repetition: `share` is the paper's chi, `change` its |g* - g'|."""

    network: str
    share: float
    out_edges: int
    repetition: int
    change: float


def influence(
    *,
    networks: Sequence[str] = NETWORKS,
    shares: Sequence[float] = SHARES,
    nodes: int = 100,
    classes: int = 10,
    features: int = 32,
    hidden: int = 32,
    density: float = 0.1,
    repetitions: int = 100,
    seed: int = 0,
) -> list[Influence]:
    """Rows of the experiment: how far the gradient moves when a node with chi n out-edges is added.

    A graph of n `nodes` with each ordered pair an edge with chance `density` (Erdos-Renyi), normal features,
    uniform labels; a network of two rounds with fresh weights; g* is the gradient of its mean loss. A new
    node brings features, a label and round(chi n) edges to random nodes; g' is the gradient then. The paper
    states n = 100 and C = 10; the other sizes are ours. Within a repetition everything is the same for all
    shares but the number of edges.
    """
    rows = []
    for repetition in range(repetitions):
        draws = torch.Generator().manual_seed(stream_seed(seed, f"influence/{repetition}"))
        adjacency = torch.zeros(nodes + 1, nodes + 1)
        adjacency[:nodes, :nodes] = (torch.rand(nodes, nodes, generator=draws) < density).fill_diagonal_(False)
        x = torch.randn(nodes + 1, features, generator=draws)
        y = torch.randint(classes, (nodes + 1,), generator=draws)
        order = torch.randperm(nodes, generator=draws)
        weights = _weights(features, hidden, classes, draws)
        for network in networks:
            before = _gradient(network, weights, x[:nodes], y[:nodes], adjacency[:nodes, :nodes])
            for share in shares:
                joined, out_edges = adjacency.clone(), round(share * nodes)
                joined[order[:out_edges], nodes] = 1
                change = float((_gradient(network, weights, x, y, joined) - before).norm())
                rows.append(Influence(network, share, out_edges, repetition, change))
    return rows


def _weights(features: int, hidden: int, classes: int, draws: torch.Generator) -> list[Tensor]:
    """Two rounds and a classifier, uniform within 1/sqrt(inputs); then biases and GIN's lambdas, zero."""
    shapes = [(hidden, features), (hidden, hidden), (classes, hidden)]
    matrices = [(torch.rand(shape, generator=draws) * 2 - 1) / shape[1] ** 0.5 for shape in shapes]
    vectors = [torch.zeros(shape[0]) for shape in shapes] + [torch.zeros(1), torch.zeros(1)]
    return [weight.requires_grad_() for weight in (*matrices, *vectors)]


def _gradient(network: str, weights: list[Tensor], x: Tensor, y: Tensor, adjacency: Tensor) -> Tensor:
    """(P,): of the mean loss over a graph whose adjacency (n, n) has a one in row i for each edge j -> i
    (A.1)."""
    matrices, biases, lambdas = weights[:3], weights[3:6], weights[6:]
    looped = adjacency + torch.eye(len(adjacency))
    degrees = looped.sum(1)
    h = x
    for matrix, bias, own in zip(matrices[:2], biases[:2], lambdas, strict=True):
        if network == "gcn":
            h = looped @ (h / degrees.sqrt().unsqueeze(1)) / degrees.sqrt().unsqueeze(1)
        elif network == "sage":
            h = looped @ h / degrees.unsqueeze(1)
        else:
            h = adjacency @ h + (1 + own) * h
        h = functional.elu(functional.linear(h, matrix, bias))
    loss = functional.cross_entropy(functional.linear(h, matrices[2], biases[2]), y)
    used = weights if network == "gin" else weights[:6]
    return torch.cat([gradient.flatten() for gradient in torch.autograd.grad(loss, used)])
