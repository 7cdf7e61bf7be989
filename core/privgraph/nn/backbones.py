"""The frozen network under all prompts: three rounds of message passing, on a whole graph or on many
ego-graphs.

On a whole graph the layers are PyTorch Geometric's. On ego-graphs (`nn.ego_graphs`) the same weights are
applied densely: no sparse operation, the first product with the features apart (`project`) so that it can be
done once for a whole table, and in each later round only the places that still reach the centre. Equal to
PyTorch Geometric on each ego-graph by itself, up to rounding (tested).

Sources: GCN, Kipf and Welling 2017, equation 2; GAT, Velickovic et al. 2018, equations 1 to 6; graph
transformer, Shi et al. 2021, equations 1 to 5 without edge features and gate. Three layers of 128 units:
DP-GPL, Table 3.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import leaky_relu

from privgraph.nn.gnn import initialise

with warnings.catch_warnings():
    # PyTorch Geometric scripts a class of its own when it is imported, which torch has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch_geometric.nn import GATConv, GCNConv, TransformerConv

KINDS = ("gcn", "gat", "gt")
LAYERS, HEADS = 3, 4
ATTENTION_SLOPE = 0.2
"""Of GAT's LeakyReLU inside attention (section 2.1 there); between the layers it is 0.01."""


class Network(nn.Module):
    """Three layers, LeakyReLU between them. Input: x (|V|, F) and edge_index (2, |E|), or what `prepare` made
    of it. Output: (|V|, H)."""

    def __init__(self, kind: str, features: int, hidden: int) -> None:
        super().__init__()
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)} (got {kind})")
        if features < 1 or hidden < 1:
            raise ValueError(f"features and hidden must be at least 1 (got {features} and {hidden})")
        if kind != "gcn" and hidden % HEADS:
            raise ValueError(f"hidden must be a multiple of {HEADS} for {kind} (got {hidden})")
        self.kind, self.features, self.hidden = kind, features, hidden
        self.layers = nn.ModuleList(layer(kind, hidden if number else features, hidden) for number in range(LAYERS))

    def prepare(self, edge_index: Tensor, nodes: int) -> Tensor:
        """What all layers read: gcn D^-1/2 (A + I) D^-1/2 as sparse CSR (|V|, |V|), D the in-degrees of A +
        I; gat the edges and a loop at each node; gt the edges."""
        if self.kind == "gt":
            return edge_index
        loops = torch.arange(nodes, device=edge_index.device).expand(2, -1)
        source, target = torch.cat([edge_index, loops], 1)
        if self.kind == "gat":
            return torch.stack([source, target])
        order = torch.argsort(target * nodes + source)
        source, target = source[order], target[order]
        degrees = torch.bincount(target, minlength=nodes)
        scale = degrees.to(next(self.parameters()).dtype).rsqrt()
        pointers = torch.cat([degrees.new_zeros(1), degrees.cumsum(0)])
        values = scale[target] * scale[source]
        return torch.sparse_csr_tensor(pointers, source, values, size=(nodes, nodes), check_invariants=False)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        if edges.layout == torch.strided and self.kind != "gt":
            edges = self.prepare(edges, x.shape[0])
        return self.through(x, edges)

    def through(self, x: Tensor, prepared: Tensor) -> Tensor:
        """`forward` on what `prepare` made."""
        for number, convolve in enumerate(self.layers):
            x = convolve(leaky_relu(x) if number else x, prepared)
        return x


