"""Noise has the scale and the shape that is accounted: 2/3 and 3/2 of it are rejected, and so is a wrong
law."""

import math
from typing import Any

import pytest
import torch
from scipy import stats
from tests.secrets_made_here import KEY, secret
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.mechanisms.aggregation import AggregationPerturbation
from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.mechanisms.sampling import poisson_batch, sampling_plan
from privgraph.methods.aggregation import stack as stacking
from privgraph.methods.training import Context, planned
from privgraph.nn import training
from privgraph.registry import method

LEVEL = 1e-5
"""Chance of a false alarm of each check."""


def is_gaussian(sample: Tensor, sigma: float) -> bool:
    """Whether a sample may be N(0, sigma^2): sum of squares (chi-square) and shape (Kolmogorov-Smirnov)."""
    values = sample.double().flatten() / sigma
    chi = stats.chi2(values.numel())
    squares = float(values.square().sum())
    scale = chi.ppf(LEVEL / 2) < squares < chi.ppf(1 - LEVEL / 2)
    return bool(scale and stats.kstest(values.numpy(), "norm").pvalue > LEVEL)


def accepts_only(sample: Tensor, sigma: float) -> None:
    """The sample is N(0, sigma^2), and is neither 2/3 nor 3/2 of it."""
    assert is_gaussian(sample, sigma)
    assert not is_gaussian(sample, sigma * 2 / 3)
    assert not is_gaussian(sample, sigma * 3 / 2)


def test_the_judge_can_fail() -> None:
    generator = torch.Generator().manual_seed(0)
    normal = torch.randn(4000, generator=generator)
    accepts_only(normal * 3, 3)
    laplace = torch.distributions.Laplace(0.0, 1 / math.sqrt(2)).sample((4000,))
    assert not is_gaussian(laplace, float(laplace.std()))
    assert not is_gaussian(torch.sign(normal), 1.0)


@pytest.mark.parametrize("unit", ["edge", "node"])
def test_noise_of_aggregates(unit: str) -> None:
    nodes, width, sigma = 400, 16, 2.5
    empty = torch.zeros(nodes, nodes).to_sparse_csr()
    mechanism = AggregationPerturbation(unit=unit, std=sigma, max_degree=9)
    rows = torch.randn(nodes, width)
    noise = mechanism.release(empty, rows, secret(3))
    accepts_only(noise, sigma)
    accepts_only(noise[:, 0], sigma)
    assert abs(float(torch.corrcoef(noise.t())[0, 1])) < 5 / math.sqrt(nodes)


def test_noise_of_gradients() -> None:
    parameters, clip, multiplier, expected = 6000, 0.7, 1.3, 32.0

    class Silent:
        gradients = torch.zeros(2, parameters)

        def squared_norms(self) -> Tensor:
            return torch.ones(2, 4)

        def forget(self, gone: Tensor) -> None:
            raise AssertionError("every gradient is finite")

        def accumulate(self, factor: Tensor | None = None) -> None:
            self.gradients.zero_()

    mechanism = PrivateGradients(clip=clip, noise_multiplier=multiplier, rate=0.1, expected_batch=expected)
    streams = [secret(seed) for seed in (1, 2)]
    valid = torch.ones(2, 4, dtype=torch.bool)
    net = Silent()
    PrivateGradients.release([mechanism] * 2, net, valid, streams)
    first = net.gradients.clone()
    for member in range(2):
        accepts_only(first[member], clip * multiplier / expected)
    assert abs(float(torch.corrcoef(first)[0, 1])) < 5 / math.sqrt(parameters)
    PrivateGradients.release([mechanism] * 2, net, valid, streams)
    assert abs(float(torch.corrcoef(torch.stack([first[0], net.gradients[0]]))[0, 1])) < 5 / math.sqrt(parameters)


