"""Ordinary graph networks: GraphSAGE, GCN, GAT and GIN layers between one dense layer before and one after.

The layers are PyTorch Geometric's. Nothing here protects anybody: privacy comes from what the network is
given (a randomised graph) or from nothing at all.
"""

import warnings

import torch
from torch import Tensor, nn

with warnings.catch_warnings():
    # PyTorch Geometric scripts a class of its own when it is imported, which torch has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv

CONVOLUTIONS = ("sage", "gcn", "gat", "gin")
GAT_HEADS = 4


class GraphNetwork(nn.Module):
    """One dense layer, `layers` rounds of message passing, and one dense layer on all rounds together.

    Input: x (|V|, F) and what `prepare` makes of an adjacency. Output: logits (|V|, C). The order inside a
    round is convolution, activation, batch normalisation, dropout; `jump` concatenates the outputs of all
    rounds and of the first layer (jumping knowledge, Xu et al. 2018), else the last round alone is read.

    Sources: GraphSAGE with mean aggregation, Hamilton et al. 2017, Algorithm 1; GCN, Kipf and Welling 2017,
    equation 2; GAT with four heads, Velickovic et al. 2018, equations 1 to 6; GIN with a two-layer perceptron
    and a learnt weight for the node itself, Xu et al. 2019, equation 4.1.
    """

    def __init__(
        self,
        features: int,
        classes: int,
        *,
        conv: str = "sage",
        layers: int = 2,
        hidden: int = 64,
        dropout: float = 0.5,
        jump: bool = True,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if conv not in CONVOLUTIONS:
            raise ValueError(f"conv must be one of {', '.join(CONVOLUTIONS)} (got {conv})")
        if layers < 1:
            raise ValueError(f"layers must be at least 1 (got {layers})")
        if conv == "gat" and hidden % GAT_HEADS:
            raise ValueError(f"hidden must be a multiple of {GAT_HEADS} for gat (got {hidden})")
        self.conv, self.dropout, self.jump, self.generator = conv, dropout, jump, generator
        self.before = nn.Linear(features, hidden)
        self.convolutions = nn.ModuleList(_convolution(conv, hidden) for _ in range(layers))
        self.norms = nn.ModuleList(nn.BatchNorm1d(hidden) for _ in range(layers + 1))
        self.after = nn.Linear(hidden * (layers + 1) if jump else hidden, classes)

    def prepare(self, adjacency: Tensor) -> Tensor:
        """What this network's layers read, from the (|V|, |V|) sparse CSR whose row i has a one for each edge
        j -> i.

        GCN reads D^-1/2 (A + I) D^-1/2 with D the in-degrees of A + I; GAT a (2, |E|) list of edges with
        self-loops; the others the adjacency as it is.
        """
        if self.conv not in ("gcn", "gat"):
            return adjacency
        nodes = adjacency.shape[0]
        pointers, source = adjacency.crow_indices(), adjacency.col_indices()
        degrees = pointers.diff()
        everyone = torch.arange(nodes, device=source.device)
        target = torch.cat([everyone.repeat_interleave(degrees), everyone])
        source = torch.cat([source, everyone])
        if self.conv == "gat":
            return torch.stack([source, target])
        scale = (degrees + 1).to(adjacency.dtype).rsqrt()
        order = torch.argsort(target * nodes + source)
        source, target = source[order], target[order]
        return torch.sparse_csr_tensor(
            pointers + torch.arange(nodes + 1, device=pointers.device),
            source,
            scale[target] * scale[source],
            size=(nodes, nodes),
            check_invariants=False,
        )

    def forward(self, x: Tensor, adjacency: Tensor) -> Tensor:
        rounds = [self._finish(self.before(x), 0)]
        for number, convolution in enumerate(self.convolutions, start=1):
            rounds.append(self._finish(convolution(rounds[-1], adjacency), number))
        logits: Tensor = self.after(torch.cat(rounds, dim=1) if self.jump else rounds[-1])
        return logits

    def _finish(self, h: Tensor, number: int) -> Tensor:
        h = self.norms[number](torch.selu(h))
        if not self.training or self.dropout == 0:
            return h
        return h * kept_by_dropout(torch.empty_like(h), self.dropout, self.generator) / kept_share(self.dropout)


def _convolution(conv: str, hidden: int) -> nn.Module:
    layer: nn.Module
    if conv == "sage":
        layer = SAGEConv(hidden, hidden, aggr="mean")
    elif conv == "gcn":
        layer = GCNConv(hidden, hidden, normalize=False)
    elif conv == "gat":
        layer = GATConv(hidden, hidden // GAT_HEADS, heads=GAT_HEADS, add_self_loops=False)
    else:
        inner = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        layer = GINConv(inner, train_eps=True)
    return layer


LEVELS = 1 << 16
"""Dropout's probability is a multiple of one part in so many."""


def kept_share(dropout: float) -> float:
    """The chance that `kept_by_dropout` keeps a value: 1 - dropout, to the nearest multiple of 1/`LEVELS`."""
    return 1 - _level(dropout) / LEVELS


def kept_by_dropout(out: Tensor, dropout: float, generator: torch.Generator | None) -> Tensor:
    """Write to `out`, of any shape, 1 where dropout keeps a value and 0 where not; `out` is returned.

    Each value is kept with chance `kept_share(dropout)`, by itself. Four share a random number of 64 bits,
    since a number for each takes a fifth of an epoch. (torch's own dropout draws from the global stream,
    which is nobody's named stream.)
    """
    bits = torch.empty(-(-out.numel() // 4), dtype=torch.int64, device=out.device)
    bits.random_(-(2**63), None, generator=generator)
    return torch.ge(bits.view(torch.int16)[: out.numel()].view(out.shape), _level(dropout) - LEVELS // 2, out=out)


def _level(dropout: float) -> int:
    return min(LEVELS - 1, round(dropout * LEVELS))


def initialise(model: nn.Module, generator: torch.Generator) -> None:
    """Draw every weight anew from `generator`: Glorot uniform for matrices, zero for biases, one for scales.

    Layers draw their first weights from torch's global stream; this replaces them, so that a run depends on
    its own seed alone.
    """
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() >= 2:
                bound = (6.0 / (parameter.shape[-1] + parameter.shape[-2])) ** 0.5
                parameter.uniform_(-bound, bound, generator=generator)
            elif "norm" in name and name.endswith("weight"):
                parameter.fill_(1.0)
            else:
                parameter.zero_()
