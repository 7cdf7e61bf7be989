"""Ego-graphs: equal to a slow twin, of one shape, and nobody's record in them but the centre's own and public
ones."""

import pytest
import torch
from torch import Tensor

from privgraph.data.load import load
from privgraph.nn import ego_graphs as module
from privgraph.nn.ego_graphs import ego_graphs

NEAR, FAR = 3, 6


def drawn(nodes: int = 60, edges: int = 240, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Edges in one direction only, loops and repetitions included; who is readable; priorities."""
    draws = torch.Generator().manual_seed(seed)
    edge_index = torch.randint(nodes, (2, edges), generator=draws)
    return edge_index, torch.rand(nodes, generator=draws) < 0.6, torch.randperm(nodes, generator=draws)


def one_by_one(
    centre: int, edge_index: Tensor, readable: Tensor, priority: Tensor
) -> tuple[list[int], set[tuple[int, int]]]:
    """The slow twin: places, and the pairs of nodes that are joined."""
    pairs = {(a, b) for a, b in edge_index.t().tolist()} | {(b, a) for a, b in edge_index.t().tolist()}
    places = 1 + NEAR + FAR

    def neighbours(node: int) -> list[int]:
        found = {b for a, b in pairs if a == node and b != node and readable[b]}
        return sorted(found, key=lambda other: int(priority[other]))

    if centre < 0:
        return [-1] * places, set()
    kept = neighbours(centre)[:NEAR]
    offered = {other for node in kept for other in neighbours(node)[:places]} - {centre, *neighbours(centre)}
    second = sorted(offered, key=lambda other: int(priority[other]))[:FAR]
    nodes = [centre, *kept, *[-1] * (NEAR - len(kept)), *second, *[-1] * (FAR - len(second))]
    taken = [node for node in nodes if node >= 0]
    return nodes, {(a, b) for a in taken for b in taken if a != b and (a, b) in pairs}


@pytest.mark.parametrize("seed", range(2))
def test_a_slow_twin_finds_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 7)
    edge_index, readable, priority = drawn(seed=seed)
    centres = torch.tensor([-1, *range(60), 5, -1])
    egos = ego_graphs(centres, edge_index, readable, priority, near=NEAR, far=FAR)
    for row, centre in enumerate(centres.tolist()):
        nodes, pairs = one_by_one(centre, edge_index, readable, priority)
        assert egos.nodes[row].tolist() == nodes
        joined = egos.adjacency[row].nonzero().tolist()
        assert {(nodes[i], nodes[j]) for i, j in joined} == pairs
        assert all(nodes[i] >= 0 and nodes[j] >= 0 for i, j in joined)


@pytest.mark.parametrize("rewired", [False, True], ids=["leaves", "changes"])
def test_no_private_node_is_in_anybody_elses(rewired: bool) -> None:
    """Every private node in turn leaves, or gets other edges: all other ego-graphs stay what they were."""
    graph = load("karate")
    draws = torch.Generator().manual_seed(1)
    private = torch.zeros(34, dtype=torch.bool)
    private[torch.randperm(34, generator=draws)[:17]] = True
    priority = torch.randperm(34, generator=draws)
    everybody = torch.arange(34)
    before = ego_graphs(everybody, graph.edge_index, ~private, priority, near=NEAR, far=FAR)
    own = 0
    for node in private.nonzero().squeeze(1).tolist():
        edges = graph.edge_index[:, (graph.edge_index != node).all(0)]
        if rewired:
            others = torch.randperm(34, generator=draws)[:6]
            others = others[others != node]
            edges = torch.cat([edges, torch.stack([others, torch.full_like(others, node)])], 1)
        after = ego_graphs(everybody, edges, ~private, priority, near=NEAR, far=FAR)
        changed = (before.nodes != after.nodes).any(1) | (before.adjacency != after.adjacency).flatten(1).any(1)
        assert set(changed.nonzero().squeeze(1).tolist()) <= {node}
        own += int(changed[node])
    assert own > 10, "a private node's own edges are read"


def test_alone_there_is_only_the_centre() -> None:
    edge_index, readable, priority = drawn()
    egos = ego_graphs(torch.arange(60), edge_index, torch.zeros_like(readable), priority)
    assert egos.nodes.shape == (60, 32)
    assert egos.nodes[:, 0].tolist() == list(range(60))
    assert not egos.present[:, 1:].any()
    assert not egos.adjacency.any()


def test_none_of_nothing() -> None:
    """No centres, no edges, no places beside the centre."""
    edge_index, readable, priority = drawn()
    none = torch.zeros(0, dtype=torch.int64)
    assert len(ego_graphs(none, edge_index, readable, priority)) == 0
    without = ego_graphs(torch.tensor([3]), edge_index[:, :0], readable, priority)
    assert without.nodes.tolist() == [[3] + [-1] * 31]
    assert ego_graphs(torch.tensor([3]), edge_index, readable, priority, near=0, far=0).nodes.tolist() == [[3]]
