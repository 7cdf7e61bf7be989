"""A graph network on subgraphs of different sizes that gives the norm of every subgraph's own gradient.

No subgraph's gradient is ever formed: a layer's part of it is a sum of outer products d_u a_u^T over the
subgraph's rows (d: gradient at the layer's output, a: its input), whose squared norm is the sum over pairs of
rows u, w of (d_u . d_w)(a_u . a_w), and the weighted sum over subgraphs is one matrix product of weighted
factors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.nn.ragged_subgraphs import InEdges, Subgraphs, induced
from privgraph.nn.tables import BLOCK, activation, in_tables, linear, made_up, require_places_alike

NETWORKS = ("gcn", "gin", "sage")
NUMBERS = 1 << 24
"""Numbers in the inputs of rows that are worked on together: 64 megabytes."""
_ASKED, _ASKED_TIMES = (1, 2, 3, 5, 9, 17, 40, 70), 2
"""Sizes of subgraphs that `require_places_alike` makes up, and how often."""
_WIDE = 64
"""Rows from which on a subgraph's gradient is formed after all: all pairs of more rows would cost as much."""
_ROUNDING = 1e-5
"""What rounding can take from a sum over pairs, as a part of the sum of their sizes: a norm is never found
too small.

It covers the rounding of the gradient itself too, as it is added up later (`_SUMMED`): of 64 rows that is
2^-17 of the sum of their lengths in all, and this root 2^-8.3. Added as squares they miss a 2^-18th of the
norm, which `mechanisms.gradients.NORMS` holds.
"""
_SUMMED = 2.0**-22
"""What rounding can take from a sum of R terms, as a part of R times the sum of their lengths.

Terms that are added up one after another, in whatever order, are off by at most R 2^-24 of the sum of their
lengths. It happens twice, each time in an order of its own: in the norm, and in the gradient that is
released. As much again is for the rounding of the terms and of their lengths.
"""


