"""Whoever else is drawn, an example goes through a network in a table of one and the same size.

A library adds up the numbers of a product in an order that hangs on the table's size. Where a record's pre-activations
are rounding alone, that decides on which side of an activation's corner they lie, and turns its whole gradient.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from tests.secrets_made_here import KEY, secret
from torch import Tensor

from privgraph.data.load import load
from privgraph.mechanisms.gradients import BLOCK, PrivateGradients
from privgraph.methods.base import Context, train_one
from privgraph.methods.dp_gnn.network import SubgraphNetwork
from privgraph.methods.privgnn import votes
from privgraph.nn.inputs import PerMember
from privgraph.nn.layers import Linear, Pass
from privgraph.nn.stacked import StackedNet, mlp_layers
from privgraph.nn.training import fit_private
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import Gaussian, PoissonSampled, Repeated
from privgraph.registry import METHODS
from privgraph.runs.spec import make_spec

PRIVATE = {
    "dp-mlp": {"epochs": 1},
    "gap": {"unit": "node", "epochs": 1, "encoder_epochs": 1, "max_degree": 5},
    "progap": {"unit": "node", "epochs": 1, "max_degree": 5},
    "dp-gnn": {"epochs": 1, "max_degree": 3},
}


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many examples each backward pass of private training had before it."""
    found: list[int] = []
    stacked, subgraphs = StackedNet.backward, SubgraphNetwork.backward

    def seen(net: StackedNet, gradient: Tensor) -> None:
        found.append(gradient.shape[2])
        stacked(net, gradient)

    def seen_too(net: SubgraphNetwork, x: Tensor, parts: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        found.append(len(parts))
        return subgraphs(net, x, parts, labels)

    monkeypatch.setattr(StackedNet, "backward", seen)
    monkeypatch.setattr(SubgraphNetwork, "backward", seen_too)
    return found


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("batch", [4, 300])
def test_every_table_of_private_training_has_the_same_size(name: str, batch: int, sizes: list[int]) -> None:
    graph = load("social", data_options={"nodes": 500})
    options = {**PRIVATE[name], "epsilon": 8.0, "batch_size": batch}
    known = {one: value for one, value in options.items() if one in make_spec(name, "social").options}
    config = make_spec(name, "social", known).config()
    for _ in train_one(METHODS[name].load_train(), config, graph, Context(noise_key=KEY)):
        pass
    assert sizes
    assert set(sizes) == {BLOCK}


def turned(features: int, hidden: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Squared norms of examples' gradients, and of the same examples in another order among others."""
    torch.manual_seed(features)
    order = torch.randperm(BLOCK)
    x, labels = torch.randn(BLOCK, features), torch.randint(0, 3, (BLOCK,))
    net = SubgraphNetwork(features, hidden, 3)
    net.initialise(torch.Generator().manual_seed(0))
    parts = torch.stack([torch.arange(BLOCK), torch.arange(BLOCK).roll(1)], 1)
    net.backward(x, parts, labels)
    own = net.squared_norms()[0]
    net.backward(x, parts[order], labels[order])
    yield own[order], net.squared_norms()[0]
    stack = StackedNet([mlp_layers(features, hidden, 1, norm="none")], [Linear(hidden, 3)], members=1)
    stack.initialise([torch.Generator().manual_seed(0)])
    found = []
    for rows in (torch.arange(BLOCK), order):
        logits = stack.forward([PerMember(x[rows].t().unsqueeze(0).contiguous())], Pass(training=True))
        stack.backward(logits.softmax(1))
        found.append(stack.squared_norms()[0])
    yield found[0][order], found[1]


@pytest.mark.parametrize("features", [4, 300, 1433])
@pytest.mark.parametrize("hidden", [4, 16, 64])
def test_the_place_in_a_table_changes_nothing(features: int, hidden: int) -> None:
    for own, moved in turned(features, hidden):
        assert torch.equal(own, moved)


@pytest.mark.parametrize("count", [1, 7, 300])
def test_sums_of_many_blocks_are_rounded_once(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block's sum is a small number after a large one: added up in single precision they would all be lost."""
    seen: list[Tensor] = []

    def sum_of_a_block(_mechanisms: object, net: StackedNet, _valid: Tensor) -> None:
        net.gradients.fill_(2.0**-24 if blocks[0] else 1.0)
        blocks[0] += 1

    def released(_mechanisms: object, net: StackedNet, *_rest: object) -> None:
        seen.append(net.gradients.clone())

    blocks = [0]
    monkeypatch.setattr(PrivateGradients, "clip_and_sum", staticmethod(sum_of_a_block))
    monkeypatch.setattr(PrivateGradients, "perturb", staticmethod(released))
    nodes = count * BLOCK
    net = StackedNet([mlp_layers(2, 2, 1, norm="none")], [Linear(2, 2)], members=1)
    mechanism = PrivateGradients(clip=1.0, noise_multiplier=1.0, rate=1.0, expected_batch=nodes)
    masks = torch.ones(1, nodes, dtype=torch.bool)
    given = fit_private(
        net, [PerMember(torch.zeros(1, 2, nodes))], torch.zeros(nodes, dtype=torch.int64), train_masks=masks,
        val_masks=masks, learning_rates=torch.ones(1), gradients=[mechanism], epochs=1, steps=1,
        sampling=[secret(0)], noise=[secret(1)],
    )  # fmt: skip
    for _ in given:
        pass
    assert blocks == [count]
    assert torch.equal(seen[0], torch.full_like(seen[0], 1 + (count - 1) * 2.0**-24))


def test_the_sign_of_a_direction_is_the_encoder_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries give an eigenvector with either sign, and another one with other threads."""
    public = load("social", data_options={"nodes": 300})
    own, exact = votes.PublicEncoder.of(public, 8).weights, votes.eigh

    def other(matrix: object) -> tuple[object, object]:
        variances, directions = exact(matrix)
        return variances, directions * np.where(np.arange(len(directions)) % 2, -1.0, 1.0)

    monkeypatch.setattr(votes, "eigh", other)
    assert np.array_equal(votes.PublicEncoder.of(public, 8).weights, own)


@pytest.mark.parametrize(("multiplier", "covered"), [(1 / 50, True), (1 / 51, False), (1 / 1000, False)])
def test_noise_that_ends_where_it_can_be_seen_has_no_epsilon(multiplier: float, covered: bool) -> None:
    """Noise ends at 64 standard deviations; what lies beyond 50 of a shift may pass for certain in one world alone."""
    plain = Gaussian(noise_multiplier=multiplier)
    sampled = PoissonSampled(rate=0.1, event=plain)
    for event in (plain, sampled, Repeated(event=plain, count=3)):
        assert math.isfinite(tight().epsilon(event, 1e-5)) == covered
