"""Prompts and fine-tuning on a few private nodes, without protection and by private gradients."""

import dataclasses
import math
from functools import lru_cache
from typing import Any

import pytest
import torch
from tests.methods.drained import returned
from tests.secrets_made_here import KEY
from torch import Tensor
from torch.nn import functional

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.neighbours import with_node_nulled
from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.gradients import PrivateGradients, clip_factors
from privgraph.methods.prompts.few_shot import Shots, assigned, chosen_by_label, fresh_prompt
from privgraph.methods.prompts.fine_tune.config import Config as FineTune
from privgraph.methods.prompts.fine_tune.train import train as train_fine_tune
from privgraph.methods.prompts.pretrained import PreparedGraph, prepare, recipe_of
from privgraph.methods.prompts.prompt.config import Config as Prompt
from privgraph.methods.prompts.prompt.train import train as train_prompt
from privgraph.methods.prompts.prompt_dpsgd.config import Config
from privgraph.methods.prompts.prompt_dpsgd.train import PerExampleGradients
from privgraph.methods.prompts.prompt_dpsgd.train import train as train_dpsgd
from privgraph.methods.training import Context, train_one
from privgraph.nn.backbones import Backbone
from privgraph.nn.optim import StackedAdam
from privgraph.nn.prompt_tuning import PLACES
from privgraph.nn.prompts import KINDS, Prompts, Sight, packed
from privgraph.privacy.events import NonPrivate

FACTS = PublicFacts(nodes=2708, edges=5278, entries=10556, features=1433, classes=7, train_nodes=2031)
SMALL = {"hidden": 8, "pretrain_epochs": 3, "queries": 10, "backbone": "gcn", "tokens": 3}


@lru_cache
def graph() -> Graph:
    return load("social", data_options={"nodes": 80, "degree": 6.0, "features": 10, "signal": 3.0})


def prepared_for(config: Prompt | Config, own: Graph | None = None) -> PreparedGraph:
    return returned(prepare(own or graph(), config, Context(noise_key=KEY), done=0, total=3))


def result(train: object, config: object, seed: int = 0) -> dict[str, float]:
    *_, last = train_one(train, config, graph(), Context(seed=seed, noise_key=KEY))  # type: ignore[arg-type]
    return dict(last.metrics)


def test_shots_are_private_nodes_of_each_class() -> None:
    prepared = prepared_for(Prompt(**SMALL))
    shots = chosen_by_label(prepared, 3, 0)
    assert torch.isin(shots.nodes, prepared.private_nodes).all()
    assert torch.bincount(shots.labels, minlength=prepared.classes).tolist() == [
        min(3, int((prepared.labels[prepared.private_nodes] == label).sum())) for label in range(prepared.classes)
    ]
    assert not torch.equal(shots.nodes, chosen_by_label(prepared, 3, 1).nodes)


def test_slots_do_not_look_at_labels_and_nobody_moves_up() -> None:
    prepared = prepared_for(Config(**SMALL))
    everybody = assigned(prepared, 15, 0)
    other = dataclasses.replace(prepared, labels=prepared.labels.flip(0))
    assert torch.equal(assigned(other, 15, 0).nodes, everybody.nodes)
    present = torch.ones(80, dtype=torch.bool)
    present[everybody.nodes[4]] = False
    without = assigned(dataclasses.replace(prepared, present=present), 15, 0)
    changed = without.nodes != everybody.nodes
    assert changed.nonzero().squeeze(1).tolist() == [4]
    assert (int(without.nodes[4]), int(without.labels[4])) == (-1, -1)


@pytest.mark.parametrize(
    ("train", "kind", "rate", "least"), [(train_prompt, Prompt, 0.05, 0.8), (train_fine_tune, FineTune, 0.01, 0.9)]
)
def test_it_learns_more_than_it_began_with(train: Any, kind: Any, rate: float, least: float) -> None:
    found = result(train, kind(shots=5, epochs=60, learning_rate=rate, **SMALL))
    assert found["train_accuracy"] > least
    assert found["test_accuracy"] > found["lower_bound"] + 0.1


def test_slots_are_few_and_known_beforehand() -> None:
    assert Config(shots=5).slots(FACTS) == 35
    assert Config(shots=0).slots(FACTS) == 1354
    assert Config(shots=10**4).slots(FACTS) == 1354
    assert Config(shots=5).rate(FACTS) == 1
    assert Config(shots=5).steps(FACTS) == Config().epochs
    assert Config(shots=0, batch_size=677, epochs=10).steps(FACTS) == 20


def test_a_decomposition_of_everybody_voids_the_guarantee() -> None:
    config = Config(svd="everybody", epochs=2, **SMALL)
    plan = config.plan(graph().facts)
    assert math.isinf(plan.statement.epsilon)
    assert isinstance(plan.statement.ledger[0].event, NonPrivate)
    assert any("nothing is guaranteed" in note for note in plan.notes)
    context = Context(noise_key=KEY)
    list(train_one(train_dpsgd, config, graph(), context))
    assert context.ledger.entries == plan.statement.ledger


