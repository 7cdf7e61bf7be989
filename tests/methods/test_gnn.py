"""The baselines. The graph network: layers against their formulas, networks side by side and as one (as on a
GPU) against their slow twin, and the choice of the epoch."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from scipy import stats
from tests.methods.layer_by_layer import fit_by_layers, losses
from tests.methods.toy_graphs import toy_graph
from tests.secrets_made_here import KEY, secret

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.spec import PublicFacts
from privgraph.methods.baselines import network
from privgraph.methods.baselines.gnn.config import Config
from privgraph.methods.baselines.gnn.parts import noisy_labels
from privgraph.methods.baselines.gnn.train import train
from privgraph.methods.baselines.mlp.config import Config as Mlp
from privgraph.methods.baselines.mlp.train import train as train_mlp
from privgraph.methods.baselines.options import CONVOLUTIONS
from privgraph.methods.outsider import Outsider
from privgraph.methods.teachers.parts import split_parts
from privgraph.methods.training import Context, planned, train_one
from privgraph.nn.gnn import GraphNetwork, initialise
from privgraph.options import build
from privgraph.progress import Event, Metric, Result
from privgraph.registry import method

SOCIAL = {"nodes": 200, "degree": 8.0, "signal": 3.0}
CHANCE = ("test_nodes", "majority_class_accuracy", "test_macro_f1", "test_auc")


def attention_by_hand(layer: torch.nn.Module, h: torch.Tensor, looped: torch.Tensor) -> torch.Tensor:
    """Velickovic et al. 2018, equations 1 to 5, head by head, on a dense adjacency with self-loops."""
    values = (h @ layer.lin.weight.t()).view(3, 4, 1)
    outputs = []
    for head in range(4):
        v = values[:, head]
        score = (v @ layer.att_dst[0, head])[:, None] + (v @ layer.att_src[0, head])[None]
        weight = torch.nn.functional.leaky_relu(score, 0.2).masked_fill(looped == 0, -torch.inf).softmax(1)
        outputs.append(weight @ v)
    return torch.cat(outputs, 1)


@pytest.mark.parametrize("conv", CONVOLUTIONS)
def test_one_round_by_hand_on_a_directed_path(conv: str) -> None:
    """Edges 0 -> 1 -> 2: row i of the adjacency reads who points at i."""
    dense = torch.tensor([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    one = GraphNetwork(4, 2, conv=conv, layers=1, hidden=4)
    initialise(one, torch.Generator().manual_seed(0))
    (layer,) = one.convolutions
    h = torch.randn(3, 4, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        output = layer(h, one.prepare(dense.to_sparse_csr()))
        if conv == "sage":
            expected = (dense @ h) @ layer.lin_l.weight.t() + h @ layer.lin_r.weight.t()
        elif conv == "gcn":
            looped = dense + torch.eye(3)
            scale = looped.sum(1).rsqrt()
            expected = (scale[:, None] * looped * scale[None]) @ (h @ layer.lin.weight.t())
        elif conv == "gin":
            expected = layer.nn(h + dense @ h)
        else:
            expected = attention_by_hand(layer, h, dense + torch.eye(3))
    assert torch.allclose(output, expected, atol=1e-5)


def test_the_epoch_is_the_first_of_best_validation_accuracy() -> None:
    graph = load("social", data_options={"nodes": 200, "degree": 8.0})
    events = list(train_one(train, Config(epochs=30, hidden=8), graph))
    curve = {
        name: [event.value for event in events if isinstance(event, Metric) and event.name == name]
        for name in ("val_accuracy", "test_accuracy")
    }
    best = curve["val_accuracy"].index(max(curve["val_accuracy"]))
    assert events[-1] == Result(metrics=events[-1].metrics)
    assert events[-1].metrics["test_accuracy"] == curve["test_accuracy"][best]


@pytest.mark.parametrize("name", ["gnn", "mlp"])
def test_without_validation_nodes_the_last_epoch_is_kept(name: str) -> None:
    spec, graph = method(name), load("social", data_options=SOCIAL)
    unvalidated = dataclasses.replace(graph, val_mask=torch.zeros_like(graph.val_mask))
    config = build(spec.load_config(), {"epochs": 30, "hidden": 16, "dropout": 0.0})
    events = list(train_one(spec.load_train(), config, unvalidated))
    assert set(events[-1].metrics) == {"train_accuracy", "test_accuracy", *CHANCE}
    assert events[-1].metrics["train_accuracy"] > 0.6
    assert not any(isinstance(event, Metric) and event.name == "val_accuracy" for event in events)


@pytest.mark.parametrize("layers", [1, 3])
def test_the_mlp_learns_from_features_and_pays_nothing_for_edges(layers: int) -> None:
    config = Mlp(epochs=60, hidden=16, layers=layers, dropout=0.2)
    *_, result = train_one(train_mlp, config, load("social", data_options=SOCIAL))
    assert result.metrics["test_accuracy"] > 0.6, "chance is a quarter"
    statement = Mlp(epsilon=0.3).plan(load("karate").facts).statement
    assert statement.epsilon == statement.epsilon_as_published == 0.0
    assert any("never read" in text for text in statement.assumptions)


def trained(graphs: list[Graph], config: Config, seeds: list[int]) -> list[tuple[list[Event], Outsider]]:
    """The events of each member, and what it says to an outsider."""
    members = [
        planned(config, graph, Context(seed=seed, noise_key=KEY, outsider=Outsider()))
        for graph, seed in zip(graphs, seeds, strict=True)
    ]
    events: list[list[Event]] = [[] for _ in members]
    for index, event in train(members):
        events[index].append(event)
    outsiders = [member.context.outsider for member in members]
    return [(told, outsider) for told, outsider in zip(events, outsiders, strict=True) if outsider is not None]


def same(one: tuple[list[Event], Outsider], other: tuple[list[Event], Outsider]) -> bool:
    answers = all(torch.equal(one[1].logits[way], other[1].logits[way]) for way in ("linked", "alone"))
    return one[0] == other[0] and answers


@pytest.mark.parametrize("conv", CONVOLUTIONS)
@pytest.mark.parametrize("large", [False, True])
def test_a_member_of_a_stack_is_the_run_alone_to_the_bit(
    conv: str, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "LARGE", 1 if large else 1 << 20)
    whole = toy_graph(nodes=120)
    halves = [toy_graph(nodes=120, split_seed=split) for split in (0, 1)]
    graphs = [dataclasses.replace(whole, train_mask=half.train_mask, test_mask=half.test_mask) for half in halves]
    graphs.append(dataclasses.replace(graphs[0], edge_index=whole.edge_index[:, ::3].contiguous(), _cache={}))
    config = Config(conv=conv, epochs=5, hidden=8)
    together = trained(graphs, config, [0, 1, 1])
    for graph, seed, member in zip(graphs, (0, 1, 1), together, strict=True):
        (alone,) = trained([graph], config, [seed])
        assert same(member, alone)
    assert not same(together[1], together[2]), "other edges are another run"


@pytest.mark.parametrize("conv", CONVOLUTIONS)
def test_networks_trained_side_by_side_are_those_trained_layer_by_layer(conv: str) -> None:
    """The same curves and answers, up to rounding."""
    graph, config = toy_graph(nodes=150), Config(conv=conv, epochs=4, hidden=8, weight_decay=0.01)
    ((fast, outsider),) = trained([graph], config, [3])
    context = Context(seed=3, noise_key=KEY, outsider=Outsider())
    slow = list(fit_by_layers(graph, config, context))
    assert losses(fast) == pytest.approx(losses(slow), rel=1e-3)
    for way in ("linked", "alone"):
        assert torch.allclose(outsider.logits[way], context.outsider.logits[way], atol=0.02)


PARTS = {"private": 0.4, "public_train": 0.4, "public_test": 0.2}


def curve(graph: Graph, name: str, **given: object) -> list[float]:
    """A run's curve of that name."""
    config = Config(**{**PARTS, "epochs": 4, "hidden": 8, **given})  # type: ignore[arg-type]
    return [
        event.value
        for event in train_one(train, config, graph, Context(noise_key=KEY))
        if isinstance(event, Metric) and event.name == name
    ]


