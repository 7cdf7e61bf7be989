"""HeterPoisson: settings, accounting both ways, and training on graphs of every shape."""

import dataclasses
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.methods.toy_graphs import toy_graph
from tests.secrets_made_here import KEY

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.neighbours import edge_neighbours, with_node_nulled
from privgraph.data.spec import PublicFacts
from privgraph.data.splits import subgraph, with_split
from privgraph.methods import predictions
from privgraph.methods.gradients.heter_poisson import train as training
from privgraph.methods.gradients.heter_poisson.config import Config
from privgraph.methods.gradients.heter_poisson.smoothing import smoothed
from privgraph.methods.gradients.heter_poisson.train import train
from privgraph.methods.training import Context, train_one
from privgraph.papers import heter_poisson as published
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import Gaussian, NonPrivate, PoissonSampled, Repeated
from privgraph.progress import Event, Metric, Progress

FACTS = PublicFacts(nodes=22_470, edges=170_823, entries=341_646, features=128, classes=4, train_nodes=16_853)
SMALL: dict[str, object] = {"hidden": 8, "epochs": 3, "batch_size": 30, "epsilon": 20.0, "noise": "spherical-laplace"}
"""With the noise whose plan is found fastest; what is asked of training here is asked of both."""


def told(graph: Graph, *, seed: int = 0, folder: Path | None = None, **options: object) -> list[Event]:
    return list(
        train_one(train, Config(**{**SMALL, **options}), graph, Context(seed=seed, folder=folder, noise_key=KEY))
    )  # type: ignore[arg-type]


def result(events: list[Event]) -> dict[str, float]:
    last = events[-1]
    return dict(last.metrics)


def social(**options: object) -> Graph:
    return load("social", data_options={"nodes": 120, "degree": 6.0, "features": 12, **options})


def test_without_neighbours_a_step_is_a_sampled_gaussian() -> None:
    config = Config(neighbours=0, epsilon=4.0)
    multiplier, rate, steps = config.scale(FACTS), config.rate(FACTS), config.steps(FACTS)
    plain = Repeated(event=PoissonSampled(rate=rate, event=Gaussian(noise_multiplier=multiplier)), count=steps)
    assert tight().epsilon(plain, 1e-5) == pytest.approx(config.plan(FACTS).statement.epsilon, rel=1e-6)


def test_spherical_laplace_noise_has_no_sound_epsilon() -> None:
    for accounting in ("sound", "published"):  # what is asked for makes no difference
        plan = Config(noise="spherical-laplace", exclusive=True, accounting=accounting, neighbours=2).plan(FACTS)
        statement = plan.statement
        assert math.isinf(statement.epsilon)
        assert 0.99 * 8 <= statement.epsilon_as_published <= 8
        (entry,) = statement.ledger
        assert isinstance(entry.event, NonPrivate)
        assert any("none proved" in note for note in plan.notes)
        assert entry.noise_std == plan.noise["gradient"]
        assert statement.epsilon_as_published == pytest.approx(
            published.epsilon(
                central_rate=4096 / 16_853, neighbours=2, out_degree=22_469, steps=entry.count,
                sigma=entry.noise_std or 0, delta=1e-5
            )
        )  # fmt: skip


@pytest.mark.parametrize(("preset", "passes"), [("as-published", 9), ("as-published-reddit", 4)])
def test_presets_are_the_settings_of_the_appendix(preset: str, passes: int) -> None:
    config = Config(preset=preset, epsilon=2.0, neighbours=2, batch_size=7, hidden=16)
    own = config.resolved()
    assert (own.noise, own.accounting, own.exclusive, own.optimiser) == ("spherical-laplace", "published", True, "sgd")
    assert (own.clip, own.hidden, own.test_neighbours, own.neighbours, own.epsilon) == (0.5, 128, 13, 2, 2.0)
    assert config.rate(FACTS) == 4096 / 22_470
    assert config.steps(FACTS) == math.ceil(passes * 22_470 / 4096)
    statement = config.plan(FACTS).statement
    assert statement.delta == pytest.approx(22_470**-1.1)
    assert statement.epsilon_as_published <= 2
    assert Config(preset=preset, delta=1e-4).plan(FACTS).statement.delta == 1e-4


@pytest.mark.long
def test_it_learns_without_noise_and_less_with_much() -> None:
    graph = toy_graph(nodes=300, signal=1.5)
    options: dict[str, object] = {"hidden": 32, "epochs": 15, "batch_size": 60}
    much: dict[str, object] = {"epsilon": 0.05, "neighbours": 0, "noise": "gaussian"}
    free = [result(told(graph, seed=seed, unit="none", **options))["test_accuracy"] for seed in range(3)]
    noisy = [result(told(graph, seed=seed, **{**options, **much}))["test_accuracy"] for seed in range(3)]
    assert np.mean(free) > 0.7
    assert np.mean(noisy) < np.mean(free) - 0.15


