"""From noisy histograms to classes: post-processing, and what it reads beside them is public."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from torch import Tensor

Array = NDArray[np.float64]
LARGEST_WEIGHT = 8 / 3
PENALTIES = (3.0, 0.3, 0.03, 0.003)
"""C of the regressions that are tried: the weight of a node's loss over that of half the squared weights."""


def regression(rows: Array, labels: NDArray[np.int64], classes: int, penalty: float) -> tuple[Array, Array]:
    """Multinomial logistic regression with an L2 penalty on its weights: weights (F, C) and intercepts (C,).

    Args:
        rows: (n, F), about of unit size.
        labels: (n,) in [0, C).
        classes: C.
        penalty: See `PENALTIES`.
    """
    own = np.zeros((len(labels), classes))
    own[np.arange(len(labels)), labels] = 1
    wide = np.concatenate([rows, np.ones((len(rows), 1))], axis=1)

    def cost(flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(-1, classes)
        scores = wide @ weights
        loss = -float((log_softmax(scores, axis=1) * own).sum())
        gradient = wide.T @ (softmax(scores, axis=1) - own)
        gradient[:-1] += weights[:-1] / penalty
        return loss + float(np.square(weights[:-1]).sum()) / (2 * penalty), gradient.ravel()

    found = minimize(cost, np.zeros(wide.shape[1] * classes), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    weights = found.x.reshape(-1, classes)
    return weights[:-1], weights[-1]


def read_edges(
    rows: Array, alone: Array, labels: NDArray[np.int64], train: NDArray[np.bool_], val: NDArray[np.bool_]
) -> Array:
    """Log-probabilities (|V|, C) of all nodes: those of the regression, or of features alone, whose loss on
    the validation nodes is least. Features, labels and the split are public where edges are protected.

    Args:
        rows: (|V|, F) what is known of each node: what a perceptron says that has not seen it, and its
            histogram over the standard deviation of the noise.
        alone: (|V|, C) log-probabilities by features alone.
        labels: (|V|,).
        train, val: (|V|,). Without validation nodes the strongest penalty is taken.
    """
    classes = alone.shape[1]
    found: list[Array] = []
    for penalty in PENALTIES if val.any() else PENALTIES[-1:]:
        weights, intercepts = regression(rows[train], labels[train], classes, penalty)
        found.append(log_softmax(rows @ weights + intercepts, axis=1))
    if not val.any():
        return found[0]
    return min([alone, *found], key=lambda said: -float(said[val, labels[val]].mean()))


def asked_around(scores: Tensor, edge_index: Tensor, training: Tensor) -> Tensor:
    """Scores (|V|, C) in which each of the `training` nodes (|V|,) has the mean of its in-neighbours that do
    not train: its own record's edges, over what was released. `edge_index` is (2, |E|)."""
    source, target = edge_index
    source, target = edge_index[:, ~training[source] & training[target]]
    counts = torch.bincount(target, minlength=training.numel()).clamp_min(1).unsqueeze(1)
    means = torch.zeros_like(scores).index_add_(0, target, scores[source]) / counts
    return torch.where(training.unsqueeze(1), means, scores)


def histogram_weight(histograms: Tensor, noise: Tensor) -> float:
    """The weight of histograms beside a view of features, which has weight 1.

    Two thirds of the histograms' signal-to-noise ratio (of standard deviations), at most `LARGEST_WEIGHT`. It
    is post-processing.

    Args:
        histograms: (n, C), as released, averaged over edges or not.
        noise: (n, C), an independent draw of the release's noise, averaged in the same way.
    """
    total, alone = (float((one - one.mean(1, keepdim=True)).var(correction=0)) for one in (histograms, noise))
    return min(LARGEST_WEIGHT, math.sqrt(max(0.0, total / alone - 1)) / 1.5) if alone > 0 else LARGEST_WEIGHT


def added(scores: Sequence[tuple[Tensor, float]], rows: Tensor) -> Tensor:
    """The sum of several scores (|V|, C), each centred in every row, divided by its standard deviation in
    `rows` (|V|,), those of nodes that do not train, and times its weight.

    Nothing is learnt: no label of a training node may be asked again. See the README for what was tried.
    """
    total = torch.zeros_like(scores[0][0])
    for score, weight in scores:
        own = score - score.mean(1, keepdim=True)
        spread = float(own[rows].std(correction=0))
        total += own * (weight / spread) if spread > 0 else own
    return total