@pytest.mark.parametrize("data", ["private", "public", "joint", "noisy"])
def test_each_setting_learns_from_its_own_part_alone(data: str) -> None:
    """Whatever happens to the other part, the loss stays what it was."""
    graph = toy_graph(nodes=200)
    parts = split_parts(graph, Config(**PARTS))  # type: ignore[arg-type]
    private = torch.zeros(graph.num_nodes, dtype=torch.bool)
    private[parts.private_nodes] = True
    kept = ~private[graph.edge_index]

    def spoilt(members: torch.Tensor, edges: torch.Tensor) -> Graph:
        x, y = graph.x.clone(), graph.y.clone()
        x[members] += 1
        y[members] = (y[members] + 1) % 3
        return dataclasses.replace(graph, x=x, y=y, edge_index=graph.edge_index[:, edges], _cache={})

    before = curve(graph, "train_loss", trained_on=data)
    without_private = curve(spoilt(private, kept.all(0)), "train_loss", trained_on=data)
    without_public = curve(spoilt(~private, (~kept).all(0)), "train_loss", trained_on=data)
    assert (before == without_private) == (data in ("public", "noisy"))
    assert (before == without_public) == (data == "private")


def test_noisy_labels_have_the_noise_that_is_said() -> None:
    """By how often the largest entry is the true one: 2/3 and 3/2 of the noise are rejected."""
    graph = toy_graph(nodes=6000, degree=1.0)
    rows, lam = torch.arange(graph.num_nodes), 1.5
    labels = noisy_labels(graph, rows, lam, secret())
    assert labels.shape == (6000, 3)
    assert float(labels.min()) == 0
    assert torch.allclose(labels.sum(1), torch.ones(6000))
    untied = labels.max(1).values > labels.min(1).values
    right = int((labels.argmax(1) == graph.y)[untied].sum())

    def accepts(scale: float) -> bool:
        t = np.linspace(0, 1 + 40 * scale, 200_001)
        law = stats.laplace(scale=scale)
        chance = float(np.trapezoid(law.pdf(t - 1) * law.cdf(t) ** 2, t))
        some = 1 - law.cdf(-1) * law.cdf(0) ** 2
        return bool(stats.binomtest(right, int(untied.sum()), chance / some).pvalue > 1e-5)

    assert accepts(1 / lam)
    assert not accepts(2 / 3 / lam)
    assert not accepts(3 / 2 / lam)


