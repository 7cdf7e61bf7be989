"""The engine on a CUDA device: the same events, ledgers and guarantees as on the CPU, and sums that agree."""

import dataclasses
import math

import pytest
import torch
from tests.methods.layer_by_layer import fit_by_layers, losses
from tests.secrets_made_here import KEY, secret

from privgraph.data.load import load
from privgraph.mechanisms.aggregation import AggregationPerturbation, aggregate, unit_rows
from privgraph.methods.baselines.gnn.config import Config as GnnConfig
from privgraph.methods.baselines.network import fit_together
from privgraph.methods.outsider import Outsider
from privgraph.methods.training import Context, planned
from privgraph.nn.gnn import CONVOLUTIONS
from privgraph.nn.small_graphs import Answer, Recipe, SmallGraph, train_small_graphs
from privgraph.options import build
from privgraph.progress import Event, Result
from privgraph.registry import METHODS, method

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device at hand")]


def test_sums_of_neighbours_agree_with_the_cpu() -> None:
    graph = load("social")
    rows = unit_rows(torch.randn(graph.num_nodes, 16, generator=torch.Generator().manual_seed(0)))
    there = aggregate(graph.adjacency().cuda(), rows.cuda()).cpu()
    assert torch.equal(there, aggregate(graph.adjacency(), rows)), "sums of such rows are exact, in whatever order"


def test_noise_has_its_scale() -> None:
    mechanism = AggregationPerturbation(unit="edge", std=3.0)
    noise = mechanism.perturb_(torch.zeros(100_000, 4, device="cuda"), secret(1))
    assert float(noise.std()) == pytest.approx(3.0, rel=0.01)
    assert float(noise.mean()) == pytest.approx(0.0, abs=0.03)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_noise_is_the_same_on_every_device(dtype: torch.dtype) -> None:
    """The stream is drawn on the host, and the sum is made of whole numbers: not a digit differs."""
    mechanism = AggregationPerturbation(unit="edge", std=3.0)
    values = torch.randn(300, 7, generator=torch.Generator().manual_seed(0)).to(dtype)
    here = mechanism.perturb_(values.clone(), secret(4))
    assert torch.equal(mechanism.perturb_(values.cuda(), secret(4)).cpu(), here)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_trains_as_planned(name: str) -> None:
    spec = method(name)
    texts = "relation prediction" in spec.tasks
    graph, few = (load("products"), {"encoder": "tiny", "steps": 2}) if texts else (load("social"), {"epochs": 2})
    for unit in spec.units:
        config = build(spec.load_config(), {"unit": unit, **few})
        context = Context(seed=0, device=torch.device("cuda"), noise_key=KEY)
        *_, (_, last) = spec.load_train()([planned(config, graph, context)])
        assert isinstance(last, Result)
        assert math.isfinite(last.metrics["test_accuracy"])
        assert context.ledger.entries == config.plan(graph.facts).statement.ledger


@pytest.mark.parametrize("conv", CONVOLUTIONS)
def test_networks_trained_as_one_are_those_trained_layer_by_layer(conv: str) -> None:
    """In double precision: the same curves, best epochs and answers."""
    graph = load("social")
    graph = dataclasses.replace(graph, x=graph.x.double(), _cache={})
    config = GnnConfig(conv=conv, epochs=8, hidden=8)
    contexts = [Context(seed=seed, device=torch.device("cuda"), outsider=Outsider()) for seed in range(3)]
    told: list[list[Event]] = [[] for _ in contexts]
    for index, event in fit_together([graph] * 3, config, contexts):
        told[index].append(event)
    for context, events in zip(contexts, told, strict=True):
        alone = dataclasses.replace(context, outsider=Outsider())
        slow = list(fit_by_layers(graph, config, alone))
        assert losses(events) == pytest.approx(losses(slow), rel=1e-6)
        assert events[-1] == slow[-1]
        assert context.outsider is not None
        assert torch.allclose(context.outsider.logits["linked"], alone.outsider.logits["linked"], atol=1e-5)


def answers(device: str, chosen: list[int], recipe: Recipe, generators_on: str) -> list[Answer]:
    """Small models of 30, 7 and 20 nodes of the built-in graph, which is also what they are asked about."""
    graph = load("social")
    g = torch.Generator().manual_seed(3)
    tasks = []
    for size in (30, 7, 20):
        nodes = torch.randperm(graph.num_nodes, generator=g)[:size]
        edges = (torch.rand(size, size, generator=g) < 0.2).fill_diagonal_(False).nonzero().t()
        tasks.append(SmallGraph(nodes=nodes, edge_index=edges, labels=graph.y[nodes], queries=nodes[:5]))
    events = train_small_graphs(
        graph.x.double(),
        [tasks[task] for task in chosen],
        classes=graph.num_classes,
        recipe=recipe,
        evaluation_x=graph.x.double(),
        evaluation_adjacency=graph.adjacency().to(torch.float64),
        generators=lambda position: (
            torch.Generator(generators_on).manual_seed(2 * chosen[position]),
            torch.Generator(generators_on).manual_seed(2 * chosen[position] + 1),
        ),
        device=torch.device(device),
    )
    return sorted((event for event in events if isinstance(event, Answer)), key=lambda answer: answer.index)


def test_small_models_agree_with_the_cpu() -> None:
    recipe = Recipe(hidden=16, dropout=0.0, epochs=10, patience=3)
    here, there = (answers(device, [0, 1, 2], recipe, "cpu") for device in ("cpu", "cuda"))
    for one, other in zip(here, there, strict=True):
        assert torch.allclose(one.log_posterior, other.log_posterior, atol=1e-5)
        assert one.epochs == other.epochs


def test_a_small_model_in_a_stack_is_the_model_alone() -> None:
    recipe = Recipe(hidden=16, dropout=0.5, epochs=10)
    together = answers("cuda", [0, 1, 2], recipe, "cuda")
    for task in range(3):
        (alone,) = answers("cuda", [task], recipe, "cuda")
        assert torch.allclose(alone.log_posterior, together[task].log_posterior, atol=1e-5)
