"""ProGAP and GAP: what edges can reach, what is sampled and dropped, own rows, mapped graphs, and plans."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import norm
from tests.data import large_made_here as made
from tests.methods.toy_graphs import toy_graph, without_edge
from tests.secrets_made_here import KEY, secret
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.own.adding import add
from privgraph.data.spec import PublicFacts
from privgraph.mechanisms import aggregation
from privgraph.mechanisms.aggregation import AggregationPerturbation, aggregate, unit_rows
from privgraph.mechanisms.degree import bounded_graph
from privgraph.mechanisms.entries import replaced_gradient_entry
from privgraph.methods.aggregation import stack as stacking
from privgraph.methods.aggregation.gap.config import Config
from privgraph.methods.base import Fixed
from privgraph.methods.training import Context, Member, planned, train_one
from privgraph.options import build
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import Gaussian, PoissonSampled, Repeated
from privgraph.privacy.kinds import MechanismKind
from privgraph.progress import Event, Result
from privgraph.registry import method

METHODS = ("progap", "gap")
UNITS = ("none", "edge", "node")
CHANCE = ("test_nodes", "majority_class_accuracy", "test_macro_f1", "test_auc")


def _config(name: str, **options: Any) -> Any:
    return method(name).load_config()(**({"epochs": 6, "batch_size": 30, "max_degree": 4} | options))


def _member(config: Any, run: int = 0, folder: Path | None = None, **graph: Any) -> Member:
    return planned(
        config=config, graph=toy_graph(split_seed=run, **graph), context=Context(seed=run, folder=folder, noise_key=KEY)
    )


def _run(name: str, members: Sequence[Member]) -> list[list[Event]]:
    events: list[list[Event]] = [[] for _ in members]
    for position, event in method(name).load_train()(members):
        events[position].append(event)
    return events


def _probabilities(folder: Path) -> Any:
    return np.load(folder / "predictions.npz")["probabilities"]


Release = Callable[..., Tensor]


@pytest.mark.parametrize("name", METHODS)
def test_edges_are_read_once_a_hop_and_only_through_the_noise(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A neighbouring graph that is given the first one's noisy sums is the first run."""
    release: Release = stacking.release_stack
    seen: list[Tensor] = []

    def record(*arguments: Any) -> Tensor:
        seen.append(release(*arguments).clone())
        return seen[-1].clone()

    folders = [tmp_path / part for part in ("first", "neighbour", "replayed")]
    for folder in folders:
        folder.mkdir()
    config = _config(name, unit="edge", epsilon=2.0, depth=3, delta=1e-4)
    graph = toy_graph()
    neighbour = without_edge(graph, 17)
    # the true number of entries is public; both runs are given the same, so that their noise is the same
    calibrated = config.scale(graph.facts)
    monkeypatch.setattr(type(config), "calibration", lambda self, facts: Fixed(calibrated))
    monkeypatch.setattr(stacking, "release_stack", record)
    _run(name, [planned(config, graph, Context(folder=folders[0], noise_key=KEY))])
    assert len(seen) == 3, "K aggregations: training, selection and inference all read the cache"
    first = list(seen)
    _run(name, [planned(config, neighbour, Context(folder=folders[1], noise_key=KEY))])
    monkeypatch.setattr(stacking, "release_stack", lambda *arguments: first.pop(0))
    _run(name, [planned(config, neighbour, Context(folder=folders[2], noise_key=KEY))])
    np.testing.assert_array_equal(_probabilities(folders[0]), _probabilities(folders[2]))
    assert np.abs(_probabilities(folders[0]) - _probabilities(folders[1])).max() > 0