@pytest.mark.parametrize("kind", ["directed", "no edges", "not finite", "one node trains"])
def test_graphs_of_every_shape(kind: str) -> None:
    graph = social()
    if kind == "directed":
        source, target = graph.edge_index
        graph = dataclasses.replace(graph, edge_index=graph.edge_index[:, source < target], undirected=False, _cache={})
    elif kind == "no edges":
        graph = dataclasses.replace(graph, edge_index=graph.edge_index[:, :0], _cache={})
    elif kind == "not finite":
        x = graph.x.clone()
        x[graph.train_mask.nonzero()[0]] = math.nan
        graph = dataclasses.replace(graph, x=x, _cache={})
    else:
        mask = torch.zeros_like(graph.train_mask)
        mask[5] = True
        graph = dataclasses.replace(graph, train_mask=mask, _cache={})
    events = told(graph, layers=2, neighbours=3, epsilon=50.0)
    assert all(math.isfinite(event.value) for event in events if isinstance(event, Metric))
    assert math.isfinite(result(events)["val_accuracy"])


def test_it_stops_between_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within an epoch too: what was run is not in the ledger yet, and the plan's whole price stands."""
    monkeypatch.setattr(training, "TELL_SECONDS", -1.0)
    context = Context(noise_key=KEY)
    running = train_one(train, Config(**{**SMALL, "epochs": 1}), social(), context)  # type: ignore[arg-type]
    first, second = next(running), next(running)
    assert first == second == Progress(step=0, total=1, stage="training")
    running.close()
    assert list(running) == []
    assert context.ledger.entries == ()


def test_predictions_of_others_do_not_read_who_trains(tmp_path: Path) -> None:
    """Without training signal, a training node's features and edges leave no trace in them."""
    graph = social()
    node = int(graph.train_mask.nonzero()[3])
    left = with_node_nulled(graph, node)
    left = dataclasses.replace(left, train_mask=graph.train_mask, _cache={})  # who trains is public
    probabilities = []
    for number, own in enumerate((graph, left)):
        folder = tmp_path / str(number)
        folder.mkdir()
        told(own, folder=folder, optimiser="sgd", learning_rate=1e-30, epochs=1)
        with np.load(folder / "predictions.npz") as arrays:
            probabilities.append(arrays["probabilities"])
    others = np.arange(120) != node
    assert np.allclose(probabilities[0][others], probabilities[1][others], atol=1e-6)
    assert not np.allclose(probabilities[0][node], probabilities[1][node], atol=1e-3)


def toy() -> Graph:
    return with_split(subgraph(load("karate"), torch.arange(12)), 2)


def some_logs(nodes: int) -> torch.Tensor:
    return torch.randn(nodes, 3, generator=torch.Generator().manual_seed(0)).log_softmax(1)


def test_each_round_is_half_ones_own_and_half_the_mean_of_neighbours_that_do_not_train() -> None:
    graph = toy()
    free, own = ~graph.train_mask, some_logs(12).double()
    dense = graph.adjacency().to_dense().double() * free.double().unsqueeze(1) * free.double()
    mean = dense / dense.sum(1, keepdim=True).clamp_min(1)
    expected = own
    for rounds in range(4):
        assert torch.allclose(smoothed(own, graph.edge_index, graph.train_mask, rounds), expected)
        expected = torch.where(dense.sum(1, keepdim=True) > 0, (own + mean @ expected) / 2, own)
    assert not torch.equal(smoothed(own, graph.edge_index, graph.train_mask, 1), own)


def test_no_record_and_no_edge_of_a_training_node_is_read() -> None:
    """Every training node of a small graph leaves, and every edge of one comes or goes: to the last bit."""
    graph, own = toy(), some_logs(12)
    whole = smoothed(own, graph.edge_index, graph.train_mask, 3)
    assert torch.equal(whole[graph.train_mask], own[graph.train_mask])
    for node in graph.train_mask.nonzero().flatten().tolist():
        left, moved = with_node_nulled(graph, node), own.clone()
        moved[node] = torch.tensor([1.0, 0.0, 0.0])
        others = torch.arange(12) != node
        roster = left.training_roster
        assert torch.equal(smoothed(moved, left.edge_index, roster, 3)[others], whole[others])
    dense = graph.adjacency().to_dense()
    for other in edge_neighbours(graph):
        ends = (other.adjacency().to_dense() != dense).nonzero()[0]
        same = torch.equal(smoothed(own, other.edge_index, graph.train_mask, 3), whole)
        assert same or not bool(graph.train_mask[ends].any())


def test_it_changes_predictions_and_neither_noise_nor_price(tmp_path: Path) -> None:
    graph = load("social", data_options={"nodes": 120, "degree": 8.0, "features": 12})
    said = {}
    for rounds in (0, 2):
        config = Config(neighbours=0, epochs=3, hidden=8, smoothing=rounds)
        folder = tmp_path / str(rounds)
        folder.mkdir()
        context = Context(noise_key=KEY, folder=folder)
        for _ in train_one(train, config, graph, context):
            pass
        with np.load(folder / predictions.NAME, allow_pickle=False) as held:
            said[rounds] = config.plan(graph.facts).statement, context.ledger.entries, held["probabilities"]
    (plain, ledger, before), (smooth, paid, after) = said[0], said[2]
    assert (plain.epsilon, ledger) == (smooth.epsilon, paid)
    assert replace(smooth, released=plain.released) == plain
    assert smooth.released != plain.released
    trains = graph.train_mask.numpy()
    assert np.allclose(before[trains], after[trains], atol=1e-6)
    assert not np.allclose(before[~trains], after[~trains], atol=1e-2)
