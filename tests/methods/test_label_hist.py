"""Label-Hist: what it costs, who reads what, and that counts of neighbours tell classes."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from tests.methods.toy_graphs import toy_graph, without_edge
from tests.secrets_made_here import KEY

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.neighbours import with_node_nulled
from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.methods.aggregation.label_hist.config import Config
from privgraph.methods.aggregation.label_hist.reader import LARGEST_WEIGHT, histogram_weight, read_edges, regression
from privgraph.methods.aggregation.label_hist.train import train
from privgraph.methods.outsider import Outsider
from privgraph.methods.training import Context, planned, train_one
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import Composed, Gaussian, PoissonSampled, Repeated
from privgraph.progress import Result

FACTS = PublicFacts(nodes=4000, edges=9000, entries=18000, features=30, classes=5, train_nodes=3000)


def accuracy(graph: Graph, seed: int = 0, **options: Any) -> float:
    context = Context(seed=seed, noise_key=KEY)
    (result,) = [one for one in train_one(train, Config(**options), graph, context) if isinstance(one, Result)]
    return result.metrics["test_accuracy"]


def delta_of(multiplier: float, epsilon: float) -> float:
    """Of one Gaussian, by the textbook's formula (Balle and Wang, 2018)."""
    mu = 1 / multiplier
    return float(norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu))


@pytest.mark.parametrize(("unit", "features"), [("edge", "none"), ("node", "none"), ("node", "class-table")])
def test_all_of_it_costs_what_one_gaussian_does(unit: str, features: str) -> None:
    for epsilon in (0.5, 4.0):
        plan = Config(unit=unit, features=features, epsilon=epsilon, share=0.3).plan(FACTS)
        assert delta_of(plan.scale, epsilon) == pytest.approx(plan.statement.delta, rel=0.05)
        assert delta_of(plan.scale, epsilon) <= plan.statement.delta
        inverse = [1 / (entry.noise_std or math.nan) ** 2 for entry in plan.entries]
        assert sum(inverse) == pytest.approx(plan.scale**-2)
        assert inverse[-1] == pytest.approx(plan.scale**-2 * (0.3 if features == "class-table" else 1))


def test_private_gradients_and_histograms_are_composed_exactly() -> None:
    config = Config(unit="node", features="gradients", epsilon=2.0, share=0.5, batch_size=300, epochs=20)
    plan = config.plan(FACTS)
    gradients, histograms = plan.entries
    event = Composed(
        (
            Repeated(
                event=PoissonSampled(
                    rate=0.1, event=Gaussian(noise_multiplier=config.gradient_multiplier(FACTS, plan.scale))
                ),
                count=200,
            ),
            Gaussian(noise_multiplier=config.histogram_std(plan.scale)),
        )
    )
    assert (gradients.count, gradients.sampling_rate, histograms.count) == (200, 0.1, 1)
    assert tight().epsilon(event, plan.statement.delta) == plan.statement.epsilon
    assert 1.9 < plan.statement.epsilon <= 2.0


def test_no_size_that_is_private_enters_a_plan() -> None:
    for options in ({"unit": "edge"}, *({"unit": "node", "features": one} for one in ("none", "class-table"))):
        plans = [Config(**options).plan(replace(FACTS, edges=edges, entries=2 * edges)) for edges in (1, 10**6)]
        assert plans[0].scale == plans[1].scale
        assert plans[0].statement == plans[1].statement


@pytest.mark.parametrize("unit", ["edge", "node"])
def test_neighbours_tell_what_features_do_not(unit: str) -> None:
    graphs = [toy_graph(nodes=600, signal=0.0, degree=20.0, split_seed=seed) for seed in range(2)]
    reached = np.mean([accuracy(graph, unit=unit, epsilon=8.0) for graph in graphs])
    blind = np.mean([accuracy(graph, unit=unit, epsilon=0.01) for graph in graphs])
    assert reached > 0.75
    assert blind < 0.5


