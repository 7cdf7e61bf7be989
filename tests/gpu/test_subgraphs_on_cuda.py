"""Subgraphs and their gradients on a CUDA device: what the CPU says, and noise of the right scale."""

import pytest
import torch
from tests.secrets_made_here import secret
from torch import Tensor

from privgraph.data.load import load
from privgraph.mechanisms.spherical_laplace import SphericalLaplaceNoise
from privgraph.methods.gradients.heter_poisson.sampling import HeterPoisson, inference_subgraphs
from privgraph.nn.ragged_network import NETWORKS, RaggedNetwork

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device at hand")]


def formed(device: str, exclusive: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Nodes, starts and edges of one step on the built-in graph, with coins tossed on the CPU."""
    graph, place = load("social"), torch.device(device)
    sampler = HeterPoisson(
        graph.edge_index.to(place), graph.train_mask.to(place), rate=0.3, neighbours=2, exclusive=exclusive
    )
    draws = torch.Generator().manual_seed(0)
    nodes = graph.train_mask.nonzero().squeeze(1)
    centres = nodes[torch.rand(len(nodes), generator=draws) < 0.3].to(place)
    coins = torch.rand(len(sampler.edges.of(centres)[0]), generator=draws, dtype=torch.float64)
    kept = coins.to(place) < sampler._chance[sampler.edges.of(centres)[1]]
    found = sampler.formed(centres, kept)
    return found.nodes.cpu(), found.starts.cpu(), found.edges.cpu()


@pytest.mark.parametrize("exclusive", [False, True])
def test_subgraphs_agree_with_the_cpu(exclusive: bool) -> None:
    for here, there in zip(formed("cpu", exclusive), formed("cuda", exclusive), strict=True):
        assert torch.equal(here, there)


def summed(device: str, kind: str, layers: int) -> tuple[Tensor, Tensor, Tensor]:
    """Squared norms, the weighted sum of gradients, and logits, in double precision."""
    graph, place = load("social"), torch.device(device)
    x, y = graph.x.double().to(place), graph.y.to(place)
    draws = torch.Generator().manual_seed(1)
    subgraphs = inference_subgraphs(graph.edge_index, graph.train_mask, 4, secret(1))
    subgraphs = type(subgraphs)(*(part.to(place) for part in (subgraphs.nodes, subgraphs.starts, subgraphs.edges)))
    net = RaggedNetwork(kind, x.shape[1], 8, graph.num_classes, layers=layers)
    net.initialise(draws)
    there = RaggedNetwork(kind, x.shape[1], 8, graph.num_classes, layers=layers, device=place, dtype=torch.float64)
    there.parameters.copy_(net.parameters)
    total = torch.zeros(there.parameters.shape[1], dtype=torch.float64, device=place)
    norms = []
    for found in there.gradients(x, subgraphs, y[subgraphs.centres]):
        norms.append(found.squared_norms())
        found.add_to(total, torch.ones_like(norms[-1]))
    return torch.cat(norms).cpu(), total.cpu(), there.logits(x, subgraphs).cpu()


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", NETWORKS)
def test_gradients_agree_with_the_cpu(kind: str, layers: int) -> None:
    for here, there in zip(summed("cpu", kind, layers), summed("cuda", kind, layers), strict=True):
        assert torch.allclose(here, there, atol=1e-9)


def test_spherical_laplace_noise_has_its_scale() -> None:
    stream = secret(1)
    noise = SphericalLaplaceNoise(std=3.0)
    squares = torch.stack(
        [noise.add_(torch.zeros(2000, device="cuda"), stream).square().mean() / 9 for _ in range(2000)]
    )
    assert float(squares.mean()) == pytest.approx(1, abs=0.15)
    assert float(squares.std()) == pytest.approx(1, abs=0.25)
