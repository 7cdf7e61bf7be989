"""Stacked prompts: each is a function of its own slots to the last digit, and a step is one of Adam."""

import pytest
import torch
from tests.torch_threads import threads
from torch import Tensor

from privgraph.data.load import load
from privgraph.nn import prompt_tuning
from privgraph.nn.backbones import KINDS as BACKBONES
from privgraph.nn.backbones import Backbone, network
from privgraph.nn.ego_graphs import EgoGraphs, ego_graphs
from privgraph.nn.prompt_tuning import Tuning, tune, votes
from privgraph.nn.prompts import KINDS, PromptRecipe, Prompts

TEACHERS, SLOTS, FEATURES, HIDDEN, CLASSES = 4, 3, 6, 8, 3


class Setting:
    """A small graph of public and private nodes, a random network, and slots for `TEACHERS` teachers."""

    def __init__(self, kind: str, double: bool = False) -> None:
        draws = torch.Generator().manual_seed(0)
        dtype = torch.float64 if double else torch.float32
        graph = load("social", data_options={"nodes": 80, "degree": 8.0, "features": FEATURES})
        self.y = graph.y % CLASSES
        self.table = torch.nn.functional.normalize(torch.randn(80, FEATURES, generator=draws), dim=1).to(dtype)
        self.readable = torch.arange(80) >= 40
        self.edges, self.priority = graph.edge_index, torch.randperm(80, generator=draws)
        self.backbone = Backbone.of(network(kind, FEATURES, HIDDEN, draws)).to(dtype)
        self.public = self.egos(torch.arange(40, 56))
        self.structure = self.backbone.whole(self.table, graph.edge_index)[self.readable]
        self.slots = torch.arange(TEACHERS * SLOTS).view(TEACHERS, SLOTS)
        self.slots[1, 2] = self.slots[3, 0] = -1  # empty ones

    def egos(self, nodes: Tensor) -> EgoGraphs:
        return ego_graphs(nodes.flatten(), self.edges, self.readable, self.priority, near=4, far=5)

    def labels(self, slots: Tensor) -> Tensor:
        return torch.where(slots >= 0, self.y[slots.clamp(min=0)], -1)

    def fresh(self, recipe: PromptRecipe, members: int = TEACHERS) -> Prompts:
        generators = [torch.Generator().manual_seed(member) for member in range(members)]
        made = Prompts.initial(recipe, self.backbone, CLASSES, generators, self.structure)
        return Prompts(made.kind, {name: value.to(self.table) for name, value in made.parameters.items()})

    def tuned(self, prompts: Prompts, slots: Tensor, recipe: PromptRecipe) -> Prompts:
        *_, last = tune(prompts, self.backbone, self.table, self.egos(slots), self.labels(slots), recipe)
        return last

    def votes(self, prompts: Prompts) -> Tensor:
        *_, last = votes(prompts, self.backbone, self.table, self.public)
        return last


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """One or two members a chunk, so that there are several chunks, and several blocks of questions."""
    monkeypatch.setattr(prompt_tuning, "CACHE_BYTES", 120_000)
    monkeypatch.setattr(prompt_tuning, "TOGETHER", 2)
    monkeypatch.setattr(prompt_tuning, "MANY", 3)


EVERY = [(prompt, backbone) for prompt in KINDS for backbone in BACKBONES]
TUNED = [(prompt, backbone) for prompt, backbone in EVERY if prompt != "gppt" or backbone == "gat"]
"""Pairs whose gradients differ: gppt's pass through no network."""


@pytest.mark.parametrize(("prompt", "backbone"), TUNED)
def test_one_nodes_leaving_changes_one_member_to_the_last_digit(prompt: str, backbone: str) -> None:
    setting, recipe = Setting(backbone), PromptRecipe(kind=prompt, tokens=3, epochs=4, learning_rate=0.05)
    fresh = setting.fresh(recipe)
    whole = setting.tuned(fresh, setting.slots, recipe)
    slots = setting.slots.clone()
    slots[2, 1] = -1
    left = setting.tuned(fresh, slots, recipe)
    changed = torch.zeros(TEACHERS, dtype=torch.bool)
    for name in fresh.tuned:
        changed |= (whole.parameters[name] != left.parameters[name]).flatten(1).any(1)
    assert changed.nonzero().squeeze(1).tolist() == [2]
    moved = (setting.votes(whole) != setting.votes(left)).any(1)
    assert set(moved.nonzero().squeeze(1).tolist()) <= {2}