@pytest.mark.parametrize("unit", ["edge", "node"])
def test_the_first_node_may_have_no_label(unit: str) -> None:
    graph = toy_graph(nodes=100)
    labels, train, val, test = (
        graph.y.clone(),
        graph.train_mask.clone(),
        graph.val_mask.clone(),
        graph.test_mask.clone(),
    )
    labels[0], train[0], val[0], test[0] = -1, False, False, False
    unlabelled = replace(graph, y=labels, train_mask=train, val_mask=val, test_mask=test, class_names=("a", "b", "c"))
    assert math.isfinite(accuracy(unlabelled, unit=unit, features="gradients", epochs=2, epsilon=8.0, batch_size=20))


def test_without_privacy_it_reads_counts_as_they_are() -> None:
    assert accuracy(toy_graph(nodes=600, signal=0.0, degree=20.0), unit="none") > 0.85


def test_an_inductive_split_leaves_nodes_that_do_not_train_to_each_other() -> None:
    graph = load("social", split="inductive", split_seed=0, data_options={"nodes": 400})
    assert accuracy(graph, unit="edge", epsilon=8.0) > 0.25
    assert accuracy(graph, unit="node", epsilon=8.0) > 0.4


def logits(graph: Graph, **options: Any) -> torch.Tensor:
    outsider = Outsider()
    for _ in train_one(train, Config(**options), graph, Context(noise_key=KEY, outsider=outsider)):
        pass
    return outsider.logits["linked"]


@pytest.mark.parametrize("unit", ["edge", "node"])
def test_no_label_of_a_test_node_is_read(unit: str) -> None:
    graph = load("social", split_seed=0, data_options={"nodes": 200})
    unread = graph.test_mask if unit == "edge" else ~graph.train_mask
    others = torch.where(unread, (graph.y + 1) % graph.num_classes, graph.y)
    for features in ("none", "class-table", "gradients")[: 3 if unit == "node" else 1]:
        options = {"unit": unit, "epsilon": 4.0, "features": features, "epochs": 2}
        assert torch.equal(logits(graph, **options), logits(replace(graph, y=others, _cache={}), **options))


def test_every_release_moves_by_one_at_most_where_a_training_node_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of classes and the histograms, as they are before their noise; one node has left before."""
    quantities: list[torch.Tensor] = []

    def noted(self: GaussianNoise, values: torch.Tensor, stream: object) -> torch.Tensor:
        quantities.append(values.clone())
        return values

    monkeypatch.setattr(GaussianNoise, "add_", noted)
    whole = load("social", split_seed=0, data_options={"nodes": 200})
    first, *others = whole.train_mask.nonzero().squeeze(1).tolist()
    graph = with_node_nulled(whole, first)
    for dataset in (graph, *(with_node_nulled(graph, node) for node in others[:20])):
        accuracy(dataset, unit="node", epsilon=4.0)
    tables, histograms = quantities[::2], quantities[1::2]
    for here, *there in (tables, histograms):
        moves = [float((other - here).norm()) for other in there]
        assert 0.99 < max(moves) <= 1


@pytest.mark.parametrize("features", ["none", "class-table", "edge"])
def test_what_others_are_told_hangs_on_releases_alone(features: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Releases that come out the same leave the same to be told: to everybody where an edge goes, and to all
    who do not train where training nodes opt out."""
    monkeypatch.setattr(
        GaussianNoise,
        "add_",
        lambda self, values, secret: values.copy_(torch.arange(values.numel()).view(values.shape)),
    )
    graph = load("social", split_seed=0, data_options={"nodes": 200})
    if features == "edge":
        (before, after), who = (graph, without_edge(graph, 0)), torch.ones(200, dtype=torch.bool)
    else:
        leaving = graph.train_mask.nonzero()[:5].squeeze(1).tolist()
        (before, after), who = (graph, reduce(with_node_nulled, leaving, graph)), ~graph.train_mask
    options = {"unit": "edge"} if features == "edge" else {"unit": "node", "features": features}
    assert torch.equal(logits(before, **options, epochs=2)[who], logits(after, **options, epochs=2)[who])


