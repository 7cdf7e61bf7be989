"""HeterPoisson's subgraphs: the algorithms line by line with the same coins, and who changes when a node
leaves."""

import itertools

import numpy as np
import pytest
import torch
from tests.nn.subgraph_twins import one_by_one
from tests.secrets_made_here import secret
from torch import Tensor

from privgraph.data.load import load
from privgraph.mechanisms.gradients import clip_factors
from privgraph.methods.gradients.heter_poisson.sampling import HeterPoisson, inference_subgraphs
from privgraph.nn.ragged_network import NETWORKS, RaggedNetwork
from privgraph.nn.ragged_subgraphs import Subgraphs
from privgraph.streams import Secret

FEATURES, CLASSES = 4, 3


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def directed(nodes: int, density: float, seed: int = 0) -> Tensor:
    drawn = torch.rand(nodes, nodes, generator=generator(seed)) < density
    drawn.fill_diagonal_(False)
    return drawn.nonzero().t()


Told = dict[int, tuple[set[int], set[tuple[int, int]]]]
"""Centre -> its nodes and the edges among them, by node numbers."""


def told(subgraphs: Subgraphs) -> Told:
    by_centre: Told = {}
    for index, centre in enumerate(subgraphs.centres.tolist()):
        part = subgraphs.part(index, index + 1)
        nodes = part.nodes.tolist()
        assert len(set(nodes)) == len(nodes)
        assert nodes[0] == centre
        by_centre[centre] = set(nodes), {(nodes[a], nodes[b]) for a, b in part.edges.t().tolist()}
    return by_centre


def algorithms_2_and_3(
    edges: Tensor, training: Tensor, rate: float, neighbours: int, exclusive: bool, stream: Secret
) -> Told:
    """The paper's loops, with coins in the order in which the fast path tosses them."""
    true = set(map(tuple, edges.t().tolist()))
    members = [node for node in range(len(training)) if training[node]]
    drawn = stream.coins(rate, len(members)).tolist()
    centres = [node for node, kept in zip(members, drawn, strict=True) if kept]
    candidates = [(i, j) for i in centres for j in members if (j, i) in true]
    out_degrees = [sum(1 for source, _ in true if source == j) for _, j in candidates]
    chances = np.array([min(1.0, neighbours / out_degree) for out_degree in out_degrees])
    peripheral: dict[int, set[int]] = {i: set() for i in centres}
    for (i, j), kept in zip(candidates, stream.coins(chances).tolist(), strict=True):
        if kept:
            peripheral[i].add(j)
    if exclusive:
        for i in centres:
            peripheral[i] -= set(centres)
    return {i: ({i} | found, {(a, b) for a, b in true if {a, b} <= {i} | found}) for i, found in peripheral.items()}


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("neighbours", [0, 3])
@pytest.mark.parametrize("rate", [0.2, 1.0])
def test_draws_are_those_of_the_algorithms(rate: float, neighbours: int, exclusive: bool) -> None:
    graph = load("karate")
    for edges, seed in ((graph.edge_index, 1), (directed(34, 0.15), 2)):
        sampler = HeterPoisson(edges, graph.train_mask, rate=rate, neighbours=neighbours, exclusive=exclusive)
        sizes = []
        for step in range(8):
            drawn = told(sampler.draw(secret(100 * seed + step)))
            again = secret(100 * seed + step)
            assert drawn == algorithms_2_and_3(edges, graph.train_mask, rate, neighbours, exclusive, again)
            sizes += [len(nodes) for nodes, _ in drawn.values()]
        assert len(sizes) > 8
        assert (max(sizes) > 1) == (neighbours > 0 and not (exclusive and rate == 1))


def clipped(
    net: RaggedNetwork, x: Tensor, y: Tensor, subgraphs: Subgraphs, clip: float
) -> tuple[dict[int, Tensor], Tensor]:
    """Each centre's clipped gradient by the slow twin, and the sum of them by the fast path."""
    total = torch.zeros(net.parameters.shape[1])
    if not len(subgraphs):
        return {}, total
    labels, clips = y[subgraphs.centres], torch.tensor([clip])
    for part in net.gradients(x, subgraphs, labels):
        part.add_to(total, clip_factors(part.squared_norms().unsqueeze(0), clips)[0])
    _, each = one_by_one(net, x, subgraphs, labels)
    each = each * clip_factors(each.square().sum(1).unsqueeze(0), clips)[0].unsqueeze(1)
    return dict(zip(subgraphs.centres.tolist(), each, strict=True)), total


