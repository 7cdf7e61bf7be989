"""How often predictions are right on each split."""

from __future__ import annotations

from torch import Tensor

SPLITS = ("train", "val", "test")


def split_accuracies(predicted: Tensor, y: Tensor, masks: dict[str, Tensor]) -> dict[str, float]:
    """The share of right predictions on each split that has nodes, as train_accuracy, val_accuracy,
    test_accuracy: whole numbers divided once, so that the number of right ones follows from it."""
    right = predicted == y
    counts = {name: int(mask.sum()) for name, mask in masks.items()}
    return {f"{name}_accuracy": int(right[masks[name]].sum()) / count for name, count in counts.items() if count}


def chance_level(labels: Tensor) -> dict[str, float]:
    """What a test accuracy is to be read beside, from the true classes (n,) of the test nodes.

    `test_nodes` is their number n, and `majority_class_accuracy` the share of their largest class: what
    naming that one class for everybody reaches. Nothing where there are no test nodes.

    >>> chance_level(Tensor([2, 2, 0, 1]).long())
    {'test_nodes': 4.0, 'majority_class_accuracy': 0.5}
    """
    if not labels.numel():
        return {}
    nodes = labels.numel()
    return {"test_nodes": float(nodes), "majority_class_accuracy": float(labels.cpu().bincount().max()) / nodes}
