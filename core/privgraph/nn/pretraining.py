"""Pre-training a `Network` on a graph without labels: four objectives, and what each epoch's loss was.

An epoch is one step of Adam on the whole graph. Where that has more than `NODES` nodes or `ENTRIES` directed
edges, it is one step on a random part of that size, drawn anew: 300 epochs then take the same time on every
graph (10 to 40 seconds a core), and memory is bounded. DP-GPL's Table 3 has steps of 128, of what it does not
say.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cosine_similarity, cross_entropy, leaky_relu, logsigmoid, normalize

from privgraph.nn.backbones import HEADS, KINDS, Backbone, Network, layer, network
from privgraph.nn.gnn import initialise

NODES, ENTRIES = 4096, 40_000
"""What one epoch looks at, at most: nodes, and directed edges among them."""
FANOUT = 8
"""Random neighbours by which a part grows from each of its nodes; as many as an ego-graph keeps."""
MASKED = 0.5
"""GraphMAE: the share of nodes whose features are hidden. Edge prediction: the share of edges."""
SHARPNESS = 2
"""GraphMAE's gamma: the exponent of the cosine error."""
PERTURBATION = 1.0
"""SimGRACE's eta: the noise on each weight, in standard deviations of its layer."""
TEMPERATURE = 0.2
PAIRED = 512
"""SimGRACE: nodes that are held against each other in one step."""


@dataclass(frozen=True, kw_only=True)
class PretrainRecipe:
    """How a network is pre-trained. `seed` decides its first weights and all that is drawn on the way."""

    kind: str
    objective: str
    hidden: int = 128
    epochs: int = 300
    learning_rate: float = 0.001
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS or self.objective not in OBJECTIVES:
            raise ValueError(
                f"kind must be one of {', '.join(KINDS)} and objective one of {', '.join(OBJECTIVES)} "
                f"(got {self.kind} and {self.objective})"
            )
        if self.hidden < 1 or self.epochs < 0 or not self.learning_rate > 0:
            raise ValueError("hidden must be at least 1, epochs at least 0 and learning_rate above 0")


@dataclass(frozen=True)
class Epoch:
    """Epoch `number`, from 1, is done; `loss` is the objective before its step."""

    number: int
    loss: float


def pretrain(x: Tensor, edge_index: Tensor, recipe: PretrainRecipe, device: torch.device) -> Iterator[Epoch | Backbone]:
    """Every epoch, and at last the backbone, on `device`.

    x: (|V|, F); edge_index: (2, |E|), both directions of each edge, without loops. Everything is drawn on the
    CPU, so that another device differs by rounding alone.
    """
    generator = torch.Generator().manual_seed(recipe.seed)
    encoder = network(recipe.kind, x.shape[1], recipe.hidden, generator)
    with torch.random.fork_rng(devices=[]):
        objective = _OBJECTIVES[recipe.objective](encoder, generator).to(device)
    optimiser = torch.optim.Adam(objective.parameters(), lr=recipe.learning_rate)
    parts = _parts(x, edge_index, np.random.default_rng(recipe.seed), encoder, device)
    for number in range(1, recipe.epochs + 1):
        loss = objective(next(parts))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        yield Epoch(number, float(loss.detach()))
    yield Backbone.of(encoder)


@dataclass(frozen=True, eq=False)
class _Part:
    """What an epoch looks at: x (n, F), edge_index (2, e), and what the network's `prepare` made of it."""

    x: Tensor
    edge_index: Tensor
    prepared: Tensor