@pytest.mark.long
@pytest.mark.parametrize("exclusive", [False, True])
def test_who_changes_when_a_node_leaves(exclusive: bool) -> None:
    """Every node of a toy graph leaves, for every set of centres and some coins: what changes is what the
    proof says.

    One gradient more if the node is central, k others that held it, and with the rule never both; the sum
    moves by at most C and 2 C k.
    """
    nodes, clip = 5, 0.5
    edges, everybody = directed(nodes, 0.6, seed=4), torch.ones(nodes, dtype=torch.bool)
    x, y = torch.randn(nodes, FEATURES, generator=generator(1)) * 3, torch.arange(nodes) % CLASSES
    degrees = torch.bincount(edges[0], minlength=nodes)
    kinds = itertools.cycle((kind, layers) for kind in NETWORKS for layers in (1, 2))
    seen, largest = set(), 0.0
    before = HeterPoisson(edges, everybody, rate=0.5, neighbours=2, exclusive=exclusive)
    for number, node in enumerate(range(nodes)):
        others = everybody.clone()
        others[node] = False
        after = HeterPoisson(
            edges[:, (edges != node).all(0)], others, rate=0.5, neighbours=2, exclusive=exclusive, frozen=degrees
        )
        blank = x.clone()
        blank[node] = 1e6  # whatever stands in the record of one who has left is read by nobody
        for size in range(1, nodes + 1):
            for chosen in itertools.combinations(range(nodes), size):
                kind, layers = next(kinds)
                net = RaggedNetwork(kind, FEATURES, 5, CLASSES, layers=layers)
                net.initialise(generator(number))
                coin = torch.rand(nodes, nodes, generator=generator(size), dtype=torch.float64)

                def formed(sampler: HeterPoisson, centres: tuple[int, ...], coin: Tensor = coin) -> Subgraphs:
                    middle = torch.tensor(centres, dtype=torch.int64)
                    which, place = sampler.edges.of(middle)
                    coins = coin[sampler.edges.sources[place], middle[which]]
                    return sampler.formed(middle, coins < sampler._chance[place])

                with_node = formed(before, chosen)
                own, total = clipped(net, x, y, with_node, clip)
                left, left_total = clipped(net, blank, y, formed(after, tuple(c for c in chosen if c != node)), clip)
                holders = {c for c, (inside, _) in told(with_node).items() if node in inside and c != node}
                changed = {c for c in left if not torch.allclose(own[c], left[c], atol=1e-6)}
                assert changed <= holders
                assert set(own) - set(left) == ({node} & set(chosen))
                if exclusive and node in chosen:
                    assert not holders
                bound = 2 * clip * len(holders) + clip * (node in chosen)
                moved = float((total - left_total).norm())
                assert moved <= bound * (1 + 1e-4) + 1e-5
                seen.add((len(changed), node in chosen))
                largest = max(largest, moved / clip)
    assert {(0, True), (1, False), (2, False)} <= seen
    assert exclusive or (1, True) in seen
    assert largest > 1


@pytest.mark.parametrize("most", [0, 3, 100])
def test_predictions_read_no_training_node_but_their_own(most: int) -> None:
    graph = load("social", data_options={"nodes": 100, "degree": 12.0})
    training, edges = graph.train_mask, graph.edge_index
    by_centre = told(inference_subgraphs(edges, training, most, secret()))
    assert list(by_centre) == list(range(100))
    true = set(map(tuple, edges.t().tolist()))
    outside = torch.bincount(edges[1, ~training[edges[0]]], minlength=100)
    for node, (inside, among) in by_centre.items():
        read = inside - {node}
        assert all(not training[j] and (j, node) in true for j in read)
        assert len(read) == min(most, int(outside[node]))
        assert among == {(a, b) for a, b in true if {a, b} <= inside}
    some = torch.tensor([70, 3])
    assert told(inference_subgraphs(edges, training, most, secret(), some)) == {n: by_centre[n] for n in (70, 3)}


def test_neighbours_in_predictions_are_drawn_evenly() -> None:
    edges = torch.stack([torch.arange(1, 11), torch.zeros(10, dtype=torch.int64)])
    nobody = torch.zeros(11, dtype=torch.bool)
    counts, draws = torch.zeros(11), secret(5)
    for _ in range(1000):
        nodes = inference_subgraphs(edges, nobody, 3, draws, torch.tensor([0])).nodes
        counts[nodes] += 1
    assert counts[0] == 1000
    assert float((counts[1:] - 300).abs().max()) < 5 * (1000 * 0.3 * 0.7) ** 0.5


def test_no_edges_and_nobody() -> None:
    none = torch.empty(2, 0, dtype=torch.int64)
    for training in (torch.ones(4, dtype=torch.bool), torch.zeros(4, dtype=torch.bool)):
        drawn = HeterPoisson(none, training, rate=1.0, neighbours=2, exclusive=True).draw(secret())
        assert drawn.centres.tolist() == training.nonzero().squeeze(1).tolist()
        assert len(inference_subgraphs(none, training, 3, secret())) == 4
