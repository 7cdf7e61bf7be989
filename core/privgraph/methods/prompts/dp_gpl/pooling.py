"""What all noisy counts together say of every public node: post-processing of what was released. NumPy only.

A single noisy histogram says little: at epsilon 2 its noise is as large as the lead of the winning class. But
votes change slowly over the public graph, so that 50 noisy histograms together say much more than each for
itself.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

AMPLITUDES = np.geomspace(1e-2, 1e6, 33)
"""Prior variances of a count that are tried, in squared votes; the likeliest is taken."""
SHARPNESS = 2.0
"""How fast chances fall with scores, in their standard deviations."""
FLOOR = 0.02
"""The least share that a class is given, of the average share: what was hardly voted for may still exist."""
ROUNDS = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class Pooled:
    """chances (n, C) float32 for all public nodes; shares (C,): of each class among the noisy counts."""

    chances: NDArray[np.float32]
    shares: Floats


def pool(noisy: Floats, rows: NDArray[np.int64], features: Floats, std: float) -> Pooled:
    """Chances of each class, (n, C), from noisy counts (q, C) of some `rows` (q,) of n public nodes with
    `features` (n, d).

    Each class's counts, less their mean, are taken for a Gaussian process over the public nodes whose
    covariance is the inner product of features, with noise of variance std^2 (Rasmussen and Williams 2006,
    section 2.2; the amplitude by its section 5.4: the likeliest, one for all classes). Few-shot teachers vote
    too often for common classes, so that raw counts would name them nearly everywhere. So each class's
    estimate is centred over the public nodes, weighted by its spread's root, and shifted until the chances of
    all nodes add up to the class's share of all noisy counts, which is known much better than any one count.
    """
    mean = noisy.mean(0)
    shares = np.maximum(mean, FLOOR * max(float(noisy.sum(1).mean()), 1.0) / len(mean))
    shares = shares / shares.sum()
    values, vectors = np.linalg.eigh(features[rows] @ features[rows].T)
    values, turned = np.maximum(values, 0.0), vectors.T @ (noisy - mean)
    variances = AMPLITUDES[:, None] * values + std**2
    squares = np.square(turned).sum(1)
    fit = (squares / variances).sum(1) + turned.shape[1] * np.log(variances).sum(1)
    amplitude = AMPLITUDES[fit.argmin()]
    rule = features[rows].T @ (vectors @ (turned * (amplitude / (amplitude * values + std**2))[:, None]))
    estimate = features @ rule
    estimate = estimate - estimate.mean(0)
    spread = estimate.std(0)
    scores = estimate / np.sqrt(np.maximum(spread + 0.2 * np.median(spread), 1e-12))
    scores = SHARPNESS * scores / max(float(scores.std()), 1e-12)
    return Pooled(chances=_to_shares(scores, shares).astype(np.float32), shares=shares)


def _to_shares(scores: Floats, shares: Floats) -> Floats:
    """(n, C): the softmax of scores, shifted class by class until its columns average to `shares` (C,)."""
    shift = np.zeros(scores.shape[1])
    for _ in range(ROUNDS):
        powers = np.exp(scores + shift - (scores + shift).max(1, keepdims=True))
        chances: Floats = powers / powers.sum(1, keepdims=True)
        shift += np.log(shares / np.maximum(chances.mean(0), 1e-12))
    return chances


def centred(features: Floats) -> Floats:
    """Less their mean, and scaled so that rows have length 1 on average."""
    moved = features - features.mean(0)
    scaled: Floats = moved / max(float(np.linalg.norm(moved, axis=1).mean()), 1e-12)
    return scaled
