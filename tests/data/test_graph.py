"""The graph itself: features are cut off, each record by itself, before anybody reads them."""

import dataclasses
import math

import pytest
import torch

from privgraph.data.graph import Graph
from privgraph.data.spec import LARGEST_FEATURE


def graph(x: torch.Tensor) -> Graph:
    none = torch.zeros(len(x), dtype=torch.bool)
    return Graph(
        name="made here",
        x=x,
        y=torch.arange(len(x)) % 2,
        edge_index=torch.zeros(2, 0, dtype=torch.int64),
        train_mask=~none,
        val_mask=none,
        test_mask=none,
    )


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (math.nan, 0.0),
        (math.inf, LARGEST_FEATURE),
        (-1.01e6, -LARGEST_FEATURE),
        (-1e6, -1e6),
        (1e-40, 1e-40),
    ],
)
def test_a_feature_is_cut_off_and_nobody_else_is_touched(given: float, read: float) -> None:
    """Alone of its kind in a graph, it is cut off all the same."""
    x = torch.tensor([[1.5, -2.0], [3.0, 4.0]])
    x[0, 1] = given
    found = graph(x).x
    assert torch.equal(found, torch.tensor([[1.5, read], [3.0, 4.0]]))
    assert torch.equal(graph(found).x, found)


def test_classes_are_those_that_are_named_whoever_is_there() -> None:
    """How many there are is public: it must not hang on the one node of a class."""
    named = dataclasses.replace(graph(torch.zeros(4, 2)), class_names=("red", "green", "blue"))
    assert named.num_classes == named.facts.classes == 3
    assert graph(torch.zeros(4, 2)).num_classes == 2
