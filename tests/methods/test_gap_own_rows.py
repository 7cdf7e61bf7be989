"""GAP with own rows covered: the sensitivity by enumeration, and the price."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy.stats import norm
from tests.methods.toy_graphs import toy_graph
from torch import Tensor

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.aggregation import AggregationPerturbation, unit_rows
from privgraph.mechanisms.degree import bounded_graph
from privgraph.mechanisms.entries import replaced_gradient_entry
from privgraph.methods.aggregation.gap.config import Config
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import Gaussian, PoissonSampled, Repeated
from privgraph.privacy.kinds import MechanismKind

FACTS = PublicFacts(nodes=4425, edges=162_995, entries=325_990, features=253, classes=6, train_nodes=3319)


def summed(row: tuple[int, ...], column: tuple[int, ...], others: Tensor, own: Tensor) -> Tensor:
    """All rows' sums, node 0 with these in-neighbours and out-neighbours; nobody else has an edge."""
    nodes = len(others) + 1
    rows = unit_rows(torch.cat([own.unsqueeze(0), others]))
    adjacency = torch.zeros(nodes, nodes)
    adjacency[0, list(row)] = 1
    adjacency[list(column), 0] = 1
    return adjacency @ rows


@pytest.mark.long
@pytest.mark.parametrize("bound", [1, 2])
def test_sensitivity_by_replacing_a_record_in_every_way(bound: int) -> None:
    """Node 0 has any in- and out-neighbours before and after, and turns round; its in-neighbours point the
    same way."""
    mechanism = AggregationPerturbation(unit="node", std=1.0, max_degree=bound, own_rows=True)
    others = torch.tensor([[1.0, 0.0]] * 2 + [[-1.0, 0.0]] * 2)
    lists = [chosen for size in range(bound + 1) for chosen in itertools.combinations(range(1, 5), size)]
    worst = 0.0
    for row, column, other_row, other_column in itertools.product(lists, repeat=4):
        before = summed(row, column, others, torch.tensor([3.0, 0.0]))
        after = summed(other_row, other_column, others, torch.tensor([-5.0, 0.0]))
        worst = max(worst, float((before - after).norm()))
    assert worst <= mechanism.sensitivity + 1e-5
    # rows are cut off to multiples of 2^-13
    assert worst == pytest.approx(2 * math.sqrt(bound * (bound + 1)), rel=2.0**-12)


@pytest.mark.parametrize("bound", [1, 3])
def test_a_sample_that_is_bounded_both_ways(bound: int) -> None:
    graph = toy_graph()
    edges = bounded_graph(graph, bound, seed=1, both_ways=True).edge_index
    one_way = bounded_graph(graph, bound, seed=1).edge_index
    assert int(torch.bincount(edges[0]).max()) <= bound
    assert int(torch.bincount(edges[1]).max()) <= bound < int(torch.bincount(one_way[1]).max())
    assert set(map(tuple, edges.t().tolist())) < set(map(tuple, one_way.t().tolist()))


def test_the_price_is_sound_and_dearer() -> None:
    plain, covered = (Config(unit="node", epsilon=8.0, own_rows=own) for own in (False, True))
    one, other = plain.plan(FACTS), covered.plan(FACTS)
    assert 0.98 * 8 <= other.statement.epsilon <= 8
    assert other.noise["aggregation_std"] > 10 * one.noise["aggregation_std"]
    aggregations = [entry for entry in other.statement.ledger if entry.kind is MechanismKind.REPLACED_AGGREGATION]
    assert len(aggregations) == covered.depth
    for entry in aggregations:
        assert entry.sensitivity == pytest.approx(2 * math.sqrt(100 * 101))
        assert entry.event == Gaussian(noise_multiplier=entry.noise_std / entry.sensitivity)
        assert entry.event_as_published == Gaussian(noise_multiplier=entry.noise_std / (2 * 101 * 10))
    published = Config(unit="node", epsilon=8.0, own_rows=True, accounting="published").plan(FACTS).statement
    assert 0.98 * 8 <= published.epsilon_as_published <= 8


def test_replaced_gradients_cost_more_than_added_ones() -> None:
    config = Config(unit="node", own_rows=True)
    (entry,) = config.training_entries(FACTS, 4.0, "encoder")
    added = PoissonSampled(rate=entry.sampling_rate or 0, event=Gaussian(noise_multiplier=4.0))
    assert entry.event_as_published == added
    judge = tight()
    price, one_way = (judge.epsilon(Repeated(event=event, count=100), 1e-5) for event in (entry.event, added))
    assert one_way < price
    # The node's coin stays hidden: twice the noise more than makes up for a gradient that turns round.
    dearer = replaced_gradient_entry(1.0, 8.0, entry.sampling_rate or 0, "encoder", 100)
    assert judge.epsilon(Repeated(event=dearer.event, count=100), 1e-5) < one_way


@pytest.mark.parametrize(("rate", "noise"), [(0.1, 1.0), (0.5, 2.0), (1.0, 3.0)])
def test_the_price_of_a_replaced_gradient_is_what_one_that_turns_round_costs(rate: float, noise: float) -> None:
    """The exact law of the worst gradients, by quadrature: covered, and no longer at 98 per cent of
    epsilon."""
    event = replaced_gradient_entry(0.5, noise, rate, "encoder", 1).event
    grid = np.linspace(-1 - 12 * noise, 1 + 12 * noise, 200_001)
    one, other = ((1 - rate) * norm.pdf(grid, 0, noise) + rate * norm.pdf(grid, sign, noise) for sign in (1, -1))
    for delta in (1e-2, 1e-4):
        epsilon = tight().epsilon(event, delta)
        assert np.trapezoid(np.maximum(one - math.exp(epsilon) * other, 0), grid) <= delta * (1 + 1e-6)
        assert np.trapezoid(np.maximum(one - math.exp(0.98 * epsilon) * other, 0), grid) > delta
