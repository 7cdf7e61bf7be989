"""Nodes without a label: every method reads them, and learns from none."""

from dataclasses import replace

import pytest
import torch
from tests.contracts.test_methods import OF_NODES, made

from privgraph.data.load import load
from privgraph.data.splits import with_split
from privgraph.methods.training import train_one
from privgraph.registry import METHODS


@pytest.mark.parametrize("split", ["random", "inductive"])
@pytest.mark.parametrize(("name", "unit"), OF_NODES)
def test_a_method_trains_beside_nodes_without_a_label(name: str, unit: str, split: str) -> None:
    whole = load("social", data_options={"nodes": 240})
    y = whole.y.clone()
    y[3::6] = -1
    graph = with_split(replace(whole, y=y), 0, split)
    parts = torch.stack([graph.train_mask, graph.val_mask, graph.test_mask])
    assert torch.equal(parts.any(0), y >= 0)
    *_, last = train_one(METHODS[name].load_train(), made(name, unit), graph)
    assert 0 <= last.metrics["test_accuracy"] <= 1
    assert last.metrics["test_nodes"] <= int((y >= 0).sum())