def plain(prompts: Prompts, setting: Setting, ego: EgoGraphs) -> Tensor:
    """(C,): one prompt on one ego-graph without empty places, by the network's own layers."""
    there = ego.present[0]
    x = setting.table[ego.nodes[0][there]]
    adjacency = ego.adjacency[0][there][:, there]
    own = {name: value[0] for name, value in prompts.parameters.items()}
    if prompts.kind == "gpf":
        x = x + own["shift"]
    elif prompts.kind == "gpf-plus":
        x = x + (x @ own["keys"].T).softmax(1) @ own["vectors"]
    elif prompts.kind == "all-in-one":
        tokens = own["tokens"]
        cross, inner = (x @ tokens.T).sigmoid() >= 0.1, (tokens @ tokens.T).sigmoid() >= 0.3
        inner.fill_diagonal_(False)
        adjacency = torch.cat([torch.cat([adjacency, cross], 1), torch.cat([cross.T, inner], 1)], 0)
        x = torch.cat([x, tokens])
    read = setting.backbone.whole(x, adjacency.nonzero().T.flip(0))
    if prompts.kind != "gppt":
        return (read[0] @ own["weight"] + own["bias"]).squeeze(0)
    mean = read[adjacency[0]].mean(0) if bool(adjacency[0].any()) else read[0]
    task = own["classes"][(own["kinds"] @ mean).argmax()]
    return task @ torch.cat([read[0], mean])


@pytest.mark.parametrize(("prompt", "backbone"), EVERY)
def test_answers_are_those_of_the_ordinary_network_on_the_prompted_graph(prompt: str, backbone: str) -> None:
    setting, recipe = Setting(backbone, double=True), PromptRecipe(kind=prompt, tokens=3)
    one = setting.fresh(recipe, members=1)
    answers = one.answers(setting.backbone, setting.table, setting.public)
    for graph in range(0, len(setting.public), 2):
        expected = plain(one, setting, setting.public.take(slice(graph, graph + 1)))
        assert torch.allclose(answers[0, graph], expected, atol=1e-9)


@pytest.mark.parametrize("prompt", KINDS)
def test_a_member_without_nodes_keeps_its_prompt(prompt: str) -> None:
    setting, recipe = Setting("gcn"), PromptRecipe(kind=prompt, tokens=3, epochs=5)
    slots = setting.slots.clone()
    slots[2] = -1
    fresh = setting.fresh(recipe)
    tuned = setting.tuned(fresh, slots, recipe)
    for name, value in fresh.parameters.items():
        assert torch.equal(tuned.parameters[name][2], value[2])
    assert bool((setting.votes(tuned)[2] == setting.votes(fresh)[2]).all())


@pytest.mark.parametrize("prompt", KINDS)
def test_a_step_is_one_of_adam(prompt: str) -> None:
    """Another route: plain autograd and torch's own Adam, on the members' own mean losses."""
    setting, recipe = Setting("gat", double=True), PromptRecipe(kind=prompt, tokens=3, learning_rate=0.05)
    egos, labels = setting.egos(setting.slots), setting.labels(setting.slots)
    tuning = Tuning(setting.fresh(recipe), setting.backbone, setting.table, egos, labels, recipe)
    twin = tuning.result().take(slice(None))
    learning = [twin.parameters[name].requires_grad_() for name in twin.tuned]
    optimiser = torch.optim.Adam(learning, lr=0.05)
    for _ in range(5):
        logits = twin.logits(setting.backbone, setting.table, egos)
        each = torch.stack(
            [
                torch.nn.functional.cross_entropy(own, label, ignore_index=-1)
                for own, label in zip(logits, labels, strict=True)
            ]
        )
        assert torch.allclose(tuning.step(), each)
        penalty = twin.penalty()
        optimiser.zero_grad()
        torch.autograd.backward((each if penalty is None else each + penalty).sum())
        optimiser.step()
    for name in twin.tuned:
        assert torch.allclose(tuning.result().parameters[name], twin.parameters[name], atol=1e-8)


def test_soft_labels_say_what_hard_ones_say() -> None:
    setting, recipe = Setting("gat"), PromptRecipe(kind="gpf", epochs=5)
    hard = setting.labels(setting.slots)
    soft = torch.nn.functional.one_hot(hard.clamp(min=0), CLASSES).float() * (hard >= 0).unsqueeze(2)
    one, other = (
        Tuning(setting.fresh(recipe), setting.backbone, setting.table, setting.egos(setting.slots), labels, recipe)
        for labels in (hard, soft)
    )
    assert torch.equal(one.step(), other.step())
    assert torch.equal(one.step(), other.step())


@pytest.mark.parametrize("prompt", KINDS)
def test_many_slots_are_computed_in_blocks(prompt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one slot, on two threads, say what one block says; the number of threads changes nothing."""
    setting, recipe = Setting("gat", double=True), PromptRecipe(kind=prompt, tokens=3, epochs=4)
    fresh, results = setting.fresh(recipe), []
    egos, labels = setting.egos(setting.slots), setting.labels(setting.slots)
    for size, count in ((1e9, 1), (1, 1), (1, 2)):
        monkeypatch.setattr(prompt_tuning, "CACHE_BYTES", size)
        with threads(count):
            tuning = Tuning(fresh, setting.backbone, setting.table, egos, labels, recipe)
            losses = [tuning.step() for _ in range(recipe.epochs)]
        results.append((torch.stack(losses), tuning.result().parameters))
    (losses, whole), (_, one), (_, two) = results
    assert torch.allclose(losses, results[1][0])
    for name in fresh.tuned:
        assert torch.allclose(whole[name], one[name], atol=1e-9)
        assert torch.equal(one[name], two[name])
