"""DP-GNN: gradients against slow twins, sensitivity by enumeration, accounting against quadrature."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy.stats import binom, norm
from torch import Tensor
from torch.nn import functional

from privgraph.data.load import load
from privgraph.mechanisms.gradients import clip_factors
from privgraph.methods.gradients.dp_gnn import network as network_module
from privgraph.methods.gradients.dp_gnn.config import step_event
from privgraph.methods.gradients.dp_gnn.network import SubgraphNetwork
from privgraph.methods.gradients.dp_gnn.subgraphs import frozen_subgraphs, without_node
from privgraph.nn.tables import BLOCK
from privgraph.privacy.accountants import tight

FEATURES, HIDDEN, CLASSES = 5, 4, 3


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def made_network(seed: int = 0) -> SubgraphNetwork:
    network = SubgraphNetwork(FEATURES, HIDDEN, CLASSES)
    network.initialise(generator(seed))
    network.parameters.add_(torch.randn(network.parameters.shape, generator=generator(seed + 1)), alpha=0.3)
    return network


def toy(nodes: int = 7, seed: int = 0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Features, labels, edges and training mask of a dense little directed graph."""
    drawn = torch.rand(nodes, nodes, generator=generator(seed)) < 0.6
    drawn.fill_diagonal_(False)
    edges = drawn.nonzero().t()
    mask = torch.arange(nodes) < nodes - 2
    x = torch.randn(nodes, FEATURES, generator=generator(seed + 1)) * 3
    y = torch.randint(CLASSES, (nodes,), generator=generator(seed + 2))
    return x, y, edges, mask


def plain_loss(flat: Tensor, rows: Tensor, present: Tensor, label: Tensor) -> Tensor:
    """The loss of one padded subgraph, written out anew: rows (1 + W, F), present (1 + W,)."""
    shapes = [
        (HIDDEN, FEATURES),
        (HIDDEN,),
        (HIDDEN, HIDDEN),
        (HIDDEN, HIDDEN),
        (HIDDEN,),
        (CLASSES, HIDDEN),
        (CLASSES,),
    ]
    parts, start = [], 0
    for shape in shapes:
        parts.append(flat[start : start + math.prod(shape)].view(shape))
        start += math.prod(shape)
    w1, b1, ws, wn, b2, w3, b3 = parts
    hidden = torch.selu(rows @ w1.t() + b1)
    weight = present[1:].float()
    mean = (hidden[1:] * weight.unsqueeze(1)).sum(0) / weight.sum().clamp_min(1)
    logits = w3 @ torch.selu(ws @ hidden[0] + wn @ mean + b2) + b3
    return functional.cross_entropy(logits.unsqueeze(0), label.unsqueeze(0))


def per_example(network: SubgraphNetwork, x: Tensor, subgraphs: Tensor, labels: Tensor) -> Tensor:
    """(B, P) by vectorised automatic differentiation."""
    gradient = torch.func.vmap(torch.func.grad(plain_loss), in_dims=(None, 0, 0, 0))
    return gradient(network.parameters[0], x[subgraphs.clamp_min(0)], subgraphs >= 0, labels)