@pytest.mark.parametrize("name", METHODS)
def test_node_level_runs_see_the_bounded_sample_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release: Release = stacking.release_stack
    degrees: list[int] = []

    def watch(mechanisms: Any, adjacencies: Sequence[Tensor], *rest: Any) -> Tensor:
        for mechanism, adjacency in zip(mechanisms, adjacencies, strict=True):
            assert mechanism.std == pytest.approx(scales[mechanism.max_degree] * math.sqrt(mechanism.max_degree))
            degrees.append(int(torch.bincount(adjacency.col_indices(), minlength=150).max()) - mechanism.max_degree)
        return release(mechanisms, adjacencies, *rest)

    members = [_member(_config(name, unit="node", epsilon=8.0, max_degree=limit, epochs=1), limit) for limit in (3, 5)]
    scales = {m.config.max_degree: m.config.scale(m.graph.facts) for m in members}
    monkeypatch.setattr(stacking, "release_stack", watch)
    _run(name, members)
    assert degrees
    assert max(degrees) == 0


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_edges_help_without_noise_and_not_at_a_tiny_epsilon(name: str) -> None:
    """Features carry almost nothing, so what is learnt beyond chance is learnt from edges."""
    shape = {"nodes": 450, "signal": 0.4, "degree": 16.0}
    accuracy = {}
    for label, options in {
        "open": {"unit": "none"},
        "tiny": {"unit": "edge", "epsilon": 0.02},
        "node": {"unit": "node", "epsilon": 0.02},
    }.items():
        members = [
            _member(_config(name, **(options | {"epochs": 60 if label != "node" else 3})), seed, **shape)
            for seed in range(3)
        ]
        results = [events[-1] for events in _run(name, members)]
        accuracy[label] = float(np.mean([r.metrics["test_accuracy"] for r in results if isinstance(r, Result)]))
    assert accuracy["open"] > 0.75
    assert accuracy["tiny"] < 0.6
    assert accuracy["node"] < 0.6


@pytest.mark.parametrize("name", METHODS)
def test_a_graph_without_edges_and_without_validation_nodes_trains(name: str) -> None:
    graph = toy_graph()
    bare = replace(
        graph, edge_index=torch.zeros(2, 0, dtype=torch.int64), val_mask=torch.zeros_like(graph.val_mask), _cache={}
    )
    for unit in UNITS:
        member = planned(_config(name, unit=unit, epochs=2), bare, Context(noise_key=KEY))
        (events,) = _run(name, [member])
        assert set(events[-1].metrics) == {"test_accuracy", "train_accuracy", "test_precision", *CHANCE}


@pytest.mark.parametrize("name", ["gap", "progap"])
def test_nobody_knows_which_units_were_dropped(name: str) -> None:
    """Masks hang on the key: known ones would move every gradient with one node more."""

    class Look:
        def __init__(self) -> None:
            self.sums: list[torch.Tensor] = []

        def join(self, total: torch.Tensor, clip: float) -> None:
            self.sums.append(total.clone())

        def see(self, released: torch.Tensor) -> None:
            pass

    def first(key: bytes, dropout: float) -> torch.Tensor:
        config = method(name).load_config()(unit="node", epochs=1, batch_size=10**6, depth=1, hidden=8, dropout=dropout)
        look = Look()
        context = Context(seed=0, noise_key=key, observer=look)
        list(train_one(method(name).load_train(), config, toy_graph(), context))
        return look.sums[0]

    assert torch.equal(first(KEY, 0.0), first(KEY + b"2", 0.0))
    assert torch.equal(first(KEY, 0.5), first(KEY, 0.5))
    assert not torch.allclose(first(KEY, 0.5), first(KEY + b"2", 0.5), rtol=0.1)


FACTS = PublicFacts(nodes=4425, edges=162_995, entries=325_990, features=253, classes=6, train_nodes=3319)


def _plan(name: str, facts: PublicFacts = FACTS, **options: Any) -> Any:
    return build(method(name).load_config(), options).plan(facts)


@pytest.mark.parametrize("name", METHODS)
def test_an_undirected_edge_needs_root_two_more_noise(name: str) -> None:
    directed = PublicFacts(**(vars(FACTS) | {"undirected": False, "edges": FACTS.entries}))
    both, one = _plan(name, epsilon=1.0), _plan(name, directed, epsilon=1.0)
    assert both.noise["aggregation_std"] == pytest.approx(math.sqrt(2) * one.noise["aggregation_std"], rel=3e-3)


