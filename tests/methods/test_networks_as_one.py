"""Networks that are trained as one, as on a GPU, against their slow twin."""

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
from privgraph.nn.gnn import CONVOLUTIONS
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
