"""Batches of small subgraphs of different sizes: rows side by side, no padding.

A subgraph is a centre, some nodes that it reads, and the edges among them (induced). A node may be in many
subgraphs, and has a row in each. Everything is index arithmetic on whole batches: no loop over nodes or
subgraphs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

_LOOKED_UP = 1 << 22
"""In-edges that are looked at together when edges are induced: bounds memory, not the result."""


@dataclass(frozen=True, eq=False)
class InEdges:
    """The in-edges of every node: those of node i are `sources[pointers[i]:pointers[i + 1]]`, ascending.

    pointers (|V| + 1,) and sources (|E|,) int64.
    """

    pointers: Tensor
    sources: Tensor

    @staticmethod
    def among(edge_index: Tensor, members: Tensor) -> InEdges:
        """The edges (2, |E|) whose both ends are `members` (|V|,) bool."""
        edges = edge_index[:, members[edge_index].all(0)]
        nodes = members.numel()
        source, target = edges[:, torch.argsort(edges[1] * nodes + edges[0])]
        counts = torch.bincount(target, minlength=nodes)
        return InEdges(torch.cat([counts.new_zeros(1), counts.cumsum(0)]), source)

    @property
    def nodes(self) -> int:
        return self.pointers.numel() - 1

    def of(self, nodes: Tensor) -> tuple[Tensor, Tensor]:
        """All in-edges of `nodes` (n,), a node after another: (K,) positions in `nodes`, and (K,) in
        `sources`."""
        first = self.pointers[nodes]
        counts = self.pointers[nodes + 1] - first
        which = torch.repeat_interleave(torch.arange(nodes.numel(), device=nodes.device), counts)
        before = counts.cumsum(0) - counts
        return which, torch.arange(which.numel(), device=nodes.device) + (first - before)[which]


@dataclass(frozen=True, eq=False)
class Subgraphs:
    """B subgraphs with R rows in all and E edges.

    nodes (R,) int64: a subgraph after another, each beginning with its centre. starts (B + 1,) int64: where
    each begins. edges (2, E) int64: rows (source, target) of one subgraph each, no self-loops, targets
    ascending.
    """

    nodes: Tensor
    starts: Tensor
    edges: Tensor

    def __len__(self) -> int:
        return self.starts.numel() - 1

    @property
    def sizes(self) -> Tensor:
        """(B,): rows of each."""
        return self.starts.diff()

    @property
    def owner(self) -> Tensor:
        """(R,): whose row it is."""
        return torch.repeat_interleave(torch.arange(len(self), device=self.starts.device), self.sizes)

    @property
    def centres(self) -> Tensor:
        """(B,): the node in the middle of each."""
        return self.nodes[self.starts[:-1]]

    def to(self, device: torch.device) -> Subgraphs:
        return Subgraphs(self.nodes.to(device), self.starts.to(device), self.edges.to(device))

    def part(self, start: int, stop: int) -> Subgraphs:
        """Those from `start` to `stop`."""
        first, last = int(self.starts[start]), int(self.starts[stop])
        low, high = torch.searchsorted(self.edges[1].contiguous(), self.starts[[start, stop]]).tolist()
        return Subgraphs(self.nodes[first:last], self.starts[start : stop + 1] - first, self.edges[:, low:high] - first)

    def groups(self, rows: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Subgraphs of about the same size: numbers (c,), and their rows (c, w), -1 where there are no more.

        w is the power of two that a subgraph's own size needs, and c at most rows // w: a group is filled up
        with none, number -1, so that its shape does not tell how many others are of that size.
        """
        width, sizes = 1, self.sizes
        most = int(sizes.max()) if len(self) else 0
        while width < 2 * most:
            chosen = ((sizes > width // 2) & (sizes <= width)).nonzero().squeeze(1)
            count = max(1, rows // width)
            place = torch.arange(width, device=sizes.device)
            for some in torch.split(chosen, count):
                if some.numel():
                    found = (self.starts[some].unsqueeze(1) + place).masked_fill(place >= sizes[some].unsqueeze(1), -1)
                    missing = count - some.numel()
                    yield (
                        functional.pad(some, (0, missing), value=-1),
                        functional.pad(found, (0, 0, 0, missing), value=-1),
                    )
            width *= 2

    def parts(self, rows: int) -> Iterator[Subgraphs]:
        """Consecutive parts of at most `rows` rows; a larger subgraph is a part of its own."""
        if int(self.starts[-1]) <= rows:
            if len(self):
                yield self
            return
        start = 0
        while start < len(self):
            end = torch.searchsorted(self.starts, self.starts[start] + rows, right=True)
            stop = max(start + 1, int(end) - 1)
            yield self.part(start, stop)
            start = stop


def induced(centres: Tensor, owner: Tensor, members: Tensor, edges: InEdges) -> Subgraphs:
    """The subgraphs that `edges` induce on each of `centres` (B,) with its members.

    members (K,): nodes; owner (K,): places in `centres` of the subgraphs that hold them, ascending. A node is
    in a subgraph once at most, and no centre is its own member.
    """
    count = torch.bincount(owner, minlength=centres.numel())
    starts = torch.cat([count.new_zeros(1), (count + 1).cumsum(0)])
    nodes = members.new_empty(members.numel() + centres.numel())
    nodes[starts[:-1]] = centres
    # before a member stand the centres of its own and of all earlier subgraphs, and all earlier members
    nodes[torch.arange(members.numel(), device=members.device) + owner + 1] = members
    found = Subgraphs(nodes, starts, starts.new_zeros(2, 0))
    return Subgraphs(nodes, starts, _edges_inside(found, edges))


def _edges_inside(subgraphs: Subgraphs, edges: InEdges) -> Tensor:
    """(2, E) rows: every in-edge of every row's node whose source has a row in the same subgraph."""
    rows = subgraphs.owner * edges.nodes + subgraphs.nodes
    known, order = torch.sort(rows)
    degrees = edges.pointers[subgraphs.nodes + 1] - edges.pointers[subgraphs.nodes]
    inside = []
    for start, stop in _cuts(degrees):
        which, place = edges.of(subgraphs.nodes[start:stop])
        target = which + start
        wanted = rows[target] - subgraphs.nodes[target] + edges.sources[place]
        at = torch.searchsorted(known, wanted).clamp_max(known.numel() - 1)
        there = known[at] == wanted
        inside.append(torch.stack([order[at[there]], target[there]]))
    return torch.cat(inside, 1) if inside else subgraphs.nodes.new_zeros(2, 0)


def _cuts(degrees: Tensor) -> list[tuple[int, int]]:
    """Consecutive ranges of rows with about `_LOOKED_UP` in-edges each (a row with more is a range of its
    own)."""
    total = degrees.cumsum(0)
    entries = int(total[-1]) if total.numel() else 0
    wanted = torch.arange(1, max(1, math.ceil(entries / _LOOKED_UP)), device=total.device) * _LOOKED_UP
    places = sorted({0, degrees.numel(), *(torch.searchsorted(total, wanted) + 1).tolist()})
    return list(pairwise(places))
