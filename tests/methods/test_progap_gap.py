"""ProGAP and GAP, trained: what edges can reach, what is sampled and dropped, and who shares a stack."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.methods.toy_graphs import toy_graph, without_edge
from tests.secrets_made_here import KEY
from torch import Tensor

from privgraph.data.spec import PublicFacts
from privgraph.methods.aggregation import stack as stacking
from privgraph.methods.base import Fixed
from privgraph.methods.training import Context, Member, planned, train_one
from privgraph.options import build
from privgraph.privacy.events import Gaussian, PoissonSampled
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
    """Neighbouring graphs with the same seed: give the second the first's noisy sums, and it is the first
    run."""
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
    """Masks are dealt out by place in a batch: known ones would move every gradient with one node more. They
    hang on the key."""

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
    """Golden `progap-published-10/16` and `progap-tight-06`: the code's noise scale on the paper's Facebook
    graph."""
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
