"""Pre-training a `Network` on a graph without labels: four objectives, Adam, and what each epoch's loss was.

An epoch is one step on the whole graph, or on a random part of it where it is large (`BATCH` nodes: see `_part`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from privgraph.nn.backbones import KINDS, Backbone, Network, network

OBJECTIVES = ("dgi", "graphmae", "edge-pred", "simgrace")


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
    """Every epoch, and at last the backbone, on `device`. x: (|V|, F); edge_index: (2, |E|), without loops, both
    directions of an undirected edge."""
    generator = torch.Generator().manual_seed(recipe.seed)
    made = network(recipe.kind, x.shape[1], recipe.hidden, generator).to(device)
    objective = _OBJECTIVES[recipe.objective](made, generator).to(device)
    optimiser = torch.optim.Adam(objective.parameters(), lr=recipe.learning_rate)
    x, prepared = x.to(device), made.prepare(edge_index.to(device), x.shape[0])
    for number in range(1, recipe.epochs + 1):
        loss = objective(x, prepared)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        yield Epoch(number, float(loss.detach()))
    yield Backbone.of(made)


class _Infomax(nn.Module):
    """DGI: tell a node's embedding from one of the graph with shuffled features, beside the mean of all embeddings.

    Velickovic et al. 2019, equations 1 to 5, with the corruption of section 4.2.
    """

    def __init__(self, made: Network, generator: torch.Generator) -> None:
        super().__init__()
        self.made, self.generator = made, generator
        hidden = made.hidden
        bound = hidden**-0.5
        self.weight = nn.Parameter(torch.empty(hidden, hidden).uniform_(-bound, bound, generator=generator))

    def forward(self, x: Tensor, prepared: Tensor) -> Tensor:
        order = torch.randperm(x.shape[0], generator=self.generator).to(x.device)
        true, false = self.made.through(x, prepared), self.made.through(x[order], prepared)
        direction = self.weight @ true.mean(0).sigmoid()
        return -(logsigmoid(true @ direction).mean() + logsigmoid(-(false @ direction)).mean())


_OBJECTIVES: dict[str, Callable[[Network, torch.Generator], nn.Module]] = {"dgi": _Infomax}