def test_the_price_of_noisy_true_labels() -> None:
    """Table 9 prints |Q| lambda at 0.1 and 0.2 alone; nothing is guaranteed at any."""
    facts = PublicFacts(nodes=13752, edges=245861, entries=491722, features=767, classes=10, train_nodes=10314)
    for lam, printed in ((0.1, 100), (0.2, 200)):
        statement = Config(trained_on="noisy", preset="amazon", lam=lam).plan(facts).statement
        assert statement.epsilon_as_published == pytest.approx(printed)
        assert math.isinf(statement.epsilon)
        assert statement.unit == "none"
    fewer = Config(trained_on="noisy", preset="amazon", queries=5000).plan(facts).statement
    assert fewer.epsilon_as_published == 2700, "all that may be asked about"


@pytest.mark.parametrize("jump", [True, False])
@pytest.mark.parametrize("conv", CONVOLUTIONS)
def test_networks_trained_as_one_are_those_trained_layer_by_layer(
    conv: str, jump: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With splits and edges of their own, in several batches: the same curves and best epochs."""
    whole = toy_graph(nodes=120)
    whole = dataclasses.replace(whole, x=whole.x.double(), _cache={})
    halves = [toy_graph(nodes=120, split_seed=split) for split in (0, 1, 2)]
    graphs = [dataclasses.replace(whole, train_mask=half.train_mask, test_mask=half.test_mask) for half in halves]
    graphs.append(dataclasses.replace(graphs[0], edge_index=whole.edge_index[:, ::3].contiguous(), _cache={}))
    config = Config(conv=conv, jump=jump, epochs=12, hidden=8, weight_decay=0.01, learning_rate=0.05)
    monkeypatch.setattr(network, "networks_at_once", lambda *_: 2)
    contexts = [Context(seed=seed, noise_key=KEY, outsider=Outsider()) for seed in range(len(graphs))]
    told: list[list[Event]] = [[] for _ in graphs]
    for index, event in network.fit_as_one(graphs, config, contexts):
        told[index].append(event)
    for seed, (graph, events, context) in enumerate(zip(graphs, told, contexts, strict=True)):
        alone = Context(seed=seed, noise_key=KEY, outsider=Outsider())
        slow = list(fit_by_layers(graph, config, alone))
        assert losses(events) == pytest.approx(losses(slow), rel=1e-6)
        assert events[-1] == slow[-1]
        for way in ("linked", "alone"):
            assert torch.allclose(context.outsider.logits[way], alone.outsider.logits[way], atol=1e-5)
