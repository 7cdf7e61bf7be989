"""One round of message passing over small subgraphs, with the norm of every subgraph's own gradient."""

import math

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.mechanisms.gradients import CANCELLED
from privgraph.nn.tables import BLOCK, activation, added, linear, made_up, require_places_alike

_GATHERED = 2**24
"""Numbers gathered at once: 64 megabytes."""


class SubgraphNetwork:
    """Dense layer, GraphSAGE layer (mean), dense layer; SELU between them. One member of a stack of one.

    For a root v with kept neighbours N(v): h_u = selu(W1 x_u + b1) for v and each of N(v), m = mean of h_u
    over N(v) (zero without any), g = selu(Ws h_v + Wn m + b2), logits W3 g + b3. Nothing mixes roots.

    Claim: what is computed for a root, its clipped gradient included, is to the bit a function of the weights
    and of its own row of `subgraphs`. Proof sketch:
    1. A table has `BLOCK` roots, and lists of a width that the root's own list needs (`by_width`).
    2. Matrix products and reductions run over such tables, and the library treats all their places alike:
       `require_places_alike` asks it before the first step.
    3. Sums over a list go through `added`, in which padding, wherever it stands, changes nothing.

    `parameters` and `gradients` are (1, P), all of it in one buffer. `backward` goes through the loss of a
    batch of subgraphs; then `squared_norms` gives the squared L2 norm of each subgraph's gradient over all
    parameters, and `accumulate` the weighted sum of these gradients, without forming any of them: with d the
    gradient at the output of a layer and a its input, a subgraph's gradient is a sum of outer products d_u
    a_u^T, whose squared norm is the sum over u, w of (d_u . d_w)(a_u . a_w).
    """

    def __init__(self, features: int, hidden: int, classes: int, device: torch.device | None = None) -> None:
        shapes = {
            "w1": (hidden, features), "b1": (hidden,),
            "ws": (hidden, hidden), "wn": (hidden, hidden), "b2": (hidden,),
            "w3": (classes, hidden), "b3": (classes,),
        }  # fmt: skip
        self.features, self.hidden, self.classes = features, hidden, classes
        total = sum(math.prod(shape) for shape in shapes.values())
        self.parameters = torch.zeros(1, total, device=device)
        self.gradients = torch.zeros(1, total, device=device)
        self._weights = _views(self.parameters[0], shapes)
        self._sums = _views(self.gradients[0], shapes)

    def initialise(self, generator: torch.Generator) -> None:
        """Matrices uniform within 1/sqrt(inputs), drawn from `generator`; biases zero."""
        for weight in self._weights.values():
            if weight.dim() == 2:
                bound = 1 / math.sqrt(weight.shape[1])
                weight.uniform_(-bound, bound, generator=generator)

    def backward(self, x: Tensor, subgraphs: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Losses (B,) and logits (B, C) of a batch, keeping what the two methods below need.

        x: (|V|, F). subgraphs: (B, 1 + K) node numbers, the root first, -1 for padding. labels: (B,).
        """
        w = self._weights
        there = (subgraphs[:, 1:] >= 0).unsqueeze(2)
        firsts, products = [], []
        for part in _parts(subgraphs, x):
            rows = _features(x, part)
            firsts.append(linear(rows.flatten(0, 1), w["w1"], w["b1"]).view(*rows.shape[:2], len(w["b1"])))
            exact = rows.double()
            products.append(exact @ exact.transpose(1, 2))
        first = torch.cat(firsts).requires_grad_()
        hidden = activation(functional.selu, first)
        root = hidden[:, 0]
        mean = added(hidden[:, 1:].masked_fill(~there, 0)) / there.sum(1).clamp_min(1)
        second = linear(root, w["ws"], w["b2"]) + linear(mean, w["wn"])
        joined = activation(functional.selu, second)
        logits = linear(joined, w["w3"], w["b3"])
        losses = functional.cross_entropy(logits, labels, reduction="none")
        d1, d2, d3 = torch.autograd.grad(losses.sum(), (first, second, logits))
        self._inputs = x, subgraphs, torch.cat(products)
        self._kept = d1, (root.detach(), mean.detach(), d2), (joined.detach(), d3)
        return losses.detach(), logits.detach()

    def squared_norms(self) -> Tensor:
        """(1, B): of each subgraph's gradient.

        Products of pairs of rows are in double precision: in single, their error grows with the number of
        features, and where parts cancel a norm came out too small by more than the gradient.
        """
        d1, (root, mean, d2), (joined, d3) = self._kept
        _, _, products = self._inputs
        d1 = d1.double()
        first = added(added((d1 @ d1.transpose(1, 2)) * (products + 1)))
        # Where parts cancel, their rounding does not: it counts as if it were gradient
        # (`gradients.CANCELLED`).
        lengths = d1.square().sum(2) * (products.diagonal(dim1=1, dim2=2) + 1)
        first = first.clamp_min(0) + CANCELLED * added(lengths.sqrt()).square()
        second = d2.square().sum(1) * (root.square().sum(1) + mean.square().sum(1) + 1)
        third = d3.square().sum(1) * (joined.square().sum(1) + 1)
        return (first.to(second.dtype) + second + third).unsqueeze(0)

    def examples(self) -> tuple[Tensor, ...]:
        """What `accumulate` reads of each subgraph, (B, ...) each."""
        d1, second, third = self._kept
        return d1, *second, *third

    def require_places_alike(self, width: int) -> None:
        """Raise `RuntimeError` where this machine's library treats places of a table unlike, with lists of
        `width` places: the computation of a step, of made-up roots, some absurd."""
        device, generator = self.parameters.device, torch.Generator().manual_seed(0)
        net = SubgraphNetwork(self.features, self.hidden, self.classes, device)
        net.parameters.copy_(torch.randn(net.parameters.shape, generator=generator) / math.sqrt(self.hidden))
        x, rows = made_up(BLOCK, self.features).to(device), torch.arange(2 * BLOCK).unsqueeze(1)
        read = torch.randint(BLOCK, (2 * BLOCK, width), generator=generator) + BLOCK * (rows >= BLOCK)
        read.masked_fill_(torch.rand(read.shape, generator=generator) < 0.3, -1)
        subgraphs = torch.cat([rows, read], 1).to(device)
        labels = torch.randint(self.classes, (2 * BLOCK,), generator=generator).to(device)

        def each(numbers: Tensor) -> tuple[Tensor, ...]:
            own = numbers.to(device)
            return *net.backward(x, subgraphs[own], labels[own]), net.squared_norms()[0], *net.examples()

        require_places_alike(each)

    def forget(self, gone: Tensor) -> None:
        """Take the subgraphs `gone` (1, B) out of what `accumulate` sums up: they read nothing, and have no
        gradient."""
        (x, subgraphs, products), row = self._inputs, gone[0].unsqueeze(1)
        d1, (root, mean, d2), (joined, d3) = self._kept
        self._inputs = x, subgraphs.masked_fill(row, -1), products
        root, mean, d2, joined, d3 = (part.masked_fill(row, 0) for part in (root, mean, d2, joined, d3))
        self._kept = d1.masked_fill(row.unsqueeze(2), 0), (root, mean, d2), (joined, d3)

    def accumulate(self, factor: Tensor | None = None) -> None:
        """Write `gradients`: each subgraph's, times `factor` (1, B), summed."""
        d1, (root, mean, d2), (joined, d3) = self._kept
        x, subgraphs, _ = self._inputs
        if factor is not None:
            d1, d2, d3 = d1 * factor[0].view(-1, 1, 1), d2 * factor[0].unsqueeze(1), d3 * factor[0].unsqueeze(1)
        sums = self._sums
        sums["w1"].zero_()
        for part, d in zip(_parts(subgraphs, x), _parts(d1, x), strict=True):
            sums["w1"].addmm_(d.flatten(0, 1).t(), _features(x, part).flatten(0, 1))
        sums["b1"].copy_(d1.sum((0, 1)))
        sums["ws"].copy_(d2.t() @ root)
        sums["wn"].copy_(d2.t() @ mean)
        sums["b2"].copy_(d2.sum(0))
        sums["w3"].copy_(d3.t() @ joined)
        sums["b3"].copy_(d3.sum(0))

    def predict(self, x: Tensor, adjacency: Tensor) -> Tensor:
        """Logits (|V|, C) of all nodes, each reading ALL its true neighbours: without any protection."""
        w = self._weights
        hidden = functional.selu(functional.linear(x, w["w1"], w["b1"]))
        degrees = (adjacency @ torch.ones_like(x[:, :1])).clamp_min(1)
        mean = (adjacency @ hidden) / degrees
        joined = functional.selu(functional.linear(hidden, w["ws"], w["b2"]) + functional.linear(mean, w["wn"]))
        return functional.linear(joined, w["w3"], w["b3"])


def _features(x: Tensor, part: Tensor) -> Tensor:
    """Rows (B, W, F) of x (|V|, F) that `part` (B, W) names, zeros where it is -1.

    Zeros rather than anybody's row times zero: that is not a number where the row is not finite.
    """
    return x[part.clamp_min(0)].masked_fill_((part < 0).unsqueeze(2), 0)


def _parts(batch: Tensor, x: Tensor) -> tuple[Tensor, ...]:
    """A batch (B, W, ...) in pieces whose gathered features, W F numbers each, stay small; a block in equal
    ones."""
    size = max(1, min(BLOCK, _GATHERED // (batch.shape[1] * x.shape[1])))
    return torch.split(batch, 1 << (size.bit_length() - 1))


def _views(flat: Tensor, shapes: dict[str, tuple[int, ...]]) -> dict[str, Tensor]:
    by_name, start = {}, 0
    for name, shape in shapes.items():
        size = math.prod(shape)
        by_name[name] = flat[start : start + size].view(shape)
        start += size
    return by_name