@pytest.mark.parametrize("piece", [2**24, 1])
def test_gradients_equal_a_loop_of_one_and_automatic_differentiation(
    monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr(network_module, "_GATHERED", piece)
    x, y, edges, mask = toy()
    roots, subgraphs = frozen_subgraphs(edges, mask, 3, seed=1)
    network = made_network()
    expected = per_example(network, x, subgraphs, y[roots])
    losses, _ = network.backward(x, subgraphs, y[roots])
    assert losses.shape == roots.shape
    assert torch.allclose(network.squared_norms()[0], expected.square().sum(1), rtol=1e-4)
    factor = torch.rand(1, roots.numel(), generator=generator(4))
    network.accumulate(factor)
    assert torch.allclose(network.gradients[0], factor[0] @ expected, atol=1e-5)
    network.accumulate()
    assert torch.allclose(network.gradients[0], expected.sum(0), atol=1e-5)
    for place in range(roots.numel()):
        one = slice(place, place + 1)
        network.backward(x, subgraphs[one], y[roots[one]])
        network.accumulate()
        assert torch.allclose(network.gradients[0], expected[place], atol=1e-5)


def test_prediction_agrees_with_subgraphs_that_hold_all_neighbours() -> None:
    x, y, edges, _ = toy()
    everyone = torch.ones(7, dtype=torch.bool)
    roots, subgraphs = frozen_subgraphs(edges, everyone, 10, seed=0)
    network = made_network()
    _, logits = network.backward(x, subgraphs, y[roots])
    adjacency = torch.zeros(7, 7)
    adjacency[edges[1], edges[0]] = 1
    assert torch.allclose(network.predict(x, adjacency), logits, atol=1e-5)


@pytest.mark.parametrize("bound", [2, 50])
def test_lists_are_bounded_on_both_sides_and_true(bound: int) -> None:
    graph = load("karate")
    roots, subgraphs = frozen_subgraphs(graph.edge_index, graph.train_mask, bound, seed=3)
    assert torch.equal(roots, graph.train_mask.nonzero().squeeze(1))
    assert torch.equal(subgraphs[:, 0], roots)
    lists = subgraphs[:, 1:]
    true = set(map(tuple, graph.edge_index.t().tolist()))
    pairs = [(int(j), int(root)) for root, row in zip(roots, lists, strict=True) for j in row if j >= 0]
    assert set(pairs) <= true
    assert len(set(pairs)) == len(pairs)
    assert lists.shape[1] <= bound
    read_by = torch.bincount(lists[lists >= 0], minlength=graph.num_nodes)
    assert int(read_by.max()) <= bound
    if bound == 50:
        assert len(pairs) == sum(1 for _, target in true if bool(graph.train_mask[target]))


def test_lists_without_any_edge() -> None:
    _, subgraphs = frozen_subgraphs(torch.empty(2, 0, dtype=torch.int64), torch.tensor([True, False, True]), 3, 0)
    assert subgraphs.tolist() == [[0, -1, -1, -1], [2, -1, -1, -1]]
    network = made_network()
    losses, _ = network.backward(torch.randn(3, FEATURES), subgraphs, torch.zeros(2, dtype=torch.int64))
    assert torch.isfinite(losses).all()


def clipped_sum(
    network: SubgraphNetwork, x: Tensor, y: Tensor, roots: Tensor, subgraphs: Tensor, drawn: set[int], clip: float
) -> Tensor:
    chosen = torch.tensor([int(root) in drawn for root in roots], dtype=torch.bool)
    network.backward(x, subgraphs[chosen], y[roots[chosen]])
    network.accumulate(clip_factors(network.squared_norms(), torch.tensor([clip])))
    return network.gradients[0].clone()


@pytest.mark.long
@pytest.mark.parametrize("bound", [1, 2])
def test_sensitivity_by_enumerating_who_leaves_and_who_is_drawn(bound: int) -> None:
    """For every sample of roots: never more than (2k + c) C, k of them at most K."""
    x, y, edges, mask = toy()
    clip, network, worst = 0.2, made_network(), 0.0
    roots, subgraphs = frozen_subgraphs(edges, mask, bound, seed=2)
    for node in range(7):
        readers = {int(root) for root, row in zip(roots, subgraphs[:, 1:], strict=True) if node in row.tolist()}
        assert len(readers) <= bound
        assert node not in readers
        left_roots, left_lists = without_node(roots, subgraphs, node)
        blank = x.clone()
        blank[node] = 1e6  # whatever stands in the record of one who has left is read by nobody
        for size in range(roots.numel() + 1):
            for sample in itertools.combinations(roots.tolist(), size):
                drawn = set(sample)
                before = clipped_sum(network, x, y, roots, subgraphs, drawn, clip)
                after = clipped_sum(network, blank, y, left_roots, left_lists, drawn - {node}, clip)
                shift = 2 * len(drawn & readers) + (node in drawn)
                moved = float((before - after).norm())
                assert moved <= shift * clip * (1 + 1e-5) + 1e-6
                worst = max(worst, moved / clip)
    assert worst > 0.5, "the graphs do differ"


@pytest.mark.parametrize(("bound", "rate", "noise"), [(3, 0.1, 3.0), (2, 1.0, 6.0)])
def test_event_covers_the_worst_case_by_quadrature(bound: int, rate: float, noise: float) -> None:
    """One dimension, exact: each drawn reader goes from -1 to +1, the node itself from nothing to +1."""
    event = step_event(noise, bound, rate)
    grid = np.linspace(-2 * bound - 60, 2 * bound + 60, 200_001)
    with_node, without = np.zeros_like(grid), np.zeros_like(grid)
    for count in range(bound + 1):
        weight = binom.pmf(count, bound, rate)
        without += weight * norm.pdf(grid, -count, noise)
        for own, chance in ((0, 1 - rate), (1, rate)):
            with_node += weight * chance * norm.pdf(grid, count + own, noise)
    for delta in (1e-2, 1e-4):
        epsilon = tight().epsilon(event, delta)
        for one, other in ((with_node, without), (without, with_node)):
            exact = np.trapezoid(np.maximum(one - math.exp(epsilon) * other, 0), grid)
            assert exact <= delta * (1 + 1e-6)
        exact = np.trapezoid(np.maximum(with_node - math.exp(0.98 * epsilon) * without, 0), grid)
        assert exact > delta


def terms(network: SubgraphNetwork, x: Tensor, subgraphs: Tensor, labels: Tensor, most: int) -> Tensor:
    """(B, ...): the clip's factor of each root, and all that `accumulate` multiplies and adds of it, its
    rows without gaps, from the block of 128 that a step computes."""
    count = len(subgraphs)
    filled = functional.pad(torch.arange(count), (0, BLOCK - count))
    network.backward(x, subgraphs[filled], labels[filled])
    d1, (root, mean, d2), (joined, d3) = network._kept
    order = (subgraphs[filled] < 0).int().argsort(dim=1, stable=True).unsqueeze(2)
    rows = functional.pad(d1.take_along_dim(order, 1), (0, 0, 0, 1 + most - order.shape[1]))
    factors = clip_factors(network.squared_norms(), torch.ones(1))[0].unsqueeze(1)
    return torch.cat([factors, rows.flatten(1), root, mean, d2, joined, d3], 1)[:count]


@pytest.mark.parametrize("hidden", [16, 33])
def test_the_node_with_the_fullest_list_changes_no_bit_of_others_when_it_leaves(hidden: int) -> None:
    """Its list was the width of all lists, and a sum of another width is rounded otherwise.

    Roots whose pre-activations are rounding alone turn round all at once: SELU has a corner there.
    """
    most, roots, features = 8, 12, 16
    others = torch.arange(1, 1 + roots)
    read = 1 + roots + torch.arange((most - 1) * roots)
    of_hub = torch.stack([read[:most], torch.zeros(most, dtype=torch.int64)])
    edges = torch.cat([of_hub, torch.stack([read, others.repeat_interleave(most - 1)])], 1)
    edges = torch.cat([edges, torch.tensor([[0], [1]])], 1)  # root 1 reads the hub
    nodes = int(read[-1]) + 1
    x, y = torch.randn(nodes, features, generator=generator()), torch.randint(2, (nodes,), generator=generator(1))
    x[read] = x[read[: most - 1]].repeat(roots, 1)  # all roots from 2 on have the same record and neighbours
    x[others[1:]], y[others] = x[2].clone(), 0
    mask = torch.arange(nodes) <= roots
    network = SubgraphNetwork(features, hidden, 2)
    network.initialise(generator(2))
    sample = frozen_subgraphs(edges, mask, most, seed=3)
    struck = without_node(*sample, 0)
    again = frozen_subgraphs(edges[:, (edges != 0).all(0)], mask & (torch.arange(nodes) != 0), most, seed=3)
    network.backward(x, again[1], y[again[0]])
    (_, (root, mean, _), _), weights = network._kept, network._weights
    weights["b2"].copy_(-(weights["ws"] @ root[5] + weights["wn"] @ mean[5]))

    whole = terms(network, x, sample[1], y[sample[0]], most)
    x[0] = 0
    proof, anew = (terms(network, x, lists, y[own], most) for own, lists in (struck, again))
    for without in (proof, anew):
        assert torch.equal(whole[2:], without[1:]), (whole[2:] - without[1:]).abs().max()
        assert not torch.equal(whole[1], without[0])
    assert torch.equal(proof[:, 1:], anew[:, 1:])
    assert torch.equal(sample[1][2:], struck[1][1:])
    assert torch.equal(sample[1][2:], again[1][1:])


def test_where_parts_cancel_a_norm_is_right_with_many_features() -> None:
    """Gradients of two neighbours that cancel: what is left is exact up to a small part of what is added for
    rounding, however many features there are."""
    features, generator = 50_000, torch.Generator().manual_seed(0)
    net = SubgraphNetwork(features, 4, 2)
    net.initialise(generator)
    shape = torch.rand(features, generator=generator)
    x = torch.stack([torch.zeros(features), 0.7311 * shape, 1.3173 * shape])
    subgraphs = torch.tensor([[0, 1, 2]]).expand(BLOCK, -1)
    net.backward(x, subgraphs, torch.zeros(BLOCK, dtype=torch.int64))
    d1, second, third = net._kept
    unit = torch.randn(4, generator=generator)
    d1 = torch.stack([0 * unit, unit / 0.7311, -unit / 1.3173]).expand(BLOCK, -1, -1).contiguous()
    nothing = [torch.zeros_like(part) for part in (*second, *third)]
    net._kept = d1, (nothing[0], nothing[1], nothing[2]), (nothing[3], nothing[4])
    gradient = torch.cat([d1[0].double().t() @ x.double(), d1[0].double().sum(0).unsqueeze(1)], 1)
    lengths = (d1[0].double().norm(dim=1) * (x.double().square().sum(1) + 1).sqrt()).sum()
    found = float(net.squared_norms()[0, 0]) - network_module.CANCELLED * float(lengths) ** 2
    assert abs(found - float(gradient.square().sum())) < 0.01 * network_module.CANCELLED * float(lengths) ** 2