@pytest.mark.parametrize("penalty", [0.03, 3.0])
def test_the_regression_is_that_of_scikit_learn(penalty: float) -> None:
    dice = np.random.default_rng(0)
    rows, labels = dice.normal(size=(300, 4)), dice.integers(3, size=300)
    rows[:, 0] += labels
    weights, intercepts = regression(rows, labels, 3, penalty)
    known = LogisticRegression(C=penalty, tol=1e-8, max_iter=1000).fit(rows, labels)
    assert np.abs(weights.T - weights.T.mean(0) - known.coef_ + known.coef_.mean(0)).max() < 1e-3
    assert np.abs(intercepts - intercepts.mean() - known.intercept_ + known.intercept_.mean()).max() < 1e-3


@pytest.mark.parametrize(("signal", "weight"), [(0.0, 0.0), (1.0, 1 / 1.5), (2.0, 2 / 1.5), (40.0, LARGEST_WEIGHT)])
def test_histograms_weigh_two_thirds_of_their_signal_over_their_noise(signal: float, weight: float) -> None:
    generator = torch.Generator().manual_seed(0)
    first, second, classes = torch.randn(3, 20_000, 4, dtype=torch.float64, generator=generator)
    assert histogram_weight(3 * (first + signal * classes), 3 * second) == pytest.approx(weight, abs=0.1)


def test_noisy_histograms_weigh_less_in_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    weights: list[float] = []

    def noted(*given: torch.Tensor) -> float:
        weights.append(histogram_weight(*given))
        return weights[-1]

    monkeypatch.setattr("privgraph.methods.aggregation.label_hist.train.histogram_weight", noted)
    graph = load("social", split_seed=0, data_options={"nodes": 400})
    for epsilon in (0.1, 20.0):
        accuracy(graph, unit="node", epsilon=epsilon)
    assert weights[0] < 0.3
    assert weights[1] > 1


def test_the_reader_keeps_features_where_histograms_say_nothing() -> None:
    dice = np.random.default_rng(1)
    labels = dice.integers(2, size=200)
    alone = np.log(np.where(np.eye(2)[labels] > 0, 0.9, 0.1))
    parts = np.arange(200) < 20, np.arange(200) >= 100
    assert read_edges(dice.normal(size=(200, 40)), alone, labels, *parts) is alone
    told = read_edges(np.eye(2)[labels], np.full((200, 2), np.log(0.5)), labels, *parts)
    assert (told.argmax(1) == labels).all()


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"accounting": "published"}, {}),
        ({"folds": 5}, {"train_nodes": 9}),
        ({"unit": "node"}, {"train_nodes": 4000}),
        ({"unit": "node"}, {"train_nodes": 0}),
    ],
)
def test_what_cannot_be_done_is_refused(options: dict[str, Any], facts: dict[str, int]) -> None:
    assert Config(**options).refuses(replace(FACTS, **facts))
    assert Config(**{**options, "accounting": "sound"}).refuses(FACTS) is None


def test_members_of_a_stack_are_told_what_each_would_be_alone() -> None:
    def told(members: Sequence[Any]) -> list[float]:
        return [event.metrics["test_accuracy"] for _, event in train(members) if isinstance(event, Result)]

    graphs = [toy_graph(split_seed=seed) for seed in range(3)]
    for unit in ("edge", "node"):
        configs = [Config(unit=unit, epsilon=epsilon, epochs=5) for epsilon in (1.0, 2.0, 8.0)]
        made = [
            lambda number=number, config=config: planned(config, graphs[number], Context(seed=number, noise_key=KEY))
            for number, config in enumerate(configs)
        ]
        assert told([one() for one in made]) == [told([one()])[0] for one in made]