class RaggedNetwork:
    """`layers` rounds of message passing (1 or 2) and a linear classifier at the centre (Appendix A.1 of
    HeterPoisson).

    h_u <- elu(W a_u + b) with, over the in-neighbours j of u within the subgraph,
        gcn:  a_u = sum over j and u of h_j / sqrt(d_j d_u), d = 1 + in-degree within the subgraph
        gin:  a_u = sum over j of h_j + (1 + lambda) h_u, lambda learnt
        sage: a_u = mean over j and u of h_j
    The last round is computed at centres alone. Nothing mixes subgraphs. `parameters` is (1, P), all in one
    buffer. `table`: rows that go through a layer at once (`nn.tables`).

    Claim: what is computed for a subgraph, its clipped gradient included, is to the bit a function of the
    weights and of its own rows and edges. Proof sketch:
    1. How many subgraphs and rows there are is private. So each operation runs over tables of `table` rows,
       or over groups whose shape is a power of two of a subgraph's own size (`Subgraphs.groups`).
    2. The library treats all places of such tables and groups alike, whatever stands beside:
       `require_places_alike` asks it before the first step, in batches of several lengths.
    3. A sum over a subgraph's rows is made of additions of numbers in an order of its own (`_sums`).
    """

    def __init__(
        self,
        kind: str,
        features: int,
        hidden: int,
        classes: int,
        *,
        layers: int = 1,
        table: int = BLOCK,
        device: torch.device | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        if kind not in NETWORKS:
            raise ValueError(f"kind must be one of {', '.join(NETWORKS)} (got {kind})")
        if layers not in (1, 2):
            raise ValueError(f"layers must be 1 or 2 (got {layers})")
        self.kind, self.layers, self.table = kind, layers, table
        self.shapes = {"w1": (hidden, features), "b1": (hidden,), "w3": (classes, hidden), "b3": (classes,)}
        if layers == 2:
            self.shapes |= {"w2": (hidden, hidden), "b2": (hidden,)}
        if kind == "gin":
            self.shapes |= {f"own{layer + 1}": (1,) for layer in range(layers)}
        self.parameters = torch.zeros(1, sum(map(math.prod, self.shapes.values())), device=device, dtype=dtype)
        self._weights = views(self.parameters[0], self.shapes)

    def initialise(self, generator: torch.Generator) -> None:
        """Matrices uniform within 1/sqrt(inputs), drawn from `generator`; biases and lambdas zero."""
        for weight in self._weights.values():
            if weight.dim() == 2:
                bound = 1 / math.sqrt(weight.shape[1])
                weight.uniform_(-bound, bound, generator=generator)

    def logits(self, x: Tensor, subgraphs: Subgraphs) -> Tensor:
        """(B, C): what is said of the centres. x: (|V|, F)."""
        found = [x.new_zeros(0, self.shapes["b3"][0])]
        with torch.no_grad():
            found += [self._forward(x, part).logits for part in subgraphs.parts(self._rows(x))]
        return torch.cat(found)

    def gradients(
        self, x: Tensor, subgraphs: Subgraphs, labels: Tensor, losses: list[Tensor] | None = None
    ) -> Iterator[Factors]:
        """The gradients of the centres' cross-entropies (labels (B,)), part by part, of bounded size.

        The cross-entropies themselves are appended to `losses`, where it is given.
        """
        start = 0
        for part in subgraphs.parts(self._rows(x)):
            found = self._factors(self._forward(x, part), labels[start : start + len(part)])
            start += len(part)
            if losses is not None:
                losses.append(found.losses)
            yield found

    def _rows(self, x: Tensor) -> int:
        return max(1, NUMBERS // max(x.shape[1], self.shapes["b1"][0]))

    def _forward(self, x: Tensor, subgraphs: Subgraphs) -> _Pass:
        w = self._weights
        weight, own = self._edge_weights(subgraphs)
        centre = subgraphs.starts[:-1]
        if self.layers == 1:
            inputs = _gather(x, subgraphs, own, weight, _at_centres(subgraphs), self.table)
            first = linear(inputs, w["w1"], w["b1"], self.table).requires_grad_()
            top = activation(functional.elu, first)
            logits = linear(top, w["w3"], w["b3"], self.table)
            return _Pass(subgraphs, [(inputs, first)], top, logits, [x[subgraphs.centres]])
        inputs = _gather(x, subgraphs, own, weight, None, self.table)
        first = linear(inputs, w["w1"], w["b1"], self.table).requires_grad_()
        hidden = activation(functional.elu, first)
        if self.kind == "gin":
            own = torch.full_like(own, 1.0) + w["own2"]
        reading = torch.zeros_like(own)
        inside = _at_centres(subgraphs)
        reading[subgraphs.edges[0, inside]] = weight[inside]
        reading[centre] = own[centre]
        read = _sums(hidden * reading.unsqueeze(1), subgraphs, self.table)
        second = linear(read, w["w2"], w["b2"], self.table)
        top = activation(functional.elu, second)
        logits = linear(top, w["w3"], w["b3"], self.table)
        return _Pass(subgraphs, [(inputs, first), (read, second)], top, logits, [x[subgraphs.nodes], hidden[centre]])

    def _edge_weights(self, subgraphs: Subgraphs) -> tuple[Tensor, Tensor]:
        """What a source counts at its target, (E,), and a row at itself in the first round, (R,)."""
        source, target = subgraphs.edges
        rows = subgraphs.nodes.numel()
        degree = torch.bincount(target, minlength=rows).to(self.parameters.dtype) + 1
        if self.kind == "gin":
            return torch.ones_like(degree)[target], torch.ones_like(degree) + self._weights["own1"]
        if self.kind == "sage":
            return 1 / degree[target], 1 / degree
        return (degree[source] * degree[target]).rsqrt(), 1 / degree

    def _factors(self, forward: _Pass, labels: Tensor) -> Factors:
        losses = in_tables(_cross_entropy, self.table, forward.logits, labels)
        outputs = [output for _, output in forward.rounds]
        *inner, last = torch.autograd.grad(losses.sum(), (*outputs, forward.logits))
        names = [*[("w1", "b1"), ("w2", "b2")][: self.layers], ("w3", "b3")]
        inputs = [given.detach() for given, _ in forward.rounds] + [forward.top.detach()]
        products = [
            Product(weight, bias, given, gradient, by_row=number < self.layers - 1)
            for number, ((weight, bias), given, gradient) in enumerate(zip(names, inputs, (*inner, last), strict=True))
        ]
        scalars = {}
        if self.kind == "gin":
            for layer, (gradient, rows) in enumerate(zip(inner, forward.own, strict=True), 1):
                along = gradient * linear(rows.detach(), self._weights[f"w{layer}"], size=self.table)
                each = in_tables(_row_sums, self.table, along)
                if layer < self.layers:
                    each = _sums(each.unsqueeze(1), forward.subgraphs, self.table).squeeze(1)
                scalars[f"own{layer}"] = each
        return Factors(
            forward.subgraphs, losses.detach(), forward.logits.detach(), products, scalars, self.shapes, self.table
        )

    def require_places_alike(self) -> None:
        """Raise `RuntimeError` where this machine's library treats places of a table unlike: the computation
        of a step, of made-up subgraphs of many sizes, some absurd."""
        device, generator = self.parameters.device, torch.Generator().manual_seed(0)
        hidden, features = self.shapes["w1"]
        classes = self.shapes["b3"][0]
        net = RaggedNetwork(
            self.kind, features, hidden, classes, layers=self.layers, table=self.table, device=device,
            dtype=self.parameters.dtype,
        )  # fmt: skip
        net.parameters.copy_(torch.randn(net.parameters.shape, generator=generator) / math.sqrt(hidden))
        sizes = torch.tensor(_ASKED).repeat(2 * _ASKED_TIMES)
        owner = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
        starts, count = sizes.cumsum(0) - sizes, len(sizes) // 2
        joined = torch.rand(len(owner), len(owner), generator=generator) < 0.5
        joined &= (owner.unsqueeze(1) == owner) & ~torch.eye(len(owner), dtype=torch.bool)
        known = InEdges.among(joined.nonzero().t(), torch.ones(len(owner), dtype=torch.bool))
        x = made_up(len(owner) // 2, features).to(self.parameters)
        labels = torch.randint(classes, (2 * count,), generator=generator)

        def each(numbers: Tensor) -> tuple[Tensor, ...]:
            rows = [torch.arange(1, int(sizes[one])) + starts[one] for one in numbers]
            which = torch.repeat_interleave(torch.arange(len(numbers)), sizes[numbers] - 1)
            drawn = induced(starts[numbers], which, torch.cat(rows), known).to(device)
            found = net._factors(net._forward(x, drawn), labels[numbers].to(device))
            place = drawn.starts[:-1, None] + torch.arange(max(_ASKED), device=device)
            beyond = (place >= drawn.starts[1:, None]).unsqueeze(2)
            own = []
            for product in found.products:
                for kept in (product.inputs, product.gradients):
                    own.append(kept[place.clamp_max(len(kept) - 1)].masked_fill(beyond, 0) if product.by_row else kept)
            return found.losses, found.logits, found.squared_norms(), *found.scalars.values(), *own

        everyone = torch.arange(count)
        require_places_alike(each, count, companies=[everyone[:1], everyone[2:5], everyone[-2:], everyone.repeat(2)])


@dataclass(eq=False)
class _Pass:
    """What a forward pass leaves: (input, output) of each round, the classifier's input and output, and the
    rows that lambda multiplies in each round."""

    subgraphs: Subgraphs
    rounds: list[tuple[Tensor, Tensor]]
    top: Tensor
    logits: Tensor
    own: list[Tensor]


@dataclass(frozen=True, eq=False)
class Product:
    """A linear layer's part of all gradients: inputs (n, I) and gradients at outputs (n, O); n is R where it
    is `by_row`, else B."""

    weight: str
    bias: str
    inputs: Tensor
    gradients: Tensor
    by_row: bool


@dataclass(eq=False)
class Factors:
    """The gradients of B subgraphs, as factors. losses (B,), logits (B, C)."""

    subgraphs: Subgraphs
    losses: Tensor
    logits: Tensor
    products: list[Product]
    scalars: dict[str, Tensor]
    shapes: dict[str, tuple[int, ...]]
    table: int

    def squared_norms(self) -> Tensor:
        """(B,): of each subgraph's gradient over all parameters together; not a number where it is not
        finite."""
        total = torch.zeros_like(self.losses)
        for product in self.products:
            if product.by_row:
                total += _pair_norms(product, self.subgraphs, self.table)
            else:
                total += in_tables(_outer_norms, self.table, product.gradients, product.inputs)
        for each in self.scalars.values():
            total += each.square()
        return total

    def add_to(self, total: Tensor, factors: Tensor) -> None:
        """Add every subgraph's gradient, times `factors` (B,), to `total` (P,); a factor of 0 adds nothing at
        all."""
        sums = views(total, self.shapes)
        dropped = factors == 0
        for product in self.products:
            inputs, gradients, own = product.inputs, product.gradients, factors
            if product.by_row:
                own, gone = factors[self.subgraphs.owner], dropped[self.subgraphs.owner]
            else:
                gone = dropped
            weighted = gradients * own.unsqueeze(1)
            if bool(gone.any()):  # what is not finite stays so when it is multiplied by 0
                inputs, weighted = (rows.masked_fill(gone.unsqueeze(1), 0.0) for rows in (inputs, weighted))
            sums[product.weight].addmm_(weighted.t(), inputs)
            sums[product.bias].add_(weighted.sum(0))
        for name, each in self.scalars.items():
            sums[name].add_((each * factors).masked_fill(dropped, 0.0).sum())


def _cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    return functional.cross_entropy(logits, labels, reduction="none")


def _row_sums(rows: Tensor) -> Tensor:
    return rows.sum(1)


def _outer_norms(d: Tensor, a: Tensor) -> Tensor:
    """(n,): squared norms of d (a, 1)^T, of rows d (n, O) and a (n, I)."""
    return d.square().sum(1) * (a.square().sum(1) + 1)


def _pair_norms(product: Product, subgraphs: Subgraphs, table: int) -> Tensor:
    """(B,): squared norms of sum over rows u of d_u (a_u, 1)^T, by groups of subgraphs of like size."""
    a, d, sizes = product.inputs, product.gradients, subgraphs.sizes
    squared_norms = a.new_zeros(len(subgraphs) + 1)  # the last: of those who are none
    for some, rows in subgraphs.groups(min(table, NUMBERS // a.shape[1])):
        # zeros, rather than another's row times zero: that is not a number where its products overflow
        beyond = (rows < 0).unsqueeze(2)
        there, inputs = d[rows].masked_fill_(beyond, 0), a[rows].masked_fill_(beyond, 0)
        lengths = (there.square().sum(2) * (inputs.square().sum(2) + 1)).sqrt().sum(1)
        if rows.shape[1] <= _WIDE:
            # in double precision: in single, the error of a product grows with the number of features
            wide, tall = inputs.double(), there.double()
            pairs = (wide @ wide.transpose(1, 2) + 1) * (tall @ tall.transpose(1, 2))
            squared_norms[some] = pairs.sum((1, 2)).to(lengths.dtype) + _ROUNDING * lengths.square()
        else:
            formed = there.transpose(1, 2) @ inputs
            norms = (formed.square().sum((1, 2)) + there.sum(1).square().sum(1)).sqrt()
            # added to the norm, not to its square: this is a bound, and may be as large as the norm
            squared_norms[some] = (norms + _SUMMED * sizes[some] * lengths).square()
    return squared_norms[:-1].clamp_min(0)


def _at_centres(subgraphs: Subgraphs) -> Tensor:
    """(E,) bool: the edges that end in a centre."""
    is_centre = torch.zeros(subgraphs.nodes.numel(), dtype=torch.bool, device=subgraphs.nodes.device)
    is_centre[subgraphs.starts[:-1]] = True
    return is_centre[subgraphs.edges[1]]


def _gather(x: Tensor, subgraphs: Subgraphs, own: Tensor, weight: Tensor, chosen: Tensor | None, table: int) -> Tensor:
    """Weighted sums of features: of every row (R, F), or of the centres alone (B, F) over the `chosen` edges.

    Sparse products with all of x, `table` rows at a time, so that no row's features are copied.
    """
    source, target = subgraphs.edges
    if chosen is not None:
        source, target, weight = source[chosen], subgraphs.owner[target[chosen]], weight[chosen]
        own, nodes = own[subgraphs.starts[:-1]], subgraphs.centres
    else:
        nodes = subgraphs.nodes
    rows = nodes.numel()
    target = torch.cat([target, torch.arange(rows, device=x.device)])
    order = torch.argsort(target, stable=True)
    columns = torch.cat([subgraphs.nodes[source], nodes])[order]
    values = torch.cat([weight, own])[order].to(x.dtype)
    counts = torch.bincount(target, minlength=rows + -rows % table)
    pointers = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    found = [x.new_zeros(0, x.shape[1])]
    for start in range(0, rows, table):
        own_pointers = pointers[start : start + table + 1]
        first, last = own_pointers[[0, -1]].tolist()
        sparse = torch.sparse_csr_tensor(
            own_pointers - first,
            columns[first:last],
            values[first:last],
            size=(table, x.shape[0]),
            check_invariants=False,
        )
        found.append(sparse @ x)
    return torch.cat(found)[:rows]


class _Sums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, subgraphs: Subgraphs, table: int) -> Tensor:
        ctx.owner = subgraphs.owner
        total = values.new_zeros(len(subgraphs) + 1, values.shape[1])  # the last: of those who are none
        for some, rows in subgraphs.groups(table):
            own = values[rows].masked_fill_((rows < 0).unsqueeze(2), 0)
            while own.shape[1] > 1:
                first, second = own.chunk(2, 1)
                own = first + second
            total[some] = own[:, 0]
        return total[:-1]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return gradients[0][ctx.owner], None, None


def _sums(values: Tensor, subgraphs: Subgraphs, table: int) -> Tensor:
    """(B, C): sums over each subgraph's rows of `values` (R, C), of halves that are sums of halves;
    differentiable.

    Each addition is one of two numbers: a library could round it in one way alone.
    """
    found: Tensor = _Sums.apply(values, subgraphs, table)  # type: ignore[no-untyped-call]
    return found


def views(flat: Tensor, shapes: dict[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """Named views of consecutive pieces of `flat` (P,)."""
    by_name, start = {}, 0
    for name, shape in shapes.items():
        size = math.prod(shape)
        by_name[name] = flat[start : start + size].view(shape)
        start += size
    return by_name