def test_the_noise_of_the_papers_tables() -> None:
    """Golden `progap-published-10/16` and `progap-tight-06`, on the paper's Facebook graph."""
    facebook = PublicFacts(
        nodes=26_406, edges=1_058_962, entries=2_117_924, features=501, classes=6, train_nodes=19_804
    )
    config = build(
        method("progap").load_config(),
        {"unit": "node", "epsilon": 8, "depth": 2, "batch_size": 256, "epochs": 10, "accounting": "published"},
    )
    sampling = config.sampling(facebook)
    assert (sampling.steps, sampling.rate) == (773, 0.012926681478489193)
    plan = config.plan(facebook)
    assert plan.statement.delta == 1e-5
    assert plan.noise["gradient_multiplier"] == pytest.approx(1.0434, rel=1e-3)
    assert plan.noise["aggregation_std"] == pytest.approx(10 * plan.noise["gradient_multiplier"])
    edge = build(method("progap").load_config(), {"depth": 5, "epsilon": 1.4477, "delta": 1e-7}).plan(facebook)
    assert edge.noise["aggregation_std"] == pytest.approx(10.4618, rel=2e-3)


def test_progap_trains_one_stage_more_than_it_aggregates_and_gap_trains_twice() -> None:
    for name, trained in (("progap", 4), ("gap", 2)):
        entries = build(method(name).load_config(), {"unit": "node", "depth": 3}).entries(FACTS, 1.0)
        steps = [entry.count for entry in entries if isinstance(entry.event, PoissonSampled)]
        noisy_sums = [entry for entry in entries if isinstance(entry.event, Gaussian)]
        assert steps == [129] * trained  # floor(10 * 3319 / 256)
        assert [entry.count for entry in noisy_sums] == [1, 1, 1]
        assert all(entry.sensitivity == 10.0 for entry in noisy_sums)


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
    """Node 0 has any neighbours before and after, and turns round; who points at it points one way."""
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
    """By quadrature: covered, and no longer at 98 per cent of epsilon."""
    event = replaced_gradient_entry(0.5, noise, rate, "encoder", 1).event
    grid = np.linspace(-1 - 12 * noise, 1 + 12 * noise, 200_001)
    one, other = ((1 - rate) * norm.pdf(grid, 0, noise) + rate * norm.pdf(grid, sign, noise) for sign in (1, -1))
    for delta in (1e-2, 1e-4):
        epsilon = tight().epsilon(event, delta)
        assert np.trapezoid(np.maximum(one - math.exp(epsilon) * other, 0), grid) <= delta * (1 + 1e-6)
        assert np.trapezoid(np.maximum(one - math.exp(0.98 * epsilon) * other, 0), grid) > delta


@pytest.fixture
def graphs(tmp_path: Path) -> tuple[Graph, Graph]:
    """One and the same graph: in memory, and mapped from files."""
    mapped = load(add(made.write(tmp_path, "csv")).name, split_seed=3)
    plain = replace(mapped, x=mapped.x.clone(), y=mapped.y.clone(), edge_index=mapped.edge_index.clone(), _cache={})
    return plain, mapped


@pytest.mark.parametrize("most", [2_048, 100])  # where a node has more neighbours, sums are made in double precision
@pytest.mark.parametrize("entries", [1, 13, 1_000])
def test_noisy_sums_in_chunks_of_a_mapped_graph(
    entries: int, most: int, graphs: tuple[Graph, Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow twin: every row summed by itself, in whole numbers, which have no rounding at all."""
    plain, mapped = graphs
    monkeypatch.setattr(aggregation, "_MOST_TERMS", most)
    rows = unit_rows(torch.randn(made.NODES, 5, generator=torch.Generator().manual_seed(0)))
    grains = (rows.double() * 2**13).long()
    assert torch.equal(grains.double() / 2**13, rows.double())
    source, target = plain.edge_index
    exact = torch.zeros(made.NODES, 5, dtype=torch.int64).index_add_(0, target, grains[source]).double() / 2**13
    whole = aggregate(plain.adjacency(), rows)
    mechanism = AggregationPerturbation(unit="edge", std=2.0)
    noisy = mechanism.release(plain.adjacency(), rows, secret())
    assert mapped.facts.entries < aggregation._CHUNK_ENTRIES  # in one piece
    monkeypatch.setattr(aggregation, "_CHUNK_ENTRIES", entries)
    chunked = aggregate(mapped.adjacency(), rows)
    assert chunked.dtype == (torch.float32 if most == 2_048 else torch.float64)
    assert torch.equal(chunked.double(), exact)
    assert torch.equal(chunked, whole)
    assert torch.equal(mechanism.release(mapped.adjacency(), rows, secret()), noisy)
    assert not torch.equal(noisy, whole)
