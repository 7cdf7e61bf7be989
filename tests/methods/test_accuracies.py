"""Accuracies are whole numbers divided once."""

import pytest
import torch

from privgraph.methods.accuracies import split_accuracies


@pytest.mark.parametrize("right", [0, 7, 16_777_217, 16_999_999])
def test_the_number_of_right_ones_follows_from_an_accuracy(right: int) -> None:
    """Single precision counts to 2^24: a mean in it is of no whole number any more."""
    nodes = 17_000_000
    y = torch.zeros(nodes, dtype=torch.int8)
    predicted = y.clone()
    predicted[right:] = 1
    (accuracy,) = split_accuracies(predicted, y, {"val": torch.ones(nodes, dtype=torch.bool)}).values()
    assert accuracy == right / nodes


def test_a_split_without_nodes_has_no_accuracy() -> None:
    y = torch.tensor([0, 1, 1])
    masks = {"train": torch.tensor([True, True, False]), "test": torch.zeros(3, dtype=torch.bool)}
    assert split_accuracies(torch.tensor([0, 0, 1]), y, masks) == {"train_accuracy": 0.5}