def layer(kind: str, features: int, units: int) -> nn.Module:
    """One layer; for gat and gt `units` is a multiple of `HEADS`. It reads what `prepare` makes of the
    edges."""
    convolution: nn.Module
    if kind == "gcn":
        convolution = GCNConv(features, units, normalize=False)
    elif kind == "gat":
        convolution = GATConv(features, units // HEADS, heads=HEADS, add_self_loops=False)
    else:
        convolution = TransformerConv(features, units // HEADS, heads=HEADS)
    return convolution


def network(kind: str, features: int, hidden: int, generator: torch.Generator) -> Network:
    """A network on the CPU whose weights are drawn from `generator` (on the CPU) alone."""
    with torch.random.fork_rng(devices=[]):
        made = Network(kind, features, hidden)
    initialise(made, generator)
    return made


@dataclass(frozen=True, eq=False)
class Wiring:
    """What the three rounds read of G ego-graphs with m' places: one entry a round, of the places that are
    computed (rows) and those that they read (columns).

    rows: (r,) int64, the places that reach the centre in one round. mixes: per round (B, G, rows, columns),
    the rows of gcn's normalised adjacency; for gat and gt what is added to scores, 0 where the column is read
    and else so little that the softmax gives it nothing. B is T or 1.
    """

    rows: Tensor
    mixes: tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True, eq=False)
class Backbone:
    """The weights of a `Network` by name, and its forward passes. Frozen, unless `trainable`."""

    kind: str
    weights: Mapping[str, Tensor]
    features: int
    hidden: int

    @classmethod
    def of(cls, made: Network) -> Backbone:
        """A frozen copy of a network's weights."""
        weights = {name: value.detach().clone() for name, value in made.state_dict().items()}
        return cls(made.kind, weights, made.features, made.hidden)

    def trainable(self) -> Backbone:
        """A copy whose weights require gradients."""
        return replace(
            self, weights={name: value.detach().clone().requires_grad_() for name, value in self.weights.items()}
        )

    def to(self, device: torch.device | torch.dtype) -> Backbone:
        return replace(self, weights={name: value.to(device) for name, value in self.weights.items()})

    def whole(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """(|V|, H) embeddings on a whole graph, by PyTorch Geometric's layers. x: (|V|, F); edge_index: (2,
        |E|), (source, target), without loops."""
        with torch.random.fork_rng(devices=[]), torch.device("meta"):
            shell = Network(self.kind, self.features, self.hidden)
        embedded: Tensor = functional_call(shell, dict(self.weights), (x, edge_index))
        return embedded

    def embed(self, x: Tensor, adjacency: Tensor, present: Tensor, near: int, extra: int = 0) -> Tensor:
        """(T, G, H): the centre's embedding in each ego-graph, for each of T readings of its features.

        x: (T, G, m', F). adjacency: (T or 1, G, m', m') bool, [.., i, j] an edge j -> i, without loops.
        present: (T or 1, G, m') bool. The centre may be joined to places 1 to `near`, and to the last `extra`
        (a prompt's tokens). What stands in an empty place is not read; an ego-graph without any place gives
        finite numbers.
        """
        return self.read(self.project(x), self.wiring(adjacency, present, near, extra))

    def project(self, x: Tensor) -> Tensor:
        """(..., P): the first layer's products with x (..., F), without its biases, so that project(x + p) is
        project(x) + project(p). P is H for gcn and gat, 4 H for gt (query, key, value and skip)."""
        return x @ self._first.T

    @property
    def _first(self) -> Tensor:
        if self.kind == "gt":
            return torch.cat(
                [self.weights[f"layers.0.lin_{name}.weight"] for name in ("query", "key", "value", "skip")]
            )
        return self.weights["layers.0.lin.weight"]

    def wiring(self, adjacency: Tensor, present: Tensor, near: int, extra: int = 0) -> Wiring:
        """What `read` needs of adjacency (B, G, m', m') and present (B, G, m'), both bool, once for all
        epochs."""
        places = adjacency.shape[-1]
        rows = torch.tensor([*range(1 + near), *range(places - extra, places)], device=adjacency.device)
        edges = adjacency & present.unsqueeze(-1) & present.unsqueeze(-2)
        loops = torch.eye(places, dtype=torch.bool, device=edges.device)
        mixed = edges if self.kind == "gt" else edges | loops
        number = next(iter(self.weights.values())).dtype
        if self.kind == "gcn":
            scale = mixed.sum(-1).to(number).rsqrt()
            mixed = mixed * scale.unsqueeze(-1) * scale.unsqueeze(-2)
        else:
            mixed = torch.zeros(mixed.shape, dtype=number, device=mixed.device).masked_fill(
                ~mixed, torch.finfo(number).min / 2
            )
        second = mixed[:, :, rows]
        return Wiring(rows, (mixed, second, second[:, :, :1, rows]))

    def read(self, projected: Tensor, wiring: Wiring) -> Tensor:
        """(T, G, H): the centre's embedding from projected (T, G, m', P), finite in empty places too."""
        step = {"gcn": self._gcn, "gat": self._gat, "gt": self._gt}[self.kind]
        h = self._start(projected, wiring.mixes[0])
        h = step(1, leaky_relu(h), wiring.rows, wiring.mixes[1])
        h = step(2, leaky_relu(h), wiring.rows[:1], wiring.mixes[2])
        return h.squeeze(2)

    def _weight(self, layer: int, name: str) -> Tensor:
        return self.weights[f"layers.{layer}.{name}"]

    def _start(self, projected: Tensor, mix: Tensor) -> Tensor:
        """(T, G, m', H): the first round, at all places."""
        if self.kind == "gcn":
            return mix @ projected + self._weight(0, "bias")
        if self.kind == "gat":
            own = torch.eye(HEADS, dtype=projected.dtype, device=projected.device).unsqueeze(2)
            ends = torch.cat([(own * self._weight(0, f"att_{end}")).flatten(1) for end in ("src", "dst")])
            to, by = (projected @ ends.T).transpose(-1, -2).chunk(2, 2)
            scores = leaky_relu(by.unsqueeze(-1) + to.unsqueeze(-2), ATTENTION_SLOPE)
            return _joined(_attention(scores, mix) @ _heads(projected)) + self._weight(0, "bias")
        query, key, value, skip = projected.chunk(4, -1)
        # what a bias adds to a key is the same for all who are read, and goes in the softmax
        scores = _heads(query + self._weight(0, "lin_query.bias")) @ _heads(key).transpose(-1, -2)
        attention = _attention(scores / math.sqrt(self.hidden // HEADS), mix)
        mixed = _joined(attention @ _heads(value + self._weight(0, "lin_value.bias")))
        return mixed * _reading(mix) + skip + self._weight(0, "lin_skip.bias")

    def _gcn(self, layer: int, h: Tensor, rows: Tensor, mix: Tensor) -> Tensor:
        """Few rows read many: mixing before the product is the smaller product."""
        return (mix @ h) @ self._weight(layer, "lin.weight").T + self._weight(layer, "bias")

    def _gat(self, layer: int, h: Tensor, rows: Tensor, mix: Tensor) -> Tensor:
        weight = self._weight(layer, "lin.weight").view(HEADS, -1, self.hidden)
        to, by = (
            torch.einsum("hd,hdf->hf", self._weight(layer, f"att_{end}").squeeze(0), weight) for end in ("src", "dst")
        )
        sources = (h @ to.T).transpose(-1, -2)
        targets = (h[:, :, rows] @ by.T).transpose(-1, -2)
        scores = leaky_relu(targets.unsqueeze(-1) + sources.unsqueeze(-2), ATTENTION_SLOPE)
        return self._combine(_attention(scores, mix), h, weight) + self._weight(layer, "bias")

    def _gt(self, layer: int, h: Tensor, rows: Tensor, mix: Tensor) -> Tensor:
        query, key, value = (
            self._weight(layer, f"lin_{name}.weight").view(HEADS, -1, self.hidden) for name in ("query", "key", "value")
        )
        own = h[:, :, rows]
        asked = own @ query.flatten(0, 1).T + self._weight(layer, "lin_query.bias")
        asked = torch.einsum("tghrd,hdf->tghrf", _heads(asked), key)
        scores = _per_head(asked.flatten(2, 3) @ h.transpose(-1, -2))
        attention = _attention(scores / math.sqrt(self.hidden // HEADS), mix)
        mixed = self._combine(attention, h, value) + self._weight(layer, "lin_value.bias")
        skip = own @ self._weight(layer, "lin_skip.weight").T + self._weight(layer, "lin_skip.bias")
        return mixed * _reading(mix) + skip

    def _combine(self, attention: Tensor, h: Tensor, weight: Tensor) -> Tensor:
        """(T, G, r, H) from attention (T, G, heads, r, c) over h (T, G, c, H) and each head's weight (heads,
        d, H)."""
        read = _per_head(attention.flatten(2, 3) @ h)
        return _joined(torch.einsum("tghrf,hdf->tghrd", read, weight))


def _heads(h: Tensor) -> Tensor:
    """(T, G, places, H) to (T, G, heads, places, d)."""
    return h.reshape(*h.shape[:-1], HEADS, -1).transpose(2, 3)


def _per_head(h: Tensor) -> Tensor:
    """(T, G, heads places, f) to (T, G, heads, places, f)."""
    return h.reshape(*h.shape[:2], HEADS, -1, h.shape[-1])


def _joined(h: Tensor) -> Tensor:
    """(T, G, heads, places, d) to (T, G, places, H)."""
    return h.transpose(2, 3).flatten(-2)


def _attention(scores: Tensor, mix: Tensor) -> Tensor:
    """Softmax of scores (T, G, heads, r, c) over those that mix (B, G, r, c) lets in; alike where that is
    nobody."""
    return (scores + mix.unsqueeze(2)).softmax(-1)


def _reading(mix: Tensor) -> Tensor:
    """(B, G, r, 1) bool: the places that read somebody. Of the others no value comes, and no value's bias."""
    return (mix == 0).any(-1, keepdim=True)
