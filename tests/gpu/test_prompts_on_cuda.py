"""Stacked prompts on a CUDA device: what the CPU says, and each member as alone."""

import pytest
import torch
from torch import Tensor

from privgraph.data.load import load
from privgraph.nn.backbones import KINDS as BACKBONES
from privgraph.nn.backbones import Backbone, network
from privgraph.nn.ego_graphs import ego_graphs
from privgraph.nn.prompt_tuning import tune, votes
from privgraph.nn.prompts import KINDS, PromptRecipe, Prompts

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device at hand")]

TEACHERS, SLOTS, FEATURES, HIDDEN, CLASSES = 4, 3, 6, 8, 3


def said(kind: str, prompt: str, device: str, members: list[int]) -> tuple[Prompts, Tensor]:
    """Prompts of `members`, tuned in double precision, and their logits for twenty public nodes, on the
    CPU."""
    place, draws = torch.device(device), torch.Generator().manual_seed(0)
    graph = load("social", data_options={"nodes": 80, "degree": 8.0, "features": FEATURES})
    table = torch.nn.functional.normalize(torch.randn(80, FEATURES, generator=draws), dim=1).double()
    readable, priority = torch.arange(80) >= 40, torch.randperm(80, generator=draws)
    backbone = Backbone.of(network(kind, FEATURES, HIDDEN, draws)).to(torch.float64)
    structure = backbone.whole(table, graph.edge_index)[readable]
    recipe = PromptRecipe(kind=prompt, tokens=3, epochs=5)
    generators = [torch.Generator().manual_seed(member) for member in members]
    fresh = Prompts.initial(recipe, backbone, CLASSES, generators, structure)
    fresh = Prompts(prompt, {name: value.to(place, torch.float64) for name, value in fresh.parameters.items()})
    slots = torch.arange(TEACHERS * SLOTS).view(TEACHERS, SLOTS)[members]
    labels = graph.y[slots] % CLASSES
    labels[0, 1] = -1
    egos = ego_graphs(slots.flatten(), graph.edge_index, readable, priority, near=4, far=5).to(place)
    asked = ego_graphs(torch.arange(40, 60), graph.edge_index, readable, priority, near=4, far=5).to(place)
    backbone, table = backbone.to(place), table.to(place)
    *_, tuned = tune(fresh, backbone, table, egos, labels.to(place), recipe)
    assert isinstance(tuned, Prompts)
    logits = tuned.answers(backbone, table, asked)
    *_, cast = votes(tuned, backbone, table, asked)
    assert isinstance(cast, Tensor)
    assert torch.equal(cast, logits.argmax(-1))
    return tuned.to(torch.device("cpu")), logits.cpu()


@pytest.mark.parametrize("kind", BACKBONES)
@pytest.mark.parametrize("prompt", KINDS)
def test_prompts_agree_with_the_cpu(prompt: str, kind: str) -> None:
    (here, said_here), (there, said_there) = (said(kind, prompt, device, [0, 1, 2, 3]) for device in ("cpu", "cuda"))
    assert torch.allclose(said_here, said_there, atol=1e-6)
    for name in here.tuned:
        assert torch.allclose(here.parameters[name], there.parameters[name], atol=1e-6)


@pytest.mark.parametrize("prompt", KINDS)
def test_a_prompt_in_a_stack_is_the_prompt_alone(prompt: str) -> None:
    _, together = said("gat", prompt, "cuda", [0, 1, 2, 3])
    _, alone = said("gat", prompt, "cuda", [0])
    assert torch.allclose(together[:1], alone, atol=1e-6)
