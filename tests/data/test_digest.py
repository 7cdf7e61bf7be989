"""The keyed digest of a loaded graph: another for every change, and nothing to who lacks the key."""

import dataclasses
from typing import Any

import pytest
import torch

from privgraph.data.digest import graph_digest, tensors_digest
from privgraph.data.graph import Graph
from privgraph.data.load import load

KEY = b"k" * 32


def changed(graph: Graph, name: str) -> Any:
    """Another value of a field, as little different as there is."""
    value = getattr(graph, name)
    if isinstance(value, torch.Tensor):
        if not value.numel():
            return torch.zeros(1, dtype=value.dtype)
        flat = value.clone().flatten()
        flat[-1] = ~flat[-1] if flat.dtype == torch.bool else flat[-1] + 1
        return flat.reshape(value.shape)
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + "'"
    return (*value, "other") if isinstance(value, tuple) else 17


@pytest.mark.parametrize("name", [item.name for item in dataclasses.fields(Graph) if item.name != "_cache"])
def test_every_field_counts(name: str) -> None:
    graph = load("karate", split_seed=3)
    other = dataclasses.replace(graph, **{name: changed(graph, name)})
    assert graph_digest(other, KEY) != graph_digest(graph, KEY)


def test_equal_graphs_are_equal_however_they_came_and_keys_part_them() -> None:
    one, two = load("karate", split_seed=3), load("karate", split_seed=3)
    one.adjacency()  # what is cached is a function of the rest
    assert graph_digest(one, KEY) == graph_digest(two, KEY)
    assert graph_digest(one, KEY) != graph_digest(one, b"j" * 32)
    turned = dataclasses.replace(two, x=two.x.t().contiguous().t())
    assert graph_digest(turned, KEY) == graph_digest(one, KEY), "memory order is no content"


def test_shapes_types_and_empty_tensors_count() -> None:
    zeros = [
        torch.zeros(2, 6),
        torch.zeros(3, 4),
        torch.zeros(12),
        torch.zeros(2, 6, dtype=torch.int32),
        torch.zeros(0, 2),
    ]
    zeros += [torch.zeros(2, 0), torch.zeros(2, 0, dtype=torch.int64)]
    assert len({tensors_digest({"a": value}, KEY) for value in zeros}) == len(zeros)
    assert tensors_digest({"a": zeros[0], "b": zeros[2]}, KEY) != tensors_digest({"a": zeros[2], "b": zeros[0]}, KEY)
