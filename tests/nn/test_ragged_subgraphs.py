"""Ragged subgraphs: edges by brute force, gradients against one subgraph at a time and padded batches of
torch.func."""

import math

import pytest
import torch
from tests.nn.subgraph_twins import one_by_one, padded
from torch import Tensor

from privgraph.nn import ragged_network, ragged_subgraphs
from privgraph.nn.ragged_network import NETWORKS, Factors, RaggedNetwork
from privgraph.nn.ragged_subgraphs import InEdges, Subgraphs, induced

FEATURES, HIDDEN, CLASSES = 5, 4, 3


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def toy(nodes: int = 9, density: float = 0.4, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Features, labels and edges of a little directed graph; its last node is isolated."""
    drawn = torch.rand(nodes, nodes, generator=generator(seed)) < density
    drawn.fill_diagonal_(False)
    drawn[-1], drawn[:, -1] = False, False
    x = torch.randn(nodes, FEATURES, generator=generator(seed + 1)) * 2
    return x, torch.randint(CLASSES, (nodes,), generator=generator(seed + 2)), drawn.nonzero().t()


def everybody(edges: Tensor, nodes: int) -> InEdges:
    return InEdges.among(edges, torch.ones(nodes, dtype=torch.bool))


def some_subgraphs(edges: Tensor, nodes: int = 9, share: float = 0.7, seed: int = 5) -> Subgraphs:
    """All nodes but one as centres, each with some of its in-neighbours."""
    known = everybody(edges, nodes)
    centres = torch.arange(1, nodes)
    which, place = known.of(centres)
    kept = torch.rand(which.numel(), generator=generator(seed)) < share
    return induced(centres, which[kept], known.sources[place[kept]], known)


def network(kind: str, layers: int, seed: int = 0) -> RaggedNetwork:
    net = RaggedNetwork(kind, FEATURES, HIDDEN, CLASSES, layers=layers)
    net.initialise(generator(seed))
    net.parameters.add_(torch.randn(net.parameters.shape, generator=generator(seed + 1)), alpha=0.3)
    return net


@pytest.mark.parametrize("looked_up", [1 << 22, 3])
def test_edges_are_induced_as_by_brute_force(monkeypatch: pytest.MonkeyPatch, looked_up: int) -> None:
    monkeypatch.setattr(ragged_subgraphs, "_LOOKED_UP", looked_up)
    _, _, edges = toy(seed=3)
    subgraphs = some_subgraphs(edges)
    true = set(map(tuple, edges.t().tolist()))
    assert torch.equal(subgraphs.centres, torch.arange(1, 9))
    expected = {
        (a, b)
        for start, stop in zip(subgraphs.starts, subgraphs.starts[1:], strict=False)
        for a in range(start, stop)
        for b in range(start, stop)
        if (int(subgraphs.nodes[a]), int(subgraphs.nodes[b])) in true
    }
    found = list(map(tuple, subgraphs.edges.t().tolist()))
    assert set(found) == expected
    assert len(found) == len(expected) > 10
    assert bool((subgraphs.edges[1].diff() >= 0).all())


def summed(found: list[Factors], size: int, factors: Tensor) -> Tensor:
    total, start = torch.zeros(size), 0
    for part in found:
        stop = start + len(part.losses)
        part.add_to(total, factors[start:stop])
        start = stop
    return total


@pytest.mark.parametrize(("wide", "numbers"), [(64, 1 << 24), (1, 30)])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", NETWORKS)
def test_gradients_equal_both_slow_twins(
    monkeypatch: pytest.MonkeyPatch, kind: str, layers: int, numbers: int, wide: int
) -> None:
    monkeypatch.setattr(ragged_network, "NUMBERS", numbers)
    monkeypatch.setattr(ragged_network, "_WIDE", wide)
    x, y, edges = toy()
    subgraphs, net = some_subgraphs(edges), network(kind, layers)
    labels = y[subgraphs.centres]
    losses, expected = one_by_one(net, x, subgraphs, labels)
    assert torch.allclose(padded(net, x, subgraphs, labels), expected, atol=1e-5)
    parts = list(net.gradients(x, subgraphs, labels))
    assert (len(parts) > 1) == (numbers == 30)
    assert torch.allclose(torch.cat([part.losses for part in parts]), losses, atol=1e-5)
    norms, true = torch.cat([part.squared_norms() for part in parts]), expected.square().sum(1)
    assert torch.allclose(norms, true, rtol=2e-4)
    assert bool((norms >= true * (1 - 1e-6)).all()), "a norm is never found too small"
    factors = torch.rand(len(labels), generator=generator(7))
    assert torch.allclose(summed(parts, expected.shape[1], factors), factors @ expected, atol=1e-5)
    assert float(expected.abs().amax(0).min()) > 0, "every parameter takes part"


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", NETWORKS)
def test_nothing_and_no_edges(kind: str, layers: int) -> None:
    x, _, _ = toy()
    none = torch.empty(2, 0, dtype=torch.int64)
    net, empty = network(kind, layers), torch.empty(0, dtype=torch.int64)
    nothing = induced(empty, empty, empty, everybody(none, 9))
    assert list(net.gradients(x, nothing, empty)) == []
    assert net.logits(x, nothing).shape == (0, CLASSES)
    alone = induced(torch.arange(9), empty, empty, everybody(none, 9))
    (found,) = net.gradients(x, alone, torch.zeros(9, dtype=torch.int64))
    _, expected = one_by_one(net, x, alone, torch.zeros(9, dtype=torch.int64))
    assert torch.allclose(found.squared_norms(), expected.square().sum(1), rtol=1e-4)


@pytest.mark.parametrize("layers", [1, 2])
def test_a_factor_of_zero_takes_what_is_not_finite_away(layers: int) -> None:
    x, y, edges = toy()
    x[3, 0] = math.nan
    subgraphs, net = some_subgraphs(edges), network("gcn", layers)
    (found,) = net.gradients(x, subgraphs, y[subgraphs.centres])
    finite = torch.isfinite(found.squared_norms())
    assert 0 < int(finite.sum()) < len(finite)
    total = torch.zeros(net.parameters.shape[1])
    found.add_to(total, finite.to(torch.float32))
    assert bool(torch.isfinite(total).all())
    clean = x.clone().nan_to_num(5.0)
    (other,) = net.gradients(clean, subgraphs, y[subgraphs.centres])
    expected = torch.zeros_like(total)
    other.add_to(expected, finite.to(torch.float32))
    assert torch.allclose(total, expected, atol=1e-5), "the others count as before"
