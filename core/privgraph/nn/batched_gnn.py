"""Graph networks that share a graph, trained as one on a GPU: what `nn.gnn.GraphNetwork` computes, S at a
time.

On a GPU one small network leaves nearly all of the machine idle, and its time is that of starting operations.
Here each operation serves all S networks. Hidden values are (N, S, H): one sparse product over S H columns
sums the neighbours of all networks, one batch normalisation of S H channels keeps the statistics of each, and
products with weights are batched over S. Gradients are PyTorch's. Networks do not mix: a loss reaches the
parameters of its own network alone, and Adam works number by number. What a network computes depends on those
beside it by rounding alone: a GPU's libraries choose by the size of a batch how they sum.

`nn.stacked_gnn` is for a CPU, where it is the cache that counts.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.nn.gnn import GAT_HEADS, GraphNetwork, kept_by_dropout, kept_share
from privgraph.nn.stacked_convolutions import SLOPE

EPS, MOMENTUM = 1e-5, 0.1
"""Batch normalisation's, as in torch.nn.BatchNorm1d."""
BATCH_BYTES = 8 << 30
"""What the networks of a batch may occupy: a constant, so that what is free decides nothing that is
computed."""


def networks_at_once(pattern: GraphNetwork, nodes: int, edges: int) -> int:
    """How many networks of that shape, on a graph of so many nodes and edges, go into a batch."""
    hidden, rounds = pattern.before.out_features, len(pattern.norms)
    numbers = 16 * nodes * hidden * rounds + (6 * edges * hidden * rounds if pattern.conv == "gat" else 0)
    return max(1, BATCH_BYTES // (pattern.before.weight.element_size() * numbers))


class _SparseProduct(torch.autograd.Function):
    """A fixed sparse matrix times a table; its gradient is the transpose, made once, times the gradient."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, matrix: Tensor, transposed: Tensor) -> Tensor:
        ctx.transposed = transposed
        return matrix @ table

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return ctx.transposed @ gradients[0].contiguous(), None, None


class Surrounding:
    """A graph as the networks' layers read it.

    Args:
        pattern: A network of their shape, on the device.
        adjacency: (N, N) sparse CSR on the device, whose row i has a one for each edge j -> i.
    """

    def __init__(self, pattern: GraphNetwork, adjacency: Tensor) -> None:
        prepared = pattern.prepare(adjacency)
        if pattern.conv == "gat":
            self.source, self.target = prepared
            return
        values = prepared.values().to(pattern.before.weight.dtype)
        if pattern.conv == "sage":
            degrees = prepared.crow_indices().diff()
            values = values / degrees.repeat_interleave(degrees)
        pointers, columns = prepared.crow_indices(), prepared.col_indices()
        rows = torch.arange(adjacency.shape[0], device=columns.device).repeat_interleave(pointers.diff())
        order = torch.argsort(columns, stable=True)
        back = functional.pad(torch.bincount(columns, minlength=adjacency.shape[1]).cumsum(0), (1, 0))
        self._matrix, self._transposed = (
            torch.sparse_csr_tensor(*parts, size=tuple(adjacency.shape), check_invariants=False)
            for parts in ((pointers, columns, values), (back, rows[order], values[order]))
        )

    def times(self, h: Tensor) -> Tensor:
        """Sums (or means, or normalised sums) over the neighbours of h (N, S, H)."""
        product: Tensor = _SparseProduct.apply(h.flatten(1), self._matrix, self._transposed)  # type: ignore[no-untyped-call]
        return product.view(h.shape)


class BatchedNetworks:
    """S networks of one shape, as lists of their parameters side by side.

    Args:
        networks: One or more, initialised, on the device; they are read, and not changed.
    """

    def __init__(self, networks: Sequence[GraphNetwork]) -> None:
        self.pattern, self.members = networks[0], len(networks)
        self.own: dict[str, Tensor] = {
            name: torch.stack(
                [dict(network.named_parameters())[name].detach() for network in networks]
            ).requires_grad_()
            for name, _ in self.pattern.named_parameters()
        }
        rounds, channels = len(self.pattern.norms), self.members * self.pattern.before.out_features
        like = self.pattern.before.weight
        self._means = [like.new_zeros(channels) for _ in range(rounds)]
        self._variances = [like.new_ones(channels) for _ in range(rounds)]

    def logits(self, x: Tensor, around: Surrounding, dropout: Sequence[torch.Generator] | None = None) -> Tensor:
        """Logits (N, S, C) of features (N, F).

        `dropout` draws what is dropped, a generator for each network, and batch statistics are taken and
        remembered; without it nothing is dropped and the remembered ones are used, as in evaluation.
        """
        own, layers = self.own, len(self.pattern.convolutions)
        weight = own["before.weight"]
        h = (x @ weight.flatten(0, 1).t()).view(len(x), *weight.shape[:2]) + own["before.bias"]
        rounds = [self._finish(h, 0, dropout)]
        for layer in range(layers):
            rounds.append(
                self._finish(self._convolve(rounds[-1], around, f"convolutions.{layer}."), layer + 1, dropout)
            )
        last = torch.cat(rounds, -1) if self.pattern.jump else rounds[-1]
        return _linear(last, own["after.weight"]) + own["after.bias"]

    def state(self) -> dict[str, Tensor]:
        """A copy of what `logits` reads in evaluation, (S, ...) by the names of a `GraphNetwork`'s state."""
        statistics = {
            f"norms.{number}.{name}": value.view(self.members, -1)
            for name, values in (("running_mean", self._means), ("running_var", self._variances))
            for number, value in enumerate(values)
        }
        return {name: value.detach().clone() for name, value in chain(self.own.items(), statistics.items())}

    def _finish(self, h: Tensor, number: int, dropout: Sequence[torch.Generator] | None) -> Tensor:
        """Activation, batch normalisation and dropout of (N, S, H)."""
        h = functional.batch_norm(
            torch.selu(h).flatten(1),
            self._means[number],
            self._variances[number],
            self.own[f"norms.{number}.weight"].flatten(),
            self.own[f"norms.{number}.bias"].flatten(),
            dropout is not None,
            MOMENTUM,
            EPS,
        ).view(h.shape)
        share = self.pattern.dropout
        if dropout is None or share == 0:
            return h
        kept = h.new_empty(self.members, h.shape[0], h.shape[2])
        for out, generator in zip(kept, dropout, strict=True):
            kept_by_dropout(out, share, generator)
        return h * kept.transpose(0, 1) / kept_share(share)

    def _convolve(self, h: Tensor, around: Surrounding, at: str) -> Tensor:
        """One round of message passing on (N, S, H), by the pattern's kind (sources: `GraphNetwork`)."""
        own, conv = (
            {name.removeprefix(at): value for name, value in self.own.items() if name.startswith(at)},
            self.pattern.conv,
        )
        if conv == "sage":
            return _linear(around.times(h), own["lin_l.weight"]) + own["lin_l.bias"] + _linear(h, own["lin_r.weight"])
        if conv == "gcn":
            return around.times(_linear(h, own["lin.weight"])) + own["bias"]
        if conv == "gin":
            middle = _linear((1 + own["eps"]) * h + around.times(h), own["nn.0.weight"]) + own["nn.0.bias"]
            return _linear(middle.relu(), own["nn.2.weight"]) + own["nn.2.bias"]
        return _attend(_linear(h, own["lin.weight"]), around, own)


def _linear(h: Tensor, weight: Tensor) -> Tensor:
    """(N, S, A) times the transposes of (S, B, A): (N, S, B)."""
    return torch.bmm(h.transpose(0, 1), weight.transpose(1, 2)).transpose(0, 1)


def _attend(z: Tensor, around: Surrounding, own: dict[str, Tensor]) -> Tensor:
    """Attention over the neighbours and the node itself (Velickovic et al. 2018, Equations 1 to 6), of
    (N, S, H)."""
    source, target = around.source, around.target
    heads = z.reshape(*z.shape[:2], GAT_HEADS, -1)
    says, hears = ((heads * own[name].squeeze(1)).sum(-1) for name in ("att_src", "att_dst"))
    score = functional.leaky_relu(says[source] + hears[target], SLOPE)
    place = target.view(-1, 1, 1).expand_as(score)
    top = torch.full_like(hears, -torch.inf).scatter_reduce(0, place, score.detach(), "amax").detach()
    weight = (score - top[target]).exp()
    weight = weight / torch.zeros_like(hears).index_add(0, target, weight)[target]
    sums = torch.zeros_like(heads).index_add(0, target, heads[source] * weight.unsqueeze(-1))
    return sums.flatten(2) + own["bias"]
