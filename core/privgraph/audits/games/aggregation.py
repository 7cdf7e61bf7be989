"""Aggregation perturbation, played by `mechanisms.aggregation` and `mechanisms.degree` on the smallest graphs
that suffice."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from privgraph.audits.games.base import Array, Dice
from privgraph.data.graph import Graph
from privgraph.mechanisms.aggregation import AggregationPerturbation, aggregate, unit_rows
from privgraph.mechanisms.degree import bounded_graph

LOUD = 100.0
"""Norm of a row before it is normalised."""
WIDTH = 8
"""Coordinates of a row: the first ones carry what differs, the others show the noise."""
CROWD = 3
"""Out-edges of the node z in those that it may keep."""


@dataclass(frozen=True, kw_only=True)
class AggregationGame:
    """`count` noisy sums over neighbours of one and the same worst case.

    unit "edge": two nodes that are joined or not, each with a row of its own. unit "node" (opt-out): z points
    to `CROWD` times as many nodes as it may keep, all of z's edges are struck from the frozen sample when it
    leaves, and z's own row is not looked at, since it is z's record; with `own_rows`, z's record is replaced
    by its opposite, which is fed by other nodes with opposite rows, and z's own row is looked at. Rows are
    far from unit length, and turn round in every second release. The adversary knows both noiseless sums.
    """

    unit: str
    std: float
    undirected: bool
    max_degree: int = 0
    own_rows: bool = False

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        mechanism = AggregationPerturbation(
            unit=self.unit,
            std=self.std,
            undirected=self.undirected,
            max_degree=self.max_degree,
            own_rows=self.own_rows,
        )
        datasets = {dataset: self._dataset(dataset) for dataset in (True, False)}
        watched = slice(1, None) if self.unit == "node" and not self.own_rows else slice(None)
        clean = {
            dataset: aggregate(adjacency, unit_rows(rows))[watched] for dataset, (adjacency, rows) in datasets.items()
        }
        shift = (clean[True] - clean[False]).double().flatten().numpy()
        moved = shift != 0
        length = float(np.square(shift).sum())
        adjacency, rows = datasets[present]
        base = clean[False].double().flatten().numpy()
        noise = dice.secret("noise")
        scores = np.zeros((trials, 3))
        for trial in range(trials):
            before: Array | None = None
            for step in range(count):
                turn = 1.0 if step % 2 == 0 else -1.0
                released = mechanism.release(adjacency, rows * turn, noise)[watched].double().flatten().numpy()
                seen = released - turn * base
                along = float(turn * (seen @ shift)) - length / 2
                scores[trial, 0] += along / self.std**2
                scores[trial, 1] += along / (float(np.square(seen[~moved]).mean()) + 1e-12)
                here = float(seen @ shift)
                if before is not None:
                    scores[trial, 2] += float(np.square(here - before))
                before = np.asarray(here)
        return scores

    def _dataset(self, present: bool) -> tuple[Tensor, Tensor]:
        """Adjacency, row i its in-neighbours, and the rows (n, WIDTH)."""
        if self.own_rows:
            return self._replaced(present)
        if self.unit == "node":
            others = self.max_degree * CROWD
            edges = torch.stack([torch.zeros(others, dtype=torch.int64), torch.arange(1, others + 1)])
            if self.undirected:
                edges = torch.cat([edges, edges.flip(0)], 1)
            sample = bounded_graph(_graph(edges, others + 1, self.undirected), self.max_degree, seed=0)
            rows = torch.zeros(others + 1, WIDTH)
            if present:
                rows[0, 0] = LOUD
                return sample.adjacency(), rows
            kept = sample.edge_index[:, (sample.edge_index != 0).all(0)]
            return _graph(kept, others + 1, False).adjacency(), rows
        edge = [[0, 1], [1, 0]] if self.undirected else [[0], [1]]
        edges = torch.tensor(edge if present else [[], []], dtype=torch.int64)
        rows = torch.zeros(3, WIDTH)
        rows[0, 0], rows[1, 1] = LOUD, -LOUD
        return _graph(edges, 3, self.undirected).adjacency(), rows

    def _replaced(self, present: bool) -> tuple[Tensor, Tensor]:
        """z, then those that it points to, then those that point to it before, then those that do after."""
        crowd = self.max_degree * CROWD
        nodes, sign = 1 + 3 * crowd, 1 if present else -1
        targets = torch.arange(1, crowd + 1)
        sources = targets + (crowd if present else 2 * crowd)
        z = torch.zeros_like(targets)
        edges = torch.cat([torch.stack([z, targets]), torch.stack([sources, z])], 1)
        sample = bounded_graph(_graph(edges, nodes, False), self.max_degree, seed=0, both_ways=True)
        rows = torch.zeros(nodes, WIDTH)
        rows[0, 0] = sign * LOUD
        rows[crowd + 1 : 2 * crowd + 1, 1] = LOUD
        rows[2 * crowd + 1 :, 1] = -LOUD
        return sample.adjacency(), rows


def _graph(edges: Tensor, nodes: int, undirected: bool) -> Graph:
    none = torch.zeros(nodes, dtype=torch.bool)
    edges = edges[:, torch.argsort(edges[1] * nodes + edges[0])]
    return Graph(
        name="game",
        x=torch.zeros(nodes, 1),
        y=torch.zeros(nodes, dtype=torch.int64),
        edge_index=edges,
        train_mask=~none,
        val_mask=none,
        test_mask=none,
        undirected=undirected,
    )
