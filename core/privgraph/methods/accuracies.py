"""How often predictions are right on each split."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from torch import Tensor

SPLITS = ("train", "val", "test")


def split_accuracies(predicted: Tensor, y: Tensor, masks: dict[str, Tensor]) -> dict[str, float]:
    """The share of right predictions on each split that has nodes, as train_accuracy, val_accuracy,
    test_accuracy: whole numbers divided once, so that the number of right ones follows from it."""
    right = predicted == y
    counts = {name: int(mask.sum()) for name, mask in masks.items()}
    return {f"{name}_accuracy": int(right[masks[name]].sum()) / count for name, count in counts.items() if count}


def test_measures(scores: Tensor, labels: Tensor) -> dict[str, float]:
    """What stands beside a test accuracy, from scores (n, C) and true classes (n,) of the test nodes.

    `test_nodes` is their number n, and `majority_class_accuracy` the share of their largest class: what
    naming that one class for everybody reaches. Classes are seldom balanced: `test_macro_f1` is the mean of
    the F1 of each class that is there or named, and `test_auc` that of the areas under the ROC curves of each
    class against the rest, by its probability. Nothing where there are no test nodes.

    >>> found = test_measures(Tensor([[2, 0], [1, 0], [0, 1], [3, 1]]), Tensor([0, 0, 1, 1]).long())
    >>> {name: round(value, 3) for name, value in found.items()}
    {'test_nodes': 4.0, 'majority_class_accuracy': 0.5, 'test_macro_f1': 0.733, 'test_auc': 0.625}
    """
    nodes, classes = scores.shape
    if not nodes:
        return {}
    chances = scores.detach().double().softmax(1).nan_to_num(0.0).cpu().numpy()
    truth, said = labels.cpu().numpy(), scores.argmax(1).cpu().numpy()
    there, named = np.bincount(truth, minlength=classes), np.bincount(said, minlength=classes)
    right = np.bincount(truth[said == truth], minlength=classes)
    asked = there + named > 0
    areas = [_area(chances[:, one], truth == one) for one in np.flatnonzero((there > 0) & (there < nodes))]
    return {
        "test_nodes": float(nodes),
        "majority_class_accuracy": float(there.max()) / nodes,
        "test_macro_f1": float((2 * right[asked] / (there + named)[asked]).mean()),
        **({"test_auc": float(np.mean(areas))} if areas else {}),
    }


def _area(chances: NDArray[np.float64], own: NDArray[np.bool_]) -> float:
    """How often one of its own has a larger chance than another; ties count half."""
    count = int(own.sum())
    return float((rankdata(chances)[own].sum() - count * (count + 1) / 2) / (count * (own.size - count)))