def per_example(config: Config, prepared: PreparedGraph, shots: Shots) -> PerExampleGradients:
    net = PerExampleGradients(
        fresh_prompt(prepared, prepared.table, recipe_of(config), Context(noise_key=KEY)),
        prepared.backbone,
        prepared.table,
    )
    net.backward(prepared.egos(shots.nodes), shots.labels, torch.arange(len(shots.labels)))
    return net


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_batches_of_one(kind: str) -> None:
    config = Config(prompt=kind, **SMALL)
    prepared = prepared_for(config)
    shots = assigned(prepared, 6, 0)
    net = per_example(config, prepared, shots)
    weights = torch.rand(1, 6, generator=torch.Generator().manual_seed(0))
    norms, expected = net.squared_norms(), torch.zeros_like(net.gradients)
    for example in range(6):
        one = fresh_prompt(prepared, prepared.table, recipe_of(config), Context(noise_key=KEY))
        learning = [one.parameters[name].requires_grad_() for name in one.tuned]
        logits = one.logits(prepared.backbone, prepared.table, prepared.egos(shots.nodes[example : example + 1]))
        loss = functional.cross_entropy(logits[0], shots.labels[example : example + 1])
        gradient = torch.cat([part.flatten() for part in torch.autograd.grad(loss, learning)])
        assert float(norms[0, example]) == pytest.approx(float(gradient.square().sum()), rel=1e-4)
        expected[0] += weights[0, example] * gradient
    net.accumulate(weights)
    assert torch.allclose(net.gradients, expected, atol=1e-6)


@pytest.mark.parametrize("backbone", ["gcn", "gat", "gt"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_gradient_is_the_same_in_any_order_and_company(kind: str, backbone: str) -> None:
    """A stack's members are rounded by their places: a slot that stays empty must not move the others up."""
    config = Config(prompt=kind, **(SMALL | {"backbone": backbone}))
    prepared = prepared_for(config)
    prompt = fresh_prompt(prepared, prepared.table, recipe_of(config), Context(noise_key=KEY))
    net = PerExampleGradients(prompt, prepared.backbone, prepared.table, expected=8.0)
    shots = assigned(prepared, 20, 0)
    egos, generator = packed(prepared.egos(shots.nodes), PLACES), torch.Generator().manual_seed(0)

    def found(slots: Tensor) -> tuple[Tensor, ...]:
        net.backward(egos.take(slots), shots.labels[slots], slots)
        return net._each, net.squared_norms()[0], net.losses

    whole = found(torch.arange(20))
    for count in (20, 19, 12, 3):
        slots = torch.randperm(20, generator=generator)[:count]
        assert all(torch.equal(own[slots], other) for own, other in zip(whole, found(slots), strict=True))
    assert found(torch.arange(0))[0].shape == (0, whole[0].shape[1])


def test_a_library_that_mixes_a_stack_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config(prompt="gpf", epochs=1, **SMALL)
    forward = Prompts.forward

    def mixing(prompts: Prompts, backbone: Backbone, sight: Sight) -> Tensor:
        said = forward(prompts, backbone, sight)
        return said.nextafter(said.roll(1, 0)) if len(said) > 1 else said

    monkeypatch.setattr(Prompts, "forward", mixing)
    with pytest.raises(RuntimeError, match="or on which others stand beside it"):
        list(train_one(train_dpsgd, config, graph(), Context(noise_key=KEY)))


@pytest.mark.parametrize("kind", ["gpf-plus", "all-in-one"])
def test_taking_any_private_node_away_moves_the_sum_by_at_most_the_clip(kind: str) -> None:
    """With its label, its features and all its edges: nobody else's example may notice."""
    clip = 0.05
    config = Config(prompt=kind, shots=0, **SMALL)
    prepared = prepared_for(config)

    def clipped_sum(of: PreparedGraph) -> Tensor:
        shots = assigned(of, len(of.private_nodes), 0)
        net = per_example(config, of, shots)
        net.accumulate(clip_factors(net.squared_norms(), torch.tensor([clip])) * (shots.labels >= 0))
        return net.gradients[0].clone()

    whole, moved = clipped_sum(prepared), []
    for node in prepared.private_nodes[:12].tolist():
        without = prepared_for(config, with_node_nulled(graph(), node))
        moved.append(float((whole - clipped_sum(without)).norm()))
    assert max(moved) <= clip * (1 + 1e-4)
    assert min(moved) > 0.9 * clip, "the clip is reached"


def test_what_is_learnt_from_is_what_was_released_however_many_were_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many were drawn is private: nothing but the noisy sum may know it."""
    release, step = PrivateGradients.release, StackedAdam.step
    released: list[Tensor] = []
    learnt: list[Tensor] = []

    def spy(mechanisms: list[PrivateGradients], net: PerExampleGradients, *rest: object) -> None:
        release(mechanisms, net, *rest)  # type: ignore[arg-type]
        released.append(net.gradients.clone())

    def adam(self: StackedAdam, gradients: Tensor) -> None:
        learnt.append(gradients.clone())
        step(self, gradients)

    monkeypatch.setattr(PrivateGradients, "release", staticmethod(spy))
    monkeypatch.setattr(StackedAdam, "step", adam)
    config = Config(prompt="gpf-plus", epochs=3, shots=0, batch_size=5, **SMALL)
    list(train_one(train_dpsgd, config, graph(), Context(noise_key=KEY)))
    assert len(released) > 10
    assert all(torch.equal(*pair) for pair in zip(released, learnt[-len(released) :], strict=True))


def test_gppts_penalty_is_added_after_the_noise() -> None:
    config = Config(prompt="gppt", **SMALL)
    prepared = prepared_for(config)
    net = per_example(config, prepared, assigned(prepared, 4, 0))
    net.accumulate(torch.zeros(1, 4))
    net.add_penalty()
    assert float(net.gradients.norm()) > 0
    other = per_example(Config(**SMALL), prepared, assigned(prepared, 4, 0))
    other.accumulate(torch.zeros(1, 4))
    other.add_penalty()
    assert float(other.gradients.norm()) == 0