def _parts(
    x: Tensor, edge_index: Tensor, draws: np.random.Generator, encoder: Network, device: torch.device
) -> Iterator[_Part]:
    """One part after another, without end: the whole graph where it is small enough."""
    nodes, entries = x.shape[0], edge_index.shape[1]
    x, edges = x.to(device), edge_index.to(device)
    if nodes <= NODES and entries <= ENTRIES:
        part = _Part(x, edges, encoder.prepare(edges, nodes))
        while True:
            yield part
    pairs = edge_index.cpu().numpy()
    pairs = pairs[:, np.argsort(pairs[1], kind="stable")]
    pointers = np.searchsorted(pairs[1], np.arange(nodes + 1))
    while True:
        members = _grown(pairs[0], pointers, min(nodes, NODES), draws)
        edges = torch.from_numpy(_among(pairs[0], pointers, members, draws)).to(device)
        rows = x[torch.from_numpy(members).to(device)]
        yield _Part(rows, edges, encoder.prepare(edges, len(members)))


def _grown(
    sources: NDArray[np.int64], pointers: NDArray[np.int64], most: int, draws: np.random.Generator
) -> NDArray[np.int64]:
    """`most` nodes, ascending: random ones, their random neighbours, and theirs, until there are enough."""
    nodes, degrees = len(pointers) - 1, np.diff(pointers)
    if most == nodes:
        return np.arange(nodes)
    inside, count = np.zeros(nodes, dtype=bool), 0
    edge = np.zeros(0, dtype=np.int64)
    while count < most:
        if not len(edge):
            edge = draws.permutation(np.flatnonzero(~inside))[: max(1, (most - count) // FANOUT)]
            inside[edge] = True
            count += len(edge)
            continue
        joined = edge[degrees[edge] > 0]
        offsets = draws.random((len(joined), FANOUT)) * degrees[joined][:, None]
        found = np.unique(sources[pointers[joined][:, None] + offsets.astype(np.int64)])
        edge = draws.permutation(found[~inside[found]])[: most - count]
        inside[edge] = True
        count += len(edge)
    return np.flatnonzero(inside)


def _among(
    sources: NDArray[np.int64], pointers: NDArray[np.int64], members: NDArray[np.int64], draws: np.random.Generator
) -> NDArray[np.int64]:
    """(2, e) edges among `members` in their own numbers; of more than `ENTRIES`, a random part of the
    pairs."""
    number = np.full(len(pointers) - 1, -1, dtype=np.int64)
    number[members] = np.arange(len(members))
    degrees = np.diff(pointers)[members]
    within = np.arange(degrees.sum()) - np.repeat(degrees.cumsum() - degrees, degrees)
    source = number[sources[np.repeat(pointers[members], degrees) + within]]
    edges = np.stack([source, np.repeat(np.arange(len(members)), degrees)])
    edges = edges[:, (source >= 0) & (source < edges[1])]
    kept = draws.random(edges.shape[1]) < ENTRIES / 2 / max(1, edges.shape[1])
    edges = edges[:, kept]
    return np.concatenate([edges, edges[::-1]], axis=1)


class _Infomax(nn.Module):
    """DGI: tell a node's embedding from one of the graph with shuffled features, beside the mean of all
    embeddings.

    Velickovic et al. 2019, equations 1 to 5, with the corruption of section 4.2.
    """

    def __init__(self, encoder: Network, generator: torch.Generator) -> None:
        super().__init__()
        self.made, self.generator = encoder, generator
        bound = encoder.hidden**-0.5
        self.weight = nn.Parameter(
            torch.empty(encoder.hidden, encoder.hidden).uniform_(-bound, bound, generator=generator)
        )

    def forward(self, part: _Part) -> Tensor:
        order = torch.randperm(part.x.shape[0], generator=self.generator).to(part.x.device)
        true, false = (self.made.through(x, part.prepared) for x in (part.x, part.x[order]))
        direction = self.weight @ true.mean(0).sigmoid()
        return -(logsigmoid(true @ direction).mean() + logsigmoid(-(false @ direction)).mean())


class _FillIn(nn.Module):
    """GraphMAE: hide the features of random nodes behind a token, hide their embeddings too, and fill the
    features in.

    Hou et al. 2022, section 3.2 and equation 2 (scaled cosine error); the decoder is one layer of the
    network's kind. Every hidden node gets the token (there a tenth or so gets other nodes' features).
    """

    def __init__(self, encoder: Network, generator: torch.Generator) -> None:
        super().__init__()
        self.made, self.generator = encoder, generator
        self.bridge = nn.Linear(encoder.hidden, encoder.hidden, bias=False)
        self.decoder = layer(encoder.kind, encoder.hidden, HEADS * math.ceil(encoder.features / HEADS))
        initialise(self.bridge, generator)
        initialise(self.decoder, generator)
        self.token = nn.Parameter(torch.zeros(encoder.features))

    def forward(self, part: _Part) -> Tensor:
        hidden = (torch.rand(part.x.shape[0], 1, generator=self.generator) < MASKED).to(part.x.device)
        embedded = self.made.through(torch.where(hidden, self.token, part.x), part.prepared)
        read = self.bridge(leaky_relu(embedded)).masked_fill(hidden, 0.0)
        filled = self.decoder(read, part.prepared)[:, : self.made.features]
        error = (1 - cosine_similarity(filled, part.x)) ** SHARPNESS
        return (error * hidden.squeeze(1)).sum() / hidden.sum().clamp(min=1)


class _Joined(nn.Module):
    """Edge prediction: hide random edges, and tell them from random pairs by the inner product of embeddings.

    GPPT (Sun et al. 2022), section 3.2 (masked edge prediction); as many random pairs as hidden edges.
    """

    def __init__(self, encoder: Network, generator: torch.Generator) -> None:
        super().__init__()
        self.made, self.generator = encoder, generator

    def forward(self, part: _Part) -> Tensor:
        nodes, device = part.x.shape[0], part.x.device
        source, target = part.edge_index
        pairs = part.edge_index[:, source < target]
        hidden = (torch.rand(pairs.shape[1], generator=self.generator) < MASKED).to(device)
        seen, asked = pairs[:, ~hidden], pairs[:, hidden]
        random = torch.randint(nodes, asked.shape, generator=self.generator).to(device)
        edges = torch.cat([seen, seen.flip(0)], 1)
        embedded = self.made.through(part.x, self.made.prepare(edges, nodes))
        joined, apart = ((embedded[a] * embedded[b]).sum(1) for a, b in (asked, random))
        return -(logsigmoid(joined) + logsigmoid(-apart)).sum() / max(1, asked.shape[1])


class _Agree(nn.Module):
    """SimGRACE: a node's embedding agrees with its own from a perturbed network, and with no other node's.

    Xia et al. 2022, equations 1 to 4, on nodes instead of graphs; the perturbed side is a constant, and the
    embedding goes through a head of two layers.
    """

    def __init__(self, encoder: Network, generator: torch.Generator) -> None:
        super().__init__()
        self.made, self.generator = encoder, generator
        self.head = nn.Sequential(
            nn.Linear(encoder.hidden, encoder.hidden), nn.ReLU(), nn.Linear(encoder.hidden, encoder.hidden)
        )
        initialise(self.head, generator)

    def forward(self, part: _Part) -> Tensor:
        rows = torch.randperm(part.x.shape[0], generator=self.generator)[:PAIRED].to(part.x.device)
        own = self.made.through(part.x, part.prepared)
        with torch.no_grad():
            moved = {name: value + self._noise(value) for name, value in self.made.named_parameters()}
            other = self.head(functional_call(self.made, moved, (part.x, part.prepared))[rows])
        agreement = normalize(self.head(own[rows])) @ normalize(other).T / TEMPERATURE
        return cross_entropy(agreement, torch.arange(rows.numel(), device=rows.device))

    def _noise(self, value: Tensor) -> Tensor:
        drawn = torch.randn(value.shape, generator=self.generator).to(value.device)
        return PERTURBATION * value.std(correction=0) * drawn


_OBJECTIVES: Mapping[str, Callable[[Network, torch.Generator], nn.Module]] = {
    "dgi": _Infomax,
    "graphmae": _FillIn,
    "edge-pred": _Joined,
    "simgrace": _Agree,
}
OBJECTIVES = tuple(_OBJECTIVES)
