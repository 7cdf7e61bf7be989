"""Networks that are trained as one, as on a GPU, against their slow twin."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from tests.methods.layer_by_layer import fit_by_layers, losses
from tests.methods.toy_graphs import toy_graph
from tests.secrets_made_here import KEY

from privgraph.methods.baselines import network
from privgraph.methods.baselines.gnn.config import Config
from privgraph.methods.outsider import Outsider
from privgraph.methods.training import Context
from privgraph.nn.batched_gnn import BatchedNetworks, Surrounding
from privgraph.nn.gnn import CONVOLUTIONS, GraphNetwork, initialise
from privgraph.progress import Event


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
        assert context.outsider is not None
        assert alone.outsider is not None
        for way in ("linked", "alone"):
            assert torch.allclose(context.outsider.logits[way], alone.outsider.logits[way], atol=1e-5)


@pytest.mark.parametrize("conv", CONVOLUTIONS)
def test_a_network_in_a_batch_reads_nothing_of_the_others(conv: str) -> None:
    """The gradient of one network's logits is zero at every other's parameters."""
    graph = toy_graph(nodes=60)
    networks = [GraphNetwork(graph.x.shape[1], 3, conv=conv, hidden=8) for _ in range(3)]
    for seed, one in enumerate(networks):
        initialise(one, torch.Generator().manual_seed(seed))
    batch = BatchedNetworks(networks)
    draws = [torch.Generator().manual_seed(seed) for seed in range(3)]
    said = batch.logits(graph.x, Surrounding(networks[0], graph.adjacency()), draws)
    given = torch.autograd.grad((said[:, 1] ** 2).sum(), list(batch.own.values()))
    for name, gradient in zip(batch.own, given, strict=True):
        assert bool(gradient[1].any()) or name.endswith("eps"), name
        assert not bool(gradient[0].any() or gradient[2].any()), name