def _lonely_graph(nodes: int) -> Graph:
    """No edges: what aggregations release is their noise."""
    generator = torch.Generator().manual_seed(0)
    none = torch.zeros(nodes, dtype=torch.bool)
    train = none.clone()
    train[: nodes // 2] = True
    return Graph(
        name="lonely",
        x=torch.randn(nodes, 4, generator=generator),
        y=torch.randint(2, (nodes,), generator=generator),
        edge_index=torch.zeros(2, 0, dtype=torch.int64),
        train_mask=train,
        val_mask=~train,
        test_mask=none,
    )


@pytest.mark.parametrize("name", ["progap", "gap"])
@pytest.mark.parametrize("unit", ["edge", "node"])
def test_a_run_draws_fresh_noise_of_the_planned_scale(name: str, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Across stages and across members, no noise is used twice, and all of it has the plan's scale."""
    graph = _lonely_graph(300)
    config = method(name).load_config()(unit=unit, epsilon=4.0, depth=3, epochs=2, batch_size=50)
    members = [planned(config, graph, Context(seed=seed, noise_key=KEY)) for seed in (0, 1)]
    released: list[Tensor] = []
    gradients: list[Tensor] = []
    release, private = stacking.release_stack, training.PrivateGradients.perturb

    def aggregates(*arguments: Any) -> Tensor:
        released.append(release(*arguments).clone())
        return released[-1].clone()

    def silent(mechanisms: Any, net: Any, noise: Any, observers: Any) -> None:
        net.gradients.zero_()
        private(mechanisms, net, noise, observers)
        gradients.append(net.gradients.clone() * mechanisms[0].expected_batch)

    monkeypatch.setattr(stacking, "release_stack", aggregates)
    monkeypatch.setattr(training.PrivateGradients, "perturb", staticmethod(silent))
    for _ in method(name).load_train()(members):
        pass
    noise = config.plan(graph.facts).noise
    assert len(released) == 3
    for one in released:
        for member in range(2):
            accepts_only(one[member], noise["aggregation_std"])
    draws = torch.stack([one[member].flatten() for one in released for member in range(2)])
    correlation = torch.corrcoef(draws) - torch.eye(len(draws))
    assert float(correlation.abs().max()) < 6 / math.sqrt(draws.shape[1])
    if unit == "node":
        stages = 4 if name == "progap" else 2
        assert len(gradients) == stages * config.sampling(graph.facts).steps
        everything = torch.cat([one.flatten() for one in gradients])
        accepts_only(everything, noise["gradient_multiplier"] * config.clip)
        starts = torch.stack([one[member, :60] for one in gradients for member in range(2)])
        assert float((torch.corrcoef(starts) - torch.eye(len(starts))).abs().max()) < 0.85
        assert starts.unique(dim=0).shape[0] == starts.shape[0]
    else:
        assert gradients == []


def test_poisson_batches_have_the_law_that_is_accounted() -> None:
    examples, rate, rounds = 300, 0.07, 3000
    stream = secret()
    counts, sizes = torch.zeros(examples), torch.zeros(rounds)
    for draw in range(rounds):
        batch = poisson_batch(examples, rate, stream)
        assert batch.unique().numel() == batch.numel()
        counts[batch] += 1
        sizes[draw] = batch.numel()

    def fits(q: float) -> bool:
        each = float(((counts - rounds * q) ** 2).sum() / (rounds * q * (1 - q)))
        spread = float(((sizes - examples * q) ** 2).sum() / (examples * q * (1 - q)))
        return all(
            stats.chi2(freedom).ppf(LEVEL / 2) < value < stats.chi2(freedom).ppf(1 - LEVEL / 2)
            for value, freedom in ((each, examples), (spread, rounds))
        )

    assert fits(rate)
    assert not fits(rate * 2 / 3)
    assert not fits(rate * 3 / 2)


def test_batches_can_be_empty_and_whole() -> None:
    assert poisson_batch(5, 1e-12, secret()).numel() == 0
    assert poisson_batch(5, 1.0, secret()).numel() == 5
    for wrong in (0.0, 1.5, math.nan):
        with pytest.raises(ValueError, match="rate must lie"):
            poisson_batch(5, wrong, secret())


def test_the_sampling_plan_is_the_papers_code() -> None:
    assert sampling_plan(19_804, 256, 10) == (256 / 19_804, 773)
    assert sampling_plan(100, 256, 10) == (1.0, 10)
    with pytest.raises(ValueError, match="at least 1"):
        sampling_plan(0, 256, 10)
