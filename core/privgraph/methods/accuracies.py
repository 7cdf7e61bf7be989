"""How often predictions are right on each split."""

from __future__ import annotations

from torch import Tensor

SPLITS = ("train", "val", "test")


def split_accuracies(predicted: Tensor, y: Tensor, masks: dict[str, Tensor]) -> dict[str, float]:
    """The share of right predictions on each split that has nodes, as train_accuracy, val_accuracy,
    test_accuracy."""
    right = (predicted == y).float()
    return {f"{name}_accuracy": float(right[mask].mean()) for name, mask in masks.items() if bool(mask.any())}
