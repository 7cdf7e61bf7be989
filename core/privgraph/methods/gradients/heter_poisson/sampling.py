"""Which subgraphs a step sees (Algorithms 2 and 3 of HeterPoisson), and which a prediction reads (section
4.4)."""

import torch
from torch import Tensor

from privgraph.mechanisms.sampling import poisson_batch
from privgraph.nn.ragged_subgraphs import InEdges, Subgraphs, induced
from privgraph.streams import Secret


class HeterPoisson:
    """Algorithm 2 on the training nodes: independent centres, and independent neighbours that shrink with
    their out-degree.

    edge_index (2, |E|); training (|V|,) bool; `roster` (|V|,) bool holds those who opted out, too, who keep a
    coin and are never central (none given: nobody did). A training node is central with probability `rate`;
    each of its in-neighbours j that trains as well is kept with probability min(1, M/D_j), M = `neighbours`;
    D_j is j's out-degree in the whole graph, which stays when somebody leaves: `frozen` (|V|,) where
    `edge_index` has lost edges. With `exclusive` no central node is in another's subgraph (lines 13 to 22).

    A node that is NULL is no row at all, here: it counts in no degree and no mean, so that a subgraph which
    has lost it is the subgraph that would have been drawn without it. That is what the sensitivity rests on:
    what z's record changes are z's own subgraph, if z is central, and the k subgraphs that hold z (tests
    enumerate them).
    """

    def __init__(
        self,
        edge_index: Tensor,
        training: Tensor,
        *,
        rate: float,
        neighbours: int,
        exclusive: bool,
        frozen: Tensor | None = None,
        roster: Tensor | None = None,
    ) -> None:
        self.rate, self.exclusive = rate, exclusive
        self.edges = InEdges.among(edge_index, training)
        self.nodes = (training if roster is None else roster).nonzero().squeeze(1)
        self._training = training
        degrees = torch.bincount(edge_index[0], minlength=training.numel()) if frozen is None else frozen
        chance = (neighbours / degrees.to(torch.float64).clamp_min(1)).clamp_max(1)
        self._chance = chance[self.edges.sources]

    def draw(self, secret: Secret) -> Subgraphs:
        """One step's subgraphs; possibly none. A coin for every place of the roster, then one for every
        in-edge of a centre."""
        centres = self.nodes[poisson_batch(self.nodes.numel(), self.rate, secret, self.nodes.device)]
        centres = centres[self._training[centres]]
        _, place = self.edges.of(centres)
        kept = torch.from_numpy(secret.coins(self._chance[place].cpu().numpy())).to(centres.device)
        return self.formed(centres, kept)

    def formed(self, centres: Tensor, kept: Tensor) -> Subgraphs:
        """The subgraphs of `centres` (B,); `kept` says which of their in-edges, in the order of `InEdges.of`,
        were drawn."""
        which, place = self.edges.of(centres)
        kept = kept.clone()
        members = self.edges.sources[place]
        if self.exclusive:
            central = torch.zeros(self.edges.nodes, dtype=torch.bool, device=centres.device)
            central[centres] = True
            kept &= ~central[members]
        return induced(centres, which[kept], members[kept], self.edges)


def inference_subgraphs(
    edge_index: Tensor, training: Tensor, most: int, secret: Secret, nodes: Tensor | None = None
) -> Subgraphs:
    """What each of `nodes` (default: all) reads when its class is predicted: at most `most` in-neighbours,
    drawn once.

    Neighbours are nodes that do not train, for all alike: no prediction reads a training node's record but
    its own, so that predictions for others are post-processing of the released weights. Drawn without
    replacement, uniformly.
    """
    asked = torch.arange(training.numel(), device=training.device) if nodes is None else nodes
    source, target = edge_index[:, ~training[edge_index[0]]]
    order = torch.from_numpy(secret.order(source.numel())).to(source.device)
    order = order[torch.argsort(target[order], stable=True)]
    source, target = source[order], target[order]
    counts = torch.bincount(target, minlength=training.numel())
    rank = torch.arange(target.numel(), device=target.device) - (counts.cumsum(0) - counts)[target]
    place = torch.full((training.numel(),), -1, dtype=torch.int64, device=training.device)
    place[asked] = torch.arange(asked.numel(), device=training.device)
    owner = place[target]
    chosen = (rank < most) & (owner >= 0)
    owner, members = owner[chosen], source[chosen]
    order = torch.argsort(owner, stable=True)
    touched = edge_index[:, ~training[edge_index].all(0)]  # no subgraph holds two nodes that train
    known = InEdges.among(touched, torch.ones_like(training))
    return induced(asked, owner[order], members[order], known)
